import { expect, it } from 'vitest';
import { joinAll } from '../../participants/joining.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const busy = () => Promise.reject(Object.assign(new Error('busy'), { code: 'server-busy' }));
const people = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => `P${i}`);

/**
 * Lets time pass until a promise has settled.
 * @param {FakeClock} clock
 * @param {Promise<unknown>} promise
 */
async function settle(clock, promise) {
  const state = { isOver: false };
  const end = () => void (state.isOver = true);
  promise.then(end, end);
  while (!state.isOver) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    if (!state.isOver) clock.advance(100);
  }
  return promise;
}

it('lets the first join alone, and then eight at a time', async () => {
  const clock = new FakeClock();
  let [now, most, together] = [0, 0, /** @type {number[]} */ ([])];
  const join = async () => {
    together.push(++now);
    most = Math.max(most, now);
    await new Promise((resolve) => void clock.setTimeout(() => resolve(0), 50));
    now -= 1;
  };
  await settle(clock, joinAll(people(30), join, clock));
  expect(together[1]).toBe(1);
  expect([together.length, most]).toEqual([30, 8]);
  expect(clock.waiting).toBe(0);
});

it('asks a busy server one at a time, each second, until all are in', async () => {
  const clock = new FakeClock();
  const asked = /** @type {number[]} */ ([]);
  const joined = new Set();
  const join = async (/** @type {string} */ person) => {
    if (joined.size === 20 && clock.now() < 45_000) {
      asked.push(clock.now());
      return busy();
    }
    joined.add(person);
  };
  await settle(clock, joinAll(people(40), join, clock));
  expect(joined.size).toBe(40);
  // After the eight that were on their way, one each second.
  const later = asked.filter((ms) => ms > asked[0]);
  expect(later.length).toBeLessThanOrEqual(45);
  expect(new Set(later).size).toBe(later.length);
});

it('ends after a minute without anybody let in, and says how far it came', async () => {
  const clock = new FakeClock();
  let joined = 0;
  const join = async () => (joined === 3 ? busy() : void (joined += 1));
  const ending = settle(clock, joinAll(people(10), join, clock));
  await expect(ending).rejects.toThrow(
    /^nobody was let in for 60 s: 3 of 10 are in, and the server/,
  );
  expect(clock.now()).toBeGreaterThanOrEqual(60_000);
  expect(clock.now()).toBeLessThan(63_000);
});

it('isn’t held up by a join that is never answered', async () => {
  const clock = new FakeClock();
  const ending = settle(
    clock,
    joinAll(people(2), () => new Promise(() => {}), clock),
  );
  await expect(ending).rejects.toThrow('0 of 2 are in');
});

it('ends at once with an error that time doesn’t mend', async () => {
  const clock = new FakeClock();
  const fail = () => Promise.reject(Object.assign(new Error('full'), { code: 'server-full' }));
  await expect(settle(clock, joinAll(people(9), fail, clock))).rejects.toThrow('full');
  expect(clock.now()).toBeLessThan(1000);
  expect(clock.waiting).toBe(0);
});
