/**
 * The browser's WebTransport for Node.js, over the native engine's client: as much of the W3C interface
 * as the client's connection uses, so that the same client runs without a browser.
 * @import { Endpoint, NativeSession, Stream } from '@aloud/native'
 */

const READ_BYTES = 16 * 1024;

/**
 * An observer of all datagrams of a session. It must not keep their bytes.
 * @typedef {object} Tap
 * @property {(bytes: Uint8Array) => void} sent
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} received
 */

/** Most datagrams that wait to be read; later ones are dropped. */
const MAX_WAITING = 256;

/**
 * A WebTransport class whose sessions live on an endpoint.
 * @param {Endpoint} endpoint closed by whoever made it
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
  #tap;

  /**
   * @param {Endpoint} endpoint
   * @param {string} url
   * @param {WebTransportOptions} [options]
   * @param {Tap} [tap]
   */
  constructor(endpoint, url, { serverCertificateHashes = [] } = {}, tap = undefined) {
    this.#tap = tap;
    const certificateHashes = serverCertificateHashes.map(({ value }) => new Uint8Array(/** @type {any} */ (value)));
    /** @type {Settleable<{ closeCode: number, reason: string }>} */
    const closed = withResolvers();
    this.closed = closed.promise;
    this.datagrams = new Datagrams(() => this.#session, tap);
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
    session.onDatagram = (bytes, arrivalMs) => {
      this.#tap?.received(bytes, arrivalMs);
      this.datagrams.arrived(bytes);
    };
    session.onClosed = (closeCode, reason, cause) => {
      this.datagrams.end();
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
    this.readable = new ReadableStream({ start: (controller) => void (this.#controller = controller) }, strategy);
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

/** @param {Stream} stream */
function readableOf(stream) {
  const bytes = new Uint8Array(READ_BYTES);
  return new ReadableStream({
    start(controller) {
      let over = false;
      stream.onReadable = () => {
        for (let count = over ? null : stream.read(bytes); ; count = stream.read(bytes)) {
          if (count === 0 || over) return;
          if (count === null) break;
          controller.enqueue(bytes.slice(0, count));
        }
        over = true;
        controller.close();
      };
      stream.onReadable();
    },
  });
}

/** @param {Stream} stream */
function writableOf(stream) {
  return new WritableStream({
    write(bytes) {
      if (!stream.write(bytes)) throw new Error('the stream has no room');
    },
  });
}

/**
 * A promise with what settles it.
 * @template T
 * @typedef {{ promise: Promise<T>, resolve: (value: T) => void, reject: (reason: unknown) => void }} Settleable
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
