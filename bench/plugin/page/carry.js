/**
 * Ways of a WebTransport session to carry packets. Calls use datagrams. The others are for
 * comparison: one stream each way, a stream for each packet, and one for each that is reset after a
 * time.
 */

import { PacketReader, withLength } from '../../../public/shared/wire/stream-packets.js';

export const CARRIES = Object.freeze(
  /** @type {const} */ (['datagrams', 'stream', 'streams', 'reset-streams']),
);

/** @typedef {typeof CARRIES[number]} Carry */

/** Parameter of a session's URL that asks for a way, if the server has it: `?carry=stream`. */
export const CARRY_QUERY = 'carry';

/**
 * Age at which the stream of a packet is reset, in milliseconds: about as long as a datagram waits
 * for the network. No multiple of a frame's length, since a packet that is sent together with a
 * reset comes up to 2 ms later:
 * `npm run bench -- ways --ways streams,reset-streams --link loopback`.
 */
export const RESET_MS = 203;

/** Most open streams of a peer: for the packets of RESET_MS, and for packets held up by loss. */
export const MAX_PACKET_STREAMS = 256;

/**
 * @param {string} query  of a session's URL, or all of the URL
 * @returns {Carry | undefined} undefined if it asks for an unknown way
 */
export function carryOf(query) {
  const asked = new URLSearchParams(query.replace(/^.*\?/, '')).get(CARRY_QUERY);
  return asked === null ? 'datagrams' : CARRIES.find((carry) => carry === asked);
}

/**
 * Makes a WebTransport class whose sessions carry their datagrams as their URL asks.
 * @param {typeof globalThis.WebTransport} Inner
 * @returns {typeof globalThis.WebTransport}
 */
export function carrying(Inner) {
  /** @param {string} url @param {WebTransportOptions} [options] */
  function Carrying(url, options) {
    const session = new Inner(url, options);
    const carry = carryOf(url) ?? 'datagrams';
    return carry === 'datagrams' ? session : onStreams(session, carry);
  }
  return /** @type {typeof globalThis.WebTransport} */ (/** @type {unknown} */ (Carrying));
}

/**
 * @param {WebTransport} session
 * @param {Exclude<Carry, 'datagrams'>} carry
 */
function onStreams(session, carry) {
  const writer = new PacketWriter(session, carry);
  return {
    ready: session.ready,
    closed: session.closed,
    close: (/** @type {WebTransportCloseInfo} */ info) => session.close(info),
    createBidirectionalStream: () => session.createBidirectionalStream(),
    incomingUnidirectionalStreams: new ReadableStream(),
    datagrams: {
      // A stream has no limit for a packet.
      maxDatagramSize: 0,
      readable: packetsOf(session),
      createWritable: () => ({ getWriter: () => writer }),
    },
  };
}

/** Writes packets to the streams of a session. */
class PacketWriter {
  #session;
  #carry;
  /** The stream of all packets. @type {Promise<WritableStreamDefaultWriter<Uint8Array>> | null} */
  #stream = null;

  /**
   * @param {WebTransport} session
   * @param {Exclude<Carry, 'datagrams'>} carry
   */
  constructor(session, carry) {
    this.#session = session;
    this.#carry = carry;
  }

  /**
   * @param {Uint8Array} bytes  a packet; copied
   * @returns {Promise<void>} settled once the network has it
   */
  async write(bytes) {
    const packet = withLength(bytes);
    if (this.#carry === 'stream') {
      this.#stream ??= this.#open();
      return (await this.#stream).write(packet);
    }
    const writer = await this.#open();
    if (this.#carry === 'streams') {
      void writer.write(packet).catch(() => {});
      return writer.close();
    }
    setTimeout(() => void writer.abort().catch(() => {}), RESET_MS);
    return writer.write(packet);
  }

  async #open() {
    return (await this.#session.createUnidirectionalStream()).getWriter();
  }
}

/**
 * @param {WebTransport} session
 * @returns {ReadableStream<Uint8Array>} the packets on all streams that the peer opens
 */
function packetsOf(session) {
  return new ReadableStream({
    start(controller) {
      const read = async (/** @type {ReadableStreamDefaultReader<Uint8Array>} */ reader) => {
        const packets = new PacketReader((bytes) => controller.enqueue(bytes.slice()));
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          if (!packets.push(value)) return reader.cancel();
        }
      };
      const readAll = async () => {
        const streams = session.incomingUnidirectionalStreams.getReader();
        for (;;) {
          const { value, done } = await streams.read();
          if (done) return;
          // A stream fails if the peer resets it, or the session ends.
          void read(value.getReader()).catch(() => {});
        }
      };
      void readAll().catch(() => {});
    },
  });
}
