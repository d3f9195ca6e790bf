import { describe, expect, it } from 'vitest';
import { normal, seededRandom } from '../../../testkit/random.js';
import {
  burstRatioOf,
  delayImpairment,
  estimatedMark,
  lossImpairment,
  NARROWBAND,
  rating,
  ratingOfMark,
  visqolImpairment,
  WIDEBAND,
} from '../../stats/e-model.js';
import { fitLoss, residualOf } from '../../stats/loss-fit.js';

describe('the E-model', () => {
  it('gives a call that nothing impairs the most of its band', () => {
    expect(rating({ band: NARROWBAND })).toBe(93.2);
    expect(rating({ band: WIDEBAND })).toBe(129);
    expect(estimatedMark(93.2, NARROWBAND)).toBeCloseTo(4.41, 2);
    expect(estimatedMark(129, WIDEBAND)).toBe(4.5);
  });

  // Computed by hand, with X = log2(Ta / 100 ms). At 200 ms X is 1 and Idd = 25 · (2^(1/6) − 3 · (1
  // + 3^-6)^(1/6) + 2). At 400 ms X is 2 and Idd = 25 · (65^(1/6) − 3 · (1 + (2/3)^6)^(1/6) + 2).
  it.each([
    [0, 0],
    [100, 0],
    [150, 0.1635],
    [200, 3.0444],
    [250, 8.9167],
    [400, 24.0701],
  ])(
    'takes for a delay of %d ms %d of narrowband, and 1.29 times that of wideband',
    (delayMs, impairment) => {
      expect(delayImpairment(delayMs, NARROWBAND)).toBeCloseTo(impairment, 4);
      expect(rating({ delayMs, band: NARROWBAND })).toBeCloseTo(93.2 - impairment, 4);
      expect(delayImpairment(delayMs)).toBeCloseTo(1.29 * impairment, 3);
      expect(rating({ delayMs })).toBeCloseTo(129 - 1.29 * impairment, 3);
    },
  );

  // Ie and Bpl are those of G.113, appendix I: G.711 with its concealment 0 and 25.1, G.729A with
  // VAD 11 and 19.
  it.each([
    [{ ie: 11, bpl: 19, lossPercent: 0 }, 11],
    [{ ie: 11, bpl: 19, lossPercent: 2 }, 19],
    [{ ie: 0, bpl: 25.1, lossPercent: 5 }, 475 / 30.1],
    [{ ie: 0, bpl: 25.1, lossPercent: 5, burstRatio: 2 }, 475 / 27.6],
  ])('takes for codec and loss %o %d', (options, impairment) => {
    expect(lossImpairment(options)).toBeCloseTo(impairment, 10);
  });

  // G.107, table B.1; its 4.03 is 4.024 by the formula.
  it.each([
    [90, 4.34],
    [80, 4.03],
    [70, 3.6],
    [60, 3.1],
    [50, 2.58],
  ])('estimates for R = %d a mark of %d', (r, mark) => {
    expect(Math.abs(estimatedMark(r, NARROWBAND) - mark)).toBeLessThan(0.0061);
    expect(estimatedMark(1.29 * r, WIDEBAND)).toBeCloseTo(estimatedMark(r, NARROWBAND), 12);
  });

  it('keeps marks from 1 to 4.5', () => {
    expect([-20, 0, 100, 150].map((r) => estimatedMark(r, NARROWBAND))).toEqual([1, 1, 4.5, 4.5]);
  });

  it('finds R from a mark, wherever the mark rises with it', () => {
    for (const band of [NARROWBAND, WIDEBAND]) {
      for (let r = 7; r <= 100; r++) {
        expect(ratingOfMark(estimatedMark(r * band.stretch, band), band)).toBeCloseTo(
          r * band.stretch,
          9,
        );
      }
      expect(ratingOfMark(5, band)).toBeCloseTo(100 * band.stretch, 9);
      expect(ratingOfMark(0, band)).toBe(ratingOfMark(1, band));
    }
  });

  it("takes nothing for ViSQOL's best mark, and more for each that is lower", () => {
    const impairments = [5, 4.9, 4.5, 4, 3, 2, 1].map(visqolImpairment);
    expect(impairments[0]).toBeCloseTo(0, 9);
    for (let i = 1; i < impairments.length; i++)
      expect(impairments[i]).toBeGreaterThan(impairments[i - 1]);
    expect(impairments.at(-1)).toBeLessThan(WIDEBAND.most);
  });
});

describe('the burst ratio', () => {
  const lost = (/** @type {string} */ text) => Array.from(text, (letter) => letter === 'x');

  it('compares runs of lost frames with those of random loss', () => {
    expect(burstRatioOf(lost('.x........'))).toBeCloseTo(0.9, 12);
    expect(burstRatioOf(lost('xxx.......'))).toBeCloseTo(2.1, 12);
    expect(burstRatioOf(lost('.xxx....x.'))).toBeCloseTo(1.2, 12);
  });

  it('is 1 of no loss, and of nothing else', () => {
    expect([burstRatioOf([]), burstRatioOf(lost('....')), burstRatioOf(lost('xx'))]).toEqual([
      1, 1, 1,
    ]);
  });
});

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
