/**
 * @typedef {object} Restrained  somebody of whom moderators have taken something
 * @property {string | null} identity  the `sub` of their token; null without one
 * @property {string | null} network   where they come from; null for this machine
 * @property {boolean} silenced        they can't unmute themselves
 * @property {boolean} lowered         they were made a listener
 */

/** The most who are remembered: beyond them those who left first are forgotten. */
const MOST = 200;

/**
 * What moderators of a room have taken from those who have left: who comes again has it no more
 * than before. Somebody with a token is known by it. Without one they are known by their network,
 * as the next who comes from there.
 */
export class Restraints {
  /** The one who left last is the last. @type {Readonly<Restrained>[]} */
  #left = [];

  /** The last of them, for other threads and nodes. @param {number} most */
  state(most) {
    return this.#left.slice(-most).map((person) => ({ ...person }));
  }

  /** Takes over those of another thread or node. @param {readonly Restrained[]} people */
  restore(people) {
    for (const person of people) {
      const isKnown = this.#left.some(
        (other) => other.identity === person.identity && other.network === person.network,
      );
      if (!isKnown) this.left(person);
    }
  }

  /** Somebody has left for good. @param {Restrained} person */
  left({ identity, network, silenced, lowered }) {
    if (identity !== null) this.#left = this.#left.filter((other) => other.identity !== identity);
    if ((!silenced && !lowered) || (identity === null && network === null)) return;
    this.#left.push({ identity, network, silenced, lowered });
    if (this.#left.length > MOST) this.#left.shift();
  }

  /**
   * Somebody has come.
   * @param {{ identity: string | null, network: string | null }} person
   * @param {Iterable<Restrained>} present  the others who are there
   * @returns {{ silenced: boolean, lowered: boolean } | null} what was taken from them; null where
   *   nothing was
   */
  came({ identity, network }, present) {
    if (identity !== null) {
      const isSame = (/** @type {Restrained} */ other) =>
        other.identity === identity && (other.silenced || other.lowered);
      return this.#left.find(isSame) ?? [...present].find(isSame) ?? null;
    }
    const at = this.#left.findIndex(
      (other) => other.identity === null && network !== null && other.network === network,
    );
    return at < 0 ? null : this.#left.splice(at, 1)[0];
  }
}
