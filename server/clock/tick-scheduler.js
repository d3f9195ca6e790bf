/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { TickLoad } from './tick-load.js'
 */

/**
 * A tick that is later than this is taken for one of a server that stood still, in milliseconds.
 */
const STALL_MS = 5;

/** Packets that arrive within this after a late tick may have waited for it, in milliseconds. */
const SEEN_MS = 5;

/** Ticks that are later than this are run by their weight, the lightest first, in milliseconds. */
const BY_WEIGHT_MS = 10;

/** How long ticks are run before the event loop has its turn, in milliseconds. */
const MAX_TURN_MS = 10;

/**
 * The time over which lateness is averaged, and the most that one look counts for, in milliseconds.
 */
const AVERAGE_MS = 1000;
const MAX_LOOK_MS = 50;

/**
 * A tick that is later than this says that there is more to do than can be done, in milliseconds,
 * and for how long.
 */
const OVERLOAD_MS = 20;
const OVERLOAD_LASTS_MS = 200;

/**
 * Something that is run when it is due. It is made once and scheduled again and again.
 * @typedef {object} Tick
 * @property {number} atMs  when it is due, on the monotonic clock; set by the scheduler
 * @property {() => void} run
 * @property {TickLoad} [load]  what its runs take is added to it; one without is as light as can be
 */

/**
 * Runs when the event loop's turn is over. The immediate doesn't keep the process alive.
 * @param {() => void} run
 */
const afterThisTurn = (run) => void setImmediate(run).unref();

/**
 * Runs many rooms' ticks when they are due, the earliest first. A timer of Node.js counts whole
 * milliseconds, and wakes up to two of them late; but where there are many rooms the thread is
 * awake most of the time. So what has fallen due is run after each turn of the event loop, and a
 * timer is left for where nothing else happens. Scheduling allocates nothing.
 */
export class TickScheduler {
  /** Those that are scheduled, the earliest first. @type {Tick[]} */
  #ticks = [];
  #clock;
  #afterTurn;
  #isWatching = false;
  #isRunning = false;
  /** @type {unknown} */
  #timer = null;
  /** When the timer will have come. */
  #timerMs = Infinity;
  #turned;
  #rang;
  #stallMs = 0;
  /** When the last stall was seen. */
  #stallAtMs = -Infinity;
  #startedMs = -Infinity;
  #lateMs = 0;
  #lookedMs = -Infinity;
  #overloadMs = -Infinity;
  /**
   * Hands over the packets that have come: called before each tick that is due.
   * @type {(() => void) | null}
   */
  #poll = null;

  /**
   * @param {Clock} clock
   * @param {(run: () => void) => void} [afterTurn]
   */
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
   * Packets that have come are read before each tick that is due, so that they are in time.
   * @param {() => void} poll
   */
  pollWith(poll) {
    this.#poll = poll;
  }

  /**
   * @param {Tick} tick  one that isn't scheduled
   * @param {number} atMs  on the monotonic clock, with its fraction
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

  /** @param {Tick} tick  one that may have been run already */
  cancel(tick) {
    const at = this.#ticks.indexOf(tick);
    if (at < 0) return;
    this.#ticks.splice(at, 1);
    this.#wait();
  }

  /**
   * After a stall the packets of its time are read at once.
   * @param {number} arrivalMs  on the monotonic clock
   * @returns {number} how long a packet that came then may have waited for the server, in
   *   milliseconds
   */
  stallBefore(arrivalMs) {
    return arrivalMs - this.#stallAtMs < SEEN_MS ? this.#stallMs : 0;
  }

  /** How late ticks are, on an average of the last second, in milliseconds. */
  get lateMs() {
    const idleMs = this.#clock.now() - this.#lookedMs;
    return idleMs < AVERAGE_MS ? this.#lateMs : 0;
  }

  /** Whether there was more to do just now than could be done. */
  get overloaded() {
    return this.#clock.now() - this.#overloadMs < OVERLOAD_LASTS_MS;
  }

  /** @param {number} nowMs @param {number} latenessMs  of the tick that is due first */
  #noteLateness(nowMs, latenessMs) {
    const passedMs = Math.min(MAX_LOOK_MS, nowMs - this.#lookedMs);
    this.#lateMs += ((latenessMs - this.#lateMs) * passedMs) / AVERAGE_MS;
    this.#lookedMs = nowMs;
    if (latenessMs > OVERLOAD_MS) this.#overloadMs = nowMs;
    // A tick that others went before is later than the server stood still.
    this.#noteStall(nowMs, Math.min(latenessMs, nowMs - this.#startedMs));
  }

  /** @param {number} nowMs @param {number} stallMs */
  #noteStall(nowMs, stallMs) {
    if (stallMs <= STALL_MS) return;
    this.#stallMs = nowMs - this.#stallAtMs < SEEN_MS ? Math.max(this.#stallMs, stallMs) : stallMs;
    this.#stallAtMs = nowMs;
  }

  /**
   * Runs what is due. What falls due meanwhile waits for the next turn: the event loop has other
   * work too.
   */
  #run() {
    const ticks = this.#ticks;
    const now = this.#clock.now();
    this.#isRunning = true;
    if (ticks.length > 0 && ticks[0].atMs <= now) {
      // The stall is noted first: what came in time and has waited for the server isn't late.
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
        // Before each: where many rooms are due, packets for the later ones come while the earlier
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
    try {
      tick.run();
    } finally {
      tick.load?.add(this.#clock.now() - startMs);
    }
  }

  /**
   * Takes the next of those that are due: the earliest, or the lightest where they are late, so
   * that heavy rooms make none but each other wait.
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
    // Shifted by hand: splice() allocates what it takes out.
    for (let i = best; i < ticks.length - 1; i++) ticks[i] = ticks[i + 1];
    ticks.pop();
    return tick;
  }

  #wait() {
    if (this.#isRunning) return;
    const nextMs = this.#ticks.length > 0 ? this.#ticks[0].atMs : Infinity;
    if (nextMs === Infinity || nextMs < this.#timerMs) {
      this.#clock.clearTimeout(this.#timer);
      this.#timerMs = nextMs;
      if (nextMs < Infinity)
        this.#timer = this.#clock.setTimeout(this.#rang, Math.max(0, nextMs - this.#clock.now()));
    }
    if (nextMs === Infinity || this.#isWatching) return;
    this.#isWatching = true;
    this.#afterTurn(this.#turned);
  }
}
