/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ClockSync } from './clock-sync.js'
 */

import { CLOCK_REQUEST_BYTES, writeClockRequest } from '../../shared/packet.js';
import { ConnectionError } from '../connection/connection.js';

/** Exchanges before audio is sent, and how far they are apart, in milliseconds. */
const BURST = 8;
const BURST_SPACING_MS = 25;

/** Where replies are lost or slow fewer will do: so many after so many milliseconds. */
const FEWER_AFTER_MS = 600;
const FEWER = 3;
const ONE_AFTER_MS = 1500;
const NONE_AFTER_MS = 3000;

/** How far exchanges are apart from then on, in milliseconds. */
const SPACING_MS = 2000;

/** A timer that is later than this, in milliseconds, has slept: so many exchanges then come in a burst. */
const SLEPT_MS = 3000;
const WAKING = 8;

/** Requests whose reply is still waited for. */
const MAX_OUTSTANDING = 64;

/** Asks the server for its sample clock, again and again, and tells ClockSync. */
export class ClockExchange {
  #clock;
  #sync;
  #send;
  #bytes = new Uint8Array(CLOCK_REQUEST_BYTES);
  #id = 0;
  #sent = 0;
  /** Exchanges that a sleep still calls for. */
  #waking = 0;
  #dueMs = Infinity;
  /** When each request was sent, by its number. @type {Map<number, number>} */
  #outstanding = new Map();
  /** @type {unknown} */
  #timer = null;
  #startMs = 0;
  /** @type {((error: Error | null) => void) | null} */
  #settle = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {ClockSync} options.sync
   * @param {(bytes: Uint8Array) => boolean} options.send
   */
  constructor({ clock, sync, send }) {
    this.#clock = clock;
    this.#sync = sync;
    this.#send = send;
  }

  /**
   * Begins, with a burst.
   * @returns {Promise<void>} when the clock is known well enough; rejects when no reply came at all
   */
  start() {
    this.#startMs = this.#clock.now();
    return new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
      this.#step();
    });
  }

  #step() {
    const now = this.#clock.now();
    const elapsed = now - this.#startMs;
    if (now > this.#dueMs + SLEPT_MS) this.#waking = WAKING;
    if (this.#settle) this.#judge(elapsed);
    // In the burst more are sent than are needed, since some may be lost.
    const isBurst = this.#settle !== null && elapsed < NONE_AFTER_MS;
    if (!isBurst || this.#sent < 2 * BURST || elapsed > FEWER_AFTER_MS) this.#request();
    if (this.#waking > 0) this.#waking -= 1;
    const restMs = this.#waking > 0 ? BURST_SPACING_MS : SPACING_MS;
    const spacing = !isBurst ? restMs : this.#sent < 2 * BURST ? BURST_SPACING_MS : 4 * BURST_SPACING_MS;
    this.#dueMs = now + spacing;
    this.#timer = this.#clock.setTimeout(() => this.#step(), spacing);
  }

  /** @param {number} elapsed milliseconds since the start */
  #judge(elapsed) {
    const { exchanges } = this.#sync;
    const isEnough =
      exchanges >= BURST ||
      (exchanges >= FEWER && elapsed >= FEWER_AFTER_MS) ||
      (exchanges >= 1 && elapsed >= ONE_AFTER_MS);
    if (isEnough) this.#done(null);
    else if (elapsed >= NONE_AFTER_MS) {
      this.#done(new ConnectionError('connection-failed', 'The way is open, but no packet came through.'));
    }
  }

  /** @param {Error | null} error */
  #done(error) {
    this.#settle?.(error);
    this.#settle = null;
  }

  #request() {
    this.#id = (this.#id + 1) & 0xffff;
    this.#sent += 1;
    this.#outstanding.set(this.#id, this.#clock.now());
    if (this.#outstanding.size > MAX_OUTSTANDING) {
      const [oldest] = this.#outstanding.keys();
      this.#outstanding.delete(oldest);
    }
    writeClockRequest(this.#bytes, this.#id);
    this.#send(this.#bytes);
  }

  /**
   * @param {number} id the reply's
   * @param {number} clock the sample clock that it tells
   * @param {number} arrivalMs
   */
  reply(id, clock, arrivalMs) {
    const sentMs = this.#outstanding.get(id);
    if (sentMs === undefined) return;
    this.#outstanding.delete(id);
    this.#sync.add(sentMs, arrivalMs, clock);
    if (this.#settle) this.#judge(arrivalMs - this.#startMs);
  }

  /** Idempotent. A start that is waiting is rejected. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#outstanding.clear();
    this.#done(new ConnectionError('connection-lost', 'The connection ended before it was of use.'));
  }
}
