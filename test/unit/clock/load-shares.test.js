import { expect, it } from 'vitest';
import { LoadShares, TickLoad } from '../../../server/clock/load-shares.js';

/** @param {number} ms @param {(string | null)[]} networks */
function room(ms, networks) {
  const load = new TickLoad();
  load.add(ms);
  return { load, networks };
}

/** @param {ReturnType<typeof room>[]} rooms milliseconds that each took in a second */
function settle(...rooms) {
  const shares = new LoadShares();
  shares.settle(0, []);
  shares.settle(1000, rooms);
  // Nearly all of a second counts.
  return rooms.map(({ load }) => load.weight / (1 - Math.exp(-5)));
}

it('a person who fills many rooms makes those heavy, but doesn’t make another’s room heavy', () => {
  const many = Array.from({ length: 50 }, () => room(10, ['eve', 'eve']));
  const weights = settle(...many, room(20, ['ann', 'bob', 'eve', 'eve', 'eve']), room(1, []));
  for (const weight of weights.slice(0, 50)) expect(weight).toBeCloseTo(10 + 500 + 12);
  expect(weights.slice(50)).toEqual([expect.closeTo(20 + 4), expect.closeTo(1)]);
});

it('rooms from this machine count separately', () => {
  expect(settle(room(10, [null, null]), room(30, [null]))).toEqual([
    expect.closeTo(10),
    expect.closeTo(30),
  ]);
});

it('a room is heaviest until settled, and many new ones outweigh an old one 100 ms later', () => {
  const shares = new LoadShares();
  const old = room(20, ['ann', 'bob']);
  shares.settle(0, [old]);
  shares.settle(1000, [old]);
  const many = Array.from({ length: 80 }, (_, i) => room(0, [`eve ${i % 4}`]));
  expect(many[0].load.weight).toBe(Infinity);
  shares.settle(1050, [old, ...many]);
  for (const { load } of many) load.add(0.6);
  old.load.add(1);
  shares.settle(1100, [old, ...many]);
  for (const { load } of many) expect(load.weight).toBeGreaterThan(1.5 * old.load.weight);
});

it('time stolen from the thread counts for no room', () => {
  let cpuMs = 0;
  const shares = new LoadShares(() => cpuMs);
  const rooms = [room(0, [null]), room(0, [null])];
  shares.settle(0, rooms);
  /**
   * A second in which the rooms took 600 and 200 ms by the clock.
   * @param {number} nowMs
   * @param {number} ranMs  for which the thread had a processor
   */
  const second = (nowMs, ranMs) => {
    for (const [i, ms] of [600, 200].entries()) rooms[i].load.add(ms);
    cpuMs += ranMs;
    shares.settle(nowMs, rooms);
    return rooms.map(({ load }) => load.weight);
  };
  for (let s = 1; s < 10; s++) second(1000 * s, 400);
  expect(second(10_000, 400)).toEqual([expect.closeTo(300), expect.closeTo(100)]);
  // The thread does more than mixing: what was not stolen is as the clock says.
  for (let s = 11; s < 20; s++) second(1000 * s, 900);
  expect(second(20_000, 900)).toEqual([expect.closeTo(600), expect.closeTo(200)]);
});

it('the load is settled no more often than each 50 ms', () => {
  const shares = new LoadShares();
  const one = room(0, ['a']);
  shares.settle(0, [one]);
  one.load.add(5);
  shares.settle(49, [one]);
  expect(one.load.weight).toBe(0);
  shares.settle(50, [one]);
  expect(one.load.weight).toBeGreaterThan(0);
});
