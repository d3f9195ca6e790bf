/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { CallView, MessageTarget, ToPage, ToWorker } from './types.js'
 */

import { LOAD_MS, systemClock } from '../../shared/clock.js';

/**
 * One end of the port between a page and its worker. Each message is the name of what it says, with
 * one value.
 * @template {object} Out  the messages that are sent, by name
 */
class PortEnd {
  #target;

  /**
   * @param {MessageTarget} target
   * @param {Record<string, (detail: never) => void>} handlers
   */
  constructor(target, handlers) {
    this.#target = target;
    target.onmessage = ({ data: { type, detail } }) =>
      handlers[type](/** @type {never} */ (detail));
  }

  /**
   * @template {keyof Out} K
   * @param {K} type
   * @param {Out[K]} detail
   * @param {Transferable[]} [transfer]
   */
  send(type, detail, transfer = []) {
    this.#target.postMessage({ type, detail }, { transfer });
  }
}

/**
 * Opens the worker's end.
 * @param {MessageTarget} scope
 * @param {{ [K in keyof ToWorker]: (detail: ToWorker[K]) => void }} handlers
 * @returns {PortEnd<ToPage>}
 */
export const openWorkerEnd = (scope, handlers) => new PortEnd(scope, handlers);

/** Time for leaving, after which the worker is terminated, in milliseconds. */
const LEAVE_MS = 300;

/**
 * The page's end: starts the worker with the call's network and codecs, and terminates it.
 * @typedef {{ [K in Exclude<keyof ToPage, 'left'>]: (detail: ToPage[K]) => void }} PageHandlers
 */
export class CallWorker {
  #worker = startWorker(new URL('./worker.js', import.meta.url));
  #port;
  #ended = false;
  #endWait;
  #left = () => {};

  /**
   * @param {PageHandlers} handlers
   * @param {(code: string, message?: string) => void} failed the worker could not be loaded, or
   *   threw
   * @param {Clock} [clock]
   */
  constructor(handlers, failed, clock = systemClock) {
    // The worker answers 'join' at once when it has loaded.
    const timer = clock.setTimeout(
      () => failed('no-worker', `It did not load within ${LOAD_MS / 1000} s.`),
      LOAD_MS,
    );
    this.#endWait = () => clock.clearTimeout(timer);
    /** @type {PortEnd<ToWorker>} */
    this.#port = new PortEnd(this.#worker, {
      ...handlers,
      changed: (/** @type {Partial<CallView>} */ changes) => {
        this.#endWait();
        handlers.changed(changes);
      },
      left: () => this.#left(),
    });
    // A script that can't be loaded gives no message.
    this.#worker.onerror = ({ message }) => {
      this.#endWait();
      failed(message ? 'unknown' : 'no-worker', message);
    };
  }

  /** @type {PortEnd<ToWorker>['send']} */
  send(type, detail, transfer) {
    if (!this.#ended) this.#port.send(type, detail, transfer);
  }

  /**
   * Leaves the room: terminates the worker once it has said goodbye to the server. Idempotent.
   * @param {boolean} [keepsPlace]  true keeps the place for a while
   */
  async leave(keepsPlace = false) {
    if (this.#ended) return;
    this.send('leave', { keepsPlace });
    this.#ended = true;
    this.#endWait();
    await new Promise((resolve) => {
      this.#left = () => resolve(undefined);
      this.#worker.onerror = resolve;
      setTimeout(resolve, LEAVE_MS);
    });
    this.#worker.terminate();
  }
}

/**
 * Starts a worker from a module, also for a page of another origin. Browsers start a worker only
 * from the page's own origin. Its module may import from any origin that shares it (HTML standard,
 * "Worker" constructor).
 * @param {URL} url of the module
 * @returns {Worker}
 */
export function startWorker(url) {
  try {
    return url.origin === (globalThis.location?.origin ?? 'null')
      ? new Worker(url, { type: 'module' })
      : startForeign(url);
  } catch (error) {
    console.error(`The browser starts no worker from ${url.href}:`, error);
    return notStarted();
  }
}

/** @param {URL} url of a module of another origin */
function startForeign(url) {
  const source = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const own = URL.createObjectURL(source);
  const worker = new Worker(own, { type: 'module' });
  // The worker has read it by then.
  worker.addEventListener('message', () => URL.revokeObjectURL(own), { once: true });
  return worker;
}

/** Stands in for a worker whose module can't be loaded: it fails later, without a message. */
function notStarted() {
  const parts = { onerror: null, onmessage: null, postMessage() {}, terminate() {} };
  const worker = /** @type {Worker} */ (
    /** @type {unknown} */ (Object.assign(new EventTarget(), parts))
  );
  queueMicrotask(() => worker.onerror?.(/** @type {ErrorEvent} */ (new Event('error'))));
  return worker;
}
