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

import { StreamDecoder } from '../../public/client/playout/stream-decoder.js';
import { MAX_REDUNDANCY, Packet, PacketType, readPacket } from '../../public/shared/wire/packet.js';

/** Most packets that are noted of each kind: an hour of them at 50 a second. */
const MOST = 180_000;

/** The frame that is being played, in this thread; NaN between frames. */
let playing = NaN;
let isFollowed = false;

/**
 * Lets `playing` follow all clients of this process. A decoder isn't told its payload's frame. It
 * can't be known by the payload either: at a low bit rate, speech that is said again gives some
 * equal ones.
 */
function followPlaying() {
  if (isFollowed) return;
  isFollowed = true;
  const { play } = StreamDecoder.prototype;
  StreamDecoder.prototype.play = function (frame, ...rest) {
    playing = frame;
    try {
      return play.call(this, frame, ...rest);
    } finally {
      playing = NaN;
    }
  };
}

/** @implements {Tap} */
export class WireNotes {
  #now;
  #packet = new Packet();
  #noting = false;
  /** @type {Wire} */
  #wire = { sent: [], received: [], played: [] };

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
    this.#note(this.#wire.received, bytes, arrivalMs);
  }

  /** @param {PacketNote[]} list @param {Uint8Array} bytes @param {number} atMs */
  #note(list, bytes, atMs) {
    const packet = this.#packet;
    if (readPacket(bytes, packet) !== null || packet.type !== PacketType.audio) return;
    const { frame, stream, redundancy, payloadBytes } = packet;
    const sounding = [];
    for (let r = Math.min(redundancy, MAX_REDUNDANCY); r >= 0; r--)
      if (payloadBytes[r] > 0) sounding.push(frame - r);
    list.push({ frame, stream, sounding, atMs });
  }

  /** A payload is decoded for the frame that is playing, maybe after others that prepare for it. */
  #decoded() {
    const { played } = this.#wire;
    if (!this.#noting || played.length >= MOST || Number.isNaN(playing)) return;
    if (played.at(-1)?.frame !== playing) played.push({ frame: playing, atMs: this.#now() });
  }

  /**
   * A codec whose decoders tell when they decode a frame that is played.
   * @param {Codec} codec
   * @returns {Codec}
   */
  observe(codec) {
    followPlaying();
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
        this.#decoded();
        return decoder.decode(bytes, start, length, out, at);
      },
      conceal: (out, at) => decoder.conceal(out, at),
      close: () => decoder.close(),
    };
  }
}
