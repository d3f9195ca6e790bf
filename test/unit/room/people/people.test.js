import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { OPEN_GRANT } from '../../../../server/state/grant.js';
import { Labels } from '../../../../server/room/people/labels.js';
import { People } from '../../../../server/room/people/people.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

function create() {
  const clock = new FakeClock();
  /** @type {string[]} */
  const freed = [];
  /** @type {import('../../../../server/room/room-config.js').RoomEvents} */
  const events = new EventEmitter();
  events.on('freed', ({ id }) => void freed.push(id));
  const settings = {
    state: () => ({ frameMs: 20, channels: 1, mode: undefined, e2e: false, serverDelayMs: 60 }),
  };
  const people = new People({ clock, awayMs: 30_000, events, settings });
  /** A person whose messages don't matter. @param {string} name @returns {any} */
  const enter = (name) => {
    const acts = {
      tell: (/** @type {any} */ m) => member.told.push(m),
    };
    const kind = {
      grant: OPEN_GRANT,
      standing: { role: 'speaker', muted: false, silenced: false },
      session: { transport: {} },
    };
    const member = {
      id: people.places.nextId(),
      name,
      label: people.places.labelFor(name),
      ...kind,
      told: /** @type {any[]} */ ([]),
      away: false,
      ...acts,
    };
    people.enter(/** @type {any} */ (member));
    return Object.assign(member, { token: people.places.tokenOf(/** @type {any} */ (member)) });
  };
  return { clock, freed, people, enter };
}

describe('the people of a room', () => {
  it('gives each a label of their own, and an order', () => {
    const { people, enter } = create();
    expect(['Ada', 'Ada', 'Bob', 'Ada'].map((name) => enter(name).label)).toEqual([
      'Ada',
      'Ada (2)',
      'Bob',
      'Ada (3)',
    ]);
    expect(people.everybody.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
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
    const { clock, freed, people, enter } = create();
    const ada = enter('Ada');
    expect(people.takeOut(ada)).toBe(true);
    expect(people.takeOut(ada)).toBe(false);
    people.wait(ada);
    expect([ada.away, people.size, people.present.size, people.places.holder(ada.token)]).toEqual([
      true,
      1,
      0,
      ada,
    ]);
    expect([people.places.holder('another'), people.places.holder(undefined)]).toEqual([
      null,
      null,
    ]);
    clock.advance(30_000);
    expect([freed, people.size, people.places.holder(ada.token)]).toEqual([['1'], 0, null]);
  });

  it('never gives an id whose packet number is in use, however many people came and went', () => {
    const { people, enter } = create();
    const [stays, away] = [enter('Ada'), enter('Bob')];
    people.takeOut(away);
    people.wait(away);
    const numbers = new Set([stays, away].map(({ id }) => Number(id) & 0xffff));
    const ids = Array.from({ length: 65_600 }, () => Number(people.places.nextId()));
    expect(ids.filter((id) => numbers.has(id & 0xffff))).toEqual([]);
  });

  it('tells everybody but one', () => {
    const { people, enter } = create();
    const [ada, bob] = [enter('Ada'), enter('Bob')];
    people.tell({ type: 'draining', seconds: 1 }, ada);
    expect([ada.told.length, bob.told.length]).toEqual([0, 1]);
  });

  it('leaves no timer behind', () => {
    const { clock, people, enter } = create();
    const ada = enter('Ada');
    people.takeOut(ada);
    people.wait(ada);
    people.clear();
    people.clear();
    expect([clock.waiting, people.size]).toEqual([0, 0]);
  });
});

/** @param {Labels} labels @param {string} name */
function take(labels, name) {
  const label = labels.labelFor(name);
  labels.take(name, label);
  return label;
}

describe('Labels', () => {
  it('gives the least number that is free, also behind names that have a number themselves', () => {
    const labels = new Labels();
    expect(['Ada', 'Ada', 'Ada (3)', 'Ada'].map((name) => take(labels, name))).toEqual([
      'Ada',
      'Ada (2)',
      'Ada (3)',
      'Ada (4)',
    ]);
    labels.free('Ada', 'Ada (2)');
    expect(take(labels, 'Ada')).toBe('Ada (2)');
    labels.free('Ada', 'Ada');
    expect(take(labels, 'Ada')).toBe('Ada');
    expect(take(labels, 'Ada')).toBe('Ada (5)');
  });

  it('looks at few of a thousand of one name', () => {
    const labels = new Labels();
    let looked = 0;
    const has = Set.prototype.has;
    Set.prototype.has = function (value) {
      looked += 1;
      return has.call(this, value);
    };
    try {
      for (let i = 0; i < 1000; i++) take(labels, 'Guest');
    } finally {
      Set.prototype.has = has;
    }
    expect(labels.labelFor('Guest')).toBe('Guest (1001)');
    expect(looked).toBeLessThan(5000);
  });
});
