/** @import { Clock } from '../../shared/clock.js' */

import { ClockExchange } from './clock-exchange.js';
import { ClockSync } from './clock-sync.js';

/** The server's sample clock, as it is asked for over the connection that is tried out last, or taken. */
export class ServerClock {
  #clock;
  /** @type {ClockExchange | null} */
  #exchange = null;
  /** Null before the first is asked. @type {ClockSync | null} */
  sync = null;

  /** @param {Clock} clock this computer's */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * Asks from now on, over another connection than before.
   * @param {number} sampleRate
   * @param {(bytes: Uint8Array) => boolean} send
   * @returns {Promise<void>} resolves once the clock is known; rejects with a ConnectionError
   */
  start(sampleRate, send) {
    this.close();
    this.sync = new ClockSync(sampleRate);
    this.#exchange = new ClockExchange({ clock: this.#clock, sync: this.sync, send });
    return this.#exchange.start();
  }

  /**
   * @param {number} id the request's
   * @param {number} samples on the server's clock
   * @param {number} arrivalMs
   */
  reply(id, samples, arrivalMs) {
    this.#exchange?.reply(id, samples, arrivalMs);
  }

  /** Asks no more. Idempotent. */
  close() {
    this.#exchange?.close();
  }
}
