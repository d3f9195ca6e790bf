/**
 * @import { Clock } from '../../shared/clock.js'
 */

/** How often it is looked whether the connection lives, in milliseconds. */
const LOOK_MS = 250;

/** Without anything of the server for so long the connection is dead: silence has 5 packets a second. */
const DEAD_MS = 2000;

/** The same after a sleep, when what waited in the network has come at once. */
const DEAD_AFTER_SLEEP_MS = 1000;

/** A look that is later than this has slept. */
const SLEPT_MS = 1000;

/** Looks again and again whether a connection lives, and notices that the computer has slept. */
export class Pulse {
  #clock;
  #wallNow;
  #on;
  /** @type {unknown} */
  #timer = null;
  #lookedMs = 0;
  #lookedWall = 0;
  #wokeMs = -Infinity;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970; goes on while the computer sleeps
   * @param {() => void} options.look       called four times a second
   * @param {() => void} options.slept      called before it, where the computer or the page has stood still
   */
  constructor({ clock, wallNow, look, slept }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#on = { look, slept };
  }

  /** Begins to look, or begins anew. */
  start() {
    this.#lookedMs = this.#clock.now();
    this.#lookedWall = this.#wallNow();
    this.#lookLater();
  }

  /** Idempotent. */
  stop() {
    this.#clock.clearTimeout(this.#timer);
  }

  #lookLater() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#look(), LOOK_MS);
  }

  #look() {
    this.#lookLater();
    const now = this.#clock.now();
    const wall = this.#wallNow();
    const lateMs = Math.max(now - this.#lookedMs, wall - this.#lookedWall) - LOOK_MS;
    this.#lookedMs = now;
    this.#lookedWall = wall;
    if (lateMs > SLEPT_MS) this.#on.slept();
    this.#on.look();
  }

  /** What was heard before this moment says nothing of the connection that there is now. */
  woke() {
    this.#wokeMs = this.#clock.now();
  }

  /** @param {number} heardMs when anything of the server was heard last, by the clock */
  isDead(heardMs) {
    const limitMs = heardMs > this.#wokeMs ? DEAD_MS : DEAD_AFTER_SLEEP_MS;
    return this.#clock.now() - Math.max(heardMs, this.#wokeMs) > limitMs;
  }
}
