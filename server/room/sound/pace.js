/**
 * @import { RoomConfig, RoomOwner, RoomServices } from '../room-config.js'
 */

import { TickLateness } from '../../clock/lateness-histogram.js';
import { TickLoad } from '../../clock/load-shares.js';

/**
 * Greatest weight of a room that keeps its replies on an overloaded server, in milliseconds a
 * second.
 */
const MAX_REPLY_MS = 200;

/**
 * The pace of a room: lateness of its mixes, its cost, and the work that it leaves out under
 * overload.
 */
export class RoomPace {
  #ticks;
  #isBusy;
  #lateness = new TickLateness();
  #places;
  #shedReplies = 0;

  /** Cost of the room. */
  load = new TickLoad();

  /**
   * @param {Pick<RoomConfig, 'maxSpeakers'>} config
   * @param {Pick<RoomServices, 'ticks'>} services
   * @param {Pick<RoomOwner, 'totals' | 'isBusy'>} owner
   */
  constructor({ maxSpeakers }, { ticks }, { totals, isBusy }) {
    this.#ticks = ticks;
    this.#isBusy = isBusy;
    this.#places = new SpeakerPlaces(maxSpeakers);
    /** Figures of all rooms. */
    this.totals = totals;
  }

  /** Number of speakers that are mixed now. */
  get places() {
    return this.#places.now;
  }

  get reduced() {
    return this.#places.reduced;
  }

  get shedReplies() {
    return this.#shedReplies;
  }

  /**
   * Notes a tick.
   * @param {number} latenessMs
   * @returns {boolean} true when the number of places has changed
   */
  ticked(latenessMs) {
    this.#lateness.add(latenessMs);
    this.totals.ticks.add(latenessMs);
    return this.#places.note(latenessMs);
  }

  /**
   * Decides whether a packet is answered. A missing reply is a gap, so it is the last resort: only
   * while newcomers are refused, and only in a heavy room.
   */
  mayReply() {
    if (this.load.weight <= MAX_REPLY_MS || !this.#ticks.overloaded || !this.#isBusy()) return true;
    this.#shedReplies += 1;
    return false;
  }

  describe() {
    return {
      ...this.#lateness.describe(),
      places: this.#places.now,
      shedReplies: this.#shedReplies,
    };
  }
}

/** Lateness from which a mixed frame counts as late, in milliseconds. */
const LATE_MS = 40;

/** Number of frames in a window, and number of late ones among them that takes places away. */
const WINDOW_FRAMES = 25;
const MOST_LATE = 8;

/** Number of windows in a row without a late frame that gives places back. */
const CALM_WINDOWS = 10;

/** Places that a room keeps however late it is: a conversation has no more speakers. */
const LEAST_PLACES = 4;

/**
 * Number of speakers that a room mixes. It is halved repeatedly while mixes are late, so the load
 * falls and the loudest speakers are heard in time.
 */
export class SpeakerPlaces {
  #most;
  #least;
  #frames = 0;
  #late = 0;
  #calm = 0;

  /** @param {number} most */
  constructor(most) {
    this.#most = most;
    this.#least = Math.min(most, LEAST_PLACES);
    /** Current number. */
    this.now = most;
  }

  /** True when it is below the most. */
  get reduced() {
    return this.now < this.#most;
  }

  /**
   * @param {number} latenessMs of the frame being mixed
   * @returns {boolean} true when the number of places has changed
   */
  note(latenessMs) {
    this.#frames += 1;
    if (latenessMs > LATE_MS) this.#late += 1;
    if (this.#late < MOST_LATE && this.#frames < WINDOW_FRAMES) return false;
    const before = this.now;
    if (this.#late >= MOST_LATE) this.now = Math.max(this.#least, this.now >> 1);
    this.#calm = this.#late === 0 ? this.#calm + 1 : 0;
    if (this.#calm >= CALM_WINDOWS) {
      this.now = Math.min(this.#most, 2 * this.now);
      this.#calm = 0;
    }
    this.#frames = this.#late = 0;
    return this.now !== before;
  }
}
