/**
 * @typedef {'person' | 'program' | 'shared'} Kind  a person; a program that came by the room's
 *   stream key; somebody's shared sound
 *
 * @typedef {object} Restrained  a person whose rights a moderator has limited
 * @property {string | null} identity  the `sub` of their token; null without one
 * @property {string | null} network   null for this machine
 * @property {Kind} kind
 * @property {boolean} silenced        true when they can't unmute themselves
 * @property {boolean} lowered         true when a moderator made them a listener
 */

/** Most people remembered; after that the first who left is forgotten. */
const MOST = 200;

/**
 * Remembers the limits that a room's moderators set on people who have left, so that rejoining
 * lifts nothing. A person with a token is recognized by it. Without one the next person from the
 * same network inherits the limits. A program inherits a program's, and a shared sound a shared
 * sound's.
 */
export class Restraints {
  /** In the order in which they left. @type {Readonly<Restrained>[]} */
  #left = [];

  /** The newest entries, for other threads and nodes. @param {number} most */
  state(most) {
    return this.#left.slice(-most).map((person) => ({ ...person }));
  }

  /** Adds entries of another thread or node. @param {readonly Restrained[]} people */
  restore(people) {
    for (const person of people) {
      const isKnown = this.#left.some(
        (other) =>
          other.identity === person.identity &&
          other.network === person.network &&
          other.kind === person.kind,
      );
      if (!isKnown) this.left(person);
    }
  }

  /** Remembers a person who has left for good. @param {Restrained} person */
  left({ identity, network, kind, silenced, lowered }) {
    if (identity !== null) this.#left = this.#left.filter((other) => other.identity !== identity);
    if ((!silenced && !lowered) || (identity === null && network === null)) return;
    this.#left.push({ identity, network, kind, silenced, lowered });
    if (this.#left.length > MOST) this.#left.shift();
  }

  /**
   * Returns the limits to restore for a person who joins. An entry of a network counts once.
   * @param {Pick<Restrained, 'identity' | 'network' | 'kind'>} person
   * @param {Iterable<Restrained>} present  everybody else in the room
   * @returns {{ silenced: boolean, lowered: boolean } | null} null without limits
   */
  came({ identity, network, kind }, present) {
    if (identity !== null) {
      const isSame = (/** @type {Restrained} */ other) =>
        other.identity === identity && (other.silenced || other.lowered);
      return this.#left.find(isSame) ?? [...present].find(isSame) ?? null;
    }
    const at = this.#left.findIndex(
      (other) =>
        other.identity === null &&
        network !== null &&
        other.network === network &&
        other.kind === kind,
    );
    return at < 0 ? null : this.#left.splice(at, 1)[0];
  }
}
