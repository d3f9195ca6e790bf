import { EventKind } from './binding.js';
import { Stream } from './stream.js';

/**
 * @import { CloseCause, ConnectionStats, NativeEvent, NativePort, RequestInfo } from './binding.js'
 */

/** An open WebTransport session. Set the callbacks as soon as you have it, before any await. */
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
    /** End of the QUIC handshake, on performance.now(); NaN on the server's side. */
    this.connectedMs = connectedMs;
    /**
     * Called for a datagram; the bytes are valid only during the call, and the time is of
     * performance.now.
     * @type {((bytes: Uint8Array, arrivalMs: number) => void) | null}
     */
    this.onDatagram = null;
    /** Called when the peer opened a stream. @type {((stream: Stream) => void) | null} */
    this.onStream = null;
    /**
     * Called at the session's end.
     * @type {((code: number, reason: string, cause: CloseCause) => void) | null}
     */
    this.onClosed = null;
  }

  /** True while it can send. */
  get open() {
    return !this.#ended && !this.#closing;
  }

  /**
   * Sends a datagram, without waiting.
   * @param {Uint8Array} bytes copied
   * @returns {boolean} false when it is too big, or the session over
   */
  send(bytes) {
    return this.open && this.#native.send(this.id, bytes);
  }

  /**
   * Delays datagrams with this first byte until others come or the port is polled, for at most 0.1
   * s. For datagrams that the caller needs only at certain times.
   * @param {number | null} firstByte null (the initial state): none waits
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

  /** @returns {ConnectionStats | null} the last ones after the end */
  stats() {
    const stats = this.#ended ? null : this.#native.stats(this.id);
    // Missing statistics have no property.
    if (stats) this.#lastStats = { ...stats, deliveryBps: stats.deliveryBps ?? null };
    return this.#lastStats;
  }

  /**
   * Reads some of the statistics without allocating an object.
   * @param {Float64Array} out PATH_FIELDS long, by PathField: droppedOut is droppedTooBig and
   *   droppedBlocked together, deliveryBps NaN while nothing is known, deliveryIsLimit 0 or 1
   * @returns {boolean} false when the session is over
   */
  path(out) {
    return !this.#ended && this.#native.path(this.id, out);
  }

  /** For the port: an event of one of the streams. @param {NativeEvent} event */
  streamEvent({ kind, stream: id, code }) {
    if (kind === EventKind.streamOpened) {
      this.#peerOpened(id, code === 1);
      return;
    }
    const stream = this.#streams.get(id);
    if (kind === EventKind.streamReadable) stream?.onReadable?.();
    if (kind === EventKind.streamWritable) stream?.onWritable?.();
    if (kind === EventKind.streamStopped) stream?.stopped(code);
  }

  /** @param {number} id @param {boolean} bidi */
  #peerOpened(id, bidi) {
    const stream = this.#addStream(id, { reads: true, writes: bidi });
    if (this.onStream) {
      this.onStream(stream);
    } else {
      stream.stop(0);
      if (bidi) stream.reset(0);
    }
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
    for (const stream of this.#streams.values()) {
      try {
        stream.end();
      } catch (error) {
        throwLater(error);
      }
    }
    this.#streams.clear();
    this.onClosed?.(code, reason, cause);
  }

  /** @param {number} id @param {{ reads: boolean, writes: boolean }} sides */
  #addStream(id, sides) {
    const stream = new Stream(this.#native, this.id, id, sides, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    return stream;
  }
}

/**
 * Throws an error of a callback in the process, without keeping other callbacks from being called.
 * @param {unknown} error
 */
export function throwLater(error) {
  queueMicrotask(() => {
    throw error;
  });
}

/**
 * A group of sessions that get the same datagrams. QUIC's threads send them, so that a datagram is
 * one short call for any number of sessions. An ended session is skipped, and no group keeps it
 * open.
 */
export class SessionGroup {
  #native;
  #number;
  #ids = new Uint32Array(64);

  /**
   * @param {Pick<NativePort, 'groupSet' | 'groupSend'>} native
   * @param {number} number unique within the port, also over time
   */
  constructor(native, number) {
    this.#native = native;
    this.#number = number;
  }

  /**
   * Replaces the group's sessions. An empty group costs nothing.
   * @param {readonly { id: number }[]} sessions of the port
   * @returns {boolean} false when the port has too many groups; then this one is unchanged
   */
  set(sessions) {
    const count = sessions.length;
    if (count > this.#ids.length) this.#ids = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) this.#ids[i] = sessions[i].id;
    return this.#native.groupSet(this.#number, this.#ids, count);
  }

  /**
   * Sends one datagram to all sessions, soon and in order.
   * @param {Uint8Array} bytes may be reused at once
   * @returns {number} number of sessions
   */
  send(bytes) {
    return this.#native.groupSend(this.#number, bytes);
  }

  /** Idempotent. */
  close() {
    this.set([]);
  }
}
