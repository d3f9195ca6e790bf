/**
 * A listener's setting for another person.
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall } from '../call/current-call.js'
 *
 * How one hears another.
 * @typedef {{ gain: number, pan: number }} Volume gain: 1 is the volume for everybody; pan: from
 *   -1, on the left, to 1, in a stereo room
 */

/** @type {Readonly<Volume>} */
const AS_EVERYBODY = Object.freeze({ gain: 1, pan: 0 });

/**
 * This person's volumes of the others. The server applies them, so each new connection sends them
 * again.
 */
export class OwnVolumes {
  /** By the others' ids. @type {Map<string, Volume>} */
  #volumes = new Map();
  #you = '';
  #current;
  /** The join after which the volumes were sent. @type {CallView['joined']} */
  #sent = null;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#current = current;
    current.store.subscribe(['you', 'joined', 'state'], ({ you, joined, state }) => {
      if (you !== '') this.#follow(you);
      if (state !== 'joined' || joined === this.#sent) return;
      this.#sent = joined;
      for (const [person, volume] of this.#volumes) this.#send(person, volume);
    });
  }

  /**
   * Begins a call.
   * @param {string} [you] this person's id, if the call continues from another tab
   * @param {[string, Volume][]} [volumes] from that tab
   */
  begin(you = '', volumes = []) {
    this.#you = you;
    this.#volumes = new Map(volumes);
  }

  /** This person's id and the volumes, for another tab that continues the call. */
  get place() {
    return { you: this.#you, volumes: [...this.#volumes] };
  }

  /**
   * @param {string} person
   * @returns {Volume}
   */
  of(person) {
    return this.#volumes.get(person) ?? AS_EVERYBODY;
  }

  /**
   * @param {string} person
   * @param {Volume} volume
   */
  set(person, volume) {
    this.#volumes.set(person, volume);
    this.#send(person, volume);
  }

  /**
   * @param {string} you this person's id; a new one means that all ids are new, and clears the
   *   volumes
   */
  #follow(you) {
    if (you !== this.#you) this.#volumes.clear();
    this.#you = you;
  }

  /** @param {string} person @param {Volume} volume */
  #send(person, volume) {
    this.#current.send({ type: 'volume', person, ...volume });
  }
}
