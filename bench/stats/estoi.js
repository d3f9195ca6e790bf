/**
 * ESTOI, extended short-time objective intelligibility: how well the words of degraded speech could
 * be understood. J. Jensen and C. H. Taal, "An Algorithm for Predicting the Intelligibility of
 * Speech Masked by Modulated Noise Maskers", IEEE/ACM Transactions on Audio, Speech, and Language
 * Processing 24(11), 2016. Frames, bands and what counts as silent are those of STOI (C. H. Taal et
 * al., "An Algorithm for Intelligibility Prediction of Time-Frequency Weighted Noisy Speech", IEEE
 * Transactions on Audio, Speech, and Language Processing 19(7), 2011, section II).
 */

import { resample } from './resample.js';
import { align, fft } from '../../testkit/sound/signal.js';

/** The sample rate at which speech is compared, in Hz. */
const SAMPLE_RATE = 10000;

/** A frame, in samples: 25.6 ms, half overlapped. */
const FRAME_SAMPLES = 256;
const HOP_SAMPLES = FRAME_SAMPLES / 2;
const FFT_SAMPLES = 512;

/** Hann's window without the zeros at its ends. */
const WINDOW = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 1)) / (FRAME_SAMPLES + 1)),
);

/** Frames of the reference this far below its loudest are silent, in dB. */
const SILENT_DB = 40;

/** One-third-octave bands, from the centre of the lowest up, in Hz. */
const BANDS = 15;
const LOWEST_HZ = 150;

/** Frames of a segment, the piece in which spectra are compared: 384 ms. */
const SEGMENT_FRAMES = 30;

/**
 * The shortest reference: one segment of frames, and the one that the two passes of overlapping
 * frames leave out.
 */
const LEAST_SAMPLES = (SEGMENT_FRAMES + 1) * HOP_SAMPLES + FRAME_SAMPLES;

/** Each band's first bin, and the one after its last. */
const EDGES = Array.from({ length: BANDS }, (_, band) => [band - 0.5, band + 0.5].map(nearestBin));

/** @param {number} place bands above the lowest's centre */
function nearestBin(place) {
  return Math.round((LOWEST_HZ * 2 ** (place / 3) * FFT_SAMPLES) / SAMPLE_RATE);
}

/**
 * Compares degraded speech to its reference, after aligning it as a whole. A constant delay or
 * level doesn't count, a changing delay does. Missing parts of the degraded signal count as
 * silence.
 *
 * @param {Float32Array} reference mono, with at least 0.5 s of speech in it
 * @param {Float32Array} degraded mono; must hold at least half of the reference
 * @param {{ sampleRate: number }} options of both, in whole Hz
 * @returns {number} 1 for equal signals, 0 for unrelated ones, seldom below
 * @throws {RangeError} when the reference has too little sound, or the sample rate is invalid
 */
export function estoi(reference, degraded, { sampleRate }) {
  const original = resample(reference, sampleRate, SAMPLE_RATE);
  if (original.length < LEAST_SAMPLES) throw tooShort(reference);
  const received = aligned(original, resample(degraded, sampleRate, SAMPLE_RATE));
  const starts = soundingFrames(original);
  const [expected, found] = [original, received].map((samples) =>
    bandMagnitudes(joinFrames(samples, starts)),
  );
  const segments = expected.length / BANDS - SEGMENT_FRAMES + 1;
  if (segments < 1) throw tooShort(reference);
  let sum = 0;
  for (let at = 0; at < segments; at++) {
    const [a, b] = [expected, found].map((bands) =>
      normalised(bands.slice(at * BANDS, (at + SEGMENT_FRAMES) * BANDS)),
    );
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  }
  return sum / SEGMENT_FRAMES / segments;
}

/** @param {Float32Array} reference */
function tooShort({ length }) {
  return new RangeError(`a reference of ${length} samples: it must hold 0.5 s of speech`);
}

/**
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @returns {Float32Array} the part of the signal that is most like the reference, as long, with
 *   zeros where it has ended
 */
function aligned(reference, signal) {
  const half = Math.floor(reference.length / 2);
  const padded = new Float32Array(Math.max(signal.length, half) + 2 * half + 1);
  padded.set(signal, half);
  const { lag } = align(reference, padded);
  return padded.subarray(lag, lag + reference.length);
}

/**
 * @param {Float32Array} samples
 * @returns {number[]} where each frame starts that is not silent
 */
function soundingFrames(samples) {
  const frames = [];
  for (let start = 0; start + FRAME_SAMPLES < samples.length; start += HOP_SAMPLES) {
    let energy = 0;
    for (let i = 0; i < FRAME_SAMPLES; i++) energy += (WINDOW[i] * samples[start + i]) ** 2;
    frames.push({ start, energy });
  }
  const least =
    frames.reduce((most, { energy }) => Math.max(most, energy), 0) * 10 ** (-SILENT_DB / 10);
  return frames.filter(({ energy }) => energy > least).map(({ start }) => start);
}

/**
 * @param {Float32Array} samples
 * @param {number[]} starts of frames
 * @returns {Float64Array} only those frames, windowed, half overlapped
 */
function joinFrames(samples, starts) {
  const joined = new Float64Array((starts.length + 1) * HOP_SAMPLES);
  starts.forEach((start, frame) => {
    for (let i = 0; i < FRAME_SAMPLES; i++)
      joined[frame * HOP_SAMPLES + i] += WINDOW[i] * samples[start + i];
  });
  return joined;
}

/**
 * @param {Float64Array} samples
 * @returns {Float64Array} the magnitude of each band of each frame, frame by frame
 */
function bandMagnitudes(samples) {
  const frames = Math.max(0, Math.ceil((samples.length - FRAME_SAMPLES) / HOP_SAMPLES));
  const magnitudes = new Float64Array(frames * BANDS);
  for (let frame = 0; frame < frames; frame++) {
    const [re, im] = [new Float64Array(FFT_SAMPLES), new Float64Array(FFT_SAMPLES)];
    for (let i = 0; i < FRAME_SAMPLES; i++) re[i] = WINDOW[i] * samples[frame * HOP_SAMPLES + i];
    fft(re, im);
    EDGES.forEach(([from, to], band) => {
      let power = 0;
      for (let bin = from; bin < to; bin++) power += re[bin] ** 2 + im[bin] ** 2;
      magnitudes[frame * BANDS + band] = Math.sqrt(power);
    });
  }
  return magnitudes;
}

/**
 * Makes each band's course in time, and then each frame's spectrum, one of mean 0 and norm 1, in
 * place.
 * @param {Float64Array} segment frame by frame
 */
function normalised(segment) {
  for (let band = 0; band < BANDS; band++) normalise(segment, band, BANDS, SEGMENT_FRAMES);
  for (let frame = 0; frame < SEGMENT_FRAMES; frame++) normalise(segment, frame * BANDS, 1, BANDS);
  return segment;
}

/**
 * @param {Float64Array} values
 * @param {number} from the first that counts
 * @param {number} step to the next
 * @param {number} count that are equal become zeros
 */
function normalise(values, from, step, count) {
  const end = from + step * count;
  let sum = 0;
  for (let i = from; i < end; i += step) sum += values[i];
  let squares = 0;
  for (let i = from; i < end; i += step) {
    values[i] -= sum / count;
    squares += values[i] ** 2;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let i = from; i < end; i += step) values[i] *= scale;
}
