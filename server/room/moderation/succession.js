/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Member } from '../people/member.js'
 * @import { Roster } from '../people/roster.js'
 */

/** The time in which those come who had a place in the room on another node, in milliseconds. */
const TAKE_OVER_MS = 10_000;

/**
 * Chooses who moderates a room that has no moderator any more, and none by token: the speaker who has been there longest, of
 * those whom no moderator has muted.
 */
export class Succession {
  #roster;
  #clock;
  #told;
  /** Ends the time in which people of a room on another node come. @type {unknown} */
  #timer = null;

  /**
   * @param {object} options
   * @param {Roster} options.roster
   * @param {Clock} options.clock
   * @param {(heir: Member) => void} options.told  tells that somebody is a moderator now, whom others know already
   */
  constructor({ roster, clock, told }) {
    this.#roster = roster;
    this.#clock = clock;
    this.#told = told;
  }

  /** @param {Member} member  who has a place now */
  entered(member) {
    if (member.identity === null && this.#timer === null) this.#succeed(member);
  }

  /** @param {Member} member  who has left for good */
  left(member) {
    if (member.role === 'moderator' && this.#timer === null) this.#succeed(null);
  }

  /** Somebody had a place in this room on another node: its moderator may yet come, and nobody succeeds them before. */
  takenOver() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#succeed(null);
    }, TAKE_OVER_MS);
  }

  /** @param {Member | null} newcomer  who isn't known to others yet */
  #succeed(newcomer) {
    for (const { role } of this.#roster.present.values()) if (role === 'moderator') return;
    const people = this.#roster.everybody;
    if (people.some(({ role }) => role === 'moderator')) return;
    const heir = people.find(({ role, identity, away, silenced }) => role === 'speaker' && identity === null && !away && !silenced);
    if (!heir) return;
    heir.setRole('moderator');
    if (heir !== newcomer) this.#told(heir);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}
