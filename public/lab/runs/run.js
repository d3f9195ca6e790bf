/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Protocol } from './protocol.js'
 * @import { SoundWindow } from './listener.js'
 * @import { Answer, ClientName, PairHandler, Place } from './pair.js'
 *
 * @typedef {{ type: 'joined', leaveUrl: string }} JoinedEvent  see TalkerEvents
 * @typedef {{ type: 'opened', protocol: Protocol, format: AudioFormat, serverDelayMs: number }}
 *   OpenedEvent
 * @typedef {{ type: 'failed', protocol: Protocol, reason: string }} FailedEvent
 * @typedef {{ type: 'progress', done: number, protocol: Protocol, turn: number, turns: number }}
 *   ProgressEvent
 * @typedef {{ type: 'turn', protocol: Protocol, startMs: number, endMs: number }} TurnEvent
 * @typedef {{ type: 'answers', protocol: Protocol, client: ClientName, answers: Answer[] }}
 *   AnswersEvent
 * @typedef {{ type: 'window', protocol: Protocol, window: SoundWindow }} WindowEvent
 * @typedef {{ type: 'lateness', latenessMs: number[] }} LatenessEvent
 * @typedef {{ type: 'heard', protocol: Protocol, client: ClientName, serverDelayMs: number, atMs:
 *   number, sentSamples: number, heardSamples: number }} HeardEvent
 * @typedef {JoinedEvent | OpenedEvent | FailedEvent | ProgressEvent | TurnEvent | AnswersEvent |
 *   WindowEvent | LatenessEvent
 * | HeardEvent} RunEvent  times are in milliseconds since the run began to measure
 *
 * @typedef {object} RunOptions
 * @property {Place} place
 * @property {Codec} codec
 * @property {() => string} newRoom  makes the name of an unused room
 * @property {string} [token]  of an invitation to that room
 * @property {(event: RunEvent) => void} on
 */

import { createKnownSignalEncoder } from './known-signal.js';
import { Pacer } from './pacer.js';
import { Pair } from './pair.js';

/** Time for sending a farewell, in milliseconds. */
const FAREWELL_MS = 150;

/** A run of the lab: opens pairs of clients, reports failed ones, and closes them. */
export class Run {
  #options;
  #abort = new AbortController();
  #encode;
  #startMs;
  /** @type {Set<Pair>} */
  #pairs = new Set();

  /** @param {RunOptions} options */
  constructor(options) {
    this.#options = options;
    this.#startMs = options.place.clock.now();
    this.#encode = createKnownSignalEncoder();
    this.pacer = new Pacer(options.place.clock);
  }

  /** Starts the run's clock for measuring. */
  begin() {
    this.#startMs = this.#options.place.clock.now();
  }

  /** Milliseconds since the start of measuring. */
  get elapsedMs() {
    return this.#options.place.clock.now() - this.#startMs;
  }

  /** True when the run was stopped. */
  get stopped() {
    return this.#abort.signal.aborted;
  }

  /** All open pairs. */
  get pairs() {
    return [...this.#pairs];
  }

  /** @param {RunEvent} event */
  tell(event) {
    this.#options.on(event);
  }

  /** @param {number} ms on the place's clock @returns {number} since the run began */
  since(ms) {
    return ms - this.#startMs;
  }

  /**
   * Opens a pair, and reports success or the reason of a failure.
   * @param {Protocol} protocol
   * @param {Omit<PairHandler, 'onJoined' | 'onEnded'>} handler
   * @param {{ serverDelayMs?: number, phase?: number }} [options] of the pair
   * @returns {Promise<Pair | null>} null when it can't be opened
   */
  async open(protocol, handler, { serverDelayMs, phase } = {}) {
    const { place, codec, newRoom, token } = this.#options;
    const onEnded = (/** @type {string} */ reason) => this.#fail(pair, reason);
    const onJoined = (/** @type {string} */ leaveUrl) => this.tell({ type: 'joined', leaveUrl });
    const pair = new Pair({
      protocol,
      place,
      pacer: this.pacer,
      handler: { ...handler, onJoined, onEnded },
      phase,
    });
    this.#pairs.add(pair);
    try {
      await pair.open({ room: newRoom(), token, codec, encode: this.#encode, serverDelayMs });
    } catch (error) {
      this.#fail(pair, /** @type {Error} */ (error).message);
      return null;
    }
    if (!this.#pairs.has(pair)) return null;
    const { format, welcome } = pair;
    this.tell({ type: 'opened', protocol, format, serverDelayMs: Number(welcome.serverDelayMs) });
    return pair;
  }

  /** @param {Pair} pair @param {string} reason */
  #fail(pair, reason) {
    if (!this.#pairs.delete(pair)) return;
    pair.close();
    if (!this.stopped) this.tell({ type: 'failed', protocol: pair.protocol, reason });
  }

  /** Closes a pair that is done. @param {Pair} pair */
  release(pair) {
    this.#pairs.delete(pair);
    pair.close();
  }

  /** @param {number} ms @returns {Promise<boolean>} false when the run was stopped */
  wait(ms) {
    const { clock } = this.#options.place;
    const { signal } = this.#abort;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = () => {
        clock.clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve(!signal.aborted);
      };
      const timer = clock.setTimeout(done, ms);
      signal.addEventListener('abort', done);
    });
  }

  /** Stops the run; all clients leave. Idempotent. */
  close() {
    this.#abort.abort();
    this.pacer.close();
    for (const pair of this.#pairs) pair.close();
    this.#pairs.clear();
  }

  /** Stops the run, and waits until the farewells are sent. */
  async end() {
    this.close();
    await new Promise((resolve) =>
      this.#options.place.clock.setTimeout(() => resolve(undefined), FAREWELL_MS),
    );
  }
}
