/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Source } from '../source/source.js'
 */

/** Margin for a delay that rises while somebody's last words wait, in milliseconds. */
const MARGIN_MS = 100;

/**
 * Sources whose participants have left before all their sound was mixed. A session that ends in the
 * middle of a word takes nothing from the others.
 */
export class EndingSources {
  #clock;
  #onSourceEnded;
  /** @type {Map<Source, { timer: unknown, then: (() => void)[] }>} */
  #sources = new Map();

  /**
   * @param {Clock} clock
   * @param {(source: Source) => void} onSourceEnded called once for each, when none of its sound
   *   waits
   */
  constructor(clock, onSourceEnded) {
    this.#clock = clock;
    this.#onSourceEnded = onSourceEnded;
  }

  /** @returns {Iterable<Source>} */
  get sources() {
    return this.#sources.keys();
  }

  /**
   * @param {Source} source without further packets
   * @param {number} delayMs longest time after which a frame is mixed
   */
  add(source, delayMs) {
    if (this.#sources.has(source)) return;
    source.finish();
    const { format, sampleClock, endsWith } = source;
    const left = (endsWith + 1) * format.frameSamples - sampleClock.now();
    const ms = endsWith < 0 ? 0 : (left * 1000) / format.sampleRate + delayMs + MARGIN_MS;
    if (!(ms > 0)) return this.#onSourceEnded(source);
    this.#sources.set(source, {
      timer: this.#clock.setTimeout(() => this.#end(source), ms),
      then: [],
    });
  }

  /**
   * Ends a draining source where the same person's next one begins.
   * @param {Source} successor that has brought its first sound
   */
  succeed(successor) {
    if (this.#sources.size === 0) return;
    for (const source of this.#sources.keys()) {
      if (source.id === successor.id) source.endBefore(successor.firstFrame);
    }
  }

  /**
   * @param {string} id of the sources
   * @param {() => void} then called when none of their sound waits; at once if none does
   */
  whenEnded(id, then) {
    const last = [...this.#sources].filter(([source]) => source.id === id).at(-1);
    if (last) last[1].then.push(then);
    else then();
  }

  /** @param {Source} source */
  #end(source) {
    const ending = this.#sources.get(source);
    if (!ending) return;
    this.#clock.clearTimeout(ending.timer);
    this.#sources.delete(source);
    for (const then of ending.then) then();
    this.#onSourceEnded(source);
  }

  /** Ends all. Idempotent. */
  close() {
    for (const source of [...this.#sources.keys()]) this.#end(source);
  }
}
