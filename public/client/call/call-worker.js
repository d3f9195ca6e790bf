/**
 * @import { JoinOptions } from './types.js'
 */

/** The time that leaving may take before the worker is ended, in milliseconds. */
const LEAVE_MS = 300;

/** The worker in which a call's network and codecs run, as the page sees it. */
export class CallWorker {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  #ended = false;

  /**
   * @param {object} on
   * @param {(data: any) => void} on.message  a message of the worker: its type, and the details of that
   * @param {(code: string, message?: string) => void} on.failed  it could not be loaded, or threw
   */
  constructor(on) {
    this.#worker.onmessage = ({ data }) => on.message(data);
    // A script that can't be loaded gives no message.
    this.#worker.onerror = ({ message }) => on.failed(message ? 'unknown' : 'no-worker', message);
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
    await new Promise((resolve) => {
      this.#worker.onmessage = ({ data }) => data.type === 'ended' && resolve(undefined);
      this.#worker.onerror = resolve;
      setTimeout(resolve, LEAVE_MS);
    });
    this.#worker.terminate();
  }
}
