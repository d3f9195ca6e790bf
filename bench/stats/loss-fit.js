/**
 * Ie and Bpl of a codec, fitted to the degradation of heard sound by loss. The method is that of
 * ITU-T P.834.1, with marks of a model instead of listeners. Its step that calibrates a model's
 * scale by codecs of known Ie is left out.
 */

import { lossImpairment, lossShare } from './e-model.js';

/**
 * @typedef {object} LossPoint
 * @property {number} lossPercent  Ppl
 * @property {number} burstRatio   BurstR
 * @property {number} impairment   Ie,eff as it was found
 *
 * @typedef {object} LossFit
 * @property {number} ie
 * @property {number} bpl
 * @property {number} residual  root mean square error of Ie,eff
 */

/** Range of the search for Bpl, in percent, and its first steps, of equal ratio. */
const LEAST_BPL = 0.1;
const MOST_BPL = 10_000;
const STEPS = 100;

/** Number of golden-section steps around the best Bpl. */
const REFINEMENTS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * By least squares. Ie,eff is linear in Ie, so only Bpl has to be looked for.
 *
 * @param {readonly LossPoint[]} points with two shares of loss or more
 * @returns {LossFit}
 * @throws {RangeError} when the points have only one share of loss, which doesn't separate Ie
 *   from loss
 */
export function fitLoss(points) {
  if (new Set(points.map(({ lossPercent }) => lossPercent)).size < 2) {
    throw new RangeError(`${points.length} points of one share of loss: it takes two shares`);
  }
  const residual = (/** @type {number} */ log) =>
    residualOf(points, ieFor(points, 10 ** log), 10 ** log);
  const step = Math.log10(MOST_BPL / LEAST_BPL) / STEPS;
  const places = Array.from({ length: STEPS + 1 }, (_, i) => Math.log10(LEAST_BPL) + i * step);
  const residuals = places.map(residual);
  const best = places[residuals.indexOf(Math.min(...residuals))];
  const bpl = 10 ** leastOf(residual, best - step, best + step);
  const ie = ieFor(points, bpl);
  return { ie, bpl, residual: residualOf(points, ie, bpl) };
}

/**
 * By how much Ie,eff is off at the points, the root of the mean square.
 *
 * @param {readonly LossPoint[]} points
 * @param {number} ie
 * @param {number} bpl
 */
export function residualOf(points, ie, bpl) {
  let squares = 0;
  for (const point of points)
    squares += (point.impairment - lossImpairment({ ie, bpl, ...point })) ** 2;
  return Math.sqrt(squares / points.length);
}

/**
 * The best Ie for a Bpl: with the share x, Ie,eff is 95 · x + Ie · (1 − x).
 * @param {readonly LossPoint[]} points
 * @param {number} bpl
 */
function ieFor(points, bpl) {
  let [products, squares] = [0, 0];
  for (const point of points) {
    const x = lossShare({ bpl, ...point });
    products += (1 - x) * (point.impairment - lossImpairment({ ie: 0, bpl, ...point }));
    squares += (1 - x) ** 2;
  }
  return products / squares;
}

/**
 * The golden-section search (J. Kiefer, 1953).
 * @param {(x: number) => number} f with one minimum
 * @param {number} from
 * @param {number} to
 */
function leastOf(f, from, to) {
  for (let i = 0; i < REFINEMENTS; i++) {
    const [a, b] = [to - GOLDEN * (to - from), from + GOLDEN * (to - from)];
    if (f(a) < f(b)) to = b;
    else from = a;
  }
  return (from + to) / 2;
}
