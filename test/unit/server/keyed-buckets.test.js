import { expect, it } from 'vitest';
import { KeyedBuckets } from '../../../server/token-bucket.js';

it('each key has a rate of its own, and none is asked of nobody', () => {
  const buckets = new KeyedBuckets({ atOnce: 2, perSecond: 10 });
  expect(['a', 'a', 'a', 'b', null].map((key) => buckets.take(key, 0))).toEqual([0, 0, 100, 0, 0]);
  expect([buckets.take('a', 100), buckets.take('a', 100)]).toEqual([0, 100]);
});

it('no more keys are remembered than fit, and the one that asked last stays', () => {
  const buckets = new KeyedBuckets({ atOnce: 1, perSecond: 1 });
  for (let i = 0; i < 50_000; i++) {
    buckets.take('one', 0);
    buckets.take(`other ${i}`, 0);
  }
  expect(buckets.size).toBe(10_000);
  expect(buckets.take('one', 0)).toBe(1000);
});
