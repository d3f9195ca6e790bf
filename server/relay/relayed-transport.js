/**
 * @import { Bus } from '../bus/bus.js'
 * @import { Session, Transport } from '../session/session.js'
 */

import { Packet, readPacket, Stream } from '../../public/shared/wire/packet.js';
import { MAX_STREAMS, MixWriter, ROOM_RATE } from './messages.js';

/** Number of mix messages sent again after the loss of a bus server: 0.4 s of packets of 20 ms. */
const AGAIN = 20;

/** Assumed for a relay that hasn't sent its rates. */
const ROOM_ALONE = Object.freeze([ROOM_RATE]);

/** Receives every parsed packet; nothing of it is kept after the call. */
const packet = new Packet();

/**
 * Sends for all relayed sessions of one room: a packet for any number of them crosses the bus once.
 * The packets of one frame at several rates share one message.
 * @implements {Transport}
 */
export class RelayedTransport {
  /** @readonly */
  name = 'relay';
  replyOnly = false;
  isRelay = true;
  /** Number of sessions. */
  count = 0;
  /** Rates that at least one relay wants. @type {ReadonlySet<number>} */
  wanted = new Set();
  #bus;
  #subject;
  #writer;
  /** Frame of the message being written; NaN for none. */
  #frame = NaN;
  /**
   * Sessions and wanted rates of each relay.
   * @type {Map<string, { count: number, rates: ReadonlyArray<number> }>}
   */
  #relays = new Map();
  /** The last messages. @type {Uint8Array[]} */
  #recent = [];

  /** @param {Bus} bus @param {string} subject @param {number} epoch */
  constructor(bus, subject, epoch) {
    this.epoch = epoch;
    this.#bus = bus;
    this.#subject = subject;
    this.#writer = new MixWriter(epoch);
  }

  /** Counts a new session. @param {string} relay */
  entered(relay) {
    this.count += 1;
    const known = this.#relays.get(relay);
    if (known) known.count += 1;
    else {
      this.#relays.set(relay, { count: 1, rates: ROOM_ALONE });
      this.#gather();
    }
  }

  /**
   * Counts a session that has left.
   * @param {string} relay
   * @returns {boolean} true for its relay's last one
   */
  left(relay) {
    const known = this.#relays.get(relay);
    if (!known) return false;
    this.count -= 1;
    known.count -= 1;
    if (known.count > 0) return false;
    this.#relays.delete(relay);
    this.#gather();
    return true;
  }

  /**
   * @param {string} relay
   * @param {ReadonlyArray<number>} rates
   * @returns {boolean} false for a relay without sessions
   */
  want(relay, rates) {
    const known = this.#relays.get(relay);
    if (!known) return false;
    known.rates = rates;
    this.#gather();
    return true;
  }

  #gather() {
    this.wanted = new Set([...this.#relays.values()].flatMap(({ rates }) => rates));
  }

  /** @param {Session[]} _sessions @param {Uint8Array} bytes */
  sendMany(_sessions, bytes) {
    if (readPacket(bytes, packet) !== null) return;
    const { stream, frame } = packet;
    const rate = stream >= Stream.layers ? stream - Stream.layers : ROOM_RATE;
    if (!this.wanted.has(rate)) return;
    if (this.#writer.count === 0) queueMicrotask(this.#flush);
    else if (frame !== this.#frame || this.#writer.count === MAX_STREAMS) this.#flush();
    this.#frame = frame;
    this.#writer.add(rate, bytes);
  }

  /** Sends the written message: all packets of a frame come in one turn. */
  #flush = () => {
    if (this.#writer.count === 0) return;
    const message = this.#writer.take();
    this.#bus.publishBytes(this.#subject, message);
    if (this.#recent.push(message) > AGAIN) this.#recent.shift();
  };

  /** Sends the last messages again; relays ignore duplicates. */
  again() {
    for (const message of this.#recent) this.#bus.publishBytes(this.#subject, message);
  }

  async close() {}
}
