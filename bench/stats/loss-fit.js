/**
 * Ie and Bpl of a codec, fitted to how much worse loss makes what is heard. As ITU-T P.834.1 has
 * it, from the marks of a model and not of listeners; without its step that sets a model's scale
 * right by codecs whose Ie is known.
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
 * @property {number} residual  by how much Ie,eff is off, the root of the mean square
 */

/** Bpl is looked for between these, in percent, and at first by so many steps of equal ratio. */
const LEAST_BPL = 0.1;
const MOST_BPL = 10_000;
const STEPS = 100;

/** How often the interval that holds the best Bpl is shortened; each time by the golden section. */
const REFINEMENTS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * By least squares. Ie,eff is linear in Ie, so only Bpl has to be looked for.
 *
 * @param {readonly LossPoint[]} points with two shares of loss or more
 * @returns {LossFit}
 * @throws {RangeError} when the points have one share of loss alone, which doesn't say what is Ie
 *   and what is loss
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
