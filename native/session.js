import { Stream } from './stream.js';

/**
 * @import { CloseCause, ConnectionStats, NativePort, RequestInfo } from './binding.js'
 */

/** An open WebTransport session. Set the callbacks as soon as you have it, before you await. */
export class NativeSession {
  #native;
  /** @type {Map<number, Stream>} */
  #streams = new Map();
  /** @type {ConnectionStats | null} */
  #lastStats = null;
  #ended = false;
  #closing = false;

  /**
   * @param {NativePort} native
   * @param {number} id
   * @param {string} peer
   * @param {RequestInfo | null} request
   * @param {number} [connectedMs]
   */
  constructor(native, id, peer, request, connectedMs = NaN) {
    this.#native = native;
    /** The session's number, for sendMany. */
    this.id = id;
    /** The other end's address and port. */
    this.peer = peer;
    /** The client's request; null on the client's side. */
    this.request = request;
    /** When the QUIC handshake was over, on performance.now(); NaN on the server's side. */
    this.connectedMs = connectedMs;
    /**
     * A datagram arrived; the bytes are valid during the call only, the time is of performance.now.
     * @type {((bytes: Uint8Array, arrivalMs: number) => void) | null}
     */
    this.onDatagram = null;
    /** The peer opened a stream. @type {((stream: Stream) => void) | null} */
    this.onStream = null;
    /**
     * The session has ended.
     * @type {((code: number, reason: string, cause: CloseCause) => void) | null}
     */
    this.onClosed = null;
  }

  /** Whether it can still send. */
  get open() {
    return !this.#ended && !this.#closing;
  }

  /**
   * Sends a datagram, without waiting.
   * @param {Uint8Array} bytes copied
   * @returns {boolean} false when it was not sent, since too big or the session over
   */
  send(bytes) {
    return this.open && this.#native.send(this.id, bytes);
  }

  /**
   * Lets datagrams wait that begin with this byte: they are handed over with others, or when the
   * port is polled, within 0.1 s otherwise. For those that are needed at times that the caller
   * knows.
   * @param {number | null} firstByte  null: none waits, as at first
   */
  letWait(firstByte) {
    this.#native.letWait(this.id, firstByte ?? -1);
  }

  /**
   * @param {{ bidi?: boolean }} [options]
   * @returns {Stream | null} null when the session is over, or has too many streams
   */
  openStream({ bidi = true } = {}) {
    const id = this.open ? this.#native.streamOpen(this.id, bidi) : 0;
    return id === 0 ? null : this.#addStream(id, { reads: bidi, writes: true });
  }

  /**
   * Closes the session; idempotent. onClosed follows.
   * @param {number} [code] 32 bits
   * @param {string} [reason] cut off at 1024 bytes
   */
  close(code = 0, reason = '') {
    if (!this.open) return;
    this.#closing = true;
    for (const stream of this.#streams.values()) stream.endWriting();
    this.#native.closeSession(this.id, code, reason);
  }

  /** @returns {ConnectionStats | null} the last ones when the session is over */
  stats() {
    const stats = this.#ended ? null : this.#native.stats(this.id);
    // Statistics that the path doesn't give have no property.
    if (stats) this.#lastStats = { ...stats, deliveryBps: stats.deliveryBps ?? null };
    return this.#lastStats;
  }

  /**
   * Reads some of the statistics without making an object of them.
   * @param {Float64Array} out PATH_FIELDS long, by PathField: droppedOut is droppedTooBig and
   *   droppedBlocked together, deliveryBps NaN while nothing is known, deliveryIsLimit 0 or 1
   * @returns {boolean} false when the session is over
   */
  path(out) {
    return !this.#ended && this.#native.path(this.id, out);
  }

  /**
   * For the port: the peer opened a stream.
   * @param {number} id
   * @param {boolean} bidi
   */
  peerOpened(id, bidi) {
    const stream = this.#addStream(id, { reads: true, writes: bidi });
    if (this.onStream) {
      this.onStream(stream);
    } else {
      stream.stop(0);
      if (bidi) stream.reset(0);
    }
  }

  /** For the port. @param {number} id */
  stream(id) {
    return this.#streams.get(id);
  }

  /**
   * For the port: the peer wants no more of what is written.
   * @param {number} id
   * @param {number} code
   */
  streamStopped(id, code) {
    const stream = this.#streams.get(id);
    stream?.endWriting();
    stream?.onStopped?.(code);
  }

  /**
   * For the port: the session has ended.
   * @param {number} code
   * @param {string} reason
   * @param {CloseCause} cause
   */
  end(code, reason, cause) {
    if (this.#ended) return;
    this.stats();
    this.#ended = true;
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.onClosed?.(code, reason, cause);
  }

  /**
   * @param {number} id
   * @param {{ reads: boolean, writes: boolean }} sides
   */
  #addStream(id, sides) {
    const stream = new Stream(this.#native, this.id, id, sides, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    return stream;
  }
}
