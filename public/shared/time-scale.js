/** The shortest and longest shift, in milliseconds: one period of a low voice, two or three of a high one. */
const LEAST_MS = 5;
const MOST_MS = 12.5;

/** The length of the pieces that are compared, and faded into one another, in milliseconds. */
const OVERLAP_MS = 7.5;

/** The sample rate at which shifts are compared at first, in Hz: most of a voice is below half of it. */
const COARSE_RATE = 8000;

/** The shortest sound in which every shift can be found, in milliseconds. */
const LENGTH_MS = MOST_MS + OVERLAP_MS;

/** The most that is left out, as a share of the sound: it is played faster by a quarter. */
const MOST_SHARE = 0.2;

/** How alike what is left out must be to what is before it, as a correlation, and after how long without it needn't, in ms. */
const ALIKE = 0.7;
const PATIENCE_MS = 500;

/**
 * @param {{ frameMs: number }} format
 * @returns {number} how many frames are to be given to a TimeScale together
 */
export const framesToScale = ({ frameMs }) => Math.ceil(LENGTH_MS / frameMs);

/**
 * Makes sound shorter unheard, by whole periods of a voice: waveform-similarity overlap-add (Verhelst and Roelands, "An
 * overlap-add technique based on waveform similarity (WSOLA) for high quality time-scale modification of speech", ICASSP
 * 1993). Nothing before the sound or behind it is needed: its ends stay what they are. Counts are of samples of all
 * channels at once; PCM is interleaved.
 */
export class TimeScale {
  #channels;
  #perMs;
  #factor;
  #least;
  #most;
  #overlap;
  #coarse;
  /** The samples that may be left out by now, and those since something alike was found. */
  #spare = 0;
  #unlike = 0;

  /** @param {{ sampleRate: number, channels: number }} format */
  constructor({ sampleRate, channels }) {
    const perMs = sampleRate / 1000;
    this.#channels = channels;
    this.#perMs = perMs;
    this.#factor = Math.max(1, Math.floor(sampleRate / COARSE_RATE));
    this.#least = Math.floor(LEAST_MS * perMs);
    this.#most = Math.floor(MOST_MS * perMs);
    this.#overlap = Math.floor(OVERLAP_MS * perMs);
    this.#coarse = new Float32Array(Math.ceil((this.#most + this.#overlap) / this.#factor));
  }

  /**
   * Makes sound shorter, in place, where that is unheard. To be called for one piece after the other.
   * @param {Float32Array} pcm
   * @param {number} count  samples of it
   * @param {number} fresh  how many of them weren't given before
   * @param {number} most  how many may be left out
   * @returns {number} the samples that are left
   */
  shorten(pcm, count, fresh, most) {
    this.#spare = Math.min(this.#spare + MOST_SHARE * fresh, this.#most);
    const longest = Math.min(this.#spare, most, count - this.#overlap);
    if (longest < this.#least) return count;
    const shift = this.#findShift(pcm, count, longest);
    const isAlike = correlation(pcm, count - this.#overlap, shift, this.#overlap, this.#channels) >= ALIKE;
    this.#unlike = isAlike ? 0 : this.#unlike + fresh;
    if (!isAlike && this.#unlike < PATIENCE_MS * this.#perMs) return count;
    this.#unlike = 0;
    this.#spare -= shift;
    this.#leaveOut(pcm, count, shift);
    return count - shift;
  }

  /**
   * Finds the shift by which the end of a sound is most like what is before it.
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
   * Takes the means of a few samples of all channels each, at the sound's end.
   * @param {Float32Array} pcm @param {number} count
   * @returns {number} how many there are
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

  /** @param {number} length  of the means @param {number} longest @returns {number} the best shift, roughly, in samples */
  #findRoughly(length, longest) {
    const overlap = Math.floor(this.#overlap / this.#factor);
    const from = length - overlap;
    let best = this.#least;
    let likeness = -2;
    for (let lag = Math.ceil(this.#least / this.#factor); lag <= from && lag * this.#factor <= longest; lag++) {
      const found = correlation(this.#coarse, from, lag, overlap, 1);
      if (found <= likeness) continue;
      likeness = found;
      best = lag * this.#factor;
    }
    return best;
  }

  /** @param {Float32Array} pcm @param {number} count @param {number} samples  a shift */
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
 * @param {number} from  where a piece begins, in samples
 * @param {number} lag  how much earlier the other one begins
 * @param {number} length  of each
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
