import { expect, it } from 'vitest';
import { stallFigure } from '../../stats/bootstrap.js';

const moments = [281, 290, 274, 300, 288, 295, 269];

it('voices that stall at the same moments say no more of others than one voice does', () => {
  const one = stallFigure([moments], 0);
  expect(one).toMatchObject({ estimate: 288, worst: 300 });
  expect(one.high - one.low).toBeGreaterThan(10);
  expect(stallFigure([moments, moments, moments], 0)).toEqual(one);
});

it('below five moments there is no interval, however many voices', () => {
  const four = moments.slice(0, 4);
  expect(stallFigure([four, four], 1)).toEqual({
    ...{ estimate: 285.5, low: NaN, high: NaN, worst: 300 },
  });
});
