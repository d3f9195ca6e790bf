/**
 * @import { RoomConfig, RoomOwner, RoomServices } from './room-config.js'
 */

import { TickLateness } from '../clock/tick-lateness.js';
import { TickLoad } from '../clock/tick-load.js';
import { SpeakerPlaces } from '../mix/speaker-places.js';

/**
 * The most that a room may weigh and have its replies all the same where there is more to mix than
 * can be mixed, in milliseconds a second.
 */
const MAX_REPLY_MS = 200;

/**
 * How a room keeps pace: how late its mixes are, what it costs, and what it leaves out while there
 * is too much to do.
 */
export class RoomPace {
  #ticks;
  #isBusy;
  #lateness = new TickLateness();
  #places;
  #shedReplies = 0;

  /** What the room costs. */
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
    /** Of all rooms. */
    this.totals = totals;
  }

  /** How many speakers are mixed now. */
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
   * @returns {boolean} whether the number of places has changed
   */
  ticked(latenessMs) {
    this.#lateness.add(latenessMs);
    this.totals.ticks.add(latenessMs);
    return this.#places.note(latenessMs);
  }

  /**
   * Asks whether a packet may be answered. A reply that is left out is a gap, so that comes after
   * all that makes none: only while newcomers are refused, and of a room that takes much.
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
