/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { JoinOptions } from './types.js'
 */

import { LOAD_MS, systemClock } from '../../shared/clock.js';

/** The time that leaving may take before the worker is ended, in milliseconds. */
const LEAVE_MS = 300;

/** The worker in which a call's network and codecs run, as the page sees it. */
export class CallWorker {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  #ended = false;
  #endWait;

  /**
   * @param {object} on
   * @param {(data: any) => void} on.message a message of the worker: its type, and the details of
   *   that
   * @param {(code: string, message?: string) => void} on.failed  it could not be loaded, or threw
   * @param {Clock} [clock]
   */
  constructor(on, clock = systemClock) {
    // It answers the wish to join at once when it has loaded.
    const timer = clock.setTimeout(
      () => on.failed('no-worker', `It did not load within ${LOAD_MS / 1000} s.`),
      LOAD_MS,
    );
    this.#endWait = () => clock.clearTimeout(timer);
    this.#worker.onmessage = ({ data }) => {
      this.#endWait();
      on.message(data);
    };
    // A script that can't be loaded gives no message.
    this.#worker.onerror = ({ message }) => {
      this.#endWait();
      on.failed(message ? 'unknown' : 'no-worker', message);
    };
  }

  /** @param {Partial<JoinOptions>} options */
  join(options) {
    this.postMessage({ type: 'join', ...options });
  }

  /**
   * @param {object} message as worker.js has them
   * @param {Transferable[]} [transfer]
   */
  postMessage(message, transfer = []) {
    if (!this.#ended) this.#worker.postMessage(message, transfer);
  }

  /**
   * Leaves the room: ends the worker once it has said goodbye to the server. Idempotent.
   * @param {boolean} [keepsPlace]  whether the place is kept for a while
   */
  async leave(keepsPlace = false) {
    if (this.#ended) return;
    this.postMessage({ type: 'leave', keepsPlace });
    this.#ended = true;
    this.#endWait();
    await new Promise((resolve) => {
      this.#worker.onmessage = ({ data }) => data.type === 'ended' && resolve(undefined);
      this.#worker.onerror = resolve;
      setTimeout(resolve, LEAVE_MS);
    });
    this.#worker.terminate();
  }
}
