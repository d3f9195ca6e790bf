import { correlation, OverlapSearch } from './overlap-search.js';

/**
 * Shortest and longest shift, in milliseconds: one period of a low voice, two or three of a high
 * one.
 */
const LEAST_MS = 5;
const MOST_MS = 12.5;

/** Length of the pieces that are compared and cross-faded, in milliseconds. */
const OVERLAP_MS = 7.5;

/** Shortest sound in which every shift can be found, in milliseconds. */
const LENGTH_MS = MOST_MS + OVERLAP_MS;

/**
 * Largest share of the sound that may be left out: it plays a quarter faster. A share not used is
 * saved for later, up to a limit in milliseconds.
 */
const MOST_SHARE = 0.2;
const MOST_SPARE_MS = 25;

/**
 * Smallest correlation of the part left out with the part before it. Half of a voice reaches it,
 * and all of a single instrument, but hardly any of several together.
 */
const ALIKE = 0.85;

/** Share of the sound left out when nothing correlates: it plays faster, and five cents higher. */
const SLIDE_SHARE = 0.003;

/**
 * @param {{ frameMs: number }} format
 * @returns {number} number of frames to give to a TimeScale together
 */
export const framesToScale = ({ frameMs }) => Math.ceil(LENGTH_MS / frameMs);

/**
 * Shortens sound inaudibly. A single voice is shortened by whole periods: waveform similarity
 * overlap-add, see OverlapSearch. All other sound, such as music, is played slightly faster. The
 * ends of the sound stay unchanged, so its neighbours don't matter. Counts are of samples of all
 * channels at once; PCM is interleaved.
 */
export class TimeScale {
  #channels;
  #least;
  #most;
  #mostSpare;
  #overlap;
  #length;
  #search;
  /** Samples that may be left out by now: as a whole period, and when nothing correlates. */
  #spare = 0;
  #slide = 0;

  /** @param {{ sampleRate: number, channels: number }} format */
  constructor({ sampleRate, channels }) {
    const perMs = sampleRate / 1000;
    this.#channels = channels;
    this.#least = Math.floor(LEAST_MS * perMs);
    this.#most = Math.floor(MOST_MS * perMs);
    this.#mostSpare = MOST_SPARE_MS * perMs;
    this.#overlap = Math.floor(OVERLAP_MS * perMs);
    this.#length = Math.ceil(LENGTH_MS * perMs);
    this.#search = new OverlapSearch({ sampleRate, channels }, this.#most + this.#overlap);
  }

  /**
   * Shortens sound in place where that is inaudible. Called for each piece in order.
   * @param {Float32Array} pcm
   * @param {number} count samples of it
   * @param {number} fresh samples not given before: some of them, or all and further ones that have
   *   gone already
   * @param {number} most samples that may be left out
   * @returns {number} samples left
   */
  shorten(pcm, count, fresh, most) {
    const pieces = Math.floor(Math.min(fresh, count) / this.#length);
    if (pieces < 2) return this.#shortenEnd(pcm, count, fresh, most);
    const channels = this.#channels;
    // Some of the fresh samples may have gone already.
    const start = Math.max(0, count - fresh);
    let left = start;
    for (let i = 0; i < pieces; i++) {
      const from = start + i * this.#length;
      const to = i === pieces - 1 ? count : from + this.#length;
      const piece = this.#shortenEnd(
        pcm.subarray(from * channels, to * channels),
        to - from,
        to - from,
        most - (from - left),
      );
      pcm.copyWithin(left * channels, from * channels, (from + piece) * channels);
      left += piece;
    }
    return left;
  }

  /**
   * Shortens sound at its end, as shorten() does.
   * @param {Float32Array} pcm @param {number} count @param {number} fresh @param {number} most
   */
  #shortenEnd(pcm, count, fresh, most) {
    this.#spare = Math.min(this.#spare + MOST_SHARE * fresh, this.#mostSpare);
    if (this.#spare < this.#least || count < this.#least + this.#overlap) return count;
    const at = count - this.#overlap;
    const longest = Math.min(this.#spare, this.#most, most, at);
    const shift =
      longest < this.#least ? 0 : this.#search.find(pcm, at, this.#least, longest, this.#overlap);
    if (shift === 0 || correlation(pcm, at, shift, this.#overlap, this.#channels) < ALIKE)
      return this.#playFaster(pcm, count, fresh, most);
    this.#spare -= shift;
    this.#leaveOut(pcm, count, shift);
    return count - shift;
  }

  /** @param {Float32Array} pcm @param {number} count @param {number} fresh @param {number} most */
  #playFaster(pcm, count, fresh, most) {
    this.#slide += SLIDE_SHARE * fresh;
    const samples = Math.max(0, Math.min(Math.floor(this.#slide), Math.floor(most)));
    this.#slide -= Math.floor(this.#slide);
    if (samples > 0)
      for (let c = 0; c < this.#channels; c++)
        squeeze(pcm, count, count - samples, c, this.#channels);
    return count - samples;
  }

  /** @param {Float32Array} pcm @param {number} count @param {number} samples a shift */
  #leaveOut(pcm, count, samples) {
    const overlap = this.#overlap * this.#channels;
    const shift = samples * this.#channels;
    const start = count * this.#channels - shift - overlap;
    for (let i = 0; i < overlap; i++) {
      const weight = (i + 0.5) / overlap;
      pcm[start + i] += weight * (pcm[start + shift + i] - pcm[start + i]);
    }
  }
}

/**
 * Plays one channel faster, in place, by cubic interpolation (Catmull and Rom, "A class of local
 * interpolating splines", 1974). The sound continues from its end.
 * @param {Float32Array} pcm
 * @param {number} count samples of it
 * @param {number} left samples that they become
 * @param {number} channel
 * @param {number} channels
 */
function squeeze(pcm, count, left, channel, channels) {
  const step = count / left;
  let [before, here, next, beyond] = [
    pcm[channel],
    pcm[channel],
    pcm[channels + channel],
    pcm[2 * channels + channel],
  ];
  for (let i = 0, k = 0; i < left; i++) {
    const place = i * step;
    for (; k < Math.floor(place); k++) {
      [before, here, next] = [here, next, beyond];
      beyond = pcm[Math.min(k + 3, count - 1) * channels + channel];
    }
    const t = place - k;
    const curve =
      2 * before - 5 * here + 4 * next - beyond + t * (3 * (here - next) + beyond - before);
    pcm[i * channels + channel] = here + 0.5 * t * (next - before + t * curve);
  }
}
