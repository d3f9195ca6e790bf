/**
 * The message in which the home of a room sends its relays a frame of the mix: the packets as they
 * go to those who listen, side by side where the mix is encoded at several rates. docs/protocol.md
 * describes it byte by byte.
 */

import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';

const VERSION = 1;

/** Version, a zero, and the room's epoch. */
const HEADER_BYTES = 10;

/** Rate and length before each packet. */
const HEAD_BYTES = 3;

/** The most packets in one message. */
export const MAX_STREAMS = 8;

/** In place of the number of a rate: the stream at the room's own bit rate. */
export const ROOM_RATE = 255;

const float64 = new DataView(new ArrayBuffer(8));

/** Writes messages, packet by packet. */
export class MixWriter {
  #bytes = new Uint8Array(HEADER_BYTES + MAX_STREAMS * (HEAD_BYTES + MAX_PACKET_BYTES));
  #length = HEADER_BYTES;
  #count = 0;

  /** @param {number} epoch  the room's */
  constructor(epoch) {
    this.#bytes[0] = VERSION;
    new DataView(this.#bytes.buffer).setFloat64(2, epoch);
  }

  /** How many packets the message has. */
  get count() {
    return this.#count;
  }

  /**
   * @param {number} rate  its number in RATES, or ROOM_RATE
   * @param {Uint8Array} packet  copied; there is room for MAX_STREAMS
   */
  add(rate, packet) {
    const at = this.#length;
    this.#bytes[at] = rate;
    this.#bytes[at + 1] = packet.length >>> 8;
    this.#bytes[at + 2] = packet.length;
    this.#bytes.set(packet, at + HEAD_BYTES);
    this.#length = at + HEAD_BYTES + packet.length;
    this.#count += 1;
  }

  /**
   * Ends the message, and begins the next one.
   * @returns {Uint8Array} new bytes, since a bus keeps them until it has sent them
   */
  take() {
    const message = this.#bytes.slice(0, this.#length);
    this.#length = HEADER_BYTES;
    this.#count = 0;
    return message;
  }
}

/** A message as it was read. The object is used again. */
export class MixMessage {
  epoch = 0;
  /** How many packets there are. */
  count = 0;
  /** The numbers of their rates in RATES, or ROOM_RATE. */
  rates = new Uint8Array(MAX_STREAMS);
  /** Where each begins, and how long it is, in bytes. */
  starts = new Uint32Array(MAX_STREAMS);
  lengths = new Uint16Array(MAX_STREAMS);
}

/**
 * Reads a message. The packets in it aren't looked at.
 * @param {Uint8Array} bytes
 * @param {MixMessage} message  filled; left in no particular state when it is dropped
 * @returns {boolean} false where it isn't one of ours
 */
export function readMix(bytes, message) {
  if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION || bytes[1] !== 0) return false;
  for (let i = 0; i < 8; i++) float64.setUint8(i, bytes[2 + i]);
  message.epoch = float64.getFloat64(0);
  message.count = 0;
  let at = HEADER_BYTES;
  while (at < bytes.length) {
    if (message.count === MAX_STREAMS || at + HEAD_BYTES > bytes.length) return false;
    const length = (bytes[at + 1] << 8) | bytes[at + 2];
    const start = at + HEAD_BYTES;
    if (length === 0 || length > MAX_PACKET_BYTES || start + length > bytes.length) return false;
    message.rates[message.count] = bytes[at];
    message.starts[message.count] = start;
    message.lengths[message.count] = length;
    message.count += 1;
    at = start + length;
  }
  return message.count > 0 && Number.isSafeInteger(message.epoch) && message.epoch >= 0;
}
