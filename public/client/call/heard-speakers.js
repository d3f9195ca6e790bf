/** @import { Packet } from '../../shared/wire/packet.js' */

import { MAX_LISTED_SPEAKERS, PacketType, VOICE_BIT } from '../../shared/wire/packet.js';

/**
 * Shortest interval between two lists of speakers, in milliseconds; the second one for a page that
 * is short of processor time.
 */
const INTERVAL_MS = 100;
const SPARING_INTERVAL_MS = 1000;

/** Time without a packet after which separate voices are over, in milliseconds. */
const VOICE_MS = 400;

/**
 * @typedef {object} HeardSpeaker
 * @property {string} id      the participant's
 * @property {number} level   in -dBov: 0, the loudest, to 127
 * @property {boolean} voice
 */

/** The people who are heard now, from the lists in the server's packets. */
export class HeardSpeakers {
  #tell;
  #idOf;
  #isShortOfTime;
  #ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  #levels = new Uint8Array(MAX_LISTED_SPEAKERS);
  /** Arrival of the last packet of each. */
  #heardMs = new Float64Array(MAX_LISTED_SPEAKERS);
  #count = 0;
  #frame = -1;
  /** The first packet tells of silence, too. */
  #isNew = true;
  #reportedMs = -Infinity;
  /** Arrival of the last separate voice. */
  #voiceMs = -Infinity;

  /**
   * @param {(speakers: HeardSpeaker[]) => void} tell  the loudest first; none in silence
   * @param {(number: number) => string | undefined} idOf finds the participant by id modulo 2^16
   * @param {() => boolean} [isShortOfTime] true while the page is short of processor time
   */
  constructor(tell, idOf, isShortOfTime = () => false) {
    this.#tell = tell;
    this.#idOf = idOf;
    this.#isShortOfTime = isShortOfTime;
  }

  /**
   * @param {Packet} packet an audio packet, a bundle or a voice packet, as read
   * @param {number} nowMs
   */
  receive(packet, nowMs) {
    if (packet.type === PacketType.voice) this.#takeVoice(packet, nowMs);
    else if (!this.#takeList(packet, nowMs)) return;
    if (
      !this.#isNew ||
      nowMs - this.#reportedMs < (this.#isShortOfTime() ? SPARING_INTERVAL_MS : INTERVAL_MS)
    )
      return;
    this.#isNew = false;
    this.#reportedMs = nowMs;
    this.#tell(this.#list());
  }

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   * @returns {boolean} false for an outdated packet
   */
  #takeList(packet, nowMs) {
    // An overtaken packet is outdated.
    if (
      this.#frame >= 0 &&
      ((packet.frame - this.#frame) | 0) < 0 &&
      nowMs - this.#reportedMs < 10 * INTERVAL_MS
    )
      return false;
    this.#frame = packet.frame;
    if (packet.speakers > 0) this.#take(packet, nowMs);
    else if (packet.payloadBytes[0] === 0 && this.#count > 0 && nowMs - this.#voiceMs > VOICE_MS)
      this.#clear();
    return true;
  }

  /** @param {Packet} packet of one voice @param {number} nowMs */
  #takeVoice({ number, level, voice, payloadBytes }, nowMs) {
    // The packets that end a voice may get lost, or never be sent.
    for (let i = this.#count - 1; i >= 0; i--)
      if (nowMs - this.#heardMs[i] > VOICE_MS) this.#remove(i);
    let i = 0;
    while (i < this.#count && this.#ids[i] !== number) i += 1;
    this.#isNew = true;
    if (payloadBytes[0] === 0) {
      if (i < this.#count) this.#remove(i);
      return;
    }
    this.#voiceMs = nowMs;
    if (i === MAX_LISTED_SPEAKERS) return;
    if (i === this.#count) this.#count += 1;
    this.#ids[i] = number;
    this.#levels[i] = level | (voice ? VOICE_BIT : 0);
    this.#heardMs[i] = nowMs;
  }

  /** @param {number} i */
  #remove(i) {
    const last = (this.#count -= 1);
    this.#ids[i] = this.#ids[last];
    this.#levels[i] = this.#levels[last];
    this.#heardMs[i] = this.#heardMs[last];
  }

  /** @param {Packet} packet @param {number} nowMs */
  #take({ speakers, speakerIds, speakerLevels }, nowMs) {
    this.#count = speakers;
    this.#heardMs.fill(nowMs);
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
      if (id !== undefined)
        list.push({ id, level: level & ~VOICE_BIT, voice: (level & VOICE_BIT) !== 0 });
    }
    return list.sort((a, b) => a.level - b.level);
  }
}
