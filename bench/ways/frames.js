/**
 * The fate of each frame, as rows of a file: sending, age at arrival, presence at playing, time of
 * playing, similarity to the heard sound.
 *
 * @import { Heard } from './heard.js'
 * @import { Pull } from '../../testkit/sound/voice-path.js'
 *
 * @typedef {object} FrameFate
 * @property {number} frame       from the block's first on
 * @property {number} sentMs      since the start of the first frame
 * @property {number} ageMs       at arrival; Infinity if lost
 * @property {'present' | 'concealed' | 'left out'} played concealed: made up in its place; left
 *   out: neither of both
 * @property {number} heardMs     since the start of the first frame; NaN if left out
 * @property {number} correlation of the frame with the sound heard then, at most 1; NaN if it was
 *   left out or is silence
 */

import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Papa from 'papaparse';
import { EVERY_MS } from './run.js';

const SAMPLE_RATE = 48_000;
const FRAME_SAMPLES = (EVERY_MS * SAMPLE_RATE) / 1000;

/**
 * Largest lag at which a frame is searched in the heard sound, in samples: Opus's lookahead and a
 * sound card's burst.
 */
const LAG_SAMPLES = (15 * SAMPLE_RATE) / 1000;

/** Steps of the lags to try, in samples: coarse ones, then fine ones around the best. */
const [COARSE, FINE] = [12, 3];

/** The mean square below which a frame is silence. */
const SILENCE = 1e-7;

/** The most rows of a file: some 80 MB. */
const MOST_ROWS = 1_000_000;

const COLUMNS = [
  'way',
  'sweep',
  'at',
  'repetition',
  'call',
  'frame',
  'sentMs',
  'ageMs',
  'played',
  'heardMs',
  'correlation',
];

/**
 * @param {Pick<Heard, 'said' | 'sound' | 'pulls'>} heard  of all frames, settling ones included
 * @param {readonly number[]} ages of the packets
 * @param {readonly number[]} latenessMs  delay of each packet's sending after its frame's end
 * @returns {FrameFate[]}
 */
export function framesOf({ said, sound, pulls }, ages, latenessMs) {
  const fates = placesOf(pulls, ages.length);
  return ages.map((ageMs, frame) => {
    const { played, heardMs } = fates[frame];
    const own = said.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
    const correlation =
      played === 'left out'
        ? NaN
        : likeness(own, sound, Math.round((heardMs * SAMPLE_RATE) / 1000));
    return {
      frame,
      sentMs: (frame + 1) * EVERY_MS + (latenessMs[frame] ?? 0),
      ageMs,
      played,
      heardMs,
      correlation,
    };
  });
}

/**
 * Returns the kind and time of each frame's playing.
 * @param {readonly Pull[]} pulls @param {number} count of frames
 * @returns {Pick<FrameFate, 'played' | 'heardMs'>[]}
 */
function placesOf(pulls, count) {
  /** @type {Pick<FrameFate, 'played' | 'heardMs'>[]} */
  const places = Array.from({ length: count }, () => ({ played: 'left out', heardMs: NaN }));
  for (const { frame, played, concealed, heardMs } of pulls) {
    for (let i = 0; i < played; i++)
      if (places[frame + i]) places[frame + i] = { played: 'present', heardMs };
    if (played === 0 && concealed > 0 && places[frame]?.played === 'left out')
      places[frame] = { played: 'concealed', heardMs };
  }
  return places;
}

/**
 * The highest correlation of a frame with what was heard from a place on.
 * @param {Float32Array} own @param {Float32Array} sound @param {number} at
 * @returns {number} NaN where the frame is silence, or what was heard ends before it
 */
function likeness(own, sound, at) {
  const energy = squareSum(own, 0, own.length);
  if (energy < SILENCE * own.length || at + LAG_SAMPLES + own.length > sound.length) return NaN;
  let [most, best] = [0, 0];
  const look = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    /** @type {number} */ step,
  ) => {
    for (let lag = Math.max(0, from); lag <= to; lag += step) {
      const like = likenessAt(own, sound, at + lag, energy);
      if (like > most) [most, best] = [like, lag];
    }
  };
  look(0, LAG_SAMPLES, COARSE);
  look(best - COARSE, best + COARSE, FINE);
  return most;
}

/**
 * @param {Float32Array} own
 * @param {Float32Array} sound
 * @param {number} at
 * @param {number} energy of own
 */
function likenessAt(own, sound, at, energy) {
  let product = 0;
  for (let i = 0; i < own.length; i++) product += own[i] * sound[at + i];
  const other = squareSum(sound, at, own.length);
  return other > 0 ? product / Math.sqrt(energy * other) : 0;
}

/** @param {Float32Array} samples @param {number} at @param {number} count */
function squareSum(samples, at, count) {
  let sum = 0;
  for (let i = at; i < at + count; i++) sum += samples[i] * samples[i];
  return sum;
}

/** Writes frames.csv in a run's folder, with a limited number of rows. */
export class FrameFile {
  #path;
  #left;

  /** @param {string} path @param {number} most  rows */
  constructor(path, most) {
    this.#path = path;
    this.#left = most;
  }

  /** Begins a file with the columns' names. @param {string} folder @param {number} [most] rows */
  static async open(folder, most = MOST_ROWS) {
    const path = join(folder, 'frames.csv');
    await writeFile(path, `${COLUMNS.join(',')}\n`);
    return new FrameFile(path, most);
  }

  /**
   * @param {{ way: string, sweep: string, value: number, repetition: number, call?: string }} block
   *   call: which of several
   * @param {readonly FrameFate[]} frames
   * @returns {Promise<boolean>} false where there was no room for all of them
   */
  async append({ way, sweep, value, repetition, call = '' }, frames) {
    const rows = frames
      .slice(0, this.#left)
      .map(({ frame, sentMs, ageMs, played, heardMs, correlation }) => [
        way,
        sweep,
        value,
        repetition,
        call,
        frame,
        told(sentMs),
        told(ageMs),
        played,
        told(heardMs),
        told(correlation),
      ]);
    this.#left -= rows.length;
    if (rows.length > 0) await appendFile(this.#path, `${Papa.unparse(rows, { newline: '\n' })}\n`);
    return rows.length === frames.length;
  }
}

/** A number with three digits; nothing where there is none. @param {number} value */
const told = (value) => (Number.isFinite(value) ? value.toFixed(3) : '');
