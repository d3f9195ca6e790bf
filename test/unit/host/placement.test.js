import { describe, expect, it } from 'vitest';
import { Placement } from '../../../server/host/placement.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** @param {number[]} people  of each worker */
function open(people) {
  const clock = new FakeClock();
  return {
    clock,
    people,
    placement: new Placement({
      clock,
      workers: people.length,
      peopleOf: (worker) => people[worker],
    }),
  };
}

describe('Placement', () => {
  it('gives a new room to the least loaded worker, counting rooms that were only requested', () => {
    const { placement, people } = open([0, 0, 0]);
    expect(['a', 'b', 'c', 'd'].map((room) => placement.place(room))).toEqual([0, 1, 2, 0]);
    people[1] = 100;
    expect(['e', 'f'].map((room) => placement.place(room))).toEqual([2, 0]);
    people[2] = Infinity;
    people[0] = 200;
    expect(placement.place('g')).toBe(1);
  });

  it('keeps a room where it is while it lives', () => {
    const { placement, people, clock } = open([0, 0]);
    expect(placement.place('a')).toBe(0);
    placement.opened('a', 0);
    people[0] = 500;
    clock.advance(1_000_000);
    placement.sweep();
    expect([placement.place('a'), placement.find('a'), placement.find('b')]).toEqual([0, 0, null]);
  });

  it('tells which rooms of a worker are open', () => {
    const { placement } = open([0, 0]);
    for (const [i, room] of ['a', 'b', 'c', 'd'].entries()) placement.opened(room, i % 2);
    placement.ended('c');
    expect([placement.openAt(0), placement.openAt(1)]).toEqual([['a'], ['b', 'd']]);
  });

  it('keeps an ended or only requested room as long as somebody may be about to join it', () => {
    const { placement, people, clock } = open([0, 0]);
    placement.place('a');
    placement.opened('a', 0);
    placement.ended('a');
    people[0] = 500;
    clock.advance(29_000);
    placement.sweep();
    expect(placement.place('a')).toBe(0);
    clock.advance(29_000);
    placement.sweep();
    expect(placement.find('a')).toBe(0);
    clock.advance(2000);
    placement.sweep();
    expect(placement.find('a')).toBe(null);
    expect([placement.place('a'), placement.roomsOf(0), placement.roomsOf(1)]).toEqual([1, 0, 1]);
  });

  it('remembers rooms up to its limit, and derives the worker of others from their names', () => {
    const { placement } = open([0, 0]);
    for (let i = 0; i < 12_000; i++) placement.place(`room-${i}`);
    expect(placement.roomsOf(0) + placement.roomsOf(1)).toBe(10_000);
    const more = Array.from({ length: 50 }, (_, i) => placement.place(`more-${i}`));
    expect(Array.from({ length: 50 }, (_, i) => placement.place(`more-${i}`))).toEqual(more);
    expect(new Set(more)).toEqual(new Set([0, 1]));
    placement.opened('more-1', more[1]);
    expect(placement.find('more-1')).toBe(more[1]);
  });
});
