import { expect, it } from 'vitest';
import { Restraints } from '../../../server/access/restraints.js';

/** @param {number} i */
const muted = (i) => ({
  ...{ identity: `guest ${i}`, network: null, kind: /** @type {const} */ ('person') },
  ...{ silenced: true, lowered: false },
});

it('a room remembers no more than 200 people, the last to leave', () => {
  const restraints = new Restraints();
  for (let i = 0; i < 300; i++) restraints.left(muted(i));
  const known = Array.from({ length: 300 }, (_, i) => restraints.came(muted(i), []) !== null);
  expect([known.indexOf(true), known.filter(Boolean).length]).toEqual([100, 200]);
});

it('a room remembers a person once, as they were when they left last', () => {
  const restraints = new Restraints();
  for (let i = 0; i < 3; i++) restraints.left(muted(1));
  restraints.left({ ...muted(1), silenced: false, lowered: true });
  expect(restraints.came(muted(1), [])).toMatchObject({ silenced: false, lowered: true });
  restraints.left({ ...muted(1), silenced: false });
  expect(restraints.came(muted(1), [])).toBe(null);
});
