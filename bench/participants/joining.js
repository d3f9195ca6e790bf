/**
 * Lets many people join a server that has to take its time for them.
 *
 * Newcomers cost the server more than the people already there: handshakes, rosters, code that
 * V8 compiles. On a machine that the load generator shares, a group of them makes its ticks late,
 * and it refuses further ones as `server-busy` (docs/overload.md). That passes, because refusing is
 * cheap. So the load generator waits, and then sends one at a time until one was let in.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 */

/** Number of people who join at a time. */
const AT_ONCE = 8;

/** Time between two attempts at a busy server, in milliseconds. */
const BUSY_MS = 1000;

/**
 * Longest time without anybody let in, in milliseconds: busy then isn't a matter of newcomers, and
 * a join that is never answered holds up nothing.
 */
const PATIENCE_MS = 60_000;

/**
 * @template T
 * @param {readonly T[]} people
 * @param {(person: T) => Promise<unknown>} join  rejects with a `code`
 * @param {Clock} clock
 * @returns {Promise<void>} when all have joined, the first of them alone
 * @throws {Error} when one can't join, or nobody was let in for a minute
 */
export async function joinAll(people, join, clock) {
  const waiting = [...people];
  /** @type {Set<Promise<void>>} */
  const joining = new Set();
  let [joined, refusals] = [0, 0];
  let isBusy = false;
  const patience = new Patience(clock);
  const ask = async (/** @type {T} */ person) => {
    try {
      await join(person);
      joined += 1;
      isBusy = false;
      patience.renew();
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'server-busy') throw error;
      waiting.unshift(person);
      refusals += 1;
      isBusy = true;
    }
  };
  try {
    while (waiting.length > 0 || joining.size > 0) {
      const most = joined === 0 || isBusy ? 1 : AT_ONCE;
      while (waiting.length > 0 && joining.size < most) {
        const asked = ask(/** @type {T} */ (waiting.shift()));
        joining.add(asked);
        const forget = () => void joining.delete(asked);
        asked.then(forget, forget);
      }
      if (await patience.isOverBefore(Promise.race(joining)))
        throw new Error(
          `nobody was let in for ${PATIENCE_MS / 1000} s: ${joined} of ${people.length} are in, ` +
            `and the server was too busy for others ${refusals} times`,
        );
      if (isBusy) await new Promise((resolve) => void clock.setTimeout(() => resolve(0), BUSY_MS));
    }
  } finally {
    patience.close();
  }
}

/** Ends a minute after it was last renewed. */
class Patience {
  #clock;
  /** @type {unknown} */
  #timer = null;
  /** @type {() => void} */
  #end = () => {};
  #over = new Promise((resolve) => (this.#end = () => resolve(undefined)));
  #isOver = false;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
    this.renew();
  }

  renew() {
    this.close();
    this.#timer = this.#clock.setTimeout(() => {
      this.#isOver = true;
      this.#end();
    }, PATIENCE_MS);
  }

  /**
   * @param {Promise<void>} done
   * @returns {Promise<boolean>} true if it ended first; rejects as `done` does
   */
  async isOverBefore(done) {
    await Promise.race([done, this.#over]);
    return this.#isOver;
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}
