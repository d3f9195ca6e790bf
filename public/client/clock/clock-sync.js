/**
 * @import { Clock } from '../../shared/clock.js'
 */

import { CLOCK_REQUEST_BYTES, writeClockRequest } from '../../shared/wire/packet.js';
import { ConnectionError } from '../connection/connection.js';
import { DriftMeter } from './drift-meter.js';

/** The number of exchanges that are remembered. */
const REMEMBERED = 16;

/** The rate at which two clocks may drift apart: 100 ppm, the worst of ordinary quartz. */
const DRIFT = 100e-6;

/**
 * The window whose best exchange counts for the drift, in milliseconds; most clocks drift by a few
 * ppm.
 */
const DRIFT_WINDOW_MS = 16_000;

/**
 * The time in which the told clock follows a better estimate, in milliseconds, and the highest rate
 * of that.
 */
const FOLLOW_MS = 10_000;
const MAX_FOLLOW = 500e-6;
/** The first exchanges, during which the told clock jumps. */
const FIRST = 8;

/** The contradiction to earlier exchanges that shows that time stood still, in milliseconds. */
const CONTRADICTION_MS = 20;

/**
 * The server's sample clock as the client knows it. Of many exchanges of a request and a reply the
 * one with the least round trip is believed, since the least can be wrong about it (RFC 5905,
 * section 10); an old one is believed less, by what the clocks may have drifted since. The clock
 * that is told goes on evenly, at the server's speed, and follows a better belief slowly; after a
 * sleep, when a computer's clock may have stood still, it begins anew.
 */
export class ClockSync {
  #sampleRate;
  #middles = new Float64Array(REMEMBERED);
  #clocks = new Float64Array(REMEMBERED);
  #roundTrips = new Float64Array(REMEMBERED);
  #count = 0;
  /** Exchanges since the last contradiction. */
  #held = 0;
  #best = -1;
  #drift = new DriftMeter({ windowMs: DRIFT_WINDOW_MS, stepMs: Infinity });
  /**
   * The line of the told clock: its beginning, and milliseconds of the server's to one of the
   * client's.
   */
  #lineMs = 0;
  #lineClock = NaN;
  #speed = 1;

  /** The latest round trip, in milliseconds; null before the first. @type {number | null} */
  roundTripMs = null;
  /** The times that time was found to have stood still. */
  jumps = 0;

  /** @param {number} sampleRate Hz */
  constructor(sampleRate) {
    this.#sampleRate = sampleRate;
  }

  /** The exchanges that have been counted. */
  get exchanges() {
    return this.#count;
  }

  /**
   * @param {number} sentMs      when the request was sent, on the client's clock
   * @param {number} receivedMs  when the reply arrived, on the client's clock
   * @param {number} clock       the sample clock at the request's arrival, with its fraction
   * @returns {boolean} false when it can't be: time ran backwards, or a number is none
   */
  add(sentMs, receivedMs, clock) {
    const roundTrip = receivedMs - sentMs;
    if (!(roundTrip >= 0) || !Number.isFinite(clock)) return false;
    const middle = sentMs + roundTrip / 2;
    if (this.#contradicts(middle, clock, roundTrip / 2, receivedMs)) {
      this.#held = 0;
      this.jumps += 1;
      this.#drift.reset();
    }
    const slot = this.#held % REMEMBERED;
    this.#middles[slot] = middle;
    this.#clocks[slot] = clock;
    this.#roundTrips[slot] = roundTrip;
    this.#count += 1;
    this.#held += 1;
    this.roundTripMs = roundTrip;
    this.#drift.add(receivedMs, (clock * 1000) / this.#sampleRate - middle, roundTrip);
    this.#choose(receivedMs);
    this.#follow(receivedMs);
    return true;
  }

  /**
   * @param {number} ms
   * @param {number} clock
   * @param {number} errorMs the largest error of the exchange
   * @param {number} nowMs
   */
  #contradicts(ms, clock, errorMs, nowMs) {
    if (this.#best < 0) return false;
    const offMs = Math.abs(((clock - this.#believed(ms)) * 1000) / this.#sampleRate);
    return offMs > errorMs + this.#errorMs(this.#best, nowMs) + CONTRADICTION_MS;
  }

  /** @param {number} nowMs */
  #choose(nowMs) {
    let least = Infinity;
    const held = Math.min(this.#held, REMEMBERED);
    for (let i = 0; i < held; i++) {
      const error = this.#errorMs(i, nowMs);
      if (error >= least) continue;
      least = error;
      this.#best = i;
    }
  }

  /**
   * @param {number} ms
   * @returns {number} the sample clock then, by the exchange that is believed
   */
  #believed(ms) {
    const elapsed = (ms - this.#middles[this.#best]) * (1 + this.driftPpm * 1e-6);
    return this.#clocks[this.#best] + (elapsed * this.#sampleRate) / 1000;
  }

  /** @param {number} nowMs when the told clock begins to follow the new estimate */
  #follow(nowMs) {
    const offMs = this.#followedMs(nowMs);
    const jumps = this.#held <= FIRST;
    this.#lineClock = jumps ? this.#believed(nowMs) : this.sampleClockAt(nowMs);
    this.#lineMs = nowMs;
    const follow = jumps ? 0 : Math.max(-MAX_FOLLOW, Math.min(MAX_FOLLOW, offMs / FOLLOW_MS));
    this.#speed = 1 + this.driftPpm * 1e-6 + follow;
  }

  /**
   * @param {number} nowMs
   * @returns {number} the estimate less the told clock, in milliseconds
   */
  #followedMs(nowMs) {
    return ((this.#believed(nowMs) - this.sampleClockAt(nowMs)) * 1000) / this.#sampleRate;
  }

  /**
   * @param {number} slot
   * @param {number} nowMs
   */
  #errorMs(slot, nowMs) {
    return this.#roundTrips[slot] / 2 + Math.max(0, nowMs - this.#middles[slot]) * DRIFT;
  }

  /**
   * @param {number} ms a time of the client's clock
   * @returns {number} the sample clock then, with its fraction; NaN before the first exchange
   */
  sampleClockAt(ms) {
    return this.#lineClock + ((ms - this.#lineMs) * this.#speed * this.#sampleRate) / 1000;
  }

  /**
   * @param {number} sample
   * @returns {number} when the sample clock reaches it, on the client's clock, in milliseconds
   */
  msAt(sample) {
    return this.#lineMs + ((sample - this.#lineClock) * 1000) / (this.#sampleRate * this.#speed);
  }

  /**
   * The drift of the server's sample clock against the client's clock, in ppm; 0 while that isn't
   * known.
   */
  get driftPpm() {
    return this.#drift.ppm;
  }

  /** The round trip of the exchange that is believed, in milliseconds; null before the first. */
  get leastRoundTripMs() {
    return this.#best < 0 ? null : this.#roundTrips[this.#best];
  }

  /**
   * The largest error of sampleClockAt, in milliseconds.
   * @param {number} nowMs
   * @returns {number} Infinity before the first exchange
   */
  quality(nowMs) {
    return this.#best < 0
      ? Infinity
      : this.#errorMs(this.#best, nowMs) + Math.abs(this.#followedMs(nowMs));
  }

  /**
   * The accuracy of the server's clock: its largest error, its jumps, and its drift.
   * @param {number} nowMs
   */
  stats(nowMs) {
    return { clockErrorMs: this.quality(nowMs), clockJumps: this.jumps, driftPpm: this.driftPpm };
  }
}

/** The exchanges before audio is sent, and their spacing in milliseconds. */
const BURST = 8;
const BURST_SPACING_MS = 25;

/**
 * Fewer exchanges do where replies are lost or slow: FEWER, and then one, after these milliseconds;
 * without any it fails.
 */
const FEWER_AFTER_MS = 600;
const FEWER = 3;
const ONE_AFTER_MS = 1500;
const NONE_AFTER_MS = 3000;

/** The spacing of exchanges from then on, in milliseconds. */
const SPACING_MS = 2000;

/**
 * Of one who sends nothing else: the time without a packet after which the server is asked at once,
 * since it may be gone, and the share of the time after which the server ends a session that is
 * silent.
 */
const UNHEARD_MS = 250;
const IDLE_SHARE = 1 / 4;

/**
 * The lateness of a timer that shows that the computer slept, in milliseconds, and the exchanges of
 * the burst after it.
 */
const SLEPT_MS = 3000;
const BURST_AFTER_SLEEP = 8;

/** The most requests that wait for their reply. */
const MAX_OUTSTANDING = 64;

/**
 * Asks the server for its sample clock again and again, over one connection, and tells ClockSync.
 */
export class ClockExchange {
  #clock;
  #sync;
  #send;
  #bytes = new Uint8Array(CLOCK_REQUEST_BYTES);
  #id = 0;
  #sent = 0;
  /** Exchanges of the burst after a sleep that are still to come. */
  #burstLeft = 0;
  #dueMs = Infinity;
  /** When anything came last, for one who sends nothing else. @type {(() => number) | null} */
  #heardMs = null;
  #spacingMs = SPACING_MS;
  #askedMs = -Infinity;
  /** When each request was sent, by its number. @type {Map<number, number>} */
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
  /** Whether the clock is known well enough to send sound by it. */
  isKnown = false;
  /** Called when it is. @type {() => void} */
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
    // In the burst more are sent than are needed, since some may be lost.
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

  /** Idempotent. A start that is waiting is rejected. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#outstanding.clear();
    this.#done(
      new ConnectionError('connection-lost', 'The connection ended before it was of use.'),
    );
  }
}
