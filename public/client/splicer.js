/** How long one sound takes to give way to another, in milliseconds. */
const FADE_MS = 5;

/**
 * Joins pieces of sound that don't follow from one another without a click: what would have come
 * next is kept, and faded into what comes instead.
 */
export class Splicer {
  #tail;
  #pending = false;

  /** @param {{ sampleRate: number, frameSamples: number }} format */
  constructor({ sampleRate, frameSamples }) {
    const fade = Math.min((FADE_MS * sampleRate) / 1000, frameSamples / 2);
    this.#tail = new Float32Array(Math.max(1, Math.floor(fade)));
  }

  /** Whether something was cut that isn't joined yet. */
  get pending() {
    return this.#pending;
  }

  /** The samples over which one gives way to the other; what is cut must be as long at least. */
  get samples() {
    return this.#tail.length;
  }

  /**
   * Remembers how the sound would have gone on. The first of several cuts at one place counts.
   * @param {Float32Array} from
   * @param {number} at at least `samples` samples are there
   */
  cut(from, at) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = from[at + i];
    this.#pending = true;
  }

  /** Remembers that the sound was silence. */
  cutSilence() {
    this.cutTo(0);
  }

  /** @param {number} sample the last that was heard: the sound would have gone on at rest */
  cutTo(sample) {
    if (this.#pending) return;
    this.#tail.fill(sample);
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
      const { length } = this.#tail;
      for (let i = 0; i < length; i++) {
        const weight = (i + 1) / (length + 1);
        out[i] = this.#tail[i] * (1 - weight) + out[i] * weight;
      }
      this.#pending = false;
    }
    for (let i = 0; i < count; i++) {
      const sample = out[i];
      if (!(sample >= -1 && sample <= 1)) out[i] = sample > 1 ? 1 : sample < -1 ? -1 : 0;
    }
  }
}
