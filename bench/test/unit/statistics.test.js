import { describe, expect, it, test } from 'vitest';
import { normal, seededRandom } from '../../../testkit/random.js';
import { levelDb } from '../../../testkit/sound/signal.js';
import {
  binsFor,
  cumulative,
  fairness,
  histogram,
  leastCovering,
  leastReaching,
  mean,
  quantile,
  sorted,
  standardDeviation,
  summarize,
} from '../../../testkit/statistics.js';
import {
  bootstrap,
  difference,
  differenceOfMeans,
  differenceOfMedians,
  summaryIntervals,
} from '../../stats/bootstrap.js';
import { resample } from '../../stats/resample.js';
import { normalShare, studentQuantile, studentShare } from '../../stats/student.js';
import { blockLength, trend } from '../../stats/trend.js';

/** @param {Float64Array} ascending */
const onlyMean = (ascending) => [mean(ascending)];

/**
 * A series whose neighbours are alike: autoregressive of order 1, of variance 1 / (1 - phi²).
 * @param {() => number} random
 * @param {number} length
 * @param {number} phi
 */
function series(random, length, phi) {
  let value = normal(random) / Math.sqrt(1 - phi * phi);
  return Array.from({ length }, () => {
    const now = value;
    value = phi * value + normal(random);
    return now;
  });
}

describe('chance', () => {
  test('the same seed gives the same numbers, others differ, all evenly spread in [0, 1)', () => {
    const [a, b, c] = [seededRandom(1), seededRandom(1), seededRandom(2)].map((random) =>
      Array.from({ length: 20_000 }, random),
    );
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(a.every((number) => number >= 0 && number < 1)).toBe(true);
    const tenths = histogram(a, { from: 0, width: 0.1, count: 10 });
    expect(Math.min(...tenths.counts)).toBeGreaterThan(1850);
    expect(Math.max(...tenths.counts)).toBeLessThan(2150);
  });

  test('normal numbers have mean 0 and standard deviation 1', () => {
    const random = seededRandom(3);
    const numbers = Array.from({ length: 20_000 }, () => normal(random));
    expect(mean(numbers)).toBeCloseTo(0, 1);
    expect(standardDeviation(numbers)).toBeCloseTo(1, 1);
  });
});

describe('quantiles', () => {
  test('interpolate as definition 7 of Hyndman and Fan', () => {
    expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75);
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([10, 20, 40], 0.9)).toBeCloseTo(36, 12);
    expect([0, 1].map((p) => quantile([3, 5, 9], p))).toEqual([3, 9]);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
    expect(quantile([1, Infinity], 1)).toBe(Infinity);
    // Half of them never came, or all.
    expect(quantile([1, 2, Infinity, Infinity], 0.9)).toBe(Infinity);
    expect(quantile([Infinity, Infinity], 0.5)).toBe(Infinity);
  });

  test('the least covering value is one of the values, or infinity if too many never came', () => {
    const values = sorted([5, 1, 3, 2, 4, 6, 8, 7, 10, 9]);
    expect(leastCovering(values, 0.9)).toBe(9);
    expect(leastCovering(values, 0.91)).toBe(10);
    expect(leastCovering(values, 0)).toBe(1);
    expect(leastCovering(sorted([1, 2, Infinity, 3]), 0.75)).toBe(3);
    expect(leastCovering(sorted([1, 2, Infinity, 3]), 0.76)).toBe(Infinity);
  });

  test('a share whose product with the count is whole but for rounding takes no value more', () => {
    const hundred = Float64Array.from({ length: 100 }, (_, i) => i + 1);
    for (let percent = 1; percent <= 100; percent++)
      expect(leastCovering(hundred, percent / 100)).toBe(percent);
  });

  test('a summary has the figures of a textbook example', () => {
    const summary = summarize([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(summary).toMatchObject({ count: 8, mean: 5, min: 2, max: 9, p50: 4.5 });
    expect(summary.sd).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect(standardDeviation([1])).toBeNaN();
  });
});

describe('distributions', () => {
  test('a histogram counts every value once, at the edge in the upper bin', () => {
    const { counts, below, above } = histogram([0, 0.1, 0.2, 0.3, 0.7, 1, -1], {
      from: 0,
      width: 0.1,
      count: 8,
    });
    expect({ counts, below, above }).toEqual({
      counts: [1, 1, 1, 1, 0, 0, 0, 1],
      below: 1,
      above: 1,
    });
  });

  test('bins are of a round width, on its multiples, and leave a long tail out', () => {
    const random = seededRandom(4);
    const body = Array.from({ length: 2000 }, () => 30 + normal(random));
    const bins = binsFor([[...body, 200, 300]]);
    expect([0.1, 0.2, 0.5]).toContainEqual(Number(bins.width.toPrecision(6)));
    expect(bins.from / bins.width).toBeCloseTo(Math.round(bins.from / bins.width), 9);
    expect(bins.from + bins.count * bins.width).toBeLessThan(40);
    const { counts, below, above } = histogram([...body, 200, 300], bins);
    expect(below).toBe(0);
    expect(above).toBeGreaterThanOrEqual(2);
    expect(counts.reduce((sum, count) => sum + count, 0) + above).toBe(2002);
  });

  test('bins hold sets of one value, of no values, and of values far apart', () => {
    expect(histogram([5, 5, 5]).counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(binsFor([[], []])).toEqual({ from: 0, width: 1, count: 1 });
    for (const sets of [[[0], [1e6]], [[-3, -2, -1]], [[0, 0, 0, 0, 9]]]) {
      const bins = binsFor(sets);
      expect(bins.count).toBeLessThan(250);
      for (const set of sets) expect(histogram(set, bins).below).toBe(0);
    }
  });

  test('a cumulative distribution runs from least to greatest value, thinned or not', () => {
    expect(cumulative([3, 1, 2, 4])).toEqual([
      [1, 0.25],
      [2, 0.5],
      [3, 0.75],
      [4, 1],
    ]);
    const thinned = cumulative(
      Array.from({ length: 1000 }, (_, i) => i),
      10,
    );
    expect(thinned).toHaveLength(10);
    expect(thinned[0]).toEqual([0, 0.001]);
    expect(thinned.at(-1)).toEqual([999, 1]);
  });

  test('a target is reached where the curve stays above it', () => {
    const curve = [
      [0, 50],
      [8, 91],
      [16, 89],
      [24, 90],
      [32, 99],
    ];
    expect(leastReaching(curve, 90)).toBe(24);
    expect(leastReaching(curve.toReversed(), 90)).toBe(24);
    expect(leastReaching(curve, 10)).toBe(0);
    expect(leastReaching(curve, 99.5)).toBeUndefined();
    expect(leastReaching([], 90)).toBeUndefined();
  });
});

describe("the normal distribution and Student's t", () => {
  test('have the values of printed tables', () => {
    expect(normalShare(1.959964)).toBeCloseTo(0.975, 6);
    expect(normalShare(-1)).toBeCloseTo(0.158655, 6);
    expect([1, 2, 4, 5, 30].map((degrees) => studentQuantile(0.975, degrees).toFixed(3))).toEqual([
      '12.706',
      '4.303',
      '2.776',
      '2.571',
      '2.042',
    ]);
    expect(studentQuantile(0.975, 5000)).toBeCloseTo(1.96, 2);
    expect(studentShare(-2.776445, 4)).toBeCloseTo(0.025, 6);
  });
});

describe('block lengths', () => {
  test('grow with what neighbours share, and are 1 or nearly so when they share nothing', () => {
    const random = seededRandom(5);
    const typical = [0, 0.5, 0.9].map((phi) =>
      mean(Array.from({ length: 10 }, () => blockLength(series(random, 1000, phi)))),
    );
    expect(typical[0]).toBeLessThan(4);
    expect(typical[1]).toBeGreaterThan(8);
    expect(typical[2]).toBeGreaterThan(2 * typical[1]);
  });

  test('of series that are short or constant are 1', () => {
    expect([[], [1], [1, 2, 3], new Array(100).fill(7)].map(blockLength)).toEqual([1, 1, 1, 1]);
  });
});

describe('confidence intervals', () => {
  /**
   * The share of intervals for the mean that hold the truth, which is 0.
   * @param {number} runs
   * @param {() => number[][]} measure
   * @param {() => number} random
   */
  function coverage(runs, measure, random) {
    let held = 0;
    for (let run = 0; run < runs; run++) {
      // Draws of its own for each run: those of the same random numbers are shared.
      const own = { random: () => random(), resamples: 250 };
      const [{ low, high }] = bootstrap(measure(), onlyMean, own);
      if (low <= 0 && high >= 0) held++;
    }
    return held / runs;
  }

  test('of independent values agree with the formula for the mean', () => {
    const random = seededRandom(6);
    const values = Array.from({ length: 400 }, () => [normal(random)]);
    const [{ estimate, low, high }] = bootstrap(values, onlyMean, { random });
    const reach = (1.97 * standardDeviation(values.flat())) / Math.sqrt(400);
    expect(estimate).toBeCloseTo(mean(values.flat()), 12);
    expect(low).toBeCloseTo(estimate - reach, 1);
    expect(high).toBeCloseTo(estimate + reach, 1);
    expect((high - low) / (2 * reach)).toBeGreaterThan(0.9);
    expect((high - low) / (2 * reach)).toBeLessThan(1.1);
  });

  test('are none of fewer than five repetitions with values, however many values they hold', () => {
    const random = seededRandom(7);
    const five = Array.from({ length: 5 }, (_, i) => [i, i + 1, i + 2]);
    const has = (/** @type {number[][]} */ repetitions) => {
      const { mean: average, p95 } = summaryIntervals(repetitions, { random, resamples: 50 });
      expect(average.estimate).toBeCloseTo(mean(repetitions.flat()), 12);
      return [average, p95].map(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
    };
    expect(has(five)).toEqual([true, true]);
    expect(has(five.slice(1))).toEqual([false, false]);
    expect(has([...five.slice(1), []])).toEqual([false, false]);
    expect(has([series(random, 500, 0.5)])).toEqual([false, false]);
    const [apart] = difference(five.slice(1), five.slice(1), onlyMean, { random, paired: true });
    expect(apart).toEqual({ estimate: 0, low: NaN, high: NaN });
    const [unpaired] = difference(five, five.slice(1), onlyMean, { random, paired: false });
    expect(unpaired.low).toBeNaN();
  });

  test('lie between the least and the greatest value, also where one repetition is far off', () => {
    const random = seededRandom(8);
    const far = [
      [26, 27],
      [28, 29],
      [27, 31],
      [26.5, 30],
      [80, 93],
    ];
    for (const { low, high } of Object.values(summaryIntervals(far, { random }))) {
      expect(low).toBeGreaterThanOrEqual(26);
      expect(high).toBeLessThanOrEqual(93);
    }
    const near = far.map((values) => values.map((value) => value / 10));
    const [{ low, high }] = difference(far, near, onlyMean, { random, paired: false });
    expect(low).toBeGreaterThanOrEqual(26 - 9.3);
    expect(high).toBeLessThanOrEqual(93 - 2.6);
  });

  test.each([
    ['five that are alike', 5, 0, 0.9],
    ['five that differ', 5, 1, 0.9],
  ])('of repetitions, %s', (_, repetitions, spread, least) => {
    const random = seededRandom(8);
    const measure = () =>
      Array.from({ length: repetitions }, () => {
        const shift = spread * normal(random);
        return series(random, 60, 0.5).map((value) => value + shift);
      });
    expect(coverage(120, measure, random)).toBeGreaterThan(least);
  });

  test('are the same for the same seed, and widen with the level', () => {
    const values = [9, 10, 11, 12, 13].map((seed) => series(seededRandom(seed), 40, 0.3));
    const of = (/** @type {number} */ level) =>
      summaryIntervals(values, { random: seededRandom(1), level, resamples: 300 });
    expect(of(0.95)).toEqual(of(0.95));
    expect(of(0.99).mean.high - of(0.99).mean.low).toBeGreaterThan(
      of(0.8).mean.high - of(0.8).mean.low,
    );
  });

  test('of a difference are narrower in pairs, when repetitions disturb both alike', () => {
    const random = seededRandom(11);
    const shifts = Array.from({ length: 6 }, () => 10 * normal(random));
    const [a, b] = [3, 0].map((offset) =>
      shifts.map((shift) => Array.from({ length: 50 }, () => offset + shift + normal(random))),
    );
    const [paired] = difference(a, b, onlyMean, { random, paired: true, resamples: 500 });
    const [free] = difference(a, b, onlyMean, { random, paired: false, resamples: 500 });
    expect(paired.estimate).toBe(free.estimate);
    expect(paired.low).toBeGreaterThan(2);
    expect(paired.high).toBeLessThan(4);
    expect(free.high - free.low).toBeGreaterThan(5 * (paired.high - paired.low));
  });

  test('of the same random numbers agree, whichever side is subtracted', () => {
    const random = seededRandom(16);
    const [a, b] = [3, 0].map((offset) =>
      Array.from({ length: 5 }, () => [offset + 5 * normal(random)]),
    );
    for (const of of [differenceOfMeans, differenceOfMedians]) {
      const there = of(a, b, random);
      const back = of(b, a, random);
      expect(there.high).toBeGreaterThan(there.low);
      expect(back.low).toBeCloseTo(-there.high, 9);
      expect(back.high).toBeCloseTo(-there.low, 9);
      expect(of(a, b, random)).toEqual(there);
    }
  });

  test('of pairs are of the repetitions that both have', () => {
    const random = seededRandom(15);
    const disturbed = [10, 70, 30, 90, 50, 20, 80];
    const all = disturbed.map((value) => [value + 1]);
    const without = (/** @type {number} */ lacking) =>
      disturbed.map((value, i) => (i === lacking ? [] : [value]));
    const one = expect.closeTo(1, 9);
    const exactly = { estimate: one, low: one, high: one };
    const apart = [differenceOfMeans, differenceOfMedians];
    for (const of of apart) {
      expect(of(all, without(3), random)).toEqual(exactly);
      // The last of a run that was interrupted lacks.
      expect(of(all, without(6).slice(0, -1), random)).toEqual(exactly);
      expect(
        of(
          without(1).map((values) => values.map((value) => value + 1)),
          without(3),
          random,
        ),
      ).toEqual(exactly);
    }
    const four = difference(all, without(3).slice(0, 5), onlyMean, { random, paired: true });
    expect(four).toEqual([{ estimate: one, low: NaN, high: NaN }]);
  });

  test('know nothing of no values', () => {
    const random = seededRandom(12);
    expect(bootstrap([], onlyMean, { random })).toEqual([{ estimate: NaN, low: NaN, high: NaN }]);
    expect(difference([[1]], [[]], onlyMean, { random, paired: true })[0].estimate).toBeNaN();
    expect(bootstrap([[4]], onlyMean, { random, resamples: 10 })).toEqual([
      { estimate: 4, low: NaN, high: NaN },
    ]);
  });

  test('leave repetitions without values out, also from pairs', () => {
    const random = seededRandom(13);
    const counts = /** @type {Set<number>} */ (new Set());
    const count = (/** @type {Float64Array} */ ascending) => {
      counts.add(ascending.length);
      expect(ascending).toEqual(sorted(ascending));
      return [ascending.length];
    };
    bootstrap([[3, 1, 2], [], ...Array(4).fill([9, 8])], count, { random, resamples: 200 });
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([10, 14]);
    counts.clear();
    // One of the six pairs has no second; a draw of the five others takes both sides alike.
    const a = [[1, 2, 3], [4], ...Array(4).fill([5])];
    const b = [[1], [], ...Array(4).fill([2])];
    difference(a, b, count, { random, paired: true, resamples: 200 });
    expect(counts.has(7) && counts.has(5)).toBe(true);
    expect(counts.has(8)).toBe(false);
  });

  test('take other bounds for figures that are no mean and no quantile', () => {
    const random = seededRandom(14);
    const numbers = Array.from({ length: 6 }, (_, i) => [i]);
    const tenfold = (/** @type {Float64Array} */ ascending) => [10 * mean(ascending)];
    const within = /** @type {const} */ ([-Infinity, 30]);
    const [{ estimate, low, high }] = bootstrap(numbers, tenfold, { random, within });
    expect(estimate).toBe(25);
    expect(low).toBeLessThan(20);
    expect(high).toBe(30);
  });
});

describe('fairness', () => {
  test.each([
    [[3], 1],
    [[2, 2, 2], 1],
    [[0, 0], 1],
    [[5, 0, 0, 0], 0.25],
    [[1, 1, 0, 0], 0.5],
    // (1 + 2 + 3)² ÷ (3 · 14)
    [[1, 2, 3], 36 / 42],
  ])('of %j is %f', (shares, index) => {
    expect(fairness(shares)).toBeCloseTo(index, 12);
  });
});

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

/** A second of a sine of amplitude 0.5. */
const tone = (/** @type {number} */ frequency, /** @type {number} */ sampleRate) =>
  Float32Array.from(
    { length: sampleRate },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * frequency * i) / sampleRate),
  );

describe('resample', () => {
  it.each([
    [48000, 16000],
    [44100, 16000],
    [8000, 16000],
    [16160, 16000],
  ])('keeps a tone in place, from %i to %i Hz', (from, to) => {
    const result = resample(tone(1000, from), from, to);
    const expected = tone(1000, to);
    expect(result.length).toBe(to);
    const error = result.map((sample, i) => sample - expected[i]).subarray(100, -100);
    expect(levelDb(error)).toBeLessThan(-70);
  });

  it('takes out what the lower rate has no room for', () => {
    expect(levelDb(resample(tone(9000, 48000), 48000, 16000).subarray(100, -100))).toBeLessThan(
      -75,
    );
  });

  it('is the signal itself at an equal rate, and empty for none', () => {
    const signal = tone(100, 8000);
    expect(resample(signal, 8000, 8000)).toBe(signal);
    expect(resample(new Float32Array(0), 48000, 16000).length).toBe(0);
  });

  it.each([0, -8000, NaN, 44100.5, Infinity])('refuses a rate of %d Hz', (rate) => {
    expect(() => resample(tone(100, 8000), rate, 16000)).toThrow(RangeError);
    expect(() => resample(tone(100, 8000), 16000, rate)).toThrow(RangeError);
  });
});
