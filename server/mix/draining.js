/**
 * @import { Participant } from '../room/member.js'
 * @import { RoomSettings } from '../room/room-config.js'
 */

/** What the delay may still rise while somebody's last words wait, in milliseconds. */
const MARGIN_MS = 100;

/**
 * Those who are out of the room while what they said still waits to be mixed: a session that ends in the middle of
 * a word mustn't take from the others what had come of it.
 */
export class Endings {
  #settings;
  #onEnded;
  /** @type {Map<Participant, { timer: unknown, then: () => void }>} */
  #endings = new Map();

  /**
   * @param {Pick<RoomSettings, 'clock' | 'sampleClock' | 'format'>} settings
   * @param {(person: Participant) => void} onEnded  nothing waits any more: called once for each
   */
  constructor(settings, onEnded) {
    this.#settings = settings;
    this.#onEnded = onEnded;
  }

  /** @returns {Iterable<Participant>} */
  get people() {
    return this.#endings.keys();
  }

  /**
   * @param {Participant} person who is out of the room
   * @param {number} delayMs how long after its time it is mixed at most
   */
  add(person, delayMs) {
    if (this.#endings.has(person)) return;
    const { clock, sampleClock, format } = this.#settings;
    const { endsWith } = person.sound;
    const left = (endsWith + 1) * format.frameSamples - sampleClock.now();
    const ms = endsWith < 0 ? 0 : (left * 1000) / format.sampleRate + delayMs + MARGIN_MS;
    if (!(ms > 0)) return this.#onEnded(person);
    this.#endings.set(person, { timer: clock.setTimeout(() => this.#end(person), ms), then: () => {} });
  }

  /**
   * @param {Participant} person
   * @param {() => void} then  done when nothing waits any more, or at once
   */
  after(person, then) {
    const ending = this.#endings.get(person);
    if (ending) ending.then = then;
    else then();
  }

  /** @param {Participant} person */
  #end(person) {
    const ending = this.#endings.get(person);
    if (!ending) return;
    this.#settings.clock.clearTimeout(ending.timer);
    this.#endings.delete(person);
    ending.then();
    this.#onEnded(person);
  }

  /** Ends all. Idempotent. */
  close() {
    for (const person of [...this.#endings.keys()]) this.#end(person);
  }
}
