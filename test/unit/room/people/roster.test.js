import { describe, expect, it } from 'vitest';
import { OPEN_GRANT } from '../../../../server/access/grant.js';
import { Roster } from '../../../../server/room/people/roster.js';
import { FakeClock } from '../../../fakes/fake-clock.js';

function create() {
  const clock = new FakeClock();
  /** @type {string[]} */
  const freed = [];
  const roster = new Roster({ clock, awayMs: 30_000, onFreed: ({ id }) => void freed.push(id) });
  /** Somebody who is told nothing in particular. @param {string} name @returns {any} */
  const enter = (name) => {
    const acts = {
      tell: (/** @type {any} */ m) => member.told.push(m),
      wait: () => void (member.away = true),
    };
    const kind = {
      grant: OPEN_GRANT,
      role: 'speaker',
      muted: false,
      silenced: false,
      session: { transport: {} },
    };
    const member = {
      id: roster.nextId(),
      name,
      label: roster.labelFor(name),
      ...kind,
      told: /** @type {any[]} */ ([]),
      away: false,
      ...acts,
    };
    roster.enter(/** @type {any} */ (member));
    return Object.assign(member, { token: roster.tokenOf(/** @type {any} */ (member)) });
  };
  return { clock, freed, roster, enter };
}

describe('a roster', () => {
  it('gives each a label of their own, and an order', () => {
    const { roster, enter } = create();
    expect(['Ada', 'Ada', 'Bob', 'Ada'].map((name) => enter(name).label)).toEqual([
      'Ada',
      'Ada (2)',
      'Bob',
      'Ada (3)',
    ]);
    expect(roster.everybody.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  });

  it('tells apart by number those whose names look alike', () => {
    const { enter } = create();
    const names = ['Anna', '\u0410nna', 'Anna (2)', 'An\u200dna', 'Anne'];
    expect(names.map((name) => enter(name).label)).toEqual([
      'Anna',
      '\u0410nna (2)',
      'Anna (2) (2)',
      'An\u200dna (3)',
      'Anne',
    ]);
  });

  it('keeps the place of one who is lost for its token, and frees it in time', () => {
    const { clock, freed, roster, enter } = create();
    const ada = enter('Ada');
    expect(roster.takeOut(ada)).toBe(true);
    expect(roster.takeOut(ada)).toBe(false);
    roster.wait(ada);
    expect([ada.away, roster.size, roster.present.size, roster.holder(ada.token)]).toEqual([
      true,
      1,
      0,
      ada,
    ]);
    expect([roster.holder('another'), roster.holder(undefined)]).toEqual([null, null]);
    clock.advance(30_000);
    expect([freed, roster.size, roster.holder(ada.token)]).toEqual([['1'], 0, null]);
  });

  it('never gives an id whose packet number is in use, however many people came and went', () => {
    const { roster, enter } = create();
    const [stays, away] = [enter('Ada'), enter('Bob')];
    roster.takeOut(away);
    roster.wait(away);
    const numbers = new Set([stays, away].map(({ id }) => Number(id) & 0xffff));
    const ids = Array.from({ length: 65_600 }, () => Number(roster.nextId()));
    expect(ids.filter((id) => numbers.has(id & 0xffff))).toEqual([]);
  });

  it('tells everybody but one', () => {
    const { roster, enter } = create();
    const [ada, bob] = [enter('Ada'), enter('Bob')];
    roster.tell({ type: 'joined' }, ada);
    expect([ada.told.length, bob.told.length]).toEqual([0, 1]);
  });

  it('leaves no timer behind', () => {
    const { clock, roster, enter } = create();
    const ada = enter('Ada');
    roster.takeOut(ada);
    roster.wait(ada);
    roster.clear();
    roster.clear();
    expect([clock.waiting, roster.size]).toEqual([0, 0]);
  });
});
