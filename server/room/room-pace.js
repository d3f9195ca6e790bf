/**
 * @import { RoomTotals } from './reports/figures.js'
 * @import { RoomConfig, RoomServices } from './room-config.js'
 */

import { TickLateness } from '../clock/tick-lateness.js';
import { TickLoad } from '../clock/tick-load.js';
import { SpeakerPlaces } from '../mix/speaker-places.js';

/** What a room's replies may take of a second while others' mixes are late, in milliseconds. */
const MAX_REPLY_MS = 200;

/** How a room keeps pace: how late its mixes are, what it costs, and what it leaves out while there is too much to do. */
export class RoomPace {
  #services;
  #lateness = new TickLateness();
  #places;
  #shedReplies = 0;

  /** What the room costs. */
  load = new TickLoad();

  /**
   * @param {Pick<RoomConfig, 'maxSpeakers'>} config
   * @param {RoomServices} services
   * @param {RoomTotals} totals  of all rooms
   */
  constructor({ maxSpeakers }, services, totals) {
    this.#services = services;
    this.#places = new SpeakerPlaces(maxSpeakers);
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

  /** Asks whether a packet may be answered; where others' mixes are late and this room has taken much, it is left out. */
  mayReply() {
    if (this.load.weight <= MAX_REPLY_MS || !this.#services.ticks.overloaded) return true;
    this.#shedReplies += 1;
    return false;
  }

  describe() {
    return { ...this.#lateness.describe(), places: this.#places.now, shedReplies: this.#shedReplies };
  }
}
