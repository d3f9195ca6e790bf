/** @import { Clock } from '../../public/shared/clock.js' */

/** A tick that is later than this is taken for one of a server that stood still, in milliseconds. */
const STALL_MS = 5;

/** Packets that arrive within this after a late tick may have waited for it, in milliseconds. */
const SEEN_MS = 5;

/**
 * Something that is run when it is due. It is made once and scheduled again and again.
 * @typedef {object} Tick
 * @property {number} atMs  when it is due, on the monotonic clock; set by the scheduler
 * @property {() => void} run
 */

/** Runs when the event loop's turn is over. The immediate doesn't keep the process alive. @param {() => void} run */
const afterThisTurn = (run) => void setImmediate(run).unref();

/**
 * Runs many rooms' ticks when they are due, the earliest first. A timer of Node.js counts whole milliseconds, and wakes
 * up to two of them late; but where there are many rooms the thread is awake most of the time. So what has fallen due is
 * run after each turn of the event loop, and a timer is left for where nothing else happens. Scheduling allocates nothing.
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
  /** Hands over the packets that have come: called before each tick that is due. @type {(() => void) | null} */
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

  /** Packets that have come are read before each tick that is due, so that they are in time. @param {() => void} poll */
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
   * @returns {number} how long a packet that came then may have waited for the server, in milliseconds
   */
  stallBefore(arrivalMs) {
    return arrivalMs - this.#stallAtMs < SEEN_MS ? this.#stallMs : 0;
  }

  /** @param {number} nowMs @param {number} latenessMs  of the tick that is due first */
  #noteStall(nowMs, latenessMs) {
    if (latenessMs <= STALL_MS) return;
    this.#stallMs = nowMs - this.#stallAtMs < SEEN_MS ? Math.max(this.#stallMs, latenessMs) : latenessMs;
    this.#stallAtMs = nowMs;
  }

  /** Runs what is due. What falls due meanwhile waits for the next turn: the event loop has other work too. */
  #run() {
    const ticks = this.#ticks;
    const now = this.#clock.now();
    this.#isRunning = true;
    if (ticks.length > 0 && ticks[0].atMs <= now) {
      // The stall is noted first: what came in time and has waited for the server isn't late.
      this.#noteStall(now, now - ticks[0].atMs);
    }
    try {
      for (let left = ticks.length; left > 0 && ticks.length > 0 && ticks[0].atMs <= now; left--) {
        // Before each: where many rooms are due, packets for the later ones come while the earlier ones are mixed.
        this.#poll?.();
        ticks.shift()?.run();
      }
    } finally {
      this.#isRunning = false;
      this.#wait();
    }
  }

  #wait() {
    if (this.#isRunning) return;
    const nextMs = this.#ticks.length > 0 ? this.#ticks[0].atMs : Infinity;
    if (nextMs === Infinity || nextMs < this.#timerMs) {
      this.#clock.clearTimeout(this.#timer);
      this.#timerMs = nextMs;
      if (nextMs < Infinity) this.#timer = this.#clock.setTimeout(this.#rang, Math.max(0, nextMs - this.#clock.now()));
    }
    if (nextMs === Infinity || this.#isWatching) return;
    this.#isWatching = true;
    this.#afterTurn(this.#turned);
  }
}
