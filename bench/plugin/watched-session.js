/**
 * Sessions of the native engine that the lab watches: how much the application hands to QUIC for
 * each, and what the congestion controller allows.
 *
 * @typedef {object} PathLook
 * @property {string} peer         address and port of the client
 * @property {number} packets      that the application has handed over since the session began
 * @property {number} bytes        of these packets
 * @property {number} held         packets dropped before they were sent, since none might be sent
 * @property {number} windowBytes  the congestion window; Infinity without one
 * @property {number} inFlight     bytes under way
 * @property {number} rttMs        the smoothed round trip
 * @property {number} cuts         congestion events
 * @property {number} sentPackets  QUIC's, those with repeated data included
 * @property {number} lostPackets  of them, declared lost
 * @property {number} sentBytes    UDP payloads
 */

import { CarriedSession } from './carried-session.js';

/** Largest window that is one, in bytes: the controller `none` tells 2^64. */
const MOST_WINDOW_BYTES = 2 ** 40;

/** Open sessions of this thread. @type {Set<WatchedSession>} */
export const watched = new Set();

export class WatchedSession extends CarriedSession {
  #native;
  #packets = 0;
  #bytes = 0;

  /** @param {ConstructorParameters<typeof CarriedSession>[0]} options */
  constructor(options) {
    super(options);
    this.#native = options.native;
    watched.add(this);
  }

  /** @override @param {Uint8Array} bytes */
  send(bytes) {
    this.#packets += 1;
    this.#bytes += bytes.length;
    return super.send(bytes);
  }

  /** @override @param {number} code @param {string} reason */
  end(code, reason) {
    watched.delete(this);
    return super.end(code, reason);
  }

  /** @returns {PathLook | null} the last one after the end; null if there is none */
  look() {
    const stats = this.#native.stats();
    if (!stats) return null;
    const { cwnd, bytesInFlight, rttMs, congestionEvents } = stats;
    const { sentPackets, lostPackets, sentBytes } = stats;
    return {
      peer: this.#native.peer,
      packets: this.#packets,
      bytes: this.#bytes,
      held: stats.droppedBlocked + this.droppedHere,
      windowBytes: cwnd > MOST_WINDOW_BYTES ? Infinity : cwnd,
      inFlight: bytesInFlight,
      rttMs,
      cuts: congestionEvents,
      sentPackets,
      lostPackets,
      sentBytes,
    };
  }
}
