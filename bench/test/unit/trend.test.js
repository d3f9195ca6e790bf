import { describe, expect, it } from 'vitest';
import { trend } from '../../stats/trend.js';
import { normal, seededRandom } from '../../../testkit/random.js';

describe('the trend of a series', () => {
  it('is exact for a straight line', () => {
    const points = Array.from(
      { length: 20 },
      (_, i) => /** @type {const} */ ([i / 10, 5 - 3 * (i / 10)]),
    );
    const { slope, intercept, interval } = trend(points, { random: seededRandom(1) });
    expect(slope).toBeCloseTo(-3, 9);
    expect(intercept).toBeCloseTo(5, 9);
    expect(interval[0]).toBeCloseTo(-3, 6);
    expect(interval[1]).toBeCloseTo(-3, 6);
  });

  it('has an interval that is right in about 95 of 100 cases, though neighbours are alike', () => {
    const random = seededRandom(7);
    let held = 0;
    for (let run = 0; run < 200; run++) {
      let value = 0;
      const points = Array.from({ length: 300 }, (_, i) => {
        value = 0.5 * value + normal(random);
        return /** @type {[number, number]} */ ([i / 300, 2 * (i / 300) + value]);
      });
      const [low, high] = trend(points, { random, resamples: 200 }).interval;
      if (low <= 2 && 2 <= high) held += 1;
    }
    expect(held).toBeGreaterThan(170);
    expect(held).toBeLessThan(200);
  });

  it('has no interval from fewer than five blocks', () => {
    const points = [0, 1, 2, 3].map((x) => /** @type {const} */ ([x, x + (x % 2)]));
    const { slope, interval } = trend(points, { random: seededRandom(1) });
    expect(slope).toBeGreaterThan(0);
    expect(interval).toEqual([NaN, NaN]);
  });

  it('says nothing of two points', () => {
    expect(
      trend(
        [
          [0, 1],
          [1, 2],
        ],
        { random: seededRandom(1) },
      ).slope,
    ).toBeNaN();
  });
});
