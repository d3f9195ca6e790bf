/**
 * Shortest and longest shift, in milliseconds: one period of a low voice, two or three of a high
 * one.
 */
const LEAST_MS = 5;
const MOST_MS = 12.5;

/** Length of the pieces that are compared and cross-faded, in milliseconds. */
const OVERLAP_MS = 7.5;

/**
 * Sample rate of the first, rough comparison of shifts, in Hz: most of a voice is below half of it.
 */
const COARSE_RATE = 8000;

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
 * Shortens sound inaudibly. A single voice is shortened by whole periods: waveform-similarity
 * overlap-add (Verhelst and Roelands, "An overlap-add technique based on waveform similarity
 * (WSOLA) for high quality time-scale modification of speech", ICASSP 1993). All other sound, such
 * as music, is played slightly faster. The ends of the sound stay unchanged, so its neighbours
 * don't matter. Counts are of samples of all channels at once; PCM is interleaved.
 */
export class TimeScale {
  #channels;
  #factor;
  #least;
  #most;
  #mostSpare;
  #overlap;
  #length;
  #coarse;
  /** Samples that may be left out by now: as a whole period, and when nothing correlates. */
  #spare = 0;
  #slide = 0;

  /** @param {{ sampleRate: number, channels: number }} format */
  constructor({ sampleRate, channels }) {
    const perMs = sampleRate / 1000;
    this.#channels = channels;
    this.#factor = Math.max(1, Math.floor(sampleRate / COARSE_RATE));
    this.#least = Math.floor(LEAST_MS * perMs);
    this.#most = Math.floor(MOST_MS * perMs);
    this.#mostSpare = MOST_SPARE_MS * perMs;
    this.#overlap = Math.floor(OVERLAP_MS * perMs);
    this.#length = Math.ceil(LENGTH_MS * perMs);
    this.#coarse = new Float32Array(Math.ceil((this.#most + this.#overlap) / this.#factor));
  }

  /**
   * Shortens sound in place where that is inaudible. Called for each piece in order.
   * @param {Float32Array} pcm
   * @param {number} count samples of it
   * @param {number} fresh samples among them not given before
   * @param {number} most samples that may be left out
   * @returns {number} samples left
   */
  shorten(pcm, count, fresh, most) {
    const pieces = Math.floor(Math.min(fresh, count) / this.#length);
    if (pieces < 2) return this.#shortenEnd(pcm, count, fresh, most);
    const channels = this.#channels;
    let left = count - fresh;
    for (let i = 0; i < pieces; i++) {
      const from = count - fresh + i * this.#length;
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
    const longest = Math.min(this.#spare, this.#most, most, count - this.#overlap);
    const shift = longest < this.#least ? 0 : this.#findShift(pcm, count, longest);
    if (
      shift === 0 ||
      correlation(pcm, count - this.#overlap, shift, this.#overlap, this.#channels) < ALIKE
    ) {
      return this.#playFaster(pcm, count, fresh, most);
    }
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

  /**
   * Finds the shift at which the end of a sound is most similar to the part before it.
   * @param {Float32Array} pcm @param {number} count @param {number} longest
   */
  #findShift(pcm, count, longest) {
    const near = this.#findRoughly(this.#mixDown(pcm, count), longest);
    const last = Math.min(longest, near + this.#factor);
    let best = near;
    let likeness = -2;
    for (let shift = Math.max(this.#least, near - this.#factor); shift <= last; shift++) {
      const found = correlation(pcm, count - this.#overlap, shift, this.#overlap, this.#channels);
      if (found <= likeness) continue;
      likeness = found;
      best = shift;
    }
    return best;
  }

  /**
   * Averages groups of samples of all channels at the sound's end.
   * @param {Float32Array} pcm @param {number} count
   * @returns {number} number of means
   */
  #mixDown(pcm, count) {
    const values = this.#factor * this.#channels;
    const length = Math.min(this.#coarse.length, Math.floor(count / this.#factor));
    for (let i = 0, at = count * this.#channels - length * values; i < length; i++) {
      let sum = 0;
      for (const end = at + values; at < end; at++) sum += pcm[at];
      this.#coarse[i] = sum;
    }
    return length;
  }

  /**
   * @param {number} length of the means
   * @param {number} longest
   * @returns {number} rough best shift, in samples
   */
  #findRoughly(length, longest) {
    const overlap = Math.floor(this.#overlap / this.#factor);
    const from = length - overlap;
    let best = this.#least;
    let likeness = -2;
    for (
      let lag = Math.ceil(this.#least / this.#factor);
      lag <= from && lag * this.#factor <= longest;
      lag++
    ) {
      const found = correlation(this.#coarse, from, lag, overlap, 1);
      if (found <= likeness) continue;
      likeness = found;
      best = lag * this.#factor;
    }
    return best;
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
 * @param {Float32Array} pcm
 * @param {number} from where a piece begins, in samples
 * @param {number} lag number of samples by which the other one begins earlier
 * @param {number} length of each
 * @param {number} channels
 * @returns {number} -1 to 1; 1 where both are silent
 */
function correlation(pcm, from, lag, length, channels) {
  let [product, later, earlier] = [1e-9, 1e-9, 1e-9];
  const back = lag * channels;
  for (let i = from * channels; i < (from + length) * channels; i++) {
    product += pcm[i] * pcm[i - back];
    later += pcm[i] * pcm[i];
    earlier += pcm[i - back] * pcm[i - back];
  }
  return product / Math.sqrt(later * earlier);
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
