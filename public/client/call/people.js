/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} label      what to show: the name, with a number where another has it too
 * @property {string} transport
 * @property {boolean} muted
 * @property {number} hand       in the order in which they went up; 0 while it is down
 * @property {number} quality    of the connection: 0 unknown, 1 bad, 2 fair, 3 good
 * @property {boolean} recorded
 * @property {boolean} away      the connection is lost, the place is kept
 * @property {boolean} you
 */

/** Who is in the room, by what the server tells. */
export class People {
  /** @type {Map<string, Person>} */
  #people = new Map();
  #you = '';

  /**
   * @param {Record<string, any>} message a control message of the server
   * @returns {boolean} whether anything about the people has changed
   */
  update(message) {
    switch (message.type) {
      case 'welcome':
        this.#you = String(message.you);
        this.#people.clear();
        if (Array.isArray(message.people)) for (const person of message.people) this.#set(person);
        return true;
      case 'joined':
      case 'changed':
        return this.#set(message.person);
      case 'left':
        return this.#people.delete(String(message.id));
      case 'qualities':
        return Array.isArray(message.people) && this.#setQualities(message.people);
      default:
        return false;
    }
  }

  /** @param {any} person as the server describes one */
  #set(person) {
    if (typeof person?.id !== 'string') return false;
    const { id, name, label = name, transport, muted, hand, quality, recorded, away } = person;
    this.#people.set(id, {
      id,
      name: String(name),
      label: String(label),
      transport: String(transport),
      muted: Boolean(muted),
      hand: Number(hand) || 0,
      quality: Number(quality) || 0,
      recorded: Boolean(recorded),
      away: Boolean(away),
      you: id === this.#you,
    });
    return true;
  }

  /** @param {any[]} qualities */
  #setQualities(qualities) {
    let changed = false;
    for (const told of qualities) {
      const person = this.#people.get(String(told?.id));
      if (!person) continue;
      person.quality = Number(told.quality) || 0;
      changed = true;
    }
    return changed;
  }

  /**
   * @param {number} number an id modulo 2^16, as packets have it
   * @returns {string | undefined} the id
   */
  idOf(number) {
    const id = String(number);
    if (this.#people.has(id)) return id;
    for (const longer of this.#people.keys()) if ((Number(longer) & 0xffff) === number) return longer;
    return undefined;
  }

  /** @returns {{ people: Person[], you: string }} in the order in which they came */
  list() {
    return { people: [...this.#people.values()], you: this.#you };
  }
}
