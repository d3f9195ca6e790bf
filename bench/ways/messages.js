/**
 * Messages that a session carries beside its sound, such as chat: their times and contents,
 * and their division into packets.
 *
 * @typedef {{ bytes: number, everyMs: number }} MessageKind  length of messages, and
 *   their mean interval in milliseconds
 *
 * @typedef {{ bytes: number, atMs: number }} Message  atMs: from the first packet of sound on
 */

import { seededRandom } from '../../testkit/random.js';
import { quantile, sorted } from '../../testkit/statistics.js';
import { MAX_SENT_BYTES } from '../../public/shared/wire/packet.js';
import { NUMBERED_BYTES } from './numbered-packet.js';

/**
 * Before each part: the message's number (32 bits), the part's, and how many parts there are (16
 * bits each).
 */
const PART_HEADER_BYTES = 8;

/** The longest part of a message, in bytes: with its header and kind it fits a datagram. */
const PART_BYTES = MAX_SENT_BYTES - PART_HEADER_BYTES - 1;

/**
 * The messages of some kinds, each at a random moment of an interval of its own: messages don't
 * keep step with frames.
 * @param {readonly MessageKind[]} kinds
 * @param {number} lengthMs  of the time in which they are sent
 * @param {number} seed
 * @returns {Message[]} by time
 */
export function scheduleOf(kinds, lengthMs, seed) {
  const random = seededRandom(seed);
  return kinds
    .flatMap(({ bytes, everyMs }) =>
      Array.from({ length: Math.floor(lengthMs / everyMs) }, (_, i) => ({
        bytes,
        atMs: (i + random()) * everyMs,
      })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Returns the content after a message's number and time that fills it to its length.
 * @param {Message} message
 * @param {number} number
 */
export const contentOf = ({ bytes }, number) =>
  Uint8Array.from({ length: bytes - NUMBERED_BYTES }, (_, i) => number + i);

/**
 * @param {Uint8Array} message
 * @param {number} number  in its session
 * @returns {Uint8Array[]} packets
 */
export function cutMessage(message, number) {
  const count = Math.ceil(message.length / PART_BYTES);
  return Array.from({ length: count }, (_, part) => {
    const bytes = message.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    const packet = new Uint8Array(PART_HEADER_BYTES + bytes.length);
    const view = new DataView(packet.buffer);
    view.setUint32(0, number);
    view.setUint16(4, part);
    view.setUint16(6, count);
    packet.set(bytes, PART_HEADER_BYTES);
    return packet;
  });
}

/**
 * @param {readonly number[]} ages of the messages that count, in milliseconds; Infinity where one
 *   never came
 * @returns {Record<string, number>} by the quantities' names; none of no messages
 */
export function messageFigures(ages) {
  if (ages.length === 0) return {};
  const came = sorted(ages.filter(Number.isFinite));
  const at = (/** @type {number} */ part) => (came.length > 0 ? quantile(came, part) : Infinity);
  return {
    messagesCame: (100 * came.length) / ages.length,
    messageAge: at(0.5),
    p99MessageAge: at(0.99),
  };
}

/** Puts messages together of packets that come in any order, each once, or never. */
export class MessageParts {
  /** @type {Map<number, { parts: Uint8Array[], missing: number }>} */
  #begun = new Map();
  #onMessage;

  /** @param {(message: Uint8Array) => void} onMessage  gets each whole message */
  constructor(onMessage) {
    this.#onMessage = onMessage;
  }

  /** @param {Uint8Array} packet  copied */
  take(packet) {
    const view = new DataView(packet.buffer, packet.byteOffset);
    const [number, part, count] = [view.getUint32(0), view.getUint16(4), view.getUint16(6)];
    const message = this.#begun.get(number) ?? { parts: [], missing: count };
    this.#begun.set(number, message);
    message.parts[part] = packet.slice(PART_HEADER_BYTES);
    message.missing -= 1;
    if (message.missing > 0) return;
    this.#begun.delete(number);
    this.#onMessage(Buffer.concat(message.parts));
  }
}
