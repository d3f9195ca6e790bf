/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Member } from '../people/member.js'
 * @import { Roster } from '../people/roster.js'
 */

/** The time in which those come who had a place in the room on another node, in milliseconds. */
const TAKE_OVER_MS = 10_000;

/**
 * A newcomer who was chosen gives the role back to a moderator who comes from another node within
 * this, in milliseconds.
 */
const GIVE_BACK_MS = 60_000;

/**
 * Chooses who moderates a room that has no moderator any more, and none by token: the speaker who
 * has been there longest, of those whom no moderator has muted. A room that is taken over from
 * another node waits for its people: in the first ten seconds nobody is chosen, and then only
 * people who had a place.
 */
export class Succession {
  #roster;
  #clock;
  #told;
  #waited;
  /** Ends the time in which people of a room on another node come. @type {unknown} */
  #timer = null;
  /** Ends the time in which a newcomer can't become moderator. @type {unknown} */
  #expectation = null;
  #hasExpected = false;
  #untilMs = -Infinity;
  /** Ids of people who had a place on another node. @type {Set<string>} */
  #known = new Set();
  /** Newcomers who were chosen, and when, on the monotonic clock. @type {Map<string, number>} */
  #heirs = new Map();

  /**
   * @param {object} options
   * @param {Roster} options.roster
   * @param {Clock} options.clock
   * @param {(heir: Member) => void} options.told tells that somebody has another role now, whom
   *   others know already
   * @param {() => void} options.waited  nobody is waited for any more
   */
  constructor({ roster, clock, told, waited }) {
    this.#roster = roster;
    this.#clock = clock;
    this.#told = told;
    this.#waited = waited;
  }

  /** Whether people of another node are waited for. */
  get waits() {
    return this.#expectation !== null;
  }

  /** For how long they are waited for still, in milliseconds; 0: nobody is. */
  get waitsMs() {
    return this.waits ? Math.max(0, this.#untilMs - this.#clock.now()) : 0;
  }

  /**
   * The room is taken over from another node. Once is enough.
   * @param {number} ms in which its people may come
   */
  expect(ms) {
    if (this.#hasExpected || ms === 0) return;
    this.#hasExpected = true;
    this.#untilMs = this.#clock.now() + ms;
    this.#wait();
    this.#expectation = this.#clock.setTimeout(() => {
      this.#expectation = null;
      if (this.#timer === null) this.#succeed(null);
      this.#waited();
    }, ms);
  }

  /** @param {Member} member  who has a place now */
  entered(member) {
    if (member.identity === null && this.#timer === null) this.#succeed(member);
  }

  /** @param {Member} member  who has left for good */
  left(member) {
    this.#heirs.delete(member.id);
    if (member.role === 'moderator' && this.#timer === null) this.#succeed(null);
  }

  /**
   * @param {Member} member who had a place in this room on another node: its moderator may yet come
   */
  takenOver(member) {
    this.#known.add(member.id);
    this.#wait();
    if (member.role === 'moderator') this.#giveBack();
  }

  /**
   * A moderator of the room has come, of which this node knew nothing when it opened the room for a
   * newcomer.
   */
  #giveBack() {
    const since = this.#clock.now() - GIVE_BACK_MS;
    for (const [id, chosenMs] of this.#heirs) {
      const heir = this.#roster.find(id);
      if (heir?.role !== 'moderator' || chosenMs < since) continue;
      heir.setRole('speaker');
      this.#roster.decide(heir, { role: 'speaker' });
      this.#told(heir);
    }
    this.#heirs.clear();
  }

  #wait() {
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
    const heir = people.find(
      (person) => mayInherit(person) && (!this.waits || this.#known.has(person.id)),
    );
    if (!heir) return;
    if (!this.#known.has(heir.id)) this.#heirs.set(heir.id, this.#clock.now());
    heir.setRole('moderator');
    if (heir !== newcomer) this.#told(heir);
  }

  /** Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.#clock.clearTimeout(this.#expectation);
  }
}

/** @param {Member} person */
const mayInherit = ({ role, identity, away, silenced }) =>
  role === 'speaker' && identity === null && !away && !silenced;
