import { expect, it } from 'vitest';
import { seedOfRepetition, Star } from '../../link/star.js';

it('legs of all places, repetitions and runs have seeds of their own', async () => {
  /** @type {number[]} */
  const seeds = [];
  const legs = Array.from({ length: 24 }, () => ({
    seedAnew: async (/** @type {number} */ seed) => void seeds.push(seed),
  }));
  const star = new Star(/** @type {any} */ (legs));
  for (const run of [0, 1, 2, 3, 2 ** 32 - 1])
    for (const repetition of [0, 1, 4, 999])
      await star.seedAnew([star.legs], seedOfRepetition(run, repetition));
  expect(new Set(seeds).size).toBe(24 * 5 * 4);
  expect(seeds.filter((seed) => !Number.isSafeInteger(seed) || seed < 0)).toEqual([]);
  // Figures of earlier versions are of seed 1, whose losses stay as they are.
  expect([0, 4].map((repetition) => seedOfRepetition(1, repetition))).toEqual([1, 5]);
});
