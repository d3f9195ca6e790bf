import { CLOSE_CAUSES, EventKind, load } from './binding.js';
import { SessionGroup, NativeSession, throwLater } from './session.js';

/** @import { NativeEvent, NativePort } from './binding.js' */

/** Limits of one reading; the rest waits for the event loop's next turn. */
const MAX_EVENTS = 256;
const MAX_DATAGRAMS = 1024;
const BATCH_BYTES = 256 * 1024;
const MAX_BATCHES = 8;

/** Longest datagram that is handed over without an object of its own, in bytes. */
const COMMON_BYTES = 1500;

/** Numbers in the index for each datagram: session, offset, length, arrival. */
const INDEX_FIELDS = 4;

/** Number of comparisons of the port's clock with performance.now(). */
const CLOCK_TRIES = 16;

/**
 * Key by which other threads find an endpoint: plain data, for a message to them.
 * @typedef {{ key: number, library: string | null }} SharedEndpoint
 *
 * @typedef {object} PortOptions
 * @property {(session: NativeSession) => void} [onSession] called when a session requested by a
 *   client has opened
 * @property {(event: NativeEvent) => void} [onEvent]  called for an event of no session
 * @property {(message: string, session: number) => void} [onFault] see Endpoint.onFault; without it
 *   the process warns
 */

const readNothing = () => {};

/**
 * Callback for the engine, which keeps it as long as there is the engine's own object. A reader
 * refers to that object: neither is freed until the reader is taken away.
 */
export class EngineCallback {
  /** @type {() => void} */
  read = readNothing;
  call = () => this.read();
}

/**
 * The sessions of an endpoint that one thread serves. Their packets come directly from QUIC's
 * threads.
 */
export class Port {
  /** @type {NativePort} */
  #native;
  #callback;
  #options;
  /** @type {Map<number, NativeSession>} */
  #sessions = new Map();
  /** The datagram that is handed over; behind it the batch that was read. */
  #bytes = new Uint8Array(COMMON_BYTES + BATCH_BYTES);
  #batch = this.#bytes.subarray(COMMON_BYTES);
  /** Views of the beginning of #bytes, by their length. @type {Uint8Array[]} */
  #views = [];
  #index = new Float64Array(INDEX_FIELDS * MAX_DATAGRAMS);
  #ids = new Uint32Array(64);
  #nextGroup = 1;
  #again = false;
  #reading = false;
  #closed = false;
  /** @type {NativeEvent[]} */
  #pending = [];
  /** Ends of sessions that are not reported yet. @type {NativeEvent[]} */
  #ends = [];
  #faults = 0;

  /**
   * Makes a port of another thread's endpoint for the calling thread.
   * @param {SharedEndpoint} endpoint
   * @param {PortOptions & { lastWords?: { code: number, reason: string } }} options lastWords:
   *   close code and reason of the sessions if the thread ends without close()
   * @returns {Port}
   * @throws {Error} when the endpoint is gone
   * @throws {import('./binding.js').NativeUnavailableError}
   */
  static open({ key, library }, { lastWords = { code: 0, reason: '' }, ...options }) {
    const { Port: Native } = load(library);
    return new Port((read) => new Native(key, lastWords.code, lastWords.reason, read), options);
  }

  /**
   * Used by the endpoint and open().
   * @param {(read: () => void) => NativePort} make
   * @param {PortOptions} options
   * @param {EngineCallback} [callback] given to the engine already
   */
  constructor(make, options, callback = new EngineCallback()) {
    this.#options = options;
    this.#callback = callback;
    callback.read = this.#read;
    this.#native = make(callback.call);
    this.#native.setClockOffset(clockOffset(this.#native));
  }

  /** Number by which the endpoint hands sessions to this port. */
  get number() {
    return this.#native.number;
  }

  /**
   * Sends one datagram to many sessions.
   * @param {readonly { id: number }[]} sessions
   * @param {Uint8Array} bytes
   * @returns {number} number of sessions that got it
   */
  sendMany(sessions, bytes) {
    const count = sessions.length;
    if (count > this.#ids.length) this.#ids = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) this.#ids[i] = sessions[i].id;
    return this.#native.sendMany(this.#ids, count, bytes);
  }

  /**
   * Has this thread woken at a time, in place of the time before. A timer of Node.js is up to two
   * milliseconds late. Does nothing on systems without an exact one.
   * @param {number} atMs on the clock of performance.now(); Infinity: never
   */
  wakeAt(atMs) {
    this.#native.wakeAt(atMs);
  }

  /** Keeps the sent datagrams until uncork(), because many are sent together with less work. */
  cork() {
    this.#native.cork();
  }

  /** Sends the kept datagrams, soon and in order. */
  uncork() {
    this.#native.uncork();
  }

  /** Makes a group for datagrams to many sessions. The caller closes it. */
  createGroup() {
    return new SessionGroup(this.#native, this.#nextGroup++);
  }

  /** Delivers the received datagrams at once, for a caller that can't wait for the notification. */
  poll() {
    if (!this.#reading && this.#readDatagrams()) this.#readAgain();
  }

  /** Number of caught panics in the library, and of failed sockets. */
  get faults() {
    return this.#faults;
  }

  /** Number of open sessions. */
  get sessionCount() {
    return this.#sessions.size;
  }

  /**
   * Removes the port from its endpoint and closes its sessions. Idempotent.
   * @param {number} [code]
   * @param {string} [reason]
   */
  close(code = 0, reason = '') {
    if (this.#closed) return;
    this.#native.close(code, reason);
    this.ended();
    this.#endSessions();
  }

  /**
   * Ends all sessions, with the port or its endpoint; their ends are reported after this reading.
   */
  ended() {
    this.#closed = true;
    this.#callback.read = readNothing;
    for (const id of this.#sessions.keys()) {
      this.#ends.push({
        kind: EventKind.closed,
        session: id,
        stream: 0,
        code: 0,
        cause: 1,
        text: '',
      });
    }
  }

  /** Callback of the engine: there are events, datagrams or both. */
  #read = () => {
    this.#again = false;
    if (this.#pending.length === 0) {
      this.#native.listening();
      this.#pending = this.#native.events(MAX_EVENTS);
      if (this.#pending.length === MAX_EVENTS) this.#readAgain();
    }
    try {
      if (!this.#dispatchPending() || this.#readDatagrams()) this.#readAgain();
    } catch (error) {
      this.#readAgain();
      throw error;
    } finally {
      this.#endSessions();
    }
  };

  /** Reports the ends of sessions last, so that no earlier datagram is lost. */
  #endSessions() {
    try {
      for (let event = this.#ends.shift(); event; event = this.#ends.shift())
        this.#sessionEnded(event);
    } finally {
      if (this.#ends.length > 0) this.#readAgain();
    }
  }

  /**
   * @returns {boolean} false when the rest must wait for the event loop's next turn: a caller that
   *   awaits a session must first set its callbacks
   */
  #dispatchPending() {
    for (let event = this.#pending.shift(); event; event = this.#pending.shift()) {
      if (event.kind === EventKind.closed) this.#ends.push(event);
      else this.#dispatch(event);
      if (event.kind === EventKind.opened && !this.#sessions.get(event.session)?.request)
        return false;
    }
    return true;
  }

  #readAgain() {
    if (this.#again) return;
    this.#again = true;
    setImmediate(this.#read);
  }

  /** @returns {boolean} true when there may be more */
  #readDatagrams() {
    const index = this.#index;
    this.#reading = true;
    try {
      for (let batch = 0; batch < MAX_BATCHES; batch++) {
        const count = this.#native.recv(this.#batch, index);
        if (count === 0) return false;
        for (let at = 0; at < count * INDEX_FIELDS; at += INDEX_FIELDS) {
          const bytes = this.#datagram(index[at + 1], index[at + 2]);
          try {
            this.#sessions.get(index[at])?.onDatagram?.(bytes, index[at + 3]);
          } catch (error) {
            throwLater(error);
          }
        }
      }
    } finally {
      this.#reading = false;
    }
    return true;
  }

  /**
   * Returns one datagram of the batch, in a view that is used again: there are thousands a second.
   * @param {number} start in the batch
   * @param {number} length
   */
  #datagram(start, length) {
    if (length > COMMON_BYTES) return this.#batch.subarray(start, start + length);
    const from = COMMON_BYTES + start;
    this.#bytes.copyWithin(0, from, from + length);
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }

  /** @param {NativeEvent} event */
  #dispatch(event) {
    switch (event.kind) {
      case EventKind.opened:
        return this.#opened(event);
      case EventKind.streamOpened:
      case EventKind.streamReadable:
      case EventKind.streamWritable:
      case EventKind.streamStopped:
        return this.#sessions.get(event.session)?.streamEvent(event);
      case EventKind.fault:
        return this.#fault(event);
      default:
        return this.#options.onEvent?.(event);
    }
  }

  /** @param {NativeEvent} event */
  #fault({ text, session }) {
    this.#faults += 1;
    const { onFault } = this.#options;
    if (onFault) onFault(text, session);
    else process.emitWarning(`the native HTTP/3 engine failed: ${text}`, 'AloudNativeFault');
  }

  /** @param {NativeEvent} event */
  #opened(event) {
    const { session: id, text, request = null, connectedMs } = event;
    const session = new NativeSession(this.#native, id, text, request, connectedMs);
    this.#sessions.set(id, session);
    if (request === null) this.#options.onEvent?.(event);
    else this.#options.onSession?.(session);
  }

  /** @param {number} id @returns {NativeSession | undefined} a session that is open */
  session(id) {
    return this.#sessions.get(id);
  }

  /** @param {NativeEvent} event */
  #sessionEnded({ session: id, code, text, cause }) {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    try {
      session?.end(code, text, CLOSE_CAUSES[cause]);
    } finally {
      this.#native.forget(id);
    }
  }
}

/**
 * Value of performance.now() at the zero of the port's clock, by the quickest comparison.
 * @param {NativePort} native
 * @returns {number} milliseconds
 */
function clockOffset(native) {
  let offset = 0;
  let least = Infinity;
  for (let i = 0; i < CLOCK_TRIES; i++) {
    const before = performance.now();
    const raw = native.clock();
    const after = performance.now();
    if (after - before >= least) continue;
    least = after - before;
    offset = (before + after) / 2 - raw;
  }
  return offset;
}
