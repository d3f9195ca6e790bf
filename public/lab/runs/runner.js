/**
 * @import { ServerConfig } from '../../client/connection/choose.js'
 * @import { RunEvent } from './run.js'
 *
 * @typedef {object} Wish
 * @property {'round-trip' | 'live' | 'sweep'} kind
 * @property {string} origin
 * @property {ServerConfig} config
 * @property {string} [token]    of an invitation, where joining needs one: all join its room
 * @property {object} settings  as the kind of run asks for
 */

import { Peers } from './peers.js';

/** A worker that hasn't stopped within this time is terminated, in milliseconds. */
const STOP_MS = 3000;

/** Runs one run at a time, each in a worker of its own. */
export class Runner {
  /** @type {Worker | null} */
  #worker = null;
  #peers = new Peers();
  /** The URLs of beacons that leave. @type {string[]} */
  #leaveUrls = [];
  /** @type {((problem: string) => void) | null} */
  #settle = null;

  /** Whether a run goes on. */
  get running() {
    return this.#worker !== null;
  }

  /**
   * @param {Wish} wish
   * @param {(event: RunEvent) => void} onEvent
   * @returns {Promise<string>} settled when the run is over; a problem's message, or ''
   */
  start(wish, onEvent) {
    const worker = new Worker('/public/lab/runs/worker.js', { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (data.type === 'ended') this.#end(data.problem);
      else if (data.type === 'peer') void this.#peers.open(data);
      else if (data.type === 'joined') this.#leaveUrls.push(data.leaveUrl);
      else onEvent(data);
    };
    worker.onerror = (event) => this.#end(event.message || 'the worker could not be started.');
    worker.postMessage({ type: 'start', ...wish });
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Changes the delay of a run of kind 'live'. @param {number} serverDelayMs */
  delay(serverDelayMs) {
    this.#worker?.postMessage({ type: 'delay', serverDelayMs });
  }

  /** Stops the run; start() settles when all clients have left. */
  stop() {
    const worker = this.#worker;
    worker?.postMessage({ type: 'stop' });
    setTimeout(() => worker === this.#worker && this.abandon(), STOP_MS);
  }

  /** Ends the run at once, since the page goes away. Idempotent. */
  abandon() {
    // A worker doesn't outlive its page, but a beacon does.
    for (const url of this.#leaveUrls) if (url) navigator.sendBeacon(url);
    this.#end('');
  }

  /** @param {string} problem */
  #end(problem) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#peers.close();
    this.#leaveUrls = [];
    this.#settle?.(problem);
    this.#settle = null;
  }
}
