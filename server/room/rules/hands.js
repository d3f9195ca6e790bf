/**
 * @import { ServerMessages } from '../../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 */

/** Shortest time between two messages about hands, in milliseconds, and most hands in one. */
const TELL_EVERY_MS = 500;
const MOST_TOLD = 50;

/** Raised hands of the audience, for moderators alone, in the order of raising. */
export class Hands {
  /** @type {Map<string, Member>} */
  #raised = new Map();
  #clock;
  #people;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {Clock} clock
   * @param {Pick<People, 'tellModerators'>} people
   */
  constructor(clock, people) {
    this.#clock = clock;
    this.#people = people;
  }

  /** Number of raised hands. */
  get size() {
    return this.#raised.size;
  }

  /** @param {Member} member  with a new hand, or a new part in the audience */
  moved(member) {
    if (member.hand === 0 || !member.isLight) return this.left(member);
    this.#raised.set(member.id, member);
    this.#later();
  }

  /** @param {Member} member */
  left(member) {
    if (this.#raised.delete(member.id)) this.#later();
  }

  /** Message to moderators. @returns {ServerMessages['hands']} */
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
      this.#people.tellModerators(this.message);
    }, TELL_EVERY_MS);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#raised.clear();
  }
}
