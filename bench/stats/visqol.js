/**
 * ViSQOL, the Virtual Speech Quality Objective Listener: how much like its reference degraded
 * speech would sound, as a mark from 1 to 5. A. Hines, J. Skoglund, A. Kokaram and N. Harte,
 * "ViSQOL: an objective speech quality model", EURASIP Journal on Audio, Speech, and Music
 * Processing, 2015; M. Chinen et al., "ViSQOL v3: an open source production ready objective speech
 * and audio metric", QoMEX 2020. Speech mode, with the exponential that was fitted to TCD-VoIP in
 * place of a trained model. Its parameters are those of Google's implementation.
 */

import { gammatoneFilters, gammatoneSpectrogram } from './gammatone.js';
import { resample } from './resample.js';
import { crossCorrelation, fft } from '../../testkit/sound/signal.js';
import { mean } from '../../testkit/statistics.js';

/** @import { Spectrogram } from './gammatone.js' */

/** The sample rate at which speech is compared, in Hz. */
const SAMPLE_RATE = 16000;

/** A frame of the spectrogram: a Hann window of 80 ms, every 20 ms. */
const WINDOW_SAMPLES = 1280;
const HOP_SAMPLES = 320;

/** Frames of a patch, the piece of the spectrogram that is searched as a whole. */
const PATCH_FRAMES = 20;
const PATCH_SAMPLES = PATCH_FRAMES * HOP_SAMPLES;

/** The first patch's frame; the others follow without gap or overlap. */
const FIRST_FRAME = PATCH_FRAMES / 2 - 1;

/** The shortest reference, of one patch. */
const LEAST_SAMPLES = (FIRST_FRAME + PATCH_FRAMES - 1) * HOP_SAMPLES + WINDOW_SAMPLES;

/**
 * The greatest distance of a patch's match from where the alignment of the whole puts it, in
 * frames.
 */
const SEARCH_FRAMES = 60 * PATCH_FRAMES;

/**
 * Frames kept before the aligned start of a signal: 1 s. If the delay grows within a signal,
 * alignment may follow its later part, and the earlier part is up to that much earlier. Google's
 * implementation keeps none, so a patch is lost there.
 */
const LEAD_FRAMES = 50;
const LEAD_SAMPLES = LEAD_FRAMES * HOP_SAMPLES;

/** Step of the first search for the lag of a whole signal, in samples: 0.5 ms. */
const COARSE_SAMPLES = 8;

const BANDS = 21;
const FILTERS = gammatoneFilters({
  bands: BANDS,
  lowest: 50,
  highest: SAMPLE_RATE / 2,
  sampleRate: SAMPLE_RATE,
});
const WINDOW = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (WINDOW_SAMPLES - 1)),
);

/**
 * The lowest level that counts, and how far below a frame's loudest band that is. Levels are ten
 * times the logarithm of an amplitude, not of a power: 45 are 90 dB.
 */
const LEAST_LEVEL = -45;
const LEVEL_RANGE = 45;

/**
 * A reference's chunk of 20 ms is speech from this share of the reference's peak on: 5000 in 16
 * bits.
 */
const SPEECH_LEVEL = 5000 / 32768;

/** Chunks on end that aren't speech before one counts as a pause. */
const PAUSE_CHUNKS = 3;

/**
 * Weights of a value and of its neighbour on either side: a Gaussian with standard deviation 0.5.
 */
const SIDE = Math.exp(-2) / (1 + 2 * Math.exp(-2));
const CENTRE = 1 - 2 * SIDE;

/**
 * Constants of the two terms of NSIM, which keep them finite where there is nothing: (0.01)² and
 * (0.03)² / 2.
 */
const INTENSITY_FLOOR = 0.0001;
const STRUCTURE_FLOOR = 0.00045;

/** The similarity below which the mark is the lowest. */
const LEAST_NSIM = 0.15;

/**
 * @typedef {object} PatchMatch
 * @property {number} startMs       in the reference
 * @property {number | null} lagMs delay of the patch in the degraded signal; null if
 *   not found
 * @property {number} nsim          its similarity to the reference; 0 when it was not found
 *
 * @typedef {object} Quality
 * @property {number} mos   listening quality, 1 to 5
 * @property {number} nsim  the mean similarity of the patches, 1 at most
 * @property {PatchMatch[]} patches patches of the reference with speech
 */

/** Implementation of a mark, for reports: other implementations and extra packages give others. */
export const VISQOL_SOURCE =
  "ViSQOL's marks are of bench/stats/visqol.js, in speech mode, which agrees with visqol-python " +
  '3.8.0 without extra packages; with its extra `lattice` that has other marks.';

/**
 * Compares degraded speech to its reference. The degraded signal may be longer, shorter, louder or
 * later, and its delay may change within it. Parts beyond the reference don't count, and missing
 * parts count as lost.
 *
 * @param {Float32Array} reference mono, with speech in it, of at least 0.64 s
 * @param {Float32Array} degraded mono; must hold at least half of the reference
 * @param {{ sampleRate: number }} options of both, in whole Hz
 * @returns {Quality}
 * @throws {RangeError} when the reference is too short or silent, or the sample rate invalid
 */
export function visqol(reference, degraded, { sampleRate }) {
  const original = resample(reference, sampleRate, SAMPLE_RATE);
  const received = resample(degraded, sampleRate, SAMPLE_RATE);
  if (original.length < LEAST_SAMPLES || rootMeanSquare(original) === 0) {
    throw new RangeError(
      `a reference of ${reference.length} samples: it must hold sound, and be 0.64 s long`,
    );
  }
  const lag = received.length > 0 ? envelopeLag(original, received, COARSE_SAMPLES) : 0;
  const end = Math.max(received.length, lag + original.length);
  const aligned = stretch(matchLevel(original, received, lag), lag - LEAD_SAMPLES, end);
  const spectrograms = levels(original, aligned, LEAD_FRAMES);
  const starts = speechPatches(original, spectrograms[0].frames);
  const patches = matchPatches(starts, ...spectrograms).map(({ start, match, nsim }) => {
    const startMs = milliseconds(start * HOP_SAMPLES);
    if (match === null) return { startMs, lagMs: null, nsim: 0 };
    const fine = realign(original, aligned, start * HOP_SAMPLES, match * HOP_SAMPLES);
    const coarse = lag + (match - LEAD_FRAMES - start) * HOP_SAMPLES;
    if (fine.nsim < nsim) return { startMs, lagMs: milliseconds(coarse), nsim };
    return { startMs, lagMs: milliseconds(coarse + fine.lag), nsim: fine.nsim };
  });
  const nsim = mean(patches.map((patch) => patch.nsim));
  return { mos: meanOpinion(nsim), nsim, patches };
}

/** @param {number} samples */
const milliseconds = (samples) => (samples * 1000) / SAMPLE_RATE;

/**
 * The mark for a similarity: an exponential fitted to the listeners' marks of TCD-VoIP, scaled so
 * that equal signals get 5.
 * @param {number} nsim
 */
function meanOpinion(nsim) {
  if (nsim < LEAST_NSIM) return 1;
  const fitted = Math.exp(0.0154302525 * (nsim + 361.063949)) - 262.847869;
  return Math.min(5, Math.max(1, 1.245063 * fitted));
}

/**
 * @param {Float32Array} samples
 * @param {number} from may be negative
 * @param {number} to   may be past the end
 * @returns {Float32Array} the samples from `from` to before `to`, with zeros where there are none
 */
function stretch(samples, from, to) {
  const result = new Float32Array(to - from);
  result.set(samples.subarray(Math.max(0, from), Math.max(0, to)), Math.max(0, -from));
  return result;
}

/**
 * Returns a signal's delay to its reference, from the correlation of their envelopes. Considers
 * only lags that leave at least half of the reference in the signal.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} step of a first search, in samples
 * @returns {number} samples; negative when the signal is earlier
 */
function envelopeLag(reference, signal, step) {
  const half = Math.floor(reference.length / 2);
  const [expected, found] = envelopes(reference, signal);
  const padded = stretch(found, -half, Math.max(signal.length, half) + half);
  const products = crossCorrelation(thinned(expected, step), thinned(padded, step));
  const coarse =
    step * products.reduce((best, product, lag) => (product > products[best] ? lag : best), 0);
  let best = { lag: 0, product: -Infinity };
  const last = Math.min(coarse + step, padded.length - expected.length);
  for (let lag = Math.max(0, coarse - step); lag <= last; lag++) {
    let product = 0;
    for (let i = 0; i < expected.length; i++) product += expected[i] * padded[lag + i];
    if (product > best.product) best = { lag, product };
  }
  return best.lag - half;
}

/**
 * @param {Float32Array} samples
 * @param {number} step
 * @returns {Float32Array} the mean of each `step` samples
 */
function thinned(samples, step) {
  if (step === 1) return samples;
  return Float32Array.from({ length: Math.floor(samples.length / step) }, (_, i) =>
    mean(samples.subarray(i * step, (i + 1) * step)),
  );
}

/**
 * The envelopes of two signals: the magnitudes of the analytic signals, whose imaginary parts are
 * the Hilbert transforms. One transform does for both signals, as the real and the imaginary part
 * of one.
 *
 * @param {Float32Array} first
 * @param {Float32Array} second
 */
function envelopes(first, second) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(first.length, second.length)));
  const [re, im] = [first, second].map((samples) => {
    const centre = mean(samples);
    const centred = new Float64Array(size);
    for (let i = 0; i < samples.length; i++) centred[i] = samples[i] - centre;
    return centred;
  });
  const [hilbertRe, hilbertIm] = [re.slice(), im.slice()];
  fft(hilbertRe, hilbertIm);
  for (let k = 0; k < size; k++) {
    const sign = k % (size / 2) === 0 ? 0 : (k < size / 2 ? 1 : -1) / size;
    [hilbertRe[k], hilbertIm[k]] = [sign * hilbertIm[k], -sign * hilbertRe[k]];
  }
  fft(hilbertRe, hilbertIm, true);
  return [
    Float32Array.from(first, (_, i) => Math.sqrt(re[i] ** 2 + hilbertRe[i] ** 2)),
    Float32Array.from(second, (_, i) => Math.sqrt(im[i] ** 2 + hilbertIm[i] ** 2)),
  ];
}

/**
 * Scales a signal to its reference's level. Only what both hold counts: not what was recorded
 * before or afterwards.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} lag of the signal, in samples
 */
function matchLevel(reference, signal, lag) {
  const from = Math.max(0, -lag);
  const to = Math.min(reference.length, signal.length - lag);
  const level = rootMeanSquare(signal.subarray(from + lag, to + lag));
  const gain = level > 0 ? rootMeanSquare(reference.subarray(from, to)) / level : 1;
  return signal.map((sample) => sample * gain);
}

/** @param {Float32Array} samples */
function rootMeanSquare(samples) {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i] * samples[i];
  return Math.sqrt(sum / samples.length);
}

/**
 * The spectrograms of two signals as levels above the lowest of both, with one floor for the two in
 * each frame.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} [lead] frames of the signal before the reference's first
 * @returns {[Spectrogram, Spectrogram]}
 */
function levels(reference, signal, lead = 0) {
  const [expected, found] = [reference, signal].map((samples) => {
    const spectrogram = gammatoneSpectrogram(samples, FILTERS, WINDOW, HOP_SAMPLES);
    const values = spectrogram.values.map((value) => Math.max(LEAST_LEVEL, 10 * Math.log10(value)));
    return { ...spectrogram, values };
  });
  const aligned = found.values.subarray(lead * BANDS);
  for (let start = 0; start < Math.min(expected.values.length, aligned.length); start += BANDS) {
    const frames = [expected.values, aligned].map((values) =>
      values.subarray(start, start + BANDS),
    );
    const floor = Math.max(...frames[0], ...frames[1]) - LEVEL_RANGE;
    for (const frame of frames) frame.set(frame.map((level) => Math.max(floor, level)));
  }
  const both = [expected.values, aligned];
  const lowest = Math.min(
    ...both.map((values) => values.reduce((least, level) => Math.min(least, level))),
  );
  const above = (/** @type {number} */ level) => Math.max(0, level - lowest);
  return [
    { ...expected, values: expected.values.map(above) },
    { ...found, values: found.values.map(above) },
  ];
}

/**
 * Returns the reference's patches with speech. As in Google's implementation, a patch's chunks are
 * counted from the signal's start, not from the first patch's. So they are 180 ms earlier than the
 * patch's frames, and the first chunks count as speech.
 *
 * @param {Float32Array} reference
 * @param {number} frames of its spectrogram
 * @returns {number[]} each patch's first frame
 */
function speechPatches(reference, frames) {
  const least = SPEECH_LEVEL * reference.reduce((peak, sample) => Math.max(peak, sample), 0);
  const count = Math.floor((frames - FIRST_FRAME) / PATCH_FRAMES);
  const starts = [];
  let quietChunks = 0;
  for (let patch = 0; patch < count; patch++) {
    let isSpeech = false;
    for (let chunk = patch * PATCH_FRAMES; chunk < (patch + 1) * PATCH_FRAMES; chunk++) {
      const at = FIRST_FRAME + chunk * HOP_SAMPLES;
      quietChunks =
        rootMeanSquare(reference.subarray(at, at + HOP_SAMPLES)) < least ? quietChunks + 1 : 0;
      if (quietChunks < PAUSE_CHUNKS) isSpeech = true;
    }
    if (isSpeech) starts.push(FIRST_FRAME + patch * PATCH_FRAMES);
  }
  return starts;
}

/**
 * Finds the patches of a reference in a signal, in their order: the places whose similarities have
 * the greatest sum, by dynamic programming. A patch that would lower the sum wherever it was put is
 * lost.
 *
 * @param {number[]} starts the patches' first frames in the reference
 * @param {Spectrogram} reference
 * @param {Spectrogram} signal with the lead, and not shorter
 * @returns {{ start: number, match: number | null, nsim: number }[]} match: first frame in the
 *   signal
 */
function matchPatches(starts, reference, signal) {
  const candidates = Array.from({ length: signal.frames }, (_, frame) => new Patch(signal, frame));
  /** @type {Paths[]} */
  const paths = [];
  for (const start of starts)
    paths.push(extendPaths(paths.at(-1), new Patch(reference, start), start, candidates));
  const { sums } = paths[paths.length - 1];
  let frame = sums.reduce((best, sum, at) => (sum > sums[best] ? at : best), 0);
  const matches = starts.map((start) => ({
    start,
    match: /** @type {number | null} */ (null),
    nsim: 0,
  }));
  for (let index = starts.length - 1; index >= 0; index--) {
    const { nsims, previous } = paths[index];
    if (previous[frame] !== frame)
      Object.assign(matches[index], { match: frame, nsim: nsims[frame] });
    frame = previous[frame];
  }
  return matches;
}

/**
 * @typedef {object} Paths the best way to place the patches so far, for each frame at which the
 *   last of them may be
 * @property {Float64Array} sums    of their similarities; -Infinity where the last patch can't be
 * @property {Float64Array} nsims   of the last patch there
 * @property {Int32Array} previous frame of the patch before; the frame itself when the last patch
 *   is lost
 */

/**
 * @param {Paths | undefined} before of the patches before; undefined for the first
 * @param {Patch} patch
 * @param {number} start the patch's first frame in the reference
 * @param {Patch[]} candidates by their first frame
 * @returns {Paths}
 */
function extendPaths(before, patch, start, candidates) {
  const sums = new Float64Array(candidates.length).fill(-Infinity);
  const nsims = new Float64Array(candidates.length);
  const previous = new Int32Array(candidates.length).fill(-1);
  const last = Math.min(candidates.length - 1, start + LEAD_FRAMES + SEARCH_FRAMES);
  const first = Math.max(0, start + LEAD_FRAMES - SEARCH_FRAMES);
  // The previous patch's best place comes before this patch's.
  let best = -1;
  let bestSum = before ? -Infinity : 0;
  for (let frame = 0; frame <= last; frame++) {
    if (frame >= first) {
      nsims[frame] = patch.similarity(candidates[frame]);
      const isLost = before !== undefined && before.sums[frame] > bestSum + nsims[frame];
      sums[frame] = isLost ? before.sums[frame] : bestSum + nsims[frame];
      previous[frame] = isLost ? frame : best;
    }
    if (before && before.sums[frame] >= bestSum) [best, bestSum] = [frame, before.sums[frame]];
  }
  return { sums, nsims, previous };
}

/**
 * Compares a patch with its match once more, after its place was found to the sample.
 *
 * @param {Float32Array} reference
 * @param {Float32Array} signal
 * @param {number} start of the patch in the reference, in samples
 * @param {number} match its place in the signal
 * @returns {{ nsim: number, lag: number }} lag: by how much later than the match it is, in samples
 */
function realign(reference, signal, start, match) {
  const expected = stretch(reference, start, start + PATCH_SAMPLES);
  const found = stretch(signal, match, match + PATCH_SAMPLES);
  const lag = envelopeLag(expected, found, 1);
  const common = PATCH_SAMPLES - Math.abs(lag);
  const early = Math.max(0, -lag);
  const late = Math.max(0, lag);
  const both = levels(
    expected.subarray(early, early + common),
    found.subarray(late, late + common),
  );
  const [patch, other] = both.map((spectrogram) => new Patch(spectrogram, 0, spectrogram.frames));
  return { nsim: patch.similarity(other), lag };
}

/**
 * A piece of a spectrogram, to be compared by NSIM, the neurogram similarity index measure (A.
 * Hines and N. Harte, "Speech intelligibility prediction using a neurogram similarity index
 * measure", Speech Communication, 2012): the structural similarity of images (SSIM), without its
 * term for contrast.
 */
class Patch {
  #levels;
  #means;
  #deviations;

  /**
   * @param {Spectrogram} spectrogram
   * @param {number} start
   * @param {number} [frames] past the spectrogram's end they have the lowest level
   */
  constructor({ values }, start, frames = PATCH_FRAMES) {
    this.#levels = new Float64Array(frames * BANDS);
    this.#levels.set(values.subarray(start * BANDS, (start + frames) * BANDS));
    this.#means = blur(this.#levels);
    this.#deviations = blur(this.#levels.map((level) => level * level));
    for (let i = 0; i < this.#deviations.length; i++) {
      this.#deviations[i] = Math.sqrt(Math.max(0, this.#deviations[i] - this.#means[i] ** 2));
    }
  }

  /**
   * @param {Patch} other of as many frames
   * @returns {number} -1 to 1: 1 when the two are equal
   */
  similarity(other) {
    const products = new Float64Array(this.#levels.length);
    for (let i = 0; i < products.length; i++) products[i] = this.#levels[i] * other.#levels[i];
    const means = blur(products);
    let sum = 0;
    for (let i = 0; i < means.length; i++) {
      const a = this.#means[i];
      const b = other.#means[i];
      const intensity = (2 * a * b + INTENSITY_FLOOR) / (a * a + b * b + INTENSITY_FLOOR);
      const deviations = this.#deviations[i] * other.#deviations[i];
      sum += (intensity * (means[i] - a * b + STRUCTURE_FLOOR)) / (deviations + STRUCTURE_FLOOR);
    }
    return sum / means.length;
  }
}

/**
 * The weighted mean of each value of a patch and its eight neighbours. Beyond the edges, their
 * values are repeated.
 *
 * @param {Float64Array} values frame by frame
 * @returns {Float64Array}
 */
function blur(values) {
  const size = values.length;
  const along = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const band = i % BANDS;
    const neighbours = values[band > 0 ? i - 1 : i] + values[band < BANDS - 1 ? i + 1 : i];
    along[i] = CENTRE * values[i] + SIDE * neighbours;
  }
  const blurred = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const neighbours = along[i >= BANDS ? i - BANDS : i] + along[i + BANDS < size ? i + BANDS : i];
    blurred[i] = CENTRE * along[i] + SIDE * neighbours;
  }
  return blurred;
}
