import { ControlLines, writeControlLine } from '../../shared/wire/control.js';
import { ConnectionError, errors } from '../../shared/errors.js';
import { MAX_SENT_BYTES } from '../../shared/wire/packet-format.js';
import { PacketReader } from '../../shared/wire/stream-packets.js';
import { Connection, closeReason, messageOf } from './connection.js';

/**
 * Most datagrams that may wait for the network. The browser gets all of them, since it drops by age
 * only the ones that it holds, and holds one by default. Beyond this number packets are dropped
 * here, the newest first.
 */
const MAX_PENDING = 16;

/**
 * Most datagrams that wait in the browser while the page reads none. By default Chromium keeps one,
 * the newest, and none while the worker is busy; Firefox keeps all.
 */
const INCOMING_DATAGRAMS = 256;

/** Longest control message from the server, in bytes: a room's list of people must fit. */
const MAX_CONTROL_BYTES = 1024 * 1024;

/**
 * Age at which an unsent datagram is dropped, in milliseconds. Long frames have the same limit:
 * those of 60 ms don't reach it on a path that carries them (thin-uplink.test.js).
 */
const OUTGOING_MAX_AGE_MS = 40;

/**
 * @typedef {object} WebTransportOptionsOfConnection
 * @property {string} url
 * @property {string[]} [certificateHashes] SHA-256 in base64; none when the certificate is trusted
 *   anyway
 * @property {() => number} now              milliseconds, monotonic
 * @property {AbortSignal} [signal]          gives up opening
 * @property {typeof globalThis.WebTransport} [WebTransport]
 */

/**
 * Carries each packet in a datagram over HTTP/3, those to a steady listener on streams; control
 * messages are lines
 * on one bidirectional stream.
 */
export class WebTransportConnection extends Connection {
  #session;
  #now;
  #packets;
  #pending = 0;
  #onWritten = () => {
    this.#pending -= 1;
  };
  /** @type {WritableStreamDefaultWriter | null} */
  #control = null;

  /**
   * @param {WebTransportOptionsOfConnection} options
   * @returns {Promise<WebTransportConnection>} rejects with a ConnectionError
   */
  static async open({ url, certificateHashes = [], now, signal, ...scope }) {
    const Constructor = scope.WebTransport ?? globalThis.WebTransport;
    if (typeof Constructor !== 'function') {
      throw new ConnectionError('no-webtransport', 'This browser has no WebTransport.');
    }
    let session;
    try {
      session = new Constructor(url, optionsOf(certificateHashes));
    } catch (error) {
      throw new ConnectionError(
        'connection-failed',
        `WebTransport can't open ${url}: ${messageOf(error)}`,
      );
    }
    const stop = () => closeSession(session);
    signal?.addEventListener('abort', stop);
    // A failing session rejects both promises; `ready` is awaited below, and `closed` adds nothing.
    session.closed.catch(() => {});
    try {
      await session.ready;
      const stream = await session.createBidirectionalStream();
      return new WebTransportConnection(session, stream, now);
    } catch (error) {
      closeSession(session);
      throw new ConnectionError(
        'connection-failed',
        `HTTP/3 got no answer from ${url}: ${messageOf(error)}`,
      );
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * @param {WebTransport} session one that is ready
   * @param {WebTransportBidirectionalStream} stream
   * @param {() => number} now
   */
  constructor(session, stream, now) {
    super('webtransport');
    this.#session = session;
    this.#now = now;
    this.#packets = this.#openDatagrams(session.datagrams);
    void this.#readStreams(session.incomingUnidirectionalStreams.getReader()).catch(() => {});
    this.#control = stream.writable.getWriter();
    this.#watchEnd();
    void this.#readControl(stream.readable.getReader());
  }

  #watchEnd() {
    this.#session.closed.then(
      ({ closeCode = 0, reason = '' }) => {
        const end = closeReason(closeCode, reason);
        this.ended(end.code, end.reason);
      },
      (error) =>
        this.ended('connection-lost', `The connection to the server was lost: ${messageOf(error)}`),
    );
  }

  /** @param {WebTransportDatagramDuplexStream} datagrams */
  #openDatagrams(datagrams) {
    // Two names of one property: browsers have the newer, the older, or both.
    datagrams.incomingHighWaterMark = INCOMING_DATAGRAMS;
    Object.assign(datagrams, { incomingMaxBufferedDatagrams: INCOMING_DATAGRAMS });
    datagrams.outgoingHighWaterMark = MAX_PENDING;
    datagrams.outgoingMaxAge = OUTGOING_MAX_AGE_MS;
    void this.#readAll(datagrams.readable.getReader(), (bytes) =>
      this.received(bytes, this.#now()),
    );
    return writerOf(datagrams);
  }

  /** @param {ReadableStreamDefaultReader<ReadableStream<Uint8Array>>} streams */
  async #readStreams(streams) {
    for (;;) {
      const { value, done } = await streams.read();
      if (done) return;
      void this.#readPackets(value.getReader()).catch(() => {});
    }
  }

  /**
   * Reads the packets of one stream, and stops it at its end; fails if the peer resets it, or the
   * session ends.
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   */
  async #readPackets(reader) {
    const packets = new PacketReader((bytes) => this.received(bytes, this.#now()));
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (!packets.push(value)) return reader.cancel();
    }
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  #readControl(reader) {
    const lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.control(message),
      onError: () => this.ended('connection-lost', 'The server sent what is no control message.'),
    });
    return this.#readAll(reader, (bytes) => lines.push(bytes));
  }

  /**
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   * @param {(bytes: Uint8Array) => void} take
   */
  async #readAll(reader, take) {
    for (;;) {
      let next;
      try {
        next = await reader.read();
      } catch {
        // The session has ended; #watchEnd reports it.
        return;
      }
      if (next.done || this.closed) return;
      take(next.value);
    }
  }

  /**
   * Longest datagram that the browser accepts now; it silently drops longer ones. Some start with
   * 1,024 bytes and allow more later.
   */
  get #longest() {
    return this.#session.datagrams.maxDatagramSize || Infinity;
  }

  /** @override */
  get limit() {
    return Math.min(this.#longest, MAX_SENT_BYTES);
  }

  /** @override @param {Uint8Array} bytes */
  send(bytes) {
    const canSend = !this.closed && this.#pending < MAX_PENDING && bytes.length <= this.#longest;
    if (!canSend) return this.count(false);
    this.#pending += 1;
    this.#packets.write(bytes.slice()).then(this.#onWritten, this.#onWritten);
    return this.count(true);
  }

  /** @override @param {object} message */
  sendControl(message) {
    if (this.closed) return;
    // A write fails after the session's end; #watchEnd reports it.
    this.#control?.write(writeControlLine(message)).catch(() => {});
  }

  /** @override @param {boolean} leaves */
  release(leaves) {
    closeSession(this.#session, leaves ? 0 : errors['session-lost'].close);
  }
}

/** @param {string[]} hashes @returns {WebTransportOptions} */
function optionsOf(hashes) {
  return {
    requireUnreliable: true,
    congestionControl: 'low-latency',
    ...(hashes.length > 0 && {
      serverCertificateHashes: hashes.map((hash) => ({
        algorithm: 'sha-256',
        value: Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)),
      })),
    }),
  };
}

/**
 * Newer browsers create writers, older ones have one stream.
 * @param {WebTransportDatagramDuplexStream & { createWritable?: () =>
 *   WritableStream<Uint8Array> }} datagrams
 * @returns {WritableStreamDefaultWriter<Uint8Array>}
 */
function writerOf(datagrams) {
  const writable =
    typeof datagrams.createWritable === 'function'
      ? datagrams.createWritable()
      : datagrams.writable;
  return writable.getWriter();
}

/** @param {WebTransport} session @param {number} [closeCode] */
function closeSession(session, closeCode = 0) {
  try {
    session.close({ closeCode, reason: '' });
  } catch {
    // The session has already ended.
  }
}
