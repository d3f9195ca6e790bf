/** @import { Clock } from '../../public/shared/clock.js' */

import { createHash } from 'node:crypto';

/**
 * Time for which a room that isn't open keeps its worker after a request, in milliseconds. It is
 * longer than the time from request to join, so that two people who request one room meet in it.
 */
const ASKED_MS = 30_000;

/** Most rooms remembered in this way; the worker of further rooms follows from their name. */
const MOST_ASKED = 10_000;

/** Load of a room, in people: most of its people are still to come. */
const ROOM_WEIGHT = 3;

/** @typedef {{ worker: number, isOpen: boolean, untilMs: number }} Place */

/**
 * Assigns rooms to workers: the least loaded one gets a new room, and keeps it while it is open.
 */
export class Placement {
  #clock;
  #count;
  #peopleOf;
  /** By the room's name. @type {Map<string, Place>} */
  #places = new Map();
  /** Number of rooms of each worker. @type {number[]} */
  #rooms;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.workers
   * @param {(worker: number) => number} options.peopleOf people of a worker; Infinity for one
   *   that should get no rooms
   */
  constructor({ clock, workers, peopleOf }) {
    this.#clock = clock;
    this.#count = workers;
    this.#peopleOf = peopleOf;
    this.#rooms = Array(workers).fill(0);
  }

  /**
   * Number of rooms of a worker, including rooms that were only requested.
   * @param {number} worker
   */
  roomsOf(worker) {
    return this.#rooms[worker];
  }

  /** @param {string} room @returns {number | null} its worker; null without one */
  find(room) {
    return this.#places.get(room)?.worker ?? null;
  }

  /**
   * Returns the worker for a requested room.
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

  /** The least loaded worker. @returns {number} */
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

  /**
   * Names of a worker's open rooms.
   * @param {number} worker
   * @returns {string[]}
   */
  openAt(worker) {
    const open = [...this.#places].filter(([, place]) => place.isOpen && place.worker === worker);
    return open.map(([room]) => room);
  }

  /** @param {string} room @param {number} worker  that has opened it */
  opened(room, worker) {
    this.#put(room, { worker, isOpen: true, untilMs: this.#clock.now() + ASKED_MS });
  }

  /** @param {string} room  that has ended: a person may be about to join it again */
  ended(room) {
    const place = this.#places.get(room);
    if (place) place.isOpen = false;
  }

  /** Forgets rooms that aren't open and weren't requested lately. To be called at intervals. */
  sweep() {
    const now = this.#clock.now();
    for (const [room, { isOpen, untilMs }] of this.#places)
      if (!isOpen && untilMs <= now) this.#forget(room);
  }
}
