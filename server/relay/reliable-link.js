/**
 * Messages between a relay and a room's owner, over a bus that loses some when its connection
 * changes. They are numbered, sent again after a change, and handled once and in order.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 */

/** Time for which a sent message is kept to be sent again, in milliseconds, and most of them. */
const KEPT_MS = 3000;
const MAX_KEPT = 64;

/** Time to wait for a missing message, in milliseconds, and most messages that wait behind it. */
export const GIVE_UP_MS = 250;
const MAX_HELD = 64;

/**
 * Delays of requests and repetitions after a change of the bus, in milliseconds. They are repeated
 * because the other side may have used the same bus server, and not have noticed yet.
 */
export const AGAIN_MS = Object.freeze([0, 50, 150]);

/**
 * Numbers messages, from 1 on, and keeps the last ones.
 * @template {object} T
 */
export class SentMessages {
  #clock;
  #publish;
  #next = 1;
  /** @type {{ message: T & { number: number }, atMs: number }[]} */
  #kept = [];

  /**
   * @param {Clock} clock
   * @param {(message: T & { number: number }) => void} publish
   */
  constructor(clock, publish) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** @param {T} message  must not change any more */
  send(message) {
    const numbered = { ...message, number: this.#next++ };
    this.#kept.push({ message: numbered, atMs: this.#clock.now() });
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    this.#publish(numbered);
  }

  /** Sends the last messages again. */
  again() {
    const since = this.#clock.now() - KEPT_MS;
    this.#kept = this.#kept.filter(({ atMs }) => atMs >= since);
    for (const { message } of this.#kept) this.#publish(message);
  }

  /** Drops the kept messages. */
  clear() {
    this.#kept = [];
  }
}

/**
 * Handles numbered messages in order, each once. A message behind a missing one waits for it.
 * @template T
 */
export class InOrder {
  #clock;
  #run;
  #next = 1;
  /** By number. @type {Map<number, T>} */
  #held = new Map();
  /** @type {unknown} */
  #timer = null;
  #closed = false;

  /** @param {Clock} clock @param {(message: T) => void} run */
  constructor(clock, run) {
    this.#clock = clock;
    this.#run = run;
  }

  /** @param {number} number @param {T} message */
  take(number, message) {
    if (this.#closed || number < this.#next) return;
    this.#held.set(number, message);
    if (this.#held.size > MAX_HELD) this.#skip();
    this.#runNext();
  }

  /** Handles what isn't behind a missing message. */
  #runNext() {
    const before = this.#next;
    let message;
    while ((message = this.#held.get(this.#next)) !== undefined) {
      this.#held.delete(this.#next++);
      this.#run(message);
    }
    // Each missing message has its own time.
    if (this.#next > before) this.#stopTimer();
    if (this.#held.size === 0) return;
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#skip();
      this.#runNext();
    }, GIVE_UP_MS);
  }

  /** Gives up the missing messages before the first held one. */
  #skip() {
    this.#next = Math.min(...this.#held.keys());
  }

  #stopTimer() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Handles the messages that wait, whatever is missing, and drops later ones. */
  finish() {
    while (this.#held.size > 0) {
      this.#skip();
      this.#runNext();
    }
    this.close();
  }

  /** Drops the messages that wait, and later ones. Idempotent. */
  close() {
    this.#closed = true;
    this.#held.clear();
    this.#stopTimer();
  }
}
