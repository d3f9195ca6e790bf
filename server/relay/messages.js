/**
 * Messages between the owner of a room and its relays. A message carries one frame of the mix: the
 * packets for listeners, one for each rate of the mix. docs/cluster-protocol.md describes its
 * bytes.
 */

import { MAX_RELAY_BATCH } from '../bus/messages.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';

const VERSION = 1;

/** Version, a zero, and the room's epoch. */
const HEADER_BYTES = 10;

/** Rate and length before each packet. */
const HEAD_BYTES = 3;

/** Limit of packets in one message. */
export const MAX_STREAMS = 8;

/** Stands for the stream at the room's own bit rate, instead of the index of a rate. */
export const ROOM_RATE = 255;

const float64 = new DataView(new ArrayBuffer(8));

export class MixWriter {
  #bytes = new Uint8Array(HEADER_BYTES + MAX_STREAMS * (HEAD_BYTES + MAX_PACKET_BYTES));
  #length = HEADER_BYTES;
  #count = 0;

  /** @param {number} epoch  of the room */
  constructor(epoch) {
    this.#bytes[0] = VERSION;
    new DataView(this.#bytes.buffer).setFloat64(2, epoch);
  }

  get count() {
    return this.#count;
  }

  /**
   * @param {number} rate  its index in RATES, or ROOM_RATE
   * @param {Uint8Array} packet  copied; MAX_STREAMS packets fit
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
   * @returns {Uint8Array} new bytes, because a bus keeps them until it has sent them
   */
  take() {
    const message = this.#bytes.slice(0, this.#length);
    this.#length = HEADER_BYTES;
    this.#count = 0;
    return message;
  }
}

/** A parsed message. The object is reused. */
export class MixMessage {
  epoch = 0;
  count = 0;
  /** Rate of each packet: its index in RATES, or ROOM_RATE. */
  rates = new Uint8Array(MAX_STREAMS);
  /** Start and length of each packet, in bytes. */
  starts = new Uint32Array(MAX_STREAMS);
  lengths = new Uint16Array(MAX_STREAMS);
}

/**
 * Reads a message, but doesn't check its packets.
 * @param {Uint8Array} bytes
 * @param {MixMessage} message  filled; undefined contents if the message is invalid
 * @returns {boolean} false if the message is invalid
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

/** Size above which a message is sent without waiting for more, in bytes of JSON. */
const FULL_BYTES = 64 * 1024;

/**
 * Collects what one node sends to another about a room's relayed sessions: everything of one moment
 * in as few messages as possible, in order.
 * @template T
 */
export class RelayOutbox {
  /** @type {T[]} */
  #waiting = [];
  #bytes = 0;
  #isDue = false;
  #send;
  #onSent;

  /**
   * @param {(batch: T[]) => void} send
   * @param {() => void} [onSent]  called when everything of a moment has been sent
   */
  constructor(send, onSent = () => {}) {
    this.#send = send;
    this.#onSent = onSent;
  }

  /** The last waiting item, which may still grow. */
  get last() {
    return this.#waiting.at(-1);
  }

  /** Counts growth of the last waiting item. @param {number} bytes */
  grew(bytes) {
    this.#bytes += bytes;
  }

  /** @param {T} item @param {number} [bytes]  its approximate length in JSON */
  add(item, bytes = 100) {
    if (
      this.#waiting.length === MAX_RELAY_BATCH ||
      (this.#waiting.length > 0 && this.#bytes + bytes > FULL_BYTES)
    )
      this.flush();
    this.#waiting.push(item);
    this.#bytes += bytes;
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.flush();
      this.#onSent();
    });
  }

  /** Sends the waiting items. */
  flush() {
    if (this.#waiting.length === 0) return;
    this.#bytes = 0;
    this.#send(this.#waiting.splice(0));
  }
}
