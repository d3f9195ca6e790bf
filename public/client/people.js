/**
 * @typedef {{ id: string, name: string, transport: string, muted: boolean, you: boolean }} Person
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
      default:
        return false;
    }
  }

  /** @param {any} person as the server describes one */
  #set(person) {
    if (typeof person?.id !== 'string') return false;
    const { id, name, transport, muted } = person;
    this.#people.set(id, {
      id,
      name: String(name),
      transport: String(transport),
      muted: Boolean(muted),
      you: id === this.#you,
    });
    return true;
  }

  /** @returns {{ people: Person[], you: string }} in the order in which they came */
  list() {
    return { people: [...this.#people.values()], you: this.#you };
  }
}
