/** @import { Packet } from '../../shared/packet.js' */

import { Redundancy } from '../../shared/redundancy.js';

/**
 * How many frames later it is worth to wait for one that is lost: as many as packets repeat, where there is loss.
 * What comes only by being repeated comes later, and would be of no use.
 */
export class Mending {
  #nowMs = 0;
  #second = 0;
  /** As many as a sender would repeat. */
  #wanted = new Redundancy('auto', { now: () => this.#nowMs });
  /** How many the packets do repeat, and have in this second. */
  #repeats = 0;
  #repeatsNow = -1;

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   * @returns {boolean} whether a second has passed: lost() is to be told
   */
  add(packet, nowMs) {
    this.#nowMs = nowMs;
    if (packet.payloadBytes[0] > 0 && packet.redundancy > this.#repeatsNow) this.#repeatsNow = packet.redundancy;
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return false;
    this.#second = second;
    if (this.#repeatsNow >= 0) this.#repeats = this.#repeatsNow;
    this.#repeatsNow = -1;
    return true;
  }

  /** @param {number | null} percent of the packets of late; null where there were none */
  lost(percent) {
    this.#wanted.report(percent);
  }

  get frames() {
    return Math.min(this.#wanted.count, this.#repeats);
  }
}
