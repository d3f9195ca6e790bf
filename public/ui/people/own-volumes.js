/** One's own volumes of the others. The server applies them, so they are sent again after each connection. */
export class OwnVolumes {
  /** By the others' ids. @type {Map<string, number>} */
  #gains = new Map();
  #you = '';
  #send;

  /** @param {(person: string, gain: number) => void} send  sends a volume, if there is a connection */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Begins a call.
   * @param {string} [you]  one's id, if the call continues from another tab
   * @param {[string, number][]} [gains]  the volumes of that tab
   */
  begin(you = '', gains = []) {
    this.#you = you;
    this.#gains = new Map(gains);
  }

  /** One's own id and the volumes, for another tab that continues the call. */
  get place() {
    return { you: this.#you, volumes: [...this.#gains] };
  }

  /**
   * @param {string} person
   * @returns {number} 1 is the volume for everybody
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

  /** @param {string} you one's own id; if it has changed, so have the others', and the volumes are cleared */
  follow(you) {
    if (you !== this.#you) this.#gains.clear();
    this.#you = you;
  }

  /** Sends all volumes, over a new connection. */
  sendAll() {
    for (const [person, gain] of this.#gains) this.#send(person, gain);
  }
}
