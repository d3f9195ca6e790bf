/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { RoomEvents } from '../room.js'
 */

/** Time for people who had a place on another node to come, in milliseconds. */
const TAKE_OVER_MS = 10_000;

/**
 * Time within which a newcomer who was chosen gives the role back to a moderator who comes from
 * another node, in milliseconds.
 */
const GIVE_BACK_MS = 60_000;

/**
 * Chooses a moderator for a room that has lost its last one, and whose people have no tokens. It is
 * the longest-present speaker, unless a moderator had muted them. A room from another node first
 * waits for its people. In the first ten seconds nobody is chosen, and after that only a person who
 * had a place.
 */
export class Succession {
  #people;
  #clock;
  #events;
  /** Ends the time in which people of a room on another node come. @type {unknown} */
  #timer = null;
  /** Ends the time in which a newcomer can't become moderator. @type {unknown} */
  #expectation = null;
  #hasExpected = false;
  #untilMs = -Infinity;
  /** Ids of people who had a place on another node. @type {Set<string>} */
  #known = new Set();
  /** Time at which each newcomer was chosen, on the monotonic clock. @type {Map<string, number>} */
  #heirs = new Map();

  /**
   * @param {object} options
   * @param {People} options.people
   * @param {Clock} options.clock
   * @param {RoomEvents} options.events
   */
  constructor({ people, clock, events }) {
    this.#people = people;
    this.#clock = clock;
    this.#events = events;
  }

  /** True while people of another node are expected. */
  get waits() {
    return this.#expectation !== null;
  }

  /** Time for which they are still expected, in milliseconds; 0: nobody is. */
  get waitsMs() {
    return this.waits ? Math.max(0, this.#untilMs - this.#clock.now()) : 0;
  }

  /**
   * Expects the people of a room that is taken over from another node. Only the first call counts.
   * @param {number} ms in which they may come
   */
  expect(ms) {
    if (this.#hasExpected || ms === 0) return;
    this.#hasExpected = true;
    this.#untilMs = this.#clock.now() + ms;
    this.#wait();
    this.#expectation = this.#clock.setTimeout(() => {
      this.#expectation = null;
      if (this.#timer === null) this.#succeed(null);
      this.#events.emit('emptied');
    }, ms);
  }

  /** @param {Member} member */
  entered(member) {
    if (member.identity === null && this.#timer === null) this.#succeed(member);
  }

  /** @param {Member} member */
  left(member) {
    this.#heirs.delete(member.id);
    if (member.role === 'moderator' && this.#timer === null) this.#succeed(null);
  }

  /**
   * Notes a member from another node: its moderator may yet come.
   * @param {Member} member
   */
  takenOver(member) {
    this.#known.add(member.id);
    this.#wait();
    if (member.role === 'moderator') this.#giveBack();
  }

  /**
   * Takes the role from newcomers who were chosen before this node knew that the room has a
   * moderator.
   */
  #giveBack() {
    const since = this.#clock.now() - GIVE_BACK_MS;
    for (const [id, chosenMs] of this.#heirs) {
      const heir = this.#people.find(id);
      if (heir?.role !== 'moderator' || chosenMs < since) continue;
      heir.setRole('speaker');
      this.#people.decide(heir, { role: 'speaker' });
      this.#events.emit('chosen', heir);
    }
    this.#heirs.clear();
  }

  #wait() {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#succeed(null);
    }, TAKE_OVER_MS);
  }

  /** @param {Member | null} newcomer  not announced to others yet */
  #succeed(newcomer) {
    for (const { role } of this.#people.present.values()) if (role === 'moderator') return;
    const people = this.#people.everybody;
    if (people.some(({ role }) => role === 'moderator')) return;
    const heir = people.find(
      (person) => mayInherit(person) && (!this.waits || this.#known.has(person.id)),
    );
    if (!heir) return;
    if (!this.#known.has(heir.id)) this.#heirs.set(heir.id, this.#clock.now());
    heir.setRole('moderator');
    if (heir !== newcomer) this.#events.emit('chosen', heir);
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
