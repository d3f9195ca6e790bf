/**
 * @import { Room } from '../room/room.js'
 * @import { SessionStats } from '../session/session.js'
 */

import { RATES } from '../../public/shared/sound/audio-format.js';
import { RateCounts } from '../broadcast/layers.js';
import { LatenessHistogram } from '../clock/mix-clock.js';
import { Traffic } from '../source/receiver-stats.js';

/** Figures of participants and rooms that have gone, so that the server's counters only rise. */
export class RoomTotals {
  traffic = new Traffic();
  ticks = new LatenessHistogram();
  rates = new RateCounts();
  /** Codecs that threw, and were replaced. */
  codecFaults = 0;
  /** Frames that were never mixed, because the server stood still for too long. */
  skippedFrames = 0;
}

/** Sums over all rooms at one moment, with rooms and participants that have gone. */
export class Figures {
  /**
   * Mirrors, in which one person hears themselves, are counted separately; their people count as
   * people.
   */
  rooms = 0;
  mirrors = 0;
  people = 0;
  /** People whose place is kept while their connection is lost. */
  away = 0;
  /** People who only listen. */
  listeners = 0;
  /** Listeners to a broadcast, by bits a second. @type {Record<string, number>} */
  listenersByRate = Object.fromEntries(RATES.map((rate) => [rate, 0]));
  /** Sessions of people, by transport. @type {Record<string, number>} */
  sessions = {};
  /** Sessions by the limit of their rate. */
  sessionLimits = { path: 0, application: 0, unknown: 0 };
  /** Server-side delay of each room, in milliseconds. @type {number[]} */
  delaysMs = [];

  /** @param {RoomTotals} totals */
  constructor(totals) {
    this.traffic = totals.traffic.copy();
    this.rateChanges = { ...totals.rates };
    this.ticks = totals.ticks.describe();
    this.codecFaults = totals.codecFaults;
    this.skippedFrames = totals.skippedFrames;
  }

  /** Adds a room and its members. @param {Room} room */
  add({ people, sound }) {
    this.people += people.size;
    this.away += people.away;
    this.listeners += people.audience.size;
    for (const [rate, count] of Object.entries(sound.delivery.listenersByRate))
      this.listenersByRate[rate] += count;
    this.delaysMs.push(sound.delay.delayMs);
    this.codecFaults += sound.codec.faults;
    this.skippedFrames += sound.mixClock.skipped;
    for (const member of people.membersHere()) {
      const { session } = member;
      const stats = session.stats();
      this.#addSession(session.transport.name, stats);
      member.figures.addTo(this.traffic, stats);
    }
  }

  /**
   * @param {string} transport
   * @param {SessionStats} stats
   */
  #addSession(transport, { deliveryBps = null, deliveryIsLimit = false }) {
    this.sessions[transport] = (this.sessions[transport] ?? 0) + 1;
    this.sessionLimits[
      deliveryBps === null ? 'unknown' : deliveryIsLimit ? 'path' : 'application'
    ] += 1;
  }
}
