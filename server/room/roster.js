/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Participant } from './member.js'
 */

import { labelFor } from './label.js';
import { Places } from './places.js';

/** Who is in a room, and whose place there waits for them. */
export class People {
  /** @type {Map<string, Participant>} */
  #present = new Map();
  #places;
  #nextId = 1;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} [options.awayMs]  how long a place waits for its holder
   * @param {(participant: Participant) => void} options.onFreed  the holder of a place has been away for so long
   */
  constructor(options) {
    this.#places = new Places(options);
  }

  /** Those who are in the room, by id, as they come and go. @returns {ReadonlyMap<string, Participant>} */
  get present() {
    return this.#present;
  }

  /** How many have a place, away or not. */
  get size() {
    return this.#present.size + this.#places.away.size;
  }

  /** All who have a place, in the order in which they came. */
  get everybody() {
    return [...this.#present.values(), ...this.#places.away].sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** An id that nobody has had. */
  nextId() {
    return String(this.#nextId++);
  }

  /**
   * @param {string | undefined} token
   * @returns {Participant | null} whose place it is; null when it is nobody's
   */
  holder(token) {
    return this.#places.holder(token);
  }

  /**
   * @param {Participant} participant  comes in, or back to the place
   * @param {string} [token]  of the place that it comes back to
   * @returns {string} the place's token
   */
  enter(participant, token) {
    if (token === undefined) participant.label = labelFor(participant.name, this.everybody);
    const taken = this.#places.take(participant, token);
    this.#present.set(participant.id, participant);
    return taken;
  }

  /**
   * @param {Participant} participant
   * @returns {boolean} false when it was out, or its place another's, already
   */
  takeOut(participant) {
    return this.#present.get(participant.id) === participant && this.#present.delete(participant.id);
  }

  /** @param {Participant} participant who was taken out, and whose place waits */
  wait(participant) {
    participant.away = true;
    this.#places.wait(participant);
  }

  /** @param {Participant} participant who was taken out, and doesn't come back */
  free({ id }) {
    this.#places.free(id);
  }

  /**
   * @param {object} message
   * @param {Participant} [except]
   */
  tell(message, except) {
    for (const person of this.#present.values()) {
      if (person !== except) person.session.sendControl(message);
    }
  }

  /**
   * Tells everybody what others are told of somebody.
   * @param {Participant} participant
   */
  changed(participant) {
    this.tell({ type: 'changed', person: participant.describe() });
  }

  /** Nobody is in any more, and no place waits. Idempotent. */
  clear() {
    this.#present.clear();
    this.#places.close();
  }
}
