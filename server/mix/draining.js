/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Source } from '../source/source.js'
 */

/** The margin for a delay that rises while somebody's last words wait, in milliseconds. */
const MARGIN_MS = 100;

/**
 * Sources whose participants have left while what they said still waits to be mixed: a session that
 * ends in the middle of a word takes nothing from the others.
 */
export class Draining {
  #clock;
  #onDrained;
  /** @type {Map<Source, { timer: unknown, then: (() => void)[] }>} */
  #sources = new Map();

  /**
   * @param {Clock} clock
   * @param {(source: Source) => void} onDrained called once for each, when nothing of it waits any
   *   more
   */
  constructor(clock, onDrained) {
    this.#clock = clock;
    this.#onDrained = onDrained;
  }

  /** @returns {Iterable<Source>} */
  get sources() {
    return this.#sources.keys();
  }

  /**
   * @param {Source} source  of which nothing more comes
   * @param {number} delayMs  the longest time after which a frame is mixed
   */
  add(source, delayMs) {
    if (this.#sources.has(source)) return;
    source.drain();
    const { format, sampleClock, endsWith } = source;
    const left = (endsWith + 1) * format.frameSamples - sampleClock.now();
    const ms = endsWith < 0 ? 0 : (left * 1000) / format.sampleRate + delayMs + MARGIN_MS;
    if (!(ms > 0)) return this.#onDrained(source);
    this.#sources.set(source, {
      timer: this.#clock.setTimeout(() => this.#end(source), ms),
      then: [],
    });
  }

  /**
   * A source has brought something: what drains of the same person ends where it begins.
   * @param {Source} successor
   */
  succeed(successor) {
    if (this.#sources.size === 0) return;
    for (const source of this.#sources.keys()) {
      if (source.id === successor.id) source.endBefore(successor.firstFrame);
    }
  }

  /**
   * @param {string} id  of the sources
   * @param {() => void} then called when nothing of them waits any more; at once where nothing does
   */
  after(id, then) {
    const last = [...this.#sources].filter(([source]) => source.id === id).at(-1);
    if (last) last[1].then.push(then);
    else then();
  }

  /** @param {Source} source */
  #end(source) {
    const draining = this.#sources.get(source);
    if (!draining) return;
    this.#clock.clearTimeout(draining.timer);
    this.#sources.delete(source);
    for (const then of draining.then) then();
    this.#onDrained(source);
  }

  /** Ends all. Idempotent. */
  close() {
    for (const source of [...this.#sources.keys()]) this.#end(source);
  }
}
