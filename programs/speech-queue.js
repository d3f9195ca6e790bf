/**
 * What is said goes on to be taken while no more than this waits, in milliseconds: a program that
 * stands still is heard on.
 */
const AHEAD_MS = 200;

/** What a program says, piece by piece, until a sound card takes it. */
export class SpeechQueue {
  /** @type {{ samples: Float32Array, at: number }[]} */
  #pieces = [];
  #waiting = 0;
  #ahead = 0;
  /**
   * Callers that wait until there is room, or until nothing is left.
   * @type {{ until: () => number, done: () => void, fail: (error: Error) => void }[]}
   */
  #waiters = [];
  #closed = false;
  /** Reason why nothing can be said now. @type {Error | null} */
  #refusal = null;

  /** @param {{ sampleRate: number, channels: number }} format */
  set format({ sampleRate, channels }) {
    this.#ahead = (AHEAD_MS / 1000) * sampleRate * channels;
  }

  /**
   * @param {Float32Array} samples kept until they are taken
   * @returns {Promise<void>} kept once there is room for more
   */
  add(samples) {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#closed || samples.length === 0) return Promise.resolve();
    this.#pieces.push({ samples, at: 0 });
    this.#waiting += samples.length;
    return this.#until(() => this.#ahead);
  }

  /** @returns {Promise<void>} kept once nothing waits */
  empty() {
    return this.#until(() => 0);
  }

  /** @param {() => number} until  the most that waits then */
  #until(until) {
    if (this.#waiting <= until()) return Promise.resolve();
    return new Promise(
      (/** @type {(value: void) => void} */ done, fail) =>
        void this.#waiters.push({ until, done, fail }),
    );
  }

  /**
   * Drops what waits and refuses what comes, or takes it again.
   * @param {Error | null} error for those who wait; null to take it
   */
  refuse(error) {
    this.#refusal = error;
    if (error === null) return;
    const waiters = this.#waiters.splice(0);
    this.clear();
    for (const { fail } of waiters) fail(error);
  }

  /** Takes as much as there is, and fills up with silence. @param {Float32Array} out */
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

  /** Drops what waits. */
  clear() {
    this.#pieces = [];
    this.#waiting = 0;
    this.#wake();
  }

  /** Nothing is taken any more. Idempotent. */
  close() {
    this.#closed = true;
    this.clear();
  }
}
