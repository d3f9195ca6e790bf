/**
 * @import { TickScheduler } from '../clock/tick-scheduler.js'
 */

import { TickLateness } from '../clock/tick-lateness.js';
import { TickLoad } from '../clock/tick-load.js';
import { SpeakerPlaces } from '../mix/speaker-places.js';

/** What a room's replies may take of a second while others' mixes are late, in milliseconds. */
const MAX_REPLY_MS = 200;

/** How a room keeps up: how late its mixes are, what it takes, and what it leaves out where there is too much to do. */
export class RoomPace {
  /** What the room takes. */
  load = new TickLoad();
  #ticks;
  #lateness = new TickLateness();
  #places;
  #shedReplies = 0;

  /**
   * @param {TickScheduler} ticks
   * @param {number} maxSpeakers
   */
  constructor(ticks, maxSpeakers) {
    this.#ticks = ticks;
    this.#places = new SpeakerPlaces(maxSpeakers);
  }

  /** How many speakers are mixed at once now. */
  get places() {
    return this.#places.now;
  }

  /**
   * @param {number} latenessMs  of a frame that is mixed now
   * @returns {boolean} whether `places` has changed
   */
  ticked(latenessMs) {
    this.#lateness.add(latenessMs);
    return this.#places.note(latenessMs);
  }

  /** Whether a packet may be answered: not where others' mixes are late and this room takes much. */
  mayReply() {
    if (this.load.weight <= MAX_REPLY_MS || !this.#ticks.overloaded) return true;
    this.#shedReplies += 1;
    return false;
  }

  /** What was left out: replies since the room began, and whether fewer speakers are mixed now. */
  stats() {
    return { shedReplies: this.#shedReplies, reduced: this.#places.reduced };
  }

  /** The part of GET /api/rooms/<room> about it. */
  describe() {
    return { ...this.#lateness.describe(), places: this.places, shedReplies: this.#shedReplies };
  }
}
