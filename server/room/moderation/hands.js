/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Member } from '../people/member.js'
 */

/**
 * The shortest time between two messages about hands, in milliseconds, and the most hands in one.
 */
const TELL_EVERY_MS = 500;
const MOST_TOLD = 50;

/**
 * The raised hands of those who only listen, of whom moderators alone are told, the first to go up
 * first.
 */
export class Hands {
  /** @type {Map<string, Member>} */
  #raised = new Map();
  #clock;
  #tell;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {(message: object) => void} options.tell  tells the moderators
   */
  constructor({ clock, tell }) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** How many are up. */
  get size() {
    return this.#raised.size;
  }

  /** @param {Member} member  who has raised their hand, or lowered it */
  moved(member) {
    if (member.hand === 0) return this.left(member);
    this.#raised.set(member.id, member);
    this.#later();
  }

  /** @param {Member} member  who has gone, or is none of the audience any more */
  left(member) {
    if (this.#raised.delete(member.id)) this.#later();
  }

  /** The message to moderators. */
  get message() {
    const first = [...this.#raised.values()].sort((a, b) => a.hand - b.hand).slice(0, MOST_TOLD);
    return {
      type: 'hands',
      count: this.size,
      people: first.map(({ id, label, hand }) => ({ id, label, hand })),
    };
  }

  #later() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#tell(this.message);
    }, TELL_EVERY_MS);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#raised.clear();
  }
}
