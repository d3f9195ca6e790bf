/** How long one sound takes to give way to another, in milliseconds. */
const FADE_MS = 5;

/**
 * Joins pieces of sound that don't follow from one another without a click: what would have come
 * next is kept, and faded into what comes instead. Places and counts are of samples of all channels at once.
 */
export class Splicer {
  #tail;
  #channels;
  #pending = false;

  /** @param {{ sampleRate: number, frameSamples: number, channels: number }} format */
  constructor({ sampleRate, frameSamples, channels }) {
    const fade = Math.min((FADE_MS * sampleRate) / 1000, frameSamples / 2);
    this.#channels = channels;
    this.#tail = new Float32Array(Math.max(1, Math.floor(fade)) * channels);
  }

  /** Whether something was cut that isn't joined yet. */
  get pending() {
    return this.#pending;
  }

  /** The samples over which one gives way to the other; what is cut must be as long at least. */
  get samples() {
    return this.#tail.length / this.#channels;
  }

  /**
   * Remembers how the sound would have gone on. The first of several cuts at one place counts.
   * @param {Float32Array} from
   * @param {number} at at least `samples` samples are there
   */
  cut(from, at) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = from[at * this.#channels + i];
    this.#pending = true;
  }

  /** Remembers that the sound was silence. */
  cutSilence() {
    if (this.#pending) return;
    this.#tail.fill(0);
    this.#pending = true;
  }

  /** @param {Float32Array} last of each channel, that was heard: the sound would have gone on at rest */
  cutTo(last) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = last[i % this.#channels];
    this.#pending = true;
  }

  /**
   * Joins what comes instead, if anything was cut, and makes it fit for a speaker: within -1 to 1,
   * and numbers all.
   * @param {Float32Array} out
   * @param {number} count at least `samples`
   */
  join(out, count) {
    if (this.#pending) {
      const { samples } = this;
      for (let i = 0; i < this.#tail.length; i++) {
        const weight = (Math.floor(i / this.#channels) + 1) / (samples + 1);
        out[i] = this.#tail[i] * (1 - weight) + out[i] * weight;
      }
      this.#pending = false;
    }
    for (let i = 0; i < count * this.#channels; i++) {
      const sample = out[i];
      if (!(sample >= -1 && sample <= 1)) out[i] = sample > 1 ? 1 : sample < -1 ? -1 : 0;
    }
  }
}
