import { ControlLines, writeControlLine } from '../../shared/wire/control.js';
import { errors } from '../../shared/errors.js';
import { MAX_SENT_BYTES } from '../../shared/wire/packet-format.js';
import { PacketStreams } from './packet-streams.js';
import { Connection, ConnectionError, closeReason, messageOf } from './connection.js';

/**
 * The most datagrams that may wait for the network. The browser is given all of them: it drops by
 * age only those that it holds itself, and holds one unless told. Beyond it packets are dropped
 * here, the newest first.
 */
const MAX_PENDING = 16;

/**
 * Datagrams that wait in the browser while the page reads none: Chromium keeps the newest, one
 * unless told, and all while the worker is busy; Firefox keeps all.
 */
const INCOMING_DATAGRAMS = 256;

/** The longest control message of the server, in bytes: a room's list of people must fit. */
const MAX_CONTROL_BYTES = 1024 * 1024;

/**
 * The age at which an unsent datagram is dropped, in milliseconds. It is the same for long frames:
 * one of 60 ms doesn't wait for it where the path carries them (thin-uplink.test.js).
 */
const OUTGOING_MAX_AGE_MS = 40;

/**
 * @import { Carry } from '../../shared/wire/carry.js'
 *
 * @typedef {object} WebTransportOptionsOfConnection
 * @property {string} url
 * @property {string[]} [certificateHashes] SHA-256 in base64; none where the certificate is trusted
 *   anyway
 * @property {Carry} [carry]                 how the server has packets go; else as datagrams
 * @property {() => number} now              milliseconds, monotonic
 * @property {AbortSignal} [signal]          gives up opening
 * @property {typeof globalThis.WebTransport} [WebTransport]
 */

/**
 * One packet a datagram over HTTP/3, or as the server has it; control messages as lines on one
 * bidirectional stream.
 */
export class WebTransportConnection extends Connection {
  #session;
  #now;
  /** @type {{ write: (bytes: Uint8Array) => Promise<void> }} */
  #packets;
  /** Where packets are datagrams. @type {WebTransportDatagramDuplexStream | null} */
  #datagrams;
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
  static async open({ url, certificateHashes = [], carry = 'datagrams', now, signal, ...scope }) {
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
    // A session that fails rejects both promises; `ready` is awaited below, and `closed` says no
    // more than it.
    session.closed.catch(() => {});
    try {
      await session.ready;
      const stream = await session.createBidirectionalStream();
      return new WebTransportConnection(session, stream, carry, now);
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
   * @param {Carry} carry
   * @param {() => number} now
   */
  constructor(session, stream, carry, now) {
    super('webtransport');
    this.#session = session;
    this.#now = now;
    const isDatagrams = carry === 'datagrams';
    const streams = new PacketStreams(session, isDatagrams ? 'stream' : carry, (bytes) =>
      this.received(bytes, now()),
    );
    this.#datagrams = isDatagrams ? session.datagrams : null;
    this.#packets = isDatagrams ? this.#openDatagrams(session.datagrams) : streams;
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
    // The newer name and the older one of the same: a browser has one of them, or both.
    datagrams.incomingHighWaterMark = INCOMING_DATAGRAMS;
    Object.assign(datagrams, { incomingMaxBufferedDatagrams: INCOMING_DATAGRAMS });
    datagrams.outgoingHighWaterMark = MAX_PENDING;
    datagrams.outgoingMaxAge = OUTGOING_MAX_AGE_MS;
    void this.#readAll(datagrams.readable.getReader(), (bytes) =>
      this.received(bytes, this.#now()),
    );
    return writerOf(datagrams);
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
        // The session has ended; #watchEnd tells of it.
        return;
      }
      if (next.done || this.closed) return;
      take(next.value);
    }
  }

  /**
   * The longest datagram that the browser takes now: it drops a longer one without a word. Some say
   * 1 024 bytes at first, and more later.
   */
  get #longest() {
    return this.#datagrams?.maxDatagramSize || Infinity;
  }

  /** @override */
  get limit() {
    return Math.min(this.#longest, MAX_SENT_BYTES);
  }

  /**
   * @override
   * @param {Uint8Array} bytes
   */
  send(bytes) {
    const mayGo = !this.closed && this.#pending < MAX_PENDING && bytes.length <= this.#longest;
    if (!mayGo) return this.count(false);
    this.#pending += 1;
    this.#packets.write(bytes.slice()).then(this.#onWritten, this.#onWritten);
    return this.count(true);
  }

  /**
   * @override
   * @param {object} message
   */
  sendControl(message) {
    if (this.closed) return;
    // A write fails when the session has ended; #watchEnd tells of it.
    this.#control?.write(writeControlLine(message)).catch(() => {});
  }

  /**
   * @override
   * @param {boolean} leaves
   */
  release(leaves) {
    closeSession(this.#session, leaves ? 0 : errors['session-lost'].close);
  }
}

/**
 * @param {string[]} hashes
 * @returns {WebTransportOptions}
 */
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
 * Newer browsers make writers, older ones have one stream.
 * @param {any} datagrams
 * @returns {WritableStreamDefaultWriter<Uint8Array>}
 */
function writerOf(datagrams) {
  const writable =
    typeof datagrams.createWritable === 'function'
      ? datagrams.createWritable()
      : datagrams.writable;
  return writable.getWriter();
}

/**
 * @param {WebTransport} session
 * @param {number} [closeCode]
 */
function closeSession(session, closeCode = 0) {
  try {
    session.close({ closeCode, reason: '' });
  } catch {
    // It has ended by itself already.
  }
}
