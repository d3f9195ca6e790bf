import { describe, expect, it } from 'vitest';
import { LatenessHistogram } from '../../../server/clock/mix-clock.js';

describe('the histogram of lateness', () => {
  it('counts each in the bins that reach it, the bounds themselves included', () => {
    const histogram = new LatenessHistogram();
    for (const ms of [0, 0.5, 0.6, 20, 20.1, 500, 501, 1e6]) histogram.add(ms);
    const { count, sumMs, bins } = histogram.describe();
    expect(count).toBe(8);
    expect(sumMs).toBeCloseTo(1_001_042.2);
    const upTo = Object.fromEntries(bins.map((bin) => [bin.upToMs, bin.count]));
    expect(upTo).toMatchObject({ 0.5: 2, 1: 3, 10: 3, 20: 4, 50: 5, 200: 5, 500: 6 });
  });
});
