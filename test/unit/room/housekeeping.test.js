import { describe, expect, it } from 'vitest';
import { Housekeeping } from '../../../server/room/housekeeping.js';
import { FakeClock } from '../../fakes/fake-clock.js';

/** @param {number} count */
function roomOf(count) {
  const clock = new FakeClock();
  const people = new Map(Array.from({ length: count }, (_, i) => [String(i), /** @type {any} */ ({ id: String(i) })]));
  /** @type {{ id: string, now: number }[]} */
  const visits = [];
  /** @type {number[]} */
  const rounds = [];
  const housekeeping = new Housekeeping({
    clock,
    people,
    visit: (person, now) => void visits.push({ id: person.id, now }),
    onRound: (now) => void rounds.push(now),
  });
  return { clock, people, visits, rounds, housekeeping };
}

describe('housekeeping', () => {
  it('visits a few people together, once a second', () => {
    const { clock, visits, rounds } = roomOf(3);
    clock.advance(3000);
    expect(visits.map(({ now }) => now)).toEqual([1000, 1000, 1000, 2000, 2000, 2000, 3000, 3000, 3000]);
    expect(rounds).toEqual([1000, 2000, 3000]);
  });

  it('visits five hundred ten at a time, each of them once a second', () => {
    const { clock, visits } = roomOf(500);
    clock.advance(10_000);
    /** @type {Map<number, number>} */
    const together = new Map();
    for (const { now } of visits) together.set(now, (together.get(now) ?? 0) + 1);
    expect(Math.max(...together.values())).toBe(10);
    const times = visits.filter(({ id }) => id === '321').map(({ now }) => now);
    expect(times.length).toBeGreaterThanOrEqual(9);
    times.slice(1).forEach((now, i) => expect(now - times[i]).toBeCloseTo(1000, 6));
  });

  it("doesn't visit those who have gone, or another with the same id", () => {
    const { clock, people, visits } = roomOf(30);
    clock.advance(1000);
    people.delete('15');
    people.set('16', /** @type {any} */ ({ id: '16' }));
    clock.advance(900);
    expect(visits.map(({ id }) => id)).not.toContain('15');
    expect(visits.map(({ id }) => id)).not.toContain('16');
    expect(visits.map(({ id }) => id)).toContain('17');
  });

  it('begins its rounds apart from those of other rooms', () => {
    const clock = new FakeClock();
    /** @type {number[]} */
    const rounds = [];
    const nobody = { clock, people: new Map(), visit: () => {} };
    new Housekeeping({ ...nobody, phase: 0.25, onRound: (now) => void rounds.push(now) });
    clock.advance(3000);
    expect(rounds).toEqual([750, 1750, 2750]);
  });

  it('ends, even in a visit', () => {
    const { clock, visits, housekeeping } = roomOf(30);
    clock.advance(1000);
    housekeeping.stop();
    housekeeping.stop();
    clock.advance(5000);
    expect(visits.length).toBe(4);
    expect(clock.waiting).toBe(0);
  });
});
