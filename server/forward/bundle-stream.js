/**
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
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

/** Number of frames whose voices are kept: a packet's own, and the repeated ones. */
const FRAMES = MAX_REDUNDANCY + 1;

/** Buffer of every room's bundles: sessions don't keep it. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/** Views of its beginning, by length. @type {Uint8Array[]} */
const views = [];

/**
 * One numbered stream of bundles. A bundle has the loudest speakers' payloads of a frame side by
 * side, unchanged, and payloads of earlier frames if there is room. Nothing is allocated for a
 * frame.
 *
 * if (stream.begin(frame, heard)) send(stream.write(redundancy));
 */
export class BundleStream {
  #packet = new Packet();
  #frames = Array.from({ length: FRAMES }, () => new Voices());
  #turn = 0;
  #frame = -2;
  #pace;

  /** @param {number} frameMs @param {boolean} suppresses true to leave out packets in silence */
  constructor(frameMs, suppresses) {
    this.#pace = new SilencePace(frameMs, suppresses);
  }

  /**
   * Copies a frame's voices.
   * @param {number} frame above the previous one; after a gap nothing before it is repeated
   * @param {ReadonlyArray<Speaker>} heard the loudest first; speakers beyond MAX_VOICES are left
   *   out
   * @returns {boolean} true when its packet is to be written: false if silence is left out
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
   * Writes the packet of the last frame; called again for each other redundancy in use.
   * @param {number} redundancy 0 to MAX_REDUNDANCY: number of earlier frames to repeat, if there is
   *   room
   * @returns {Uint8Array} valid until any room's next bundle is written
   */
  write(redundancy) {
    const packet = this.#packet;
    packet.frame = this.#frame;
    packet.redundancy = 0;
    const own = this.#before(0);
    let room = MAX_SENT_BYTES - BUNDLE_HEADER_BYTES;
    let bytes = own.fit(room);
    // An older client's payload may exceed today's limit.
    if (own.kept === 0) bytes = own.fit(MAX_PACKET_BYTES - BUNDLE_HEADER_BYTES);
    room -= bytes;
    let oldest = redundancy;
    while (oldest > 0 && this.#before(oldest).count === 0) oldest -= 1;
    for (let r = 1; r <= oldest; r++) {
      const voices = this.#before(r);
      bytes = voices.fit(room - 2);
      // A frame of gaps only isn't worth repeating.
      if (bytes < 0 || (voices.count > 0 && voices.kept === 0)) break;
      packet.redundancy = r;
      packet.payloadBytes[r] = bytes;
      room -= bytes + lengthBytes(bytes);
    }
    let at = writeBundleHeader(out, packet);
    for (let r = packet.redundancy; r >= 0; r--) at = this.#before(r).write(out, at);
    return (views[at] ??= out.subarray(0, at));
  }

  /** @param {number} r @returns {Voices} voices of r frames ago */
  #before(r) {
    return this.#frames[(this.#turn + FRAMES - r) % FRAMES];
  }
}

/** Voices of one frame, with copies of their payloads. */
class Voices {
  #numbers = new Uint16Array(MAX_VOICES);
  #levels = new Uint8Array(MAX_VOICES);
  #lengths = new Uint16Array(MAX_VOICES);
  #fits = new Uint8Array(MAX_VOICES);
  /** @type {Uint8Array[]} */
  #payloads = [];

  count = 0;
  /** Number of payloads that fit, since fit(). */
  kept = 0;

  /** @param {ReadonlyArray<Speaker>} heard */
  take(heard) {
    this.count = Math.min(heard.length, MAX_VOICES);
    for (let i = 0; i < this.count; i++) {
      const { source, number, level, voice, received } = heard[i];
      this.#numbers[i] = number;
      this.#levels[i] = level | (voice ? VOICE_BIT : 0);
      this.#lengths[i] = received ? this.#copy(i, source.packets, source.undecoded.frame) : 0;
    }
  }

  /** @param {number} i @param {PacketBuffer} packets @param {number} frame */
  #copy(i, packets, frame) {
    while (this.#payloads.length <= i) this.#payloads.push(new Uint8Array(MAX_PACKET_BYTES));
    const payload = this.#payloads[i];
    const { bytes } = packets;
    const start = packets.start(frame);
    const length = packets.length(frame);
    for (let b = 0; b < length; b++) payload[b] = bytes[start + b];
    return length;
  }

  /**
   * Chooses the payloads that have room, the loudest first; the others are missing. Payloads above
   * their share come last, so nobody can crowd others out by large payloads.
   * @param {number} room in bytes
   * @returns {number} bytes used; -1 if not even the list has room
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
   * @param {number} above size that the chosen voices exceed
   * @param {number} most largest size of the chosen voices
   * @param {number} bytes used before
   * @returns {number} bytes used after it
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

  /** @param {Uint8Array} to @param {number} at @returns {number} index of the next byte */
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
