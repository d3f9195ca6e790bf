import { describe, expect, it } from 'vitest';
import { lossImpairment } from '../../stats/e-model.js';
import { fitLoss, residualOf } from '../../stats/loss-fit.js';
import { normal, seededRandom } from '../../../testkit/random.js';

const SHARES = [0, 1, 2, 5, 10, 20];

/**
 * @param {{ ie: number, bpl: number }} codec
 * @param {number[]} ratios burst ratios
 */
const pointsOf = (codec, ratios) =>
  ratios.flatMap((burstRatio) =>
    SHARES.map((lossPercent) => ({
      lossPercent,
      burstRatio,
      impairment: lossImpairment({ ...codec, lossPercent, burstRatio }),
    })),
  );

describe('the fit of Ie and Bpl', () => {
  it.each([[{ ie: 11, bpl: 19 }], [{ ie: 0, bpl: 4.3 }], [{ ie: 7, bpl: 250 }]])(
    'finds those from which the points were made: %o',
    ({ ie, bpl }) => {
      const fit = fitLoss(pointsOf({ ie, bpl }, [1, 2.5]));
      expect(fit.ie).toBeCloseTo(ie, 5);
      expect(fit.bpl / bpl).toBeCloseTo(1, 5);
      expect(fit.residual).toBeCloseTo(0, 5);
    },
  );

  it('comes near to them where the points are scattered, and nothing nearby fits better', () => {
    const random = seededRandom(1);
    const points = Array.from({ length: 20 }, () => pointsOf({ ie: 8, bpl: 30 }, [1])).flat();
    for (const point of points) point.impairment += 2 * normal(random);
    const { ie, bpl, residual } = fitLoss(points);
    expect(Math.abs(ie - 8)).toBeLessThan(0.6);
    expect(Math.abs(bpl - 30)).toBeLessThan(3);
    expect(Math.abs(residual - 2)).toBeLessThan(0.3);
    for (const [a, b] of [
      [0.05, 0],
      [-0.05, 0],
      [0, 0.1],
      [0, -0.1],
    ]) {
      expect(residualOf(points, ie + a, bpl + b)).toBeGreaterThan(residual);
    }
  });

  it('refuses points of one share of loss', () => {
    expect(() => fitLoss([])).toThrow(RangeError);
    expect(() =>
      fitLoss([
        { lossPercent: 5, burstRatio: 1, impairment: 3 },
        { lossPercent: 5, burstRatio: 2, impairment: 4 },
      ]),
    ).toThrow(RangeError);
  });
});
