import { expect, it } from 'vitest';
import { TickLoad } from '../../../server/clock/tick-load.js';
import { LoadShares } from '../../../server/room/load-shares.js';

/** @param {number} ms @param {(string | null)[]} networks */
function room(ms, networks) {
  const load = new TickLoad();
  load.add(ms);
  return { load, networks: () => networks };
}

it('who fills many rooms makes all of them heavy, and nobody makes another\'s heavy by being in it', () => {
  const many = Array.from({ length: 50 }, () => room(10, ['eve', 'eve']));
  const honest = room(20, ['ann', 'bob', 'eve', 'eve', 'eve']);
  const empty = room(1, []);
  new LoadShares().settle(0, [...many, honest, empty]);
  for (const { load } of many) expect(load.weight).toBeCloseTo(10 + 500 + 12);
  expect(honest.load.weight).toBeCloseTo(20 + 4);
  expect(empty.load.weight).toBe(1);
});

it('rooms from this machine count by themselves', () => {
  const rooms = [room(10, [null, null]), room(30, [null])];
  new LoadShares().settle(0, rooms);
  expect(rooms.map(({ load }) => load.weight)).toEqual([10, 30]);
});

it('is settled once a second, and what comes meanwhile counts at once', () => {
  const shares = new LoadShares();
  const one = room(10, ['a']);
  shares.settle(0, [one]);
  one.load.add(5);
  expect(one.load.weight).toBe(25);
  shares.settle(500, [one]);
  expect(one.load.weight).toBe(25);
  shares.settle(1000, [one]);
  expect(one.load.weight).toBe(10);
});
