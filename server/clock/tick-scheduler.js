/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { TickLoad } from './load-shares.js'
 */

/** Lateness beyond which a tick indicates a stalled server, in milliseconds. */
const STALL_MS = 5;

/** Time after a late tick in which arriving packets may have waited for it, in milliseconds. */
const SEEN_MS = 5;

/** Lateness beyond which ticks run by weight, the lightest first, in milliseconds. */
const BY_WEIGHT_MS = 10;

/**
 * Shortest wait for a tick that has the thread woken exactly, in milliseconds. With ticks closer
 * together the thread hardly sleeps.
 */
const WORTH_WAKING_MS = 2;

/** Longest run of ticks before the event loop has its turn, in milliseconds. */
const MAX_TURN_MS = 10;

/**
 * Time over which lateness is averaged, and the most that one sample counts for, in milliseconds.
 */
const AVERAGE_MS = 1000;
const MAX_LOOK_MS = 50;

/** Lateness that indicates overload, and time for which it does, in milliseconds. */
const OVERLOAD_MS = 20;
const OVERLOAD_LASTS_MS = 200;

/**
 * Task to run when it is due. It is made once and scheduled again and again.
 * @typedef {object} Tick
 * @property {number} atMs due time, on the monotonic clock; set by the scheduler
 * @property {() => void} run
 * @property {TickLoad} [load] accumulates the time of its runs; a tick without one counts as the
 *   lightest
 */

/**
 * Runs after the event loop's turn. The immediate doesn't keep the process alive.
 * @param {() => void} run
 */
const afterThisTurn = (run) => void setImmediate(run).unref();

/**
 * Runs many rooms' ticks when they are due, the earliest first. A timer of Node.js counts whole
 * milliseconds, and wakes up to two of them late. With many rooms the thread is awake most of the
 * time, so due ticks run after each turn of the event loop. With few, an engine wakes an idle loop
 * in time, if it can; a timer covers the rest. Scheduling allocates nothing.
 */
export class TickScheduler {
  /** Scheduled ticks, the earliest first. @type {Tick[]} */
  #ticks = [];
  #clock;
  #afterTurn;
  #isWatching = false;
  #isRunning = false;
  /** @type {unknown} */
  #timer = null;
  /** Due time of the timer, and of the waker; Infinity for none. */
  #timerMs = Infinity;
  #wakerMs = Infinity;
  #turned;
  #rang;
  #stallMs = 0;
  /** Time of the last observed stall. */
  #stallAtMs = -Infinity;
  #startedMs = -Infinity;
  #lateMs = 0;
  #lookedMs = -Infinity;
  #overloadMs = -Infinity;
  /** Delivers received packets; called before each due tick. @type {(() => void) | null} */
  #poll = null;
  /** @type {{ cork?: () => void, uncork?: () => void } | null} */
  #sender = null;
  /** @type {{ wakeAt?: (atMs: number) => void } | null} */
  #waker = null;

  /** @param {Clock} clock @param {(run: () => void) => void} [afterTurn] */
  constructor(clock, afterTurn = afterThisTurn) {
    this.#clock = clock;
    this.#afterTurn = afterTurn;
    this.#turned = () => {
      this.#isWatching = false;
      this.#run();
    };
    this.#rang = () => {
      this.#timerMs = Infinity;
      this.#run();
    };
  }

  /**
   * Sets the function that reads received packets before each due tick, so that they are in time.
   * @param {() => void} poll
   */
  pollWith(poll) {
    this.#poll = poll;
  }

  /**
   * Sets the sender that may keep the packets of a tick, to send them together.
   * @param {{ cork?: () => void, uncork?: () => void } | null} sender
   */
  sendWith(sender) {
    this.#sender = sender;
  }

  /**
   * Sets the waker of an idle event loop, which is more exact than a timer.
   * @param {{ wakeAt?: (atMs: number) => void } | null} waker
   */
  wakeWith(waker) {
    this.#waker = waker;
  }

  /**
   * @param {Tick} tick not scheduled yet
   * @param {number} atMs on the monotonic clock, with its fraction
   */
  schedule(tick, atMs) {
    tick.atMs = atMs;
    const ticks = this.#ticks;
    let at = ticks.length;
    ticks.push(tick);
    for (; at > 0 && ticks[at - 1].atMs > atMs; at--) ticks[at] = ticks[at - 1];
    ticks[at] = tick;
    this.#wait();
  }

  /** @param {Tick} tick may have run already */
  cancel(tick) {
    const at = this.#ticks.indexOf(tick);
    if (at < 0) return;
    this.#ticks.splice(at, 1);
    this.#wait();
  }

  /**
   * Tells how much of a packet's lateness a stall may have caused: after it the packets of its time
   * are read at once.
   * @param {number} arrivalMs on the monotonic clock
   * @returns {number} longest possible wait of the packet for the server, in milliseconds
   */
  stallBefore(arrivalMs) {
    return arrivalMs - this.#stallAtMs < SEEN_MS ? this.#stallMs : 0;
  }

  /** Mean lateness of ticks over the last second, in milliseconds. */
  get lateMs() {
    const idleMs = this.#clock.now() - this.#lookedMs;
    return idleMs < AVERAGE_MS ? this.#lateMs : 0;
  }

  /** True during an overload. */
  get overloaded() {
    return this.#clock.now() - this.#overloadMs < OVERLOAD_LASTS_MS;
  }

  /** @param {number} nowMs @param {number} latenessMs of the first due tick */
  #noteLateness(nowMs, latenessMs) {
    const passedMs = Math.min(MAX_LOOK_MS, nowMs - this.#lookedMs);
    this.#lateMs += ((latenessMs - this.#lateMs) * passedMs) / AVERAGE_MS;
    this.#lookedMs = nowMs;
    if (latenessMs > OVERLOAD_MS) this.#overloadMs = nowMs;
    // A tick that others went before is later than the server stalled.
    this.#noteStall(nowMs, Math.min(latenessMs, nowMs - this.#startedMs));
  }

  /** @param {number} nowMs @param {number} stallMs */
  #noteStall(nowMs, stallMs) {
    if (stallMs <= STALL_MS) return;
    this.#stallMs = nowMs - this.#stallAtMs < SEEN_MS ? Math.max(this.#stallMs, stallMs) : stallMs;
    this.#stallAtMs = nowMs;
  }

  /**
   * Runs the due ticks. A tick that becomes due in the meantime waits for the next turn, because
   * the event loop has other work too.
   */
  #run() {
    const ticks = this.#ticks;
    const now = this.#clock.now();
    this.#isRunning = true;
    if (ticks.length > 0 && ticks[0].atMs <= now) {
      // The stall is noted first, so that packets which waited for the server don't count as late.
      this.#noteLateness(now, now - ticks[0].atMs);
    }
    this.#startedMs = now;
    try {
      let passedMs = 0;
      for (
        let left = ticks.length;
        left > 0 && ticks.length > 0 && ticks[0].atMs <= now && passedMs < MAX_TURN_MS;
        left--
      ) {
        // Polled before each tick: with many due rooms, packets for later ones arrive while earlier
        // ones are mixed.
        this.#poll?.();
        this.#runNext(now);
        passedMs = this.#clock.now() - now;
      }
    } finally {
      this.#isRunning = false;
      this.#wait();
    }
  }

  /** @param {number} now */
  #runNext(now) {
    const tick = this.#takeNext(now);
    const startMs = this.#clock.now();
    this.#sender?.cork?.();
    try {
      tick.run();
    } finally {
      this.#sender?.uncork?.();
      tick.load?.add(this.#clock.now() - startMs);
    }
  }

  /**
   * Picks the next due tick: the earliest, or the lightest if they are late, so that heavy rooms
   * delay only each other.
   * @param {number} now
   */
  #takeNext(now) {
    const ticks = this.#ticks;
    let best = 0;
    if (now - ticks[0].atMs > BY_WEIGHT_MS) {
      let least = Infinity;
      for (let i = 0; i < ticks.length && ticks[i].atMs <= now; i++) {
        const weight = ticks[i].load?.weight ?? 0;
        if (weight >= least) continue;
        best = i;
        least = weight;
      }
    }
    const tick = ticks[best];
    // Shifted by hand because splice() allocates its result.
    for (let i = best; i < ticks.length - 1; i++) ticks[i] = ticks[i + 1];
    ticks.pop();
    return tick;
  }

  #wait() {
    if (this.#isRunning) return;
    const nextMs = this.#ticks.length > 0 ? this.#ticks[0].atMs : Infinity;
    // A timer whose tick has run, because the waker was first, would wake the thread for nothing.
    const isOver = nextMs > this.#timerMs && this.#timerMs === this.#wakerMs;
    if (nextMs === Infinity || nextMs < this.#timerMs || isOver) this.#setTimer(nextMs);
    if (nextMs === Infinity || this.#isWatching) return;
    this.#isWatching = true;
    this.#afterTurn(this.#turned);
  }

  /** @param {number} atMs Infinity for none */
  #setTimer(atMs) {
    this.#clock.clearTimeout(this.#timer);
    this.#timerMs = atMs;
    if (atMs === Infinity) return;
    const waitMs = Math.max(0, atMs - this.#clock.now());
    this.#timer = this.#clock.setTimeout(this.#rang, waitMs);
    if (waitMs < WORTH_WAKING_MS || !this.#waker?.wakeAt) return;
    this.#waker.wakeAt(atMs);
    this.#wakerMs = atMs;
  }
}
