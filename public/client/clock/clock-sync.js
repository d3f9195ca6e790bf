/** @import { Clock } from '../../shared/clock.js' */

import { CLOCK_REQUEST_BYTES, writeClockRequest } from '../../shared/wire/packet.js';
import { ConnectionError } from '../../shared/errors.js';
import { DriftMeter } from './drift-meter.js';

/** Number of exchanges remembered. */
const REMEMBERED = 16;

/** Largest drift between two clocks: 100 ppm, the worst of ordinary quartz. */
const DRIFT = 100e-6;

/**
 * Window whose best exchange counts for the drift, in milliseconds; most clocks drift by a few ppm.
 */
const DRIFT_WINDOW_MS = 16_000;

/**
 * Time in which the output clock follows a better estimate, in milliseconds, and the maximum rate
 * of following.
 */
const FOLLOW_MS = 10_000;
const MAX_FOLLOW = 500e-6;
/** Number of first exchanges during which the output clock jumps. */
const FIRST = 8;

/** Contradiction to earlier exchanges that proves that time stood still, in milliseconds. */
const CONTRADICTION_MS = 20;

/**
 * Estimates the server's sample clock on the client. Among many request-reply exchanges it trusts
 * the one with the shortest round trip, whose possible error is smallest (RFC 5905, section 10).
 * Trust decreases with age, by the possible drift since.
 *
 * The output clock runs evenly at the server's speed, and follows a better estimate slowly. After a
 * sleep, when a computer's clock may have stood still, it starts again.
 */
export class ClockSync {
  #sampleRate;
  #middles = new Float64Array(REMEMBERED);
  #clocks = new Float64Array(REMEMBERED);
  #roundTrips = new Float64Array(REMEMBERED);
  #count = 0;
  /** Exchanges since the last contradiction. */
  #kept = 0;
  #best = -1;
  #drift = new DriftMeter({ windowMs: DRIFT_WINDOW_MS, stepMs: Infinity });
  /** Line of the output clock: its start, and server milliseconds per client millisecond. */
  #lineMs = 0;
  #lineClock = NaN;
  #speed = 1;

  /** Latest round trip, in milliseconds; null before the first. @type {number | null} */
  roundTripMs = null;
  /** Number of times that time was found to have stood still. */
  jumps = 0;

  /** @param {number} sampleRate Hz */
  constructor(sampleRate) {
    this.#sampleRate = sampleRate;
  }

  /** Number of exchanges so far. */
  get exchanges() {
    return this.#count;
  }

  /**
   * @param {number} sentMs when the request was sent, on the client's clock
   * @param {number} receivedMs when the reply arrived, on the client's clock
   * @param {number} clock the sample clock at the request's arrival, with its fraction
   * @returns {boolean} false for an impossible exchange: time ran backwards, or a value is no
   *   number
   */
  add(sentMs, receivedMs, clock) {
    const roundTrip = receivedMs - sentMs;
    if (!(roundTrip >= 0) || !Number.isFinite(clock)) return false;
    const middle = sentMs + roundTrip / 2;
    if (this.#contradicts(middle, clock, roundTrip / 2, receivedMs)) {
      this.#kept = 0;
      this.jumps += 1;
      this.#drift.reset();
    }
    const slot = this.#kept % REMEMBERED;
    this.#middles[slot] = middle;
    this.#clocks[slot] = clock;
    this.#roundTrips[slot] = roundTrip;
    this.#count += 1;
    this.#kept += 1;
    this.roundTripMs = roundTrip;
    this.#drift.add(receivedMs, (clock * 1000) / this.#sampleRate - middle, roundTrip);
    this.#choose(receivedMs);
    this.#follow(receivedMs);
    return true;
  }

  /**
   * @param {number} ms
   * @param {number} clock
   * @param {number} errorMs largest possible error of the exchange
   * @param {number} nowMs
   */
  #contradicts(ms, clock, errorMs, nowMs) {
    if (this.#best < 0) return false;
    const offMs = Math.abs(((clock - this.#clockAt(ms)) * 1000) / this.#sampleRate);
    return offMs > errorMs + this.#errorMs(this.#best, nowMs) + CONTRADICTION_MS;
  }

  /** @param {number} nowMs */
  #choose(nowMs) {
    let least = Infinity;
    const kept = Math.min(this.#kept, REMEMBERED);
    for (let i = 0; i < kept; i++) {
      const error = this.#errorMs(i, nowMs);
      if (error >= least) continue;
      least = error;
      this.#best = i;
    }
  }

  /** @param {number} ms @returns {number} sample clock at that time, by the trusted exchange */
  #clockAt(ms) {
    const elapsed = (ms - this.#middles[this.#best]) * (1 + this.driftPpm * 1e-6);
    return this.#clocks[this.#best] + (elapsed * this.#sampleRate) / 1000;
  }

  /** @param {number} nowMs start of following the new estimate */
  #follow(nowMs) {
    const offMs = this.#followedMs(nowMs);
    const jumps = this.#kept <= FIRST;
    this.#lineClock = jumps ? this.#clockAt(nowMs) : this.sampleClockAt(nowMs);
    this.#lineMs = nowMs;
    const follow = jumps ? 0 : Math.max(-MAX_FOLLOW, Math.min(MAX_FOLLOW, offMs / FOLLOW_MS));
    this.#speed = 1 + this.driftPpm * 1e-6 + follow;
  }

  /** @param {number} nowMs @returns {number} estimate minus output clock, in milliseconds */
  #followedMs(nowMs) {
    return ((this.#clockAt(nowMs) - this.sampleClockAt(nowMs)) * 1000) / this.#sampleRate;
  }

  /** @param {number} slot @param {number} nowMs */
  #errorMs(slot, nowMs) {
    return this.#roundTrips[slot] / 2 + Math.max(0, nowMs - this.#middles[slot]) * DRIFT;
  }

  /**
   * @param {number} ms a time of the client's clock
   * @returns {number} sample clock at that time, with fraction; NaN before the first exchange
   */
  sampleClockAt(ms) {
    return this.#lineClock + ((ms - this.#lineMs) * this.#speed * this.#sampleRate) / 1000;
  }

  /**
   * @param {number} sample
   * @returns {number} time at which the sample clock reaches it, in milliseconds on the client's
   *   clock
   */
  msAt(sample) {
    return this.#lineMs + ((sample - this.#lineClock) * 1000) / (this.#sampleRate * this.#speed);
  }

  /**
   * Drift of the server's sample clock against the client's clock, in ppm; 0 while it is unknown.
   */
  get driftPpm() {
    return this.#drift.ppm;
  }

  /** Round trip of the trusted exchange, in milliseconds; null before the first. */
  get leastRoundTripMs() {
    return this.#best < 0 ? null : this.#roundTrips[this.#best];
  }

  /**
   * Largest possible error of sampleClockAt, in milliseconds.
   * @param {number} nowMs
   * @returns {number} Infinity before the first exchange
   */
  quality(nowMs) {
    return this.#best < 0
      ? Infinity
      : this.#errorMs(this.#best, nowMs) + Math.abs(this.#followedMs(nowMs));
  }

  /**
   * Accuracy of the server's clock: its largest error, its jumps, and its drift.
   * @param {number} nowMs
   */
  stats(nowMs) {
    return { clockErrorMs: this.quality(nowMs), clockJumps: this.jumps, driftPpm: this.driftPpm };
  }
}

/** Number of exchanges before audio is sent, and their spacing in milliseconds. */
const BURST = 8;
const BURST_SPACING_MS = 25;

/**
 * Limits for lost or slow replies, in milliseconds: then FEWER exchanges suffice, later a single
 * one; without any the start fails.
 */
const FEWER_AFTER_MS = 600;
const FEWER = 3;
const ONE_AFTER_MS = 1500;
const NONE_AFTER_MS = 3000;

/** Spacing of later exchanges, in milliseconds. */
const SPACING_MS = 2000;

/**
 * Limits for a client that sends nothing else. After the first time without a packet it asks the
 * server at once, since the server may be gone. It also asks at this fraction of the server's idle
 * timeout.
 */
const UNHEARD_MS = 250;
const IDLE_SHARE = 1 / 4;

/**
 * Lateness of a timer that proves that the computer slept, in milliseconds, and the exchanges of
 * the burst after it.
 */
const SLEPT_MS = 3000;
const BURST_AFTER_SLEEP = 8;

/** Most requests that wait for a reply. */
const MAX_OUTSTANDING = 64;

/** Asks the server for its sample clock repeatedly over one connection, and feeds ClockSync. */
export class ClockExchange {
  #clock;
  #sync;
  #send;
  #bytes = new Uint8Array(CLOCK_REQUEST_BYTES);
  #id = 0;
  #sent = 0;
  /** Remaining exchanges of the burst after a sleep. */
  #burstLeft = 0;
  #dueMs = Infinity;
  /**
   * Time of the last packet, for a client that sends nothing else. @type {(() => number) | null}
   */
  #heardMs = null;
  #spacingMs = SPACING_MS;
  #askedMs = -Infinity;
  /** Send time of each request, by its number. @type {Map<number, number>} */
  #outstanding = new Map();
  /** @type {unknown} */
  #timer = null;
  #startMs = 0;
  /** @type {((error: Error | null) => void) | null} */
  #settle = null;
  /** @type {() => void} */
  #answer = () => {};

  /** Resolves at the first reply: packets pass both ways. @type {Promise<void>} */
  answered = new Promise((resolve) => (this.#answer = resolve));
  /** True when the clock is known well enough to send sound. */
  isKnown = false;
  /** Called when isKnown becomes true. @type {() => void} */
  onKnown = () => {};

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
   * Begins with a burst.
   * @returns {Promise<void>} when the clock is known well enough; rejects without any reply
   */
  start() {
    this.#startMs = this.#clock.now();
    return new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
      this.#step();
    });
  }

  /**
   * Nothing else is sent from now on: the requests keep the session, and one that isn't answered
   * tells that the server is gone.
   * @param {{ heardMs: () => number, idleTimeoutMs: number } | null} options heardMs: when anything
   *   came last; idleTimeoutMs: the server's; null: other packets are sent again
   */
  listens(options) {
    this.#heardMs = options?.heardMs ?? null;
    this.#spacingMs = Math.min(
      SPACING_MS,
      options?.idleTimeoutMs ? IDLE_SHARE * options.idleTimeoutMs : Infinity,
    );
  }

  #step() {
    const now = this.#clock.now();
    const elapsed = now - this.#startMs;
    if (now > this.#dueMs + SLEPT_MS) this.#burstLeft = BURST_AFTER_SLEEP;
    if (this.#settle) this.#judge(elapsed);
    // A burst sends more than needed, since some may be lost.
    const isBurst = this.#settle !== null && elapsed < NONE_AFTER_MS;
    if (isBurst ? this.#sent < 2 * BURST || elapsed > FEWER_AFTER_MS : this.#isDue(now))
      this.#request();
    if (this.#burstLeft > 0) this.#burstLeft -= 1;
    const restMs =
      this.#burstLeft > 0 ? BURST_SPACING_MS : this.#heardMs === null ? SPACING_MS : UNHEARD_MS;
    const spacing = !isBurst
      ? restMs
      : this.#sent < 2 * BURST
        ? BURST_SPACING_MS
        : 4 * BURST_SPACING_MS;
    this.#dueMs = now + spacing;
    this.#timer = this.#clock.setTimeout(() => this.#step(), spacing);
  }

  /** @param {number} now */
  #isDue(now) {
    if (this.#heardMs === null || this.#burstLeft > 0) return true;
    return now - this.#askedMs >= this.#spacingMs || now - this.#heardMs() >= UNHEARD_MS;
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
      this.#done(
        new ConnectionError('connection-failed', 'The way is open, but no packet came through.'),
      );
    }
  }

  /** @param {Error | null} error */
  #done(error) {
    const settle = this.#settle;
    this.#settle = null;
    if (!settle) return;
    settle(error);
    if (error) return;
    this.isKnown = true;
    this.onKnown();
  }

  #request() {
    this.#id = (this.#id + 1) & 0xffff;
    this.#sent += 1;
    this.#askedMs = this.#clock.now();
    this.#outstanding.set(this.#id, this.#askedMs);
    if (this.#outstanding.size > MAX_OUTSTANDING) {
      const [oldest] = this.#outstanding.keys();
      this.#outstanding.delete(oldest);
    }
    writeClockRequest(this.#bytes, this.#id);
    this.#send(this.#bytes);
  }

  /**
   * @param {number} id the reply's
   * @param {number} clock the sample clock in it
   * @param {number} arrivalMs
   */
  reply(id, clock, arrivalMs) {
    const sentMs = this.#outstanding.get(id);
    if (sentMs === undefined) return;
    this.#outstanding.delete(id);
    this.#sync.add(sentMs, arrivalMs, clock);
    this.#answer();
    if (this.#settle) this.#judge(arrivalMs - this.#startMs);
  }

  /** Rejects a waiting start. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#outstanding.clear();
    this.#done(
      new ConnectionError('connection-lost', 'The connection ended before it was of use.'),
    );
  }
}
