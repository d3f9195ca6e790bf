/**
 * @import { ServerConfig } from '../../client/connection/choose.js'
 * @import { RunEvent } from './run.js'
 *
 * @typedef {object} Wish  a run
 * @property {'round-trip' | 'live' | 'sweep'} kind
 * @property {string} origin
 * @property {ServerConfig} config
 * @property {object} settings  of the run's kind
 */

/** A worker that hasn't ended by then after it was asked to is ended, in milliseconds. */
const STOP_MS = 3000;

/** One run at a time, in a worker of its own that ends with it. */
export class Runner {
  /** @type {Worker | null} */
  #worker = null;
  /** Where HTTP/1 sessions are left from a page that goes away. @type {string[]} */
  #leaveUrls = [];
  /** @type {((problem: string) => void) | null} */
  #settle = null;

  /** Whether a run is going on. */
  get running() {
    return this.#worker !== null;
  }

  /**
   * @param {Wish} wish
   * @param {(event: RunEvent) => void} onEvent
   * @returns {Promise<string>} when it is over: what went wrong, or nothing
   */
  start(wish, onEvent) {
    const worker = new Worker('/public/lab/runs/worker.js', { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (data.type === 'ended') this.#end(data.problem);
      else if (data.type === 'opened') this.#leaveUrls.push(...data.leaveUrls);
      if (data.type !== 'ended') onEvent(data);
    };
    worker.onerror = (event) => this.#end(event.message || 'the worker could not be started.');
    worker.postMessage({ type: 'start', ...wish });
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** @param {number} serverDelayMs for a run of the kind 'live' */
  delay(serverDelayMs) {
    this.#worker?.postMessage({ type: 'delay', serverDelayMs });
  }

  /** Ends the run; what start() gave is settled when everybody has left. */
  stop() {
    const worker = this.#worker;
    worker?.postMessage({ type: 'stop' });
    setTimeout(() => worker === this.#worker && this.abandon(), STOP_MS);
  }

  /** Ends the run at once, because the page goes away. Idempotent. */
  abandon() {
    for (const url of this.#leaveUrls) navigator.sendBeacon(url);
    this.#end('');
  }

  /** @param {string} problem */
  #end(problem) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#leaveUrls = [];
    this.#settle?.(problem);
    this.#settle = null;
  }
}
