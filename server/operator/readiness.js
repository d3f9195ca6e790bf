/** @typedef {'starting' | 'ready' | 'draining'} ReadinessState */

/** Whether the server takes newcomers: what a load balancer asks, and what an operator can end. */
export class Readiness {
  #started = false;
  #asked = false;
  #isDraining;
  #drain;

  /**
   * @param {object} options
   * @param {() => boolean} options.isDraining whether nobody new is let in any more, whoever has
   *   asked for it
   * @param {() => void} options.drain lets nobody new in, and ends the server when the calls have
   *   ended
   */
  constructor({ isDraining, drain }) {
    this.#isDraining = isDraining;
    this.#drain = drain;
  }

  /** @returns {ReadinessState} */
  get state() {
    if (this.#asked || this.#isDraining()) return 'draining';
    return this.#started ? 'ready' : 'starting';
  }

  /** All parts of the server are there. */
  started() {
    this.#started = true;
  }

  /** Ends the server gently. Idempotent. */
  drain() {
    if (this.#asked) return;
    this.#asked = true;
    this.#drain();
  }
}
