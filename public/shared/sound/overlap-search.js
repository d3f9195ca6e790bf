/**
 * Sample rate of the first, rough comparison of lags, in Hz: most of a voice is below half of it.
 */
const COARSE_RATE = 8000;

/**
 * Search for the lag at which a piece of sound is most similar to another one, as waveform
 * similarity overlap-add needs it. It compares all lags roughly, then those around the best one to
 * the sample. Counts are of samples of all channels at once; PCM is interleaved.
 *
 * Method: Verhelst and Roelands, "An overlap-add technique based on waveform similarity (WSOLA) for
 * high quality time-scale modification of speech", ICASSP 1993.
 */
export class OverlapSearch {
  #channels;
  #factor;
  #coarse;

  /**
   * @param {{ sampleRate: number, channels: number }} format
   * @param {number} span most samples from the start of the first to the end of the last piece
   */
  constructor({ sampleRate, channels }, span) {
    this.#channels = channels;
    this.#factor = Math.max(1, Math.floor(sampleRate / COARSE_RATE));
    this.#coarse = new Float32Array(Math.ceil(span / this.#factor));
  }

  /**
   * @param {Float32Array} pcm
   * @param {number} at start of the piece
   * @param {number} least lag by which the other piece begins earlier; negative if it begins later
   * @param {number} most
   * @param {number} length of both pieces
   * @returns {number} the best lag; of equal ones the least
   */
  find(pcm, at, least, most, length) {
    const factor = this.#factor;
    const near = this.#findRoughly(pcm, at, least, most, length);
    const last = Math.min(most, near + factor);
    let best = near;
    let likeness = -2;
    for (let lag = Math.max(least, near - factor); lag <= last; lag++) {
      const found = correlation(pcm, at, lag, length, this.#channels);
      if (found <= likeness) continue;
      likeness = found;
      best = lag;
    }
    return best;
  }

  /** Compares means of groups of samples, as find() does samples. @type {OverlapSearch['find']} */
  #findRoughly(pcm, at, least, most, length) {
    const factor = this.#factor;
    const [first, last] = [Math.ceil(least / factor), Math.floor(most / factor)];
    const groups = Math.floor(length / factor);
    const before = Math.max(0, last);
    this.#mixDown(pcm, at - before * factor, before + Math.max(0, -first) + groups);
    let best = least;
    let likeness = -2;
    for (let lag = first; lag <= last; lag++) {
      const found = correlation(this.#coarse, before, lag, groups, 1);
      if (found <= likeness) continue;
      likeness = found;
      best = lag * factor;
    }
    return best;
  }

  /** @param {Float32Array} pcm @param {number} start @param {number} groups */
  #mixDown(pcm, start, groups) {
    const values = this.#factor * this.#channels;
    for (let i = 0, at = start * this.#channels; i < groups; i++) {
      let sum = 0;
      for (const end = at + values; at < end; at++) sum += pcm[at];
      this.#coarse[i] = sum;
    }
  }
}

/**
 * @param {Float32Array} pcm
 * @param {number} at start of a piece, in samples
 * @param {number} lag number of samples by which the other one begins earlier
 * @param {number} length of each
 * @param {number} channels
 * @returns {number} -1 to 1; 1 where both are silent
 */
export function correlation(pcm, at, lag, length, channels) {
  let [product, later, earlier] = [1e-9, 1e-9, 1e-9];
  const back = lag * channels;
  for (let i = at * channels; i < (at + length) * channels; i++) {
    product += pcm[i] * pcm[i - back];
    later += pcm[i] * pcm[i];
    earlier += pcm[i - back] * pcm[i - back];
  }
  return product / Math.sqrt(later * earlier);
}
