/**
 * The packets that all ways carry: a number (32 bits), the time of sending (a float of 64 bits),
 * and an Opus payload.
 */

/** The length of number and time. */
export const NUMBERED_BYTES = 12;

/**
 * @param {number} number
 * @param {number} sentMs on the clock that all processes share
 * @param {Uint8Array} payload
 * @returns {Uint8Array}
 */
export function writeNumbered(number, sentMs, payload) {
  const bytes = new Uint8Array(NUMBERED_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, number);
  view.setFloat64(4, sentMs);
  bytes.set(payload, NUMBERED_BYTES);
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @returns {{ number: number, sentMs: number, payload: Uint8Array } | null} null where they are too
 *   few
 */
export function readNumbered(bytes) {
  if (bytes.length < NUMBERED_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    number: view.getUint32(0),
    sentMs: view.getFloat64(4),
    payload: bytes.subarray(NUMBERED_BYTES),
  };
}

/** The numbered packets that arrived, and when. */
export class NumberedArrivals {
  /** The first arrival of each. @type {Map<number, { sentMs: number, arrivedMs: number }>} */
  #first = new Map();
  #payloads;

  /** Packets that arrived with changed bytes. */
  damaged = 0;
  /** Packets that had arrived already. */
  repeated = 0;
  /** Arrival of the first packet; Infinity before. */
  firstMs = Infinity;

  /** @param {readonly Uint8Array[]} payloads in a loop, by the packets' numbers */
  constructor(payloads) {
    this.#payloads = payloads;
  }

  /** @param {Uint8Array} bytes @param {number} arrivedMs */
  take(bytes, arrivedMs) {
    const packet = readNumbered(bytes);
    const sent = packet && this.#payloads[packet.number % this.#payloads.length];
    if (!packet || !sent || Buffer.compare(packet.payload, sent) !== 0) this.damaged += 1;
    else if (this.#first.has(packet.number)) this.repeated += 1;
    else {
      this.firstMs = Math.min(this.firstMs, arrivedMs);
      this.#first.set(packet.number, { sentMs: packet.sentMs, arrivedMs });
    }
  }

  /**
   * @param {number} from the number of the first packet that counts
   * @param {number} count
   * @returns {number[]} the age at arrival of each, in milliseconds; Infinity where it never came
   */
  ages(from, count) {
    return Array.from({ length: count }, (_, i) => {
      const arrival = this.#first.get(from + i);
      return arrival ? arrival.arrivedMs - arrival.sentMs : Infinity;
    });
  }
}
