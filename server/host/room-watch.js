/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { RoomState } from '../state/portable-state.js'
 *
 * @typedef {object} Watched  a room
 * @property {string} name
 * @property {() => RoomState} state
 */

import { stackOf } from '../log.js';

/** Time from a change to its report, in milliseconds: changes within it share one report. */
const SOON_MS = 20;

/**
 * Shortest time between two reports of one room, in milliseconds, and as a multiple of a report's
 * own time.
 */
const EVERY_MS = 250;
const COST_SHARE = 20;

/**
 * Reports the state of rooms that have changed, so that another thread can reopen them: soon, and
 * not too often.
 */
export class RoomWatch {
  #clock;
  #tell;
  #log;
  /**
   * Rooms that were reported, or are about to be.
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
      this.#tell(room.state());
    } catch (error) {
      this.#log.error(
        { event: 'room-not-kept', room: room.name, error: stackOf(error) },
        'state of a room could not be kept for another worker',
      );
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
