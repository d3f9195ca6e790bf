import { describe, expect, it } from 'vitest';
import { Gathering } from '../../../../public/client/call/gathering.js';
import { FakeClock } from '../../../fakes/fake-clock.js';

/** The list of people as a page is told it, in a call whose room goes to another node. */
function create() {
  const clock = new FakeClock();
  /** @type {string[]} */
  const lists = [];
  const gathering = new Gathering({
    clock,
    tell: ({ people }) =>
      void lists.push(people.map(({ id, away }) => `${id}${away ? ' away' : ''}`).join()),
  });
  const told = (/** @type {string} */ ids) =>
    gathering.people({
      people: [...ids].map((id) => /** @type {any} */ ({ id, away: false, you: id === 'a' })),
      you: 'a',
      listeners: 0,
    });
  return { clock, lists, gathering, told };
}

describe('people of a room that goes to another node', () => {
  it('are in the list all the while, however they come', () => {
    const { clock, lists, gathering, told } = create();
    told('abc');
    gathering.welcome(30_000);
    for (const ids of ['a', 'ac', 'acb']) told(ids);
    clock.advance(60_000);
    expect(lists.map((list) => list.split(',').toSorted().join())).toEqual([
      'a,b,c',
      'a,b,c',
      'a,b,c',
      'a,b,c',
    ]);
    expect(clock.waiting).toBe(0);
  });

  it('are away where they don’t come soon, and gone where they don’t come at all', () => {
    const { clock, lists, gathering, told } = create();
    told('abc');
    gathering.welcome(30_000);
    told('ac');
    clock.advance(3000);
    clock.advance(27_000);
    expect(lists).toEqual(['a,b,c', 'a,c,b', 'a,c,b away', 'a,c']);
  });

  it('are gone at once where the room waits for nobody', () => {
    const { clock, lists, gathering, told } = create();
    told('abc');
    for (const gatherMs of [undefined, 0, 'long']) gathering.welcome(gatherMs);
    told('a');
    gathering.welcome(30_000);
    gathering.close();
    expect([lists, clock.waiting]).toEqual([['a,b,c', 'a'], 0]);
  });
});
