/**
 * Notes the frames that a whole client sends, receives and plays, at its connection and decoder.
 * From them call-figures.js computes the fate of each frame of speech.
 * @import { Codec, Decoder } from '../../public/shared/stream/codec.js'
 * @import { Tap } from '../../programs/scope.js'
 *
 * @typedef {object} PacketNote
 * @property {number} frame      of the packet
 * @property {number[]} sounding the frames that it has payloads for, its own and repeated ones
 * @property {number} [stream]   one of Stream
 * @property {number} atMs       on the clock
 *
 * @typedef {object} Wire
 * @property {PacketNote[]} sent
 * @property {PacketNote[]} received
 * @property {{ frame: number, atMs: number }[]} played  frames whose payload was decoded
 */

import { MAX_REDUNDANCY, Packet, PacketType, readPacket } from '../../public/shared/wire/packet.js';

/** Most packets that are noted of each kind: an hour of them at 50 a second. */
const MOST = 180_000;

/** @implements {Tap} */
export class WireNotes {
  #now;
  #packet = new Packet();
  #noting = false;
  /** @type {Wire} */
  #wire = { sent: [], received: [], played: [] };
  /**
   * The frames for which a payload was received, by the payload's bytes.
   * @type {Map<string, number[]>}
   */
  #frames = new Map();

  /** @param {() => number} now milliseconds */
  constructor(now) {
    this.#now = now;
  }

  /** Starts noting, with empty notes. */
  begin() {
    this.#wire = { sent: [], received: [], played: [] };
    this.#noting = true;
  }

  /** Stops noting. @returns {Wire} the notes since begin() */
  take() {
    this.#noting = false;
    this.#frames.clear();
    return this.#wire;
  }

  /** @param {Uint8Array} bytes */
  sent(bytes) {
    if (this.#noting && this.#wire.sent.length < MOST)
      this.#note(this.#wire.sent, bytes, this.#now());
  }

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  received(bytes, arrivalMs) {
    if (!this.#noting || this.#wire.received.length >= MOST) return;
    const note = this.#note(this.#wire.received, bytes, arrivalMs);
    if (note) this.#remember(bytes);
  }

  /** @param {PacketNote[]} list @param {Uint8Array} bytes @param {number} atMs */
  #note(list, bytes, atMs) {
    const packet = this.#packet;
    if (readPacket(bytes, packet) !== null || packet.type !== PacketType.audio) return null;
    const { frame, stream, redundancy, payloadBytes } = packet;
    const sounding = [];
    for (let r = Math.min(redundancy, MAX_REDUNDANCY); r >= 0; r--)
      if (payloadBytes[r] > 0) sounding.push(frame - r);
    const note = { frame, stream, sounding, atMs };
    list.push(note);
    return note;
  }

  /** @param {Uint8Array} bytes of the packet that was read last */
  #remember(bytes) {
    const { frame, redundancy, payloadBytes, payloadStart } = this.#packet;
    for (let r = redundancy; r >= 0; r--) {
      if (payloadBytes[r] === 0) continue;
      const key = keyOf(bytes, payloadStart[r], payloadBytes[r]);
      const frames = this.#frames.get(key);
      if (frames === undefined) this.#frames.set(key, [frame - r]);
      else if (!frames.includes(frame - r)) frames.push(frame - r);
    }
  }

  /**
   * A payload is decoded: the frame that it was received for has been played. Of equal payloads,
   * that is the first that wasn't.
   * @param {Uint8Array} bytes @param {number} start @param {number} length
   */
  decoded(bytes, start, length) {
    if (!this.#noting || this.#wire.played.length >= MOST) return;
    const frames = this.#frames.get(keyOf(bytes, start, length));
    const frame = frames?.shift();
    if (frame === undefined) return;
    this.#wire.played.push({ frame, atMs: this.#now() });
  }

  /**
   * A codec whose decoders tell of what they decode. A payload is to be one Opus frame.
   * @param {Codec} codec
   * @returns {Codec}
   */
  observe(codec) {
    const { name, conceals, maxInstances, maxFrameValues } = codec;
    return {
      name,
      conceals,
      maxInstances,
      maxFrameValues,
      createEncoder: (settings) => codec.createEncoder(settings),
      createDecoder: (settings) => this.#observeDecoder(codec.createDecoder(settings)),
    };
  }

  /** @param {Decoder} decoder @returns {Decoder} */
  #observeDecoder(decoder) {
    return {
      decode: (bytes, start, length, out, at) => {
        this.decoded(bytes, start, length);
        return decoder.decode(bytes, start, length, out, at);
      },
      conceal: (out, at) => decoder.conceal(out, at),
      close: () => decoder.close(),
    };
  }
}

/** @param {Uint8Array} bytes @param {number} start @param {number} length */
const keyOf = (bytes, start, length) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('latin1');
