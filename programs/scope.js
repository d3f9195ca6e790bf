/**
 * Environment of the page's client in Node.js: transports, and ciphers for end-to-end encryption.
 * WebTransport goes over the native engine's client, and has the part of the W3C interface that the
 * client's connection uses.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Scope } from '../public/client/connection/choose.js'
 */

import { Endpoint, loadError } from '@aloud/native';
import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { WebSocket } from 'ws';
import { LENGTH_BYTES, PacketReader } from '../public/shared/wire/stream-packets.js';

const READ_BYTES = 16 * 1024;

/**
 * Observer of a session's opening and of all its datagrams. It must not keep their bytes.
 * @typedef {object} Tap
 * @property {(bytes: Uint8Array) => void} sent
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} received
 * @property {(session: NativeSession) => void} [opened]
 */

/** Most streams with a steady listener's packets, including streams held up by loss. */
const MAX_STREAMS = 256;

/** Cipher and hash of end-to-end encryption. */
export const primitives = async () => ({ ctr, expand, extract, hmac, sha256 });

/**
 * Opens the transports of one client: WebTransport if the native engine can be loaded; WebSocket
 * and HTTP/1 always.
 * @param {Tap} [tap] observes WebTransport
 * @returns {{ scope: Scope, close: () => Promise<void> }} close: ends their threads
 */
export function openScope(tap) {
  const isLoaded = loadError() === null;
  const endpoint = isLoaded ? new Endpoint({ ioThreads: 1, maxStreams: MAX_STREAMS }) : null;
  const scope = {
    WebTransport: endpoint ? webTransportOn(endpoint, tap) : undefined,
    WebSocket: /** @type {typeof globalThis.WebSocket} */ (/** @type {unknown} */ (WebSocket)),
  };
  return { scope, close: async () => void (await endpoint?.close()) };
}

/** Most datagrams that wait to be read; later ones are dropped. */
const MAX_WAITING = 256;

/**
 * A WebTransport class whose sessions live on an endpoint.
 * @param {Pick<Endpoint, 'connect'>} endpoint closed by its owner
 * @param {Tap} [tap]
 * @returns {typeof globalThis.WebTransport}
 */
export function webTransportOn(endpoint, tap) {
  const bound = class extends NodeWebTransport {
    /** @param {string} url @param {WebTransportOptions} [options] */
    constructor(url, options) {
      super(endpoint, url, options, tap);
    }
  };
  return /** @type {any} */ (bound);
}

class NodeWebTransport {
  /** @type {NativeSession | null} */
  #session = null;
  #abandoned = false;
  /** @type {ReadableStreamDefaultController<ReadableStream<Uint8Array>> | null} */
  #incoming = null;
  #tap;

  /**
   * @param {Pick<Endpoint, 'connect'>} endpoint
   * @param {string} url
   * @param {WebTransportOptions} [options]
   * @param {Tap} [tap]
   */
  constructor(endpoint, url, { serverCertificateHashes = [] } = {}, tap = undefined) {
    this.#tap = tap;
    const certificateHashes = serverCertificateHashes.map(
      ({ value }) => new Uint8Array(/** @type {any} */ (value)),
    );
    /** @type {Settleable<{ closeCode: number, reason: string }>} */
    const closed = withResolvers();
    this.closed = closed.promise;
    this.datagrams = new Datagrams(() => this.#session, tap);
    /** @type {ReadableStream<ReadableStream<Uint8Array>>} */
    this.incomingUnidirectionalStreams = new ReadableStream({
      start: (controller) => void (this.#incoming = controller),
    });
    this.ready = endpoint.connect(url, { certificateHashes }).then(
      (session) => this.#opened(session, closed),
      (error) => {
        closed.reject(error);
        throw error;
      },
    );
  }

  /**
   * @param {NativeSession} session
   * @param {Settleable<{ closeCode: number, reason: string }>} closed
   */
  #opened(session, closed) {
    this.#session = session;
    this.#tap?.opened?.(session);
    session.onDatagram = (bytes, arrivalMs) => {
      this.#tap?.received(bytes, arrivalMs);
      this.datagrams.arrived(bytes);
    };
    session.onStream = (stream) => this.#incoming?.enqueue(readableOf(stream, this.#tapOfStream()));
    session.onClosed = (closeCode, reason, cause) => {
      this.datagrams.end();
      this.#incoming?.close();
      this.#incoming = null;
      if (cause === 'peer' || cause === 'local') closed.resolve({ closeCode, reason });
      else closed.reject(new Error(reason || cause));
    };
    if (this.#abandoned) session.close();
  }

  async createBidirectionalStream() {
    const stream = this.#session?.openStream();
    if (!stream) throw new Error('the session is over');
    return { readable: readableOf(stream), writable: writableOf(stream) };
  }

  async createUnidirectionalStream() {
    const stream = this.#session?.openStream({ bidi: false });
    if (!stream) throw new Error('the session is over, or has too many streams');
    return writableOf(stream, (bytes) => this.#tap?.sent(bytes.subarray(LENGTH_BYTES)));
  }

  /**
   * Shows the observer the packets that come on a stream: see stream-packets.js.
   * @returns {(bytes: Uint8Array) => void}
   */
  #tapOfStream() {
    const reader = new PacketReader((bytes) => this.#tap?.received(bytes, performance.now()));
    return (bytes) => void reader.push(bytes);
  }

  /** @param {{ closeCode?: number, reason?: string }} [info] */
  close({ closeCode = 0, reason = '' } = {}) {
    this.#abandoned = true;
    this.#session?.close(closeCode, reason);
  }
}

class Datagrams {
  /** @type {ReadableStreamDefaultController<Uint8Array> | null} */
  #controller = null;

  /** @param {() => NativeSession | null} session @param {Tap} [tap] */
  constructor(session, tap) {
    const strategy = { highWaterMark: MAX_WAITING };
    this.readable = new ReadableStream(
      { start: (controller) => void (this.#controller = controller) },
      strategy,
    );
    const write = (/** @type {Uint8Array} */ bytes) => {
      tap?.sent(bytes);
      session()?.send(bytes);
    };
    this.writable = new WritableStream({ write }, { highWaterMark: 64 });
  }

  /** @param {Uint8Array} bytes */
  arrived(bytes) {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(bytes.slice());
  }

  end() {
    this.#controller?.close();
    this.#controller = null;
  }
}

/** @param {Stream} stream @param {(bytes: Uint8Array) => void} [tap] observes received bytes */
function readableOf(stream, tap = () => {}) {
  const bytes = new Uint8Array(READ_BYTES);
  return new ReadableStream({
    start(controller) {
      let over = false;
      stream.onReadable = () => {
        for (let count = over ? null : stream.read(bytes); ; count = stream.read(bytes)) {
          if (count === 0 || over) return;
          if (count === null) break;
          tap(bytes.subarray(0, count));
          controller.enqueue(bytes.slice(0, count));
        }
        over = true;
        controller.close();
      };
      stream.onReadable();
    },
    cancel: () => stream.stop(0),
  });
}

/** @param {Stream} stream @param {(bytes: Uint8Array) => void} [tap] observes sent bytes */
function writableOf(stream, tap = () => {}) {
  return new WritableStream({
    write(bytes) {
      tap(bytes);
      if (!stream.write(bytes)) throw new Error('the stream has no room');
    },
    close: () => stream.finish(),
    abort: () => stream.reset(0),
  });
}

/**
 * A promise with its resolving functions.
 * @template T
 * @typedef {{ promise: Promise<T>, resolve: (value: T) => void, reject: (reason: unknown) => void
 *   }} Settleable
 */

/**
 * Promise.withResolvers, which Node.js 20 lacks.
 * @template T
 * @returns {Settleable<T>}
 */
function withResolvers() {
  /** @type {any} */
  const result = {};
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
  return result;
}
