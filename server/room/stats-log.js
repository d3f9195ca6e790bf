/**
 * @import { Log } from '../log.js'
 * @import { Participant } from './member.js'
 * @import { RoomDelay } from '../clock/room-delay.js'
 *
 * @typedef {Pick<Log, 'info'> & Partial<Pick<Log, 'debug'>>} StatsLines  debug where those lines are wanted
 */

/** How often everybody's figures are written at the level `debug`. */
const EVERY_SECONDS = 10;

/** Writes how the people of a room are received, one line each: JSON behind a few words. */
export class StatsLog {
  #log;
  #room;
  #delay;
  #seconds = 0;

  /**
   * @param {StatsLines | undefined} log  nothing is written without one
   * @param {string} room
   * @param {RoomDelay} delay the room's
   */
  constructor(log, room, delay) {
    this.#log = log;
    this.#room = room;
    this.#delay = delay;
  }

  /** @param {Participant} participant whose session has ended; it still has its figures */
  ended(participant) {
    this.#log?.info(`session ended ${this.#line(participant)}`);
  }

  /**
   * To be called once a second.
   * @param {Iterable<Participant>} people
   */
  endSecond(people) {
    this.#seconds += 1;
    if (!this.#log?.debug || this.#seconds % EVERY_SECONDS !== 0) return;
    for (const person of people) this.#log.debug(`session ${this.#line(person)}`);
  }

  /**
   * Names are left out: a log is kept for longer than people may like.
   * @param {Participant} person
   */
  #line(person) {
    const { id, session, delivery } = person;
    const stats = { ...this.#delay.statsOf(person), connection: session.stats() };
    const figures = { room: this.#room, id, transport: session.transport.name, delivery, ...stats };
    return JSON.stringify(figures, (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value));
  }
}
