/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { RoomState } from '../state/portable-state.js'
 *
 * @typedef {object} Watched  a room
 * @property {string} name
 * @property {{ state: () => RoomState }} view
 */

import { stackOf } from '../log.js';

/**
 * The time from a change until it is told, in milliseconds: what changes together is told together.
 */
const SOON_MS = 20;

/**
 * The least time between two tellings of one room, in milliseconds, and how many times as long as a
 * telling takes.
 */
const EVERY_MS = 250;
const COST_SHARE = 20;

/**
 * Tells the state of rooms that have changed, so that another thread can go on with them: soon, and
 * not too often.
 */
export class RoomWatch {
  #clock;
  #tell;
  #log;
  /**
   * Rooms that were told, or are about to be.
   * @type {Map<Watched, { timer: unknown, nextMs: number }>}
   */
  #rooms = new Map();

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {(state: RoomState) => void} options.tell
   * @param {Pick<Log, 'error'>} options.log
   */
  constructor({ clock, tell, log }) {
    this.#clock = clock;
    this.#log = log;
    this.#tell = tell;
  }

  /** @param {Watched} room */
  changed(room) {
    let watched = this.#rooms.get(room);
    if (!watched) this.#rooms.set(room, (watched = { timer: null, nextMs: -Infinity }));
    if (watched.timer !== null) return;
    const waitMs = Math.max(SOON_MS, watched.nextMs - this.#clock.now());
    watched.timer = this.#clock.setTimeout(() => this.#told(room), waitMs);
  }

  /** @param {Watched} room */
  #told(room) {
    const watched = this.#rooms.get(room);
    if (!watched) return;
    watched.timer = null;
    const startMs = this.#clock.now();
    try {
      this.#tell(room.view.state());
    } catch (error) {
      this.#log.error(`room ${room.name} can't be kept for another worker: ${stackOf(error)}`);
    }
    const endMs = this.#clock.now();
    watched.nextMs = endMs + Math.max(EVERY_MS, COST_SHARE * (endMs - startMs));
  }

  /** @param {Watched} room  that has ended */
  ended(room) {
    this.#clock.clearTimeout(this.#rooms.get(room)?.timer);
    this.#rooms.delete(room);
  }

  /** Idempotent. */
  close() {
    for (const { timer } of this.#rooms.values()) this.#clock.clearTimeout(timer);
    this.#rooms.clear();
  }
}
