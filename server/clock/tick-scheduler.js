/** @import { Clock } from '../../public/shared/clock.js' */

/** @typedef {{ atMs: number, run: () => void }} Beat */

/**
 * Calls when the event loop's turn is over, after what it has read. An immediate that doesn't keep the loop going
 * makes it neither busy nor stay.
 * @param {() => void} run
 */
const afterThisTurn = (run) => void setImmediate(run).unref();

/**
 * A clock whose timers are those of many rooms' ticks. A timer of Node.js counts whole milliseconds, and wakes up to
 * two of them late; but where there are many rooms the thread is awake most of the time. So after each turn of the
 * event loop what has fallen due is done, the earliest first, and a timer is left for where nothing else happens.
 * @implements {Clock}
 */
export class Metronome {
  /** What waits, the earliest first. @type {Beat[]} */
  #beats = [];
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

  /**
   * @param {Clock} clock
   * @param {(run: () => void) => void} [afterTurn]
   */
  constructor(clock, afterTurn = afterThisTurn) {
    this.#clock = clock;
    this.#afterTurn = afterTurn;
    this.now = clock.now;
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
   * @param {() => void} run
   * @param {number} ms with its fraction
   * @returns {Beat}
   */
  setTimeout(run, ms) {
    const beat = { atMs: this.now() + ms, run };
    let at = this.#beats.length;
    while (at > 0 && this.#beats[at - 1].atMs > beat.atMs) at -= 1;
    this.#beats.splice(at, 0, beat);
    this.#wait();
    return beat;
  }

  /** @param {Beat | null} beat one that may have been called already */
  clearTimeout(beat) {
    const at = beat === null ? -1 : this.#beats.indexOf(beat);
    if (at < 0) return;
    this.#beats.splice(at, 1);
    this.#wait();
  }

  /** What falls due meanwhile waits for the next turn: others have something to do too. */
  #run() {
    const now = this.now();
    this.#isRunning = true;
    try {
      for (let left = this.#beats.length; left > 0 && this.#beats[0]?.atMs <= now; left--) this.#beats.shift()?.run();
    } finally {
      this.#isRunning = false;
      this.#wait();
    }
  }

  #wait() {
    if (this.#isRunning) return;
    const nextMs = this.#beats.length > 0 ? this.#beats[0].atMs : Infinity;
    if (nextMs === Infinity || nextMs < this.#timerMs) {
      this.#clock.clearTimeout(this.#timer);
      this.#timerMs = nextMs;
      if (nextMs < Infinity) this.#timer = this.#clock.setTimeout(this.#rang, Math.max(0, nextMs - this.now()));
    }
    if (nextMs === Infinity || this.#isWatching) return;
    this.#isWatching = true;
    this.#afterTurn(this.#turned);
  }
}
