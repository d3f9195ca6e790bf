/** @import { Clock } from '../../shared/clock.js' */

/** Delays before the tries, in milliseconds; each is multiplied by a random 0.5 to 1.5. */
const DELAYS_MS = Object.freeze([200, 500, 1000, 2000, 4000, 10_000]);

/**
 * Delay before the first try when the server has asked to come again, also randomised: not all
 * clients come at once.
 */
const SOON_MS = 40;

/** Backoff of a lost call: tries again soon, then less and less often. */
export class Backoff {
  #clock;
  #wallNow;
  #random;
  #on;
  #tries = 0;
  /**
   * Time at which the call was lost, by the wall clock; null while it isn't. @type {number | null}
   */
  #since = null;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow milliseconds since 1970
   * @param {() => number} options.random 0 to 1
   * @param {(when: { since: number, nextTry: number }) => void} options.notified by the wall clock,
   *   before each wait or try
   * @param {() => void} options.run tries
   */
  constructor({ clock, wallNow, random, notified, run }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#random = random;
    this.#on = { notified, run };
  }

  /** True before the next try. */
  get waiting() {
    return this.#timer !== null;
  }

  /**
   * Tries after a delay.
   * @param {boolean} [soon] true when the server asked to come again at once: the first delay is
   *   shorter
   */
  later(soon = false) {
    const most =
      soon && this.#tries === 0 ? SOON_MS : DELAYS_MS[Math.min(this.#tries, DELAYS_MS.length - 1)];
    const delayMs = most * (0.5 + this.#random());
    this.#tries += 1;
    this.#stop();
    this.#timer = this.#clock.setTimeout(() => this.#run(), delayMs);
    this.#tell(delayMs);
  }

  /** Tries at once. */
  now() {
    this.#tell(0);
    this.#run();
  }

  /** Starts the delays over after a change, such as of the network. */
  hurry() {
    this.#tries = 0;
  }

  /** Ends after success or when the call is over. Idempotent. */
  end() {
    this.#stop();
    this.#tries = 0;
    this.#since = null;
  }

  #run() {
    this.#stop();
    this.#on.run();
  }

  /** @param {number} delayMs until the next try */
  #tell(delayMs) {
    const now = this.#wallNow();
    this.#since ??= now;
    this.#on.notified({ since: this.#since, nextTry: now + delayMs });
  }

  #stop() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Interval of checks, in milliseconds. */
const CHECK_MS = 250;

/**
 * Time without a packet from the server after which the connection is dead, in milliseconds: in
 * silence there are 5 a second.
 */
export const DEAD_MS = 2000;

/** Shorter limit when other nodes could take over the call, in milliseconds. */
export const DEAD_AMONG_NODES_MS = 1000;

/**
 * Shorter limit after a sleep, when packets that waited in the network have all arrived, in
 * milliseconds.
 */
const DEAD_AFTER_SLEEP_MS = 1000;

/** Lateness of a check that proves that the computer slept, in milliseconds. */
const SLEEP_MS = 1000;

/** Checks regularly that a connection is alive, and detects that the computer has slept. */
export class Liveness {
  #clock;
  #wallNow;
  #on;
  /** @type {unknown} */
  #timer = null;
  #checkedMs = 0;
  #checkedWall = 0;
  #wakeMs = -Infinity;
  /** Time without a packet after which a connection is dead, in milliseconds. */
  deadMs = DEAD_MS;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow milliseconds since 1970; goes on while the computer
   *   sleeps
   * @param {() => void} options.check called four times a second
   * @param {() => void} options.slept called before it, where the computer or the page has stood
   *   still
   */
  constructor({ clock, wallNow, check, slept }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#on = { check, slept };
  }

  /** Starts or restarts the checks. */
  start() {
    this.#checkedMs = this.#clock.now();
    this.#checkedWall = this.#wallNow();
    this.#checkLater();
  }

  /** Idempotent. */
  stop() {
    this.#clock.clearTimeout(this.#timer);
  }

  #checkLater() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#check(), CHECK_MS);
  }

  #check() {
    this.#checkLater();
    const now = this.#clock.now();
    const wall = this.#wallNow();
    const lateMs = Math.max(now - this.#checkedMs, wall - this.#checkedWall) - CHECK_MS;
    this.#checkedMs = now;
    this.#checkedWall = wall;
    if (lateMs > SLEEP_MS) this.#on.slept();
    this.#on.check();
  }

  /** Notes that the network may be another one: earlier packets prove nothing. */
  noteWake() {
    this.#wakeMs = this.#clock.now();
  }

  /** @param {number} heardMs time of the last packet from the server, by the clock */
  isDead(heardMs) {
    const limitMs = heardMs > this.#wakeMs ? this.deadMs : DEAD_AFTER_SLEEP_MS;
    return this.#clock.now() - Math.max(heardMs, this.#wakeMs) > limitMs;
  }
}

/**
 * Events after which the network may have come, gone or changed.
 * @type {[EventTarget | undefined, string][]}
 */
const network = [
  [globalThis, 'online'],
  [globalThis, 'offline'],
  [/** @type {{ connection?: EventTarget }} */ (globalThis.navigator ?? {}).connection, 'change'],
];

/**
 * Events after which the computer or the page may have come back.
 * @type {[EventTarget | undefined, string][]}
 */
const page = [
  [globalThis, 'pageshow'],
  [globalThis.document, 'visibilitychange'],
  [globalThis.document, 'resume'],
];

/**
 * Observes changes of the network, and the return of the computer or the page.
 * @param {() => void} run called at each; for the page's own events only while it is visible
 * @returns {() => void} ends it; idempotent
 */
export function onNetworkChange(run) {
  const look = () => {
    if (document.visibilityState !== 'hidden') run();
  };
  for (const [target, type] of network) target?.addEventListener(type, run);
  for (const [target, type] of page) target?.addEventListener(type, look);
  return () => {
    for (const [target, type] of network) target?.removeEventListener(type, run);
    for (const [target, type] of page) target?.removeEventListener(type, look);
  };
}
