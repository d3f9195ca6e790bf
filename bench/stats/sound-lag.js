import { align, levelDb } from './signal.js';

/** So much sound is looked for at a time, and so far back, in seconds. */
const PIECE_SECONDS = 0.5;
const MOST_LAG_SECONDS = 1.5;

/** Pieces that are quieter (dBFS), or that aren't found this well, say nothing. */
const QUIET_DB = -45;
const LEAST_CORRELATION = 0.6;

/**
 * How much later sound came out than it went in. The recording begins when the first sample of the
 * speech goes in, and the speech is said again and again.
 *
 * @param {Float32Array} recording
 * @param {Float32Array} speech
 * @param {{ sampleRate: number, from?: number }} options  from: the first sample that counts
 * @returns {{ atSample: number, lagMs: number, correlation: number }[]} for each piece of the recording
 */
export function soundLags(recording, speech, { sampleRate, from = 0 }) {
  const size = Math.round(PIECE_SECONDS * sampleRate);
  const reach = Math.round(MOST_LAG_SECONDS * sampleRate);
  const said = new Float32Array(reach + size);
  const lags = [];
  for (let at = Math.max(from, reach); at + size <= recording.length; at += size) {
    const piece = recording.subarray(at, at + size);
    if (levelDb(piece) < QUIET_DB) continue;
    for (let i = 0; i < said.length; i++) said[i] = speech[(at - reach + i) % speech.length];
    const { lag, correlation } = align(piece, said);
    if (correlation < LEAST_CORRELATION) continue;
    lags.push({ atSample: at, lagMs: ((reach - lag) * 1000) / sampleRate, correlation });
  }
  return lags;
}

/**
 * How much later the same sound came out in one place than in another, both recorded.
 *
 * @typedef {{ samples: Float32Array, startMs: number, sampleRate: number }} Recorded  startMs: when its first
 *   sample came out, of one clock
 *
 * @param {Recorded} later
 * @param {Recorded} earlier at the same sample rate
 * @param {{ fromMs?: number, mostMs?: number }} [options]  fromMs: on that clock, what comes out later before it
 *   doesn't count; mostMs: so far apart they are at most
 * @returns {{ atMs: number, lagMs: number, correlation: number }[]} for each piece
 */
export function lagsBetween(later, earlier, { fromMs = -Infinity, mostMs = 1500 } = {}) {
  const { sampleRate } = later;
  if (earlier.sampleRate !== sampleRate) throw new RangeError('the two must have one sample rate');
  const size = Math.round(PIECE_SECONDS * sampleRate);
  const reach = Math.round((mostMs * sampleRate) / 1000);
  const shift = ((later.startMs - earlier.startMs) * sampleRate) / 1000;
  const whole = Math.round(shift);
  const lags = [];
  for (let at = 0; at + size <= later.samples.length; at += size) {
    const atMs = later.startMs + (at * 1000) / sampleRate;
    const from = at + whole - reach;
    if (atMs < fromMs || from < 0 || from + reach + size > earlier.samples.length) continue;
    const piece = later.samples.subarray(at, at + size);
    if (levelDb(piece) < QUIET_DB) continue;
    const { lag, correlation } = align(piece, earlier.samples.subarray(from, from + reach + size));
    if (correlation < LEAST_CORRELATION) continue;
    lags.push({ atMs, lagMs: ((reach - lag + shift - whole) * 1000) / sampleRate, correlation });
  }
  return lags;
}
