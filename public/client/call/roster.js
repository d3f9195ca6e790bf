/**
 * @import { PersonFields } from '../../shared/messages/fields.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 */

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} label the name to show, with a number if another person has it too
 * @property {string} transport
 * @property {boolean} muted by own choice, by a moderator, or as a listener
 * @property {boolean} silenced  by a moderator: they can't undo it
 * @property {string} role       'moderator', 'speaker' or 'listener'
 * @property {number} hand       in the order in which they went up; 0 while it is down
 * @property {number} quality    of the connection: 0 unknown, 1 bad, 2 fair, 3 good
 * @property {boolean} recorded
 * @property {string} title      of their sound; empty without one
 * @property {string} owner      the id of the person whose shared sound this is; empty for people
 * @property {number} group      that they are in; 0: the room
 * @property {string} language   that they interpret into (BCP 47); empty for others
 * @property {boolean} away      the connection is lost, the place is kept
 * @property {number} waitMs the delay that everybody has because of this person's sound, in
 *   milliseconds; 0 for most
 * @property {number} laterMs by how much this person alone is heard later, in milliseconds; 0 for
 *   most
 * @property {boolean} you
 *
 * @typedef {ServerMessages['waited']['people'][number]} Waited
 *
 * @typedef {{ people: Person[], you: string, listeners: number }} PeopleList
 *   in the order in which they came, and the number of people who only listen
 */

/** The people in the room. Each change returns true when the list is a new one. */
export class Roster {
  /** @type {Map<string, Person>} */
  #people = new Map();
  #you = '';
  #listeners = 0;
  /**
   * Place in the list of people where the next request begins; null when all are known.
   * @type {string | null}
   */
  next = null;

  /** @param {ServerMessages['welcome']} message */
  begin({ you, people, next, waited, listeners }) {
    this.#you = String(you);
    this.#people.clear();
    this.setPage({ people, next });
    this.setWaited(waited);
    this.setListeners(listeners);
    return true;
  }

  /** @param {{ people?: unknown, next?: unknown }} page  a part of the list of people */
  setPage({ people, next }) {
    this.next = typeof next === 'string' ? next : null;
    return this.set(people);
  }

  /** @param {unknown} people  as the server describes them */
  set(people) {
    let changed = false;
    for (const person of /** @type {PersonFields[]} */ (listOf(people)))
      changed = this.#setOne(person) || changed;
    return changed;
  }

  /** @param {unknown} ids of people who left or became listeners; one's own id stays */
  delete(ids) {
    let changed = false;
    for (const id of listOf(ids))
      if (String(id) !== this.#you) changed = this.#people.delete(String(id)) || changed;
    return changed;
  }

  /** @param {unknown} count */
  setListeners(count) {
    const before = this.#listeners;
    this.#listeners = Number(count) || 0;
    return this.#listeners !== before;
  }

  /** @param {Partial<PersonFields> | null} person as the server describes one */
  #setOne(person) {
    if (typeof person?.id !== 'string') return false;
    const { id, name, label = name, role = 'speaker' } = person;
    const { waitMs = 0, laterMs = 0 } = this.#people.get(id) ?? {};
    this.#people.set(id, {
      id,
      name: String(name),
      label: String(label),
      transport: String(person.transport),
      muted: Boolean(person.muted),
      silenced: Boolean(person.silenced),
      role: String(role),
      hand: Number(person.hand) || 0,
      quality: Number(person.quality) || 0,
      recorded: Boolean(person.recorded),
      title: String(person.title ?? ''),
      owner: String(person.owner ?? ''),
      group: Number(person.group) || 0,
      language: String(person.language ?? ''),
      away: Boolean(person.away),
      waitMs,
      laterMs,
      you: id === this.#you,
    });
    return true;
  }

  /** @param {unknown} people  their ids, with the quality of the connection of each */
  setQualities(people) {
    let changed = false;
    for (const fields of /** @type {Partial<PersonFields>[]} */ (listOf(people)))
      changed = this.#update(fields?.id, { quality: Number(fields?.quality) || 0 }) || changed;
    return changed;
  }

  /**
   * @param {unknown} waited the people whose sound is late: all wait for it, or it is heard later
   */
  setWaited(waited) {
    if (!Array.isArray(waited)) return false;
    for (const id of this.#people.keys()) this.#update(id, { waitMs: 0, laterMs: 0 });
    for (const fields of /** @type {Partial<Waited>[]} */ (waited)) {
      const laterMs = Number(fields?.offsetMs) || 0;
      this.#update(fields?.id, { laterMs, waitMs: laterMs > 0 ? 0 : Number(fields?.delayMs) || 0 });
    }
    return true;
  }

  /**
   * Replaces a person, so that earlier lists stay unchanged.
   * @param {unknown} id
   * @param {Partial<Person>} changes
   */
  #update(id, changes) {
    const person = this.#people.get(String(id));
    if (person) this.#people.set(person.id, { ...person, ...changes });
    return person !== undefined;
  }

  /**
   * @param {number} number id modulo 2^16, as in packets
   * @returns {string | undefined} the id
   */
  idOf(number) {
    const id = String(number);
    if (this.#people.has(id)) return id;
    for (const longer of this.#people.keys())
      if ((Number(longer) & 0xffff) === number) return longer;
    return undefined;
  }

  /** Delay of the others' voices beyond the room's, in milliseconds: the median; mostly 0. */
  get laterMs() {
    const others = [...this.#people.values()].filter(
      ({ you, muted, away }) => !you && !muted && !away,
    );
    const delays = others.map(({ laterMs }) => laterMs).sort((a, b) => a - b);
    return delays[(delays.length - 1) >> 1] ?? 0;
  }

  /** @returns {PeopleList} */
  list() {
    return { people: [...this.#people.values()], you: this.#you, listeners: this.#listeners };
  }
}

/** @param {unknown} list @returns {unknown[]} */
const listOf = (list) => (Array.isArray(list) ? list : []);
