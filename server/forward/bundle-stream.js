/**
 * @import { Speaker } from '../mix/speaker.js'
 */

import {
  BUNDLE_HEADER_BYTES,
  voiceBytes,
  writeBundleHeader,
  writeVoiceHead,
} from '../../public/shared/wire/bundle.js';
import {
  MAX_PACKET_BYTES,
  MAX_REDUNDANCY,
  MAX_SENT_BYTES,
  MAX_VOICES,
  Packet,
  VOICE_BIT,
  lengthBytes,
} from '../../public/shared/wire/packet.js';
import { SilencePace } from '../../public/shared/stream/packet-stream.js';

/** The frames of which voices are kept: a packet's own, and those that it repeats. */
const FRAMES = MAX_REDUNDANCY + 1;

/** The buffer into which every room's bundles are written: sessions don't keep it. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/** Views of its beginning, by their length. @type {Uint8Array[]} */
const views = [];

/**
 * One numbered stream of bundles: the loudest speakers' payloads of each frame side by side, as
 * they came, and those of the frames before as far as there is room. Nothing is allocated for a
 * frame.
 *
 *     if (stream.begin(frame, heard)) send(stream.write(redundancy));
 */
export class BundleStream {
  #packet = new Packet();
  #frames = Array.from({ length: FRAMES }, () => new Voices());
  #turn = 0;
  #frame = -2;
  #pace;

  /**
   * @param {number} frameMs
   * @param {boolean} suppresses  whether packets are left out in silence
   */
  constructor(frameMs, suppresses) {
    this.#pace = new SilencePace(frameMs, suppresses);
  }

  /**
   * Takes a frame's voices.
   * @param {number} frame above the one before; where it isn't the next one nothing before it is
   *   repeated
   * @param {ReadonlyArray<Speaker>} heard  the loudest first; beyond MAX_VOICES they are left out
   * @returns {boolean} whether its packet is to be written: false where silence is left out
   */
  begin(frame, heard) {
    if (frame !== this.#frame + 1) for (let i = 0; i < FRAMES; i++) this.#frames[i].count = 0;
    this.#frame = frame;
    this.#turn = (this.#turn + 1) % FRAMES;
    this.#frames[this.#turn].take(heard);
    if (!this.#pace.sends(frame, heard.length === 0)) return false;
    this.#packet.sequence = (this.#packet.sequence + 1) & 0xffff;
    return true;
  }

  /**
   * Writes the packet of the frame that was taken last; again with another redundancy, where
   * several get it.
   * @param {number} redundancy 0 to MAX_REDUNDANCY: how many frames before it are repeated, as far
   *   as there is room
   * @returns {Uint8Array} valid until any room's next bundle is written
   */
  write(redundancy) {
    const packet = this.#packet;
    packet.frame = this.#frame;
    packet.redundancy = 0;
    const own = this.#before(0);
    let room = MAX_SENT_BYTES - BUNDLE_HEADER_BYTES;
    let bytes = own.fit(room);
    // An older client's payload may be longer than what is written today.
    if (own.kept === 0) bytes = own.fit(MAX_PACKET_BYTES - BUNDLE_HEADER_BYTES);
    room -= bytes;
    let oldest = redundancy;
    while (oldest > 0 && this.#before(oldest).count === 0) oldest -= 1;
    for (let r = 1; r <= oldest; r++) {
      const voices = this.#before(r);
      bytes = voices.fit(room - 2);
      // A frame of which only gaps would be repeated isn't worth it.
      if (bytes < 0 || (voices.count > 0 && voices.kept === 0)) break;
      packet.redundancy = r;
      packet.payloadBytes[r] = bytes;
      room -= bytes + lengthBytes(bytes);
    }
    let at = writeBundleHeader(out, packet);
    for (let r = packet.redundancy; r >= 0; r--) at = this.#before(r).write(out, at);
    return (views[at] ??= out.subarray(0, at));
  }

  /** @param {number} r @returns {Voices} those of r frames ago */
  #before(r) {
    return this.#frames[(this.#turn + FRAMES - r) % FRAMES];
  }
}

/** The voices of one frame, with copies of their payloads. */
class Voices {
  #numbers = new Uint16Array(MAX_VOICES);
  #levels = new Uint8Array(MAX_VOICES);
  #lengths = new Uint16Array(MAX_VOICES);
  #fits = new Uint8Array(MAX_VOICES);
  /** @type {Uint8Array[]} */
  #payloads = [];

  count = 0;
  /** How many payloads fit, since fit(). */
  kept = 0;

  /** @param {ReadonlyArray<Speaker>} heard */
  take(heard) {
    this.count = Math.min(heard.length, MAX_VOICES);
    for (let i = 0; i < this.count; i++) {
      const { source, number, level, voice, received } = heard[i];
      this.#numbers[i] = number;
      this.#levels[i] = level | (voice ? VOICE_BIT : 0);
      this.#lengths[i] = received
        ? this.#copy(
            i,
            source.packets.bytes(source.passing.frame),
            source.packets.length(source.passing.frame),
          )
        : 0;
    }
  }

  /** @param {number} i @param {Uint8Array} bytes @param {number} length */
  #copy(i, bytes, length) {
    while (this.#payloads.length <= i) this.#payloads.push(new Uint8Array(MAX_PACKET_BYTES));
    const payload = this.#payloads[i];
    for (let b = 0; b < length; b++) payload[b] = bytes[b];
    return length;
  }

  /**
   * Chooses the payloads for which there is room, the loudest first; the others are missing. One
   * that takes more than its share comes after those that don't: nobody can crowd others out by
   * large payloads.
   * @param {number} room  in bytes
   * @returns {number} how much of it they take; -1 where not even the list has room
   */
  fit(room) {
    const list = this.count * voiceBytes(0);
    if (list > room) return -1;
    const share = room / this.count;
    this.kept = 0;
    for (let i = 0; i < this.count; i++) this.#fits[i] = 0;
    return this.#fill(room, share, Infinity, this.#fill(room, 0, share, list));
  }

  /**
   * @param {number} room
   * @param {number} above  how large voices are at least, themselves excepted
   * @param {number} most  and at most
   * @param {number} bytes  that are taken
   * @returns {number} bytes that are taken then
   */
  #fill(room, above, most, bytes) {
    for (let i = 0; i < this.count; i++) {
      const size = voiceBytes(this.#lengths[i]);
      const more = size - voiceBytes(0);
      if (size <= above || size > most || bytes + more > room) continue;
      this.#fits[i] = 1;
      bytes += more;
      if (this.#lengths[i] > 0) this.kept += 1;
    }
    return bytes;
  }

  /** @param {Uint8Array} to @param {number} at @returns {number} where the next byte goes */
  write(to, at) {
    for (let i = 0; i < this.count; i++) {
      const length = this.#fits[i] === 1 ? this.#lengths[i] : 0;
      at = writeVoiceHead(to, at, this.#numbers[i], this.#levels[i], length);
      for (let b = 0; b < length; b++) to[at + b] = this.#payloads[i][b];
      at += length;
    }
    return at;
  }
}
