/** @import { Packet } from '../../shared/packet.js' */

import { MAX_LISTED_SPEAKERS, VOICE_BIT } from '../../shared/packet.js';

/** Speakers are told no more often than this, in milliseconds. */
const INTERVAL_MS = 100;

/**
 * @typedef {object} HeardSpeaker
 * @property {string} id      the participant's
 * @property {number} level   in -dBov: 0, the loudest, to 127
 * @property {boolean} voice
 */

/** Who is to be heard now, by the lists in the server's packets. */
export class Speakers {
  #tell;
  #idOf;
  #ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  #levels = new Uint8Array(MAX_LISTED_SPEAKERS);
  #count = 0;
  #frame = -1;
  #isNew = false;
  #toldMs = -Infinity;

  /**
   * @param {(speakers: HeardSpeaker[]) => void} tell  the loudest first; none in silence
   * @param {(number: number) => string | undefined} idOf  the participant with this id modulo 2^16
   */
  constructor(tell, idOf) {
    this.#tell = tell;
    this.#idOf = idOf;
  }

  /**
   * @param {Packet} packet an audio packet as read
   * @param {number} nowMs
   */
  receive(packet, nowMs) {
    // One that was overtaken tells of the past.
    if (this.#frame >= 0 && ((packet.frame - this.#frame) | 0) < 0 && nowMs - this.#toldMs < 10 * INTERVAL_MS) return;
    this.#frame = packet.frame;
    if (packet.speakers > 0) this.#take(packet);
    else if (packet.payloadBytes[0] === 0 && this.#count > 0) this.#clear();
    if (!this.#isNew || nowMs - this.#toldMs < INTERVAL_MS) return;
    this.#isNew = false;
    this.#toldMs = nowMs;
    this.#tell(this.#list());
  }

  /** @param {Packet} packet */
  #take({ speakers, speakerIds, speakerLevels }) {
    this.#count = speakers;
    for (let i = 0; i < speakers; i++) {
      this.#ids[i] = speakerIds[i];
      this.#levels[i] = speakerLevels[i];
    }
    this.#isNew = true;
  }

  #clear() {
    this.#count = 0;
    this.#isNew = true;
  }

  #list() {
    /** @type {HeardSpeaker[]} */
    const list = [];
    for (let i = 0; i < this.#count; i++) {
      const id = this.#idOf(this.#ids[i]);
      const level = this.#levels[i];
      if (id !== undefined) list.push({ id, level: level & ~VOICE_BIT, voice: (level & VOICE_BIT) !== 0 });
    }
    return list.sort((a, b) => a.level - b.level);
  }
}
