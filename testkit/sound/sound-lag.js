/**
 * The time between two places at which the same sound came out, found piece by piece by
 * correlation.
 */

import { align, alignPieces, levelDb } from './signal.js';
import { mean } from '../statistics.js';

/** Length of a piece, in seconds, and the longest lag that is looked for, in milliseconds. */
export const PIECE_SECONDS = 0.5;
const MOST_LAG_MS = 1500;

/** Pieces that are quieter than this (dBFS), or that correlate less, are left out. */
const QUIET_DB = -45;
const LEAST_CORRELATION = 0.6;

/**
 * The least correlation of an utterance, of which much may be lost. Other stretches of the same
 * speech have some hundredths.
 */
const UTTERANCE_CORRELATION = 0.15;

/**
 * The pieces by which the delay of a voice on its way is measured, and how far apart they are, in
 * milliseconds.
 */
export const PIECE_MS = 200;
const STEP_MS = 100;

/** Range before its own time in which a piece is looked for, in milliseconds. */
const SOONER_MS = 10;

/**
 * The length of a piece that is present or not, and how far from the lag it is looked for, in
 * milliseconds.
 */
const PRESENT_MS = 100;
const PRESENT_LAG_MS = 200;

/**
 * @typedef {object} Recorded
 * @property {Float32Array} samples
 * @property {number} startMs     when the first sample came out; all recordings by one clock
 * @property {number} sampleRate  Hz
 */

/**
 * @param {Recorded} later
 * @param {Recorded} earlier at the same sample rate
 * @param {{ fromMs?: number, mostMs?: number, leastMs?: number }} [options] Leaves out pieces of
 *   `later` before `fromMs`. The search goes from `leastMs` to `mostMs`. The least lag is below 0
 *   if sound may come out of `later` first
 * @returns {{ atMs: number, lagMs: number, correlation: number }[]} one for each piece of `later`
 * @throws {RangeError} when the sample rates differ
 */
export function lagsBetween(
  later,
  earlier,
  { fromMs = -Infinity, mostMs = MOST_LAG_MS, leastMs = 0 } = {},
) {
  const { sampleRate } = later;
  if (earlier.sampleRate !== sampleRate) throw new RangeError('the two must have one sample rate');
  const size = Math.round(PIECE_SECONDS * sampleRate);
  const reach = Math.round((mostMs * sampleRate) / 1000);
  const searched = reach - Math.round((leastMs * sampleRate) / 1000) + size;
  const shift = ((later.startMs - earlier.startMs) * sampleRate) / 1000;
  const whole = Math.round(shift);
  const lags = [];
  for (let at = 0; at + size <= later.samples.length; at += size) {
    const atMs = later.startMs + (at * 1000) / sampleRate;
    const from = at + whole - reach;
    if (atMs < fromMs || from < 0 || from + searched > earlier.samples.length) continue;
    const piece = later.samples.subarray(at, at + size);
    if (levelDb(piece) < QUIET_DB) continue;
    const { lag, correlation } = align(piece, earlier.samples.subarray(from, from + searched));
    if (correlation < LEAST_CORRELATION) continue;
    lags.push({ atMs, lagMs: ((reach - lag + shift - whole) * 1000) / sampleRate, correlation });
  }
  return lags;
}

/**
 * @param {Recorded} later
 * @param {readonly Recorded[]} earlier  recordings of one sound, whose own lags differ a little
 * @param {{ fromMs?: number, leastMs?: number }} [options]   as of lagsBetween()
 * @returns {number[]} mean lag, in milliseconds, of each piece that is found in all loops
 */
export function meanLags(later, earlier, options) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const one of earlier) {
    for (const { atMs, lagMs } of lagsBetween(later, one, options))
      found.set(atMs, [...(found.get(atMs) ?? []), lagMs]);
  }
  return [...found.values()].filter((lags) => lags.length === earlier.length).map(mean);
}

/**
 * The utterances in a recording of speech that is said again and again.
 * @param {Float32Array} recording
 * @param {Float32Array} speech
 * @param {number} marginSamples kept before and after each utterance; how far one may be from where
 *   the last one puts it, unless the sound stood still or jumped
 * @returns {{ sound: Float32Array, at: number }[]} the whole pieces, with the place of their first
 *   sample in the sound
 */
export function utterancesIn(recording, speech, marginSamples) {
  const utterances = [];
  const { length } = speech;
  for (let [from, to, place] = [0, length, 0]; to + length <= recording.length;) {
    const lag =
      foundIn(recording, speech, from, to) ??
      foundIn(recording, speech, from, from + length) ??
      place;
    const start = Math.max(0, lag - marginSamples);
    utterances.push({
      sound: recording.subarray(start, lag + length + marginSamples),
      at: lag - start,
    });
    place = lag + length;
    [from, to] = [place - marginSamples, place + marginSamples];
  }
  return utterances;
}

/**
 * @param {Float32Array} recording
 * @param {Float32Array} speech
 * @param {number} from  the first place that counts, in samples
 * @param {number} to    the last
 * @returns {number | null} the place of the speech; null where it isn't there
 */
function foundIn(recording, speech, from, to) {
  const { lag, correlation } = align(speech, recording, { from, to });
  return correlation >= UTTERANCE_CORRELATION ? lag : null;
}

/**
 * Delays of pieces between speaking and hearing, without pieces that aren't found.
 * @param {Float32Array} said
 * @param {Float32Array} heard from the same moment on
 * @param {{ sampleRate: number, fromMs: number, toMs: number, mostMs: number }} options mostMs: the
 *   longest delay that is looked for
 * @returns {{ ms: number, delayMs: number }[]} ms: when the piece was said
 */
export function pieceDelays(said, heard, { sampleRate, fromMs, toMs, mostMs }) {
  const samplesIn = (/** @type {number} */ ms) => Math.round((ms * sampleRate) / 1000);
  const delays = [];
  for (let ms = fromMs; ms + PIECE_MS <= toMs; ms += STEP_MS) {
    const piece = said.subarray(samplesIn(ms), samplesIn(ms + PIECE_MS));
    if (levelDb(piece) < QUIET_DB) continue;
    const { lag, correlation } = align(piece, heard, {
      from: samplesIn(ms) - samplesIn(SOONER_MS),
      to: samplesIn(ms + mostMs),
    });
    if (correlation > LEAST_CORRELATION)
      delays.push({ ms, delayMs: ((lag - samplesIn(ms)) * 1000) / sampleRate });
  }
  return delays;
}

/**
 * The share of a sound that is in what was heard of it.
 * @param {Recorded} heard
 * @param {Recorded} said at the same sample rate
 * @param {{ fromMs: number, toMs: number, lagMs: number }} options speech before fromMs and
 *   after toMs is left out; lagMs: the expected delay of what is heard
 * @returns {number} percent of the pieces of 0.1 s that aren't quiet; NaN where there is none
 */
export function presentPercent(heard, said, { fromMs, toMs, lagMs }) {
  const perMs = said.sampleRate / 1000;
  const [from, to] = [fromMs, toMs].map((ms) =>
    Math.max(0, Math.round((ms - said.startMs) * perMs)),
  );
  const lag = Math.round((said.startMs - heard.startMs + lagMs) * perMs) + from;
  const pieces = alignPieces(said.samples.subarray(from, to), heard.samples, lag, {
    pieceSamples: PRESENT_MS * perMs,
    searchSamples: PRESENT_LAG_MS * perMs,
    quietDb: QUIET_DB,
  });
  return (
    (100 * pieces.filter(({ correlation }) => correlation >= LEAST_CORRELATION).length) /
    pieces.length
  );
}

/**
 * The lag of a recording behind speech that goes in again and again from the recording's first
 * sample on.
 *
 * @param {Float32Array} recording
 * @param {Float32Array} speech
 * @param {{ sampleRate: number, from?: number }} options  from: the first sample that counts
 * @returns {{ atMs: number, lagMs: number, correlation: number }[]} one for each piece, atMs from
 *   the start
 */
export function soundLags(recording, speech, { sampleRate, from = 0 }) {
  const said = Float32Array.from(recording, (_, i) => speech[i % speech.length]);
  const fromMs = (from * 1000) / sampleRate;
  return lagsBetween(
    { samples: recording, startMs: 0, sampleRate },
    { samples: said, startMs: 0, sampleRate },
    { fromMs },
  );
}
