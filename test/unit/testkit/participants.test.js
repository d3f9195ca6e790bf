import { expect, it } from 'vitest';
import { functionsOf, Participants } from '../../../testkit/participants/participants.js';

it('sockets are noted where another process asks for them, and only there', () => {
  const looks = [{ atMs: 5, connections: 2, sendQueueBytes: 0 }];
  let begun = 0;
  const world = {
    sharedMs: (/** @type {number} */ ms) => ms + 100,
    takeCpu: () => 0,
    sockets: { begin: () => void (begun += 1), take: () => ({ opened: 3, looks }), stop() {} },
  };
  const { note, take } = functionsOf(new Participants(/** @type {any} */ (world)));
  note({ sockets: true });
  expect(begun).toBe(1);
  expect(take({})).toMatchObject({ sockets: { opened: 3, looks: [{ ...looks[0], atMs: 105 }] } });
  note({ sockets: false });
  note({});
  expect([begun, take({})]).toEqual([1, expect.objectContaining({ sockets: null })]);
});
