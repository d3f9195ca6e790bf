/**
 * Comparison of recorded signals, for tests and the lab: what the page uses too, and what only they
 * use.
 */

import { align, levelDb } from '../../public/shared/sound/signal.js';

export * from '../../public/shared/sound/signal.js';

/** @import { Alignment } from '../../public/shared/sound/signal.js' */

/** Levels of a reference above which it must be heard, and of a silent signal, in dBFS. */
const LOUD_DB = -45;
const SILENT_DB = -70;

/**
 * Aligns a reference piece by piece, near the position of the whole. A slightly wandering delay
 * lowers the likeness of the whole, not that of the pieces.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} lag position of the whole reference in the signal, in samples
 * @param {{ pieceSamples: number, searchSamples: number, quietDb?: number }} options
 *   pieceSamples: a piece's length; searchSamples: the largest distance from `lag`; pieces of the
 *   reference that are quieter than quietDb (dBFS) are left out
 * @returns {(Alignment & { start: number })[]} one for each piece, with its start in the reference
 */
export function alignPieces(
  reference,
  signal,
  lag,
  { pieceSamples, searchSamples, quietDb = LOUD_DB },
) {
  const pieces = [];
  for (let start = 0; start + pieceSamples <= reference.length; start += pieceSamples) {
    const piece = reference.subarray(start, start + pieceSamples);
    const from = lag + start - searchSamples;
    if (levelDb(piece) < quietDb || from > signal.length - pieceSamples) continue;
    const found = align(piece, signal, { from, to: lag + start + searchSamples });
    pieces.push({ start, ...found, lag: found.lag - start });
  }
  return pieces;
}

/**
 * @typedef {object} Gap
 * @property {number} start    the gap's first sample, in the signal
 * @property {number} samples  its length
 */

/**
 * Finds the gaps of a signal: stretches in which it is silent and its reference is not.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} lag the reference's start in the signal, in samples
 * @param {{ longerThan: number, step?: number }} options longerThan: samples; shorter gaps are left
 *   out. step: samples to a reading (240). A reading is silent below SILENT_DB, and missed when the
 *   reference's is above LOUD_DB
 * @returns {Gap[]}
 */
export function findGaps(reference, signal, lag, { longerThan, step = 240 }) {
  /** @type {Gap[]} */
  const gaps = [];
  /** @type {Gap | null} */
  let gap = null;
  const end = Math.min(reference.length, signal.length - lag);
  for (let at = Math.max(0, -lag); at + step <= end; at += step) {
    const silent = levelDb(signal.subarray(lag + at, lag + at + step)) < SILENT_DB;
    if (silent && levelDb(reference.subarray(at, at + step)) > LOUD_DB) {
      gap ??= { start: lag + at, samples: 0 };
      gap.samples += step;
    } else {
      if (gap && gap.samples > longerThan) gaps.push(gap);
      gap = null;
    }
  }
  if (gap && gap.samples > longerThan) gaps.push(gap);
  return gaps;
}
