/**
 * A browser's WebTransport session (W3C WebTransport, section 6) without a network: a test plays
 * the server.
 *
 * @typedef {object} Behaviour
 * @property {boolean} [blocked]      datagrams are not taken until unblock()
 * @property {boolean} [failsToOpen]
 * @property {boolean} [createsWriters]  datagrams have createWritable() in place of `writable`
 * @property {number} [maxDatagramSize]  longer datagrams are silently dropped; can be changed
 * @property {boolean} [neverOpens]
 * @property {Record<string, object>} [answers]  to control messages, by their type
 */
export class FakeWebTransport {
  /** @type {Uint8Array[]} */
  sentDatagrams = [];
  sentControl = '';
  /** @type {{ closeCode?: number, reason?: string } | null} */
  closedWith = null;
  #settle = deferred();
  #opening = deferred();
  #blocked = deferred();
  /** @type {ReadableStreamDefaultController<Uint8Array> | null} */
  #datagramsIn = null;
  /** @type {ReadableStreamDefaultController<Uint8Array> | null} */
  #controlIn = null;
  /** @type {ReadableStreamDefaultController<ReadableStream<Uint8Array>> | null} */
  #streamsIn = null;

  /**
   * @param {string} url
   * @param {any} options
   * @param {Behaviour} behaviour
   */
  constructor(url, options, behaviour) {
    this.url = url;
    this.options = options;
    this.behaviour = behaviour;
    this.ready = this.#opening.promise;
    this.closed = this.#settle.promise;
    if (behaviour.failsToOpen) this.fail('no handshake');
    else if (!behaviour.neverOpens) this.#opening.resolve(undefined);
    if (!behaviour.blocked) this.#blocked.resolve(undefined);
    this.incomingUnidirectionalStreams = new ReadableStream({
      start: (controller) => void (this.#streamsIn = controller),
    });
    this.datagrams = {
      get maxDatagramSize() {
        return behaviour.maxDatagramSize ?? 1215;
      },
      incomingHighWaterMark: 1,
      incomingMaxBufferedDatagrams: 1,
      outgoingMaxAge: null,
      readable: new ReadableStream({
        start: (controller) => void (this.#datagramsIn = controller),
      }),
      ...(behaviour.createsWriters
        ? { createWritable: () => this.#datagramsOut() }
        : { writable: this.#datagramsOut() }),
    };
  }

  #datagramsOut() {
    return new WritableStream({
      write: async (/** @type {Uint8Array} */ bytes) => {
        await this.#blocked.promise;
        if (bytes.length <= this.datagrams.maxDatagramSize) this.sentDatagrams.push(bytes);
      },
    });
  }

  /**
   * Makes a constructor of sessions with a behaviour; `sessions` lists them.
   * @param {Behaviour} [behaviour]
   */
  static behaving(behaviour = {}) {
    /** @type {FakeWebTransport[]} */
    const sessions = [];
    const Constructor = class extends FakeWebTransport {
      static sessions = sessions;
      /** @param {string} url @param {any} options */
      constructor(url, options) {
        super(url, options, behaviour);
        sessions.push(this);
      }
    };
    return Constructor;
  }

  async createBidirectionalStream() {
    return {
      readable: new ReadableStream({ start: (controller) => void (this.#controlIn = controller) }),
      writable: new WritableStream({
        write: (/** @type {Uint8Array} */ bytes) => {
          const line = new TextDecoder().decode(bytes);
          this.sentControl += line;
          const answer = this.behaviour.answers?.[JSON.parse(line).type];
          if (answer) this.receiveControl(new TextEncoder().encode(`${JSON.stringify(answer)}\n`));
        },
      }),
    };
  }

  unblock() {
    this.#blocked.resolve(undefined);
  }

  /** @param {Uint8Array} bytes */
  receiveDatagram(bytes) {
    this.#datagramsIn?.enqueue(bytes);
  }

  /** @param {ReadableStream<Uint8Array>} stream that the server opens */
  receiveStream(stream) {
    this.#streamsIn?.enqueue(stream);
  }

  /** @param {Uint8Array} bytes */
  receiveControl(bytes) {
    this.#controlIn?.enqueue(bytes);
  }

  /** @param {{ closeCode?: number, reason?: string }} info */
  close(info) {
    this.closedWith = info;
    this.#opening.reject(new Error('closed'));
    this.ready.catch(() => {});
    this.#settle.resolve({ closeCode: info.closeCode ?? 0, reason: info.reason ?? '' });
  }

  /** @param {number} closeCode @param {string} reason */
  closeFromServer(closeCode, reason) {
    this.#settle.resolve({ closeCode, reason });
  }

  /** @param {string} message */
  fail(message) {
    this.#opening.reject(new Error(message));
    this.#settle.reject(new Error(message));
  }
}

/**
 * @returns {{ promise: Promise<any>, resolve: (value: any) => void, reject: (error: unknown) =>
 *   void }}
 */
function deferred() {
  /** @type {any} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
