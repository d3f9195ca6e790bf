/** @import { Clock } from '../../public/shared/clock.js' */

import { createHash } from 'node:crypto';

/**
 * How long a room that isn't open keeps its worker after somebody has asked for it, in
 * milliseconds: longer than a session may take from asking to joining, so that two who ask for one
 * room are never in two.
 */
const ASKED_MS = 30_000;

/** The most rooms that are kept so: the worker of those beyond them follows from the name. */
const MOST_ASKED = 10_000;

/**
 * A room counts for as much load as this many people, since those who will come aren't there yet.
 */
const ROOM_WEIGHT = 3;

/** @typedef {{ worker: number, isOpen: boolean, untilMs: number }} Place */

/**
 * Which worker has which room: the least loaded one gets a new room, and keeps it while it lives.
 */
export class Placement {
  #clock;
  #count;
  #peopleOf;
  /** By the room's name. @type {Map<string, Place>} */
  #places = new Map();
  /** How many of the rooms each worker has. @type {number[]} */
  #rooms;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.workers
   * @param {(worker: number) => number} options.peopleOf how many people a worker has; Infinity
   *   where it should get no rooms
   */
  constructor({ clock, workers, peopleOf }) {
    this.#clock = clock;
    this.#count = workers;
    this.#peopleOf = peopleOf;
    this.#rooms = Array(workers).fill(0);
  }

  /**
   * How many rooms a worker has, those included that somebody has only asked for.
   * @param {number} worker
   */
  roomsOf(worker) {
    return this.#rooms[worker];
  }

  /** @param {string} room @returns {number | null} the worker that has it; null where none does */
  find(room) {
    return this.#places.get(room)?.worker ?? null;
  }

  /**
   * The worker for a room that somebody asks for.
   * @param {string} room its name
   * @returns {number}
   */
  place(room) {
    const untilMs = this.#clock.now() + ASKED_MS;
    const found = this.#places.get(room);
    if (found) {
      found.untilMs = untilMs;
      return found.worker;
    }
    if (this.#places.size >= MOST_ASKED) this.sweep();
    if (this.#places.size >= MOST_ASKED) return this.#byName(room);
    const worker = this.least();
    this.#put(room, { worker, isOpen: false, untilMs });
    return worker;
  }

  /** The worker with the least to do. @returns {number} */
  least() {
    let least = 0;
    const load = (/** @type {number} */ worker) =>
      this.#peopleOf(worker) + ROOM_WEIGHT * this.#rooms[worker];
    for (let worker = 1; worker < this.#count; worker++)
      if (load(worker) < load(least)) least = worker;
    return least;
  }

  /** @param {string} room @param {Place} place */
  #put(room, place) {
    this.#forget(room);
    this.#places.set(room, place);
    this.#rooms[place.worker] += 1;
  }

  /** @param {string} room */
  #forget(room) {
    const place = this.#places.get(room);
    if (!place) return;
    this.#rooms[place.worker] -= 1;
    this.#places.delete(room);
  }

  /** @param {string} room */
  #byName(room) {
    return createHash('sha256').update(room).digest().readUInt32BE() % this.#count;
  }

  /** @param {string} room @param {number} worker  in which it has been opened */
  opened(room, worker) {
    this.#put(room, { worker, isOpen: true, untilMs: this.#clock.now() + ASKED_MS });
  }

  /** @param {string} room  that has ended: somebody may be about to join it all the same */
  ended(room) {
    const place = this.#places.get(room);
    if (place) place.isOpen = false;
  }

  /**
   * Forgets the rooms that are not open, and that nobody has asked for lately. To be called now and
   * then.
   */
  sweep() {
    const now = this.#clock.now();
    for (const [room, { isOpen, untilMs }] of this.#places)
      if (!isOpen && untilMs <= now) this.#forget(room);
  }
}
