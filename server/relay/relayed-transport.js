/**
 * @import { Bus } from '../cluster/bus.js'
 * @import { Session, Transport } from '../transport/session.js'
 */

import { Packet, readPacket, Stream } from '../../public/shared/wire/packet.js';
import { MAX_STREAMS, MixWriter, ROOM_RATE } from './mix-message.js';

/**
 * How many messages of a mix are sent again where a server of the bus was lost: 0.4 s of packets of
 * 20 ms.
 */
const AGAIN = 20;

/** What a relay wants that has said nothing of rates. */
const ROOM_ALONE = Object.freeze([ROOM_RATE]);

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * What relayed sessions of one room have in common: a packet for any number of them goes to the bus
 * once, and the packets of one frame at several rates in one message.
 * @implements {Transport}
 */
export class RelayedTransport {
  /** @readonly */
  name = 'relay';
  replyOnly = false;
  isRelay = true;
  /** How many sessions it has. */
  count = 0;
  /** The rates that any relay wants. @type {ReadonlySet<number>} */
  wanted = new Set();
  #bus;
  #subject;
  #writer;
  /** The frame of the message that is being written; NaN for none. */
  #frame = NaN;
  /**
   * By relay: how many sessions it has, and what it wants.
   * @type {Map<string, { count: number, rates: ReadonlyArray<number> }>}
   */
  #relays = new Map();
  /** The messages that were sent last. @type {Uint8Array[]} */
  #recent = [];

  /** @param {Bus} bus @param {string} subject @param {number} epoch */
  constructor(bus, subject, epoch) {
    this.epoch = epoch;
    this.#bus = bus;
    this.#subject = subject;
    this.#writer = new MixWriter(epoch);
  }

  /** A session has come. @param {string} relay */
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
   * A session has gone.
   * @param {string} relay
   * @returns {boolean} whether it was its relay's last
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
   * @param {ReadonlyArray<number>} rates  that it wants
   * @returns {boolean} false where it has no session
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

  /** Sends what was written: a frame's packets come in one turn. */
  #flush = () => {
    if (this.#writer.count === 0) return;
    const message = this.#writer.take();
    this.#bus.publishBytes(this.#subject, message);
    if (this.#recent.push(message) > AGAIN) this.#recent.shift();
  };

  /** Sends what was sent last once more: relays leave out what they have. */
  again() {
    for (const message of this.#recent) this.#bus.publishBytes(this.#subject, message);
  }

  async close() {}
}
