/** @import { Carry } from '../../shared/wire/carry.js' */

import { PacketReader, RESET_MS, withLength } from '../../shared/wire/carry.js';

/**
 * The packets of a WebTransport session on streams: see carry.js. Packets to a steady listener come
 * so; all others in place of datagrams for measuring only.
 */
export class PacketStreams {
  #session;
  #carry;
  #received;
  /** The one for all packets. @type {Promise<WritableStreamDefaultWriter<Uint8Array>> | null} */
  #stream = null;

  /**
   * @param {WebTransport} session
   * @param {Exclude<Carry, 'datagrams'>} carry
   * @param {(bytes: Uint8Array) => void} received  gets each packet
   */
  constructor(session, carry, received) {
    this.#session = session;
    this.#carry = carry;
    this.#received = received;
    void this.#readAll(session.incomingUnidirectionalStreams.getReader()).catch(() => {});
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

  /** @param {ReadableStreamDefaultReader<ReadableStream<Uint8Array>>} streams */
  async #readAll(streams) {
    for (;;) {
      const { value, done } = await streams.read();
      if (done) return;
      void this.#read(value.getReader()).catch(() => {});
    }
  }

  /**
   * Reads one stream, and stops it at its end; it fails where the peer resets it, or the session
   * ends.
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   */
  async #read(reader) {
    const packets = new PacketReader(this.#received);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (!packets.push(value)) return reader.cancel();
    }
  }
}
