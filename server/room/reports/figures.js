/** @import { SessionStats } from '../../transport/session.js' */

import { RATES } from '../../../public/shared/sound/rates.js';
import { LatenessHistogram } from '../../clock/lateness-histogram.js';
import { RateCounts } from '../../broadcast/rate-counts.js';
import { Traffic } from '../../source/traffic.js';

/** What stays of participants and rooms that have gone, so that the server's counters only rise. */
export class RoomTotals {
  traffic = new Traffic();
  ticks = new LatenessHistogram();
  rates = new RateCounts();
  /** Codecs that threw, and were replaced. */
  codecFaults = 0;
  /** Frames that were never mixed, since the server stood still for too long. */
  skippedFrames = 0;
}

/** The sums over all rooms at one moment, rooms and participants that have gone included. */
export class Figures {
  /**
   * Mirrors, rooms of one in which somebody hears themselves, are counted apart; their people count
   * as people.
   */
  rooms = 0;
  mirrors = 0;
  people = 0;
  /** Those of the people whose place is kept while their connection is lost. */
  away = 0;
  /** Those of the people who only listen. */
  listeners = 0;
  /** Those of them who listen to a broadcast, by bits a second. @type {Record<string, number>} */
  listenersByRate = Object.fromEntries(RATES.map((rate) => [rate, 0]));
  /** Sessions of people, by transport. @type {Record<string, number>} */
  sessions = {};
  /** Sessions by what limits the rate at which they are sent to. */
  sessionLimits = { path: 0, application: 0, unknown: 0 };
  /** The server-side delay of each room, in milliseconds. @type {number[]} */
  delaysMs = [];

  /** @param {RoomTotals} totals  of those that have gone */
  constructor(totals) {
    this.traffic = totals.traffic.copy();
    this.rateChanges = { ...totals.rates };
    this.ticks = totals.ticks.describe();
    this.codecFaults = totals.codecFaults;
    this.skippedFrames = totals.skippedFrames;
  }

  /**
   * Counts a session of somebody's.
   * @param {string} transport
   * @param {SessionStats} stats
   */
  addSession(transport, { deliveryBps = null, deliveryIsLimit = false }) {
    this.sessions[transport] = (this.sessions[transport] ?? 0) + 1;
    this.sessionLimits[
      deliveryBps === null ? 'unknown' : deliveryIsLimit ? 'path' : 'application'
    ] += 1;
  }
}
