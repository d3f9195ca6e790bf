/** How loud this person makes others, for themselves alone. The server holds it; who comes back may find others there. */
export class OwnVolumes {
  /** By the others' ids. @type {Map<string, number>} */
  #gains = new Map();
  #you = '';
  #send;

  /** @param {(person: string, gain: number) => void} send  tells the server, where there is a connection */
  constructor(send) {
    this.#send = send;
  }

  /**
   * A call begins.
   * @param {string} [you]  one's id, where it goes on from another tab
   * @param {[string, number][]} [gains]  of that tab
   */
  begin(you = '', gains = []) {
    this.#you = you;
    this.#gains = new Map(gains);
  }

  /** One's own id, and what is set, for another tab. */
  get place() {
    return { you: this.#you, volumes: [...this.#gains] };
  }

  /**
   * @param {string} person
   * @returns {number} 1: as everybody hears them
   */
  of(person) {
    return this.#gains.get(person) ?? 1;
  }

  /**
   * @param {string} person
   * @param {number} gain
   */
  set(person, gain) {
    this.#gains.set(person, gain);
    this.#send(person, gain);
  }

  /** @param {string} you one's id: another one than before means other ids for all, and nobody's volume is set */
  follow(you) {
    if (you !== this.#you) this.#gains.clear();
    this.#you = you;
  }

  /** There is a connection: what was set without one is told now. */
  tell() {
    for (const [person, gain] of this.#gains) this.#send(person, gain);
  }
}
