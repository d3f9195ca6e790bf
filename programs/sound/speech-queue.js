/**
 * Most speech that waits without blocking add(), in milliseconds: it is heard even if the program
 * pauses.
 */
const AHEAD_MS = 200;

/** Queue of a program's speech, piece by piece, in front of a sound card. */
export class SpeechQueue {
  /** @type {{ samples: Float32Array, at: number }[]} */
  #pieces = [];
  #waiting = 0;
  #ahead = 0;
  /**
   * Callers that wait for room, or for an empty queue.
   * @type {{ until: () => number, done: () => void, fail: (error: Error) => void }[]}
   */
  #waiters = [];
  #closed = false;
  /** Reason why nothing can be said now. @type {Error | null} */
  #refusal = null;
  #aheadMs;

  /** @param {number} [aheadMs]  most that waits without blocking add() */
  constructor(aheadMs = AHEAD_MS) {
    this.#aheadMs = aheadMs;
  }

  /** @param {{ sampleRate: number, channels: number }} format */
  set format({ sampleRate, channels }) {
    this.#ahead = (this.#aheadMs / 1000) * sampleRate * channels;
  }

  /** Number of values that wait. */
  get waiting() {
    return this.#waiting;
  }

  /**
   * @param {Float32Array} samples kept until they are played
   * @returns {Promise<void>} resolves once there is room for more
   */
  add(samples) {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#closed || samples.length === 0) return Promise.resolve();
    this.#pieces.push({ samples, at: 0 });
    this.#waiting += samples.length;
    return this.#until(() => this.#ahead);
  }

  /** @returns {Promise<void>} resolves once nothing waits */
  empty() {
    return this.#until(() => 0);
  }

  /** @param {() => number} until most samples that may wait then */
  #until(until) {
    if (this.#waiting <= until()) return Promise.resolve();
    return new Promise(
      (/** @type {(value: void) => void} */ done, fail) =>
        void this.#waiters.push({ until, done, fail }),
    );
  }

  /**
   * Drops the queue and refuses new speech, or accepts it again.
   * @param {Error | null} error for the waiting callers; null to accept
   */
  refuse(error) {
    this.#refusal = error;
    if (error === null) return;
    const waiters = this.#waiters.splice(0);
    this.clear();
    for (const { fail } of waiters) fail(error);
  }

  /** Moves out as much as there is, and fills up with silence. @param {Float32Array} out */
  take(out) {
    let filled = 0;
    while (filled < out.length && this.#pieces.length > 0) {
      const [piece] = this.#pieces;
      const count = Math.min(out.length - filled, piece.samples.length - piece.at);
      out.set(piece.samples.subarray(piece.at, piece.at + count), filled);
      filled += count;
      piece.at += count;
      if (piece.at === piece.samples.length) this.#pieces.shift();
    }
    out.fill(0, filled);
    this.#waiting -= filled;
    if (filled > 0) this.#wake();
  }

  #wake() {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ until }) => this.#waiting > until());
    for (const { until, done } of waiters) if (this.#waiting <= until()) done();
  }

  /** Drops the queue. */
  clear() {
    this.#pieces = [];
    this.#waiting = 0;
    this.#wake();
  }

  /** Refuses all speech. Idempotent. */
  close() {
    this.#closed = true;
    this.clear();
  }
}
