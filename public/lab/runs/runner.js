/**
 * @import { LabConfig, LabModule } from './protocol.js'
 * @import { RunEvent } from './run.js'
 *
 * @typedef {object} RunRequest
 * @property {'round-trip' | 'live' | 'sweep'} kind
 * @property {string} origin
 * @property {LabConfig} config
 * @property {string} [token]    of an invitation if joining needs one: all join its room
 * @property {object} settings  of this kind of run
 */

/** Time after which a worker that should stop is terminated, in milliseconds. */
const STOP_MS = 3000;

/** Runs one run at a time, each in its own worker. */
export class Runner {
  /** @type {Worker | null} */
  #worker = null;
  #module;
  /** URLs of beacons for leaving. @type {string[]} */
  #leaveUrls = [];
  /** @type {((problem: string) => void) | null} */
  #settle = null;

  /** @param {LabModule | null} module  of the server's plugin */
  constructor(module) {
    this.#module = module;
  }

  /** True during a run. */
  get running() {
    return this.#worker !== null;
  }

  /**
   * @param {RunRequest} request
   * @param {(event: RunEvent) => void} onEvent
   * @returns {Promise<string>} settled when the run is over; a problem's message, or ''
   */
  start(request, onEvent) {
    const worker = new Worker('/public/lab/runs/worker.js', { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (data.type === 'ended') this.#end(data.problem);
      else if (data.type === 'asked') this.#module?.answer(data.request, data.port);
      else if (data.type === 'joined') this.#leaveUrls.push(data.leaveUrl);
      else onEvent(data);
    };
    worker.onerror = (event) => this.#end(event.message || 'the worker could not be started.');
    worker.postMessage({ type: 'start', ...request });
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

  /** Ends the run at once, when the page closes. Idempotent. */
  abandon() {
    // A worker doesn't outlive its page, but a beacon does.
    for (const url of this.#leaveUrls) if (url) navigator.sendBeacon(url);
    this.#end('');
  }

  /** @param {string} problem */
  #end(problem) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#module?.end();
    this.#leaveUrls = [];
    this.#settle?.(problem);
    this.#settle = null;
  }
}
