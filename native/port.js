import { CLOSE_CAUSES, EventKind, load } from './binding.js';
import { SessionGroup } from './group.js';
import { NativeSession } from './session.js';

/** @import { Binding, NativeEvent, NativePort } from './binding.js' */
/** @import { CongestionController } from './settings.js' */

/** The most that one reading takes; the rest waits for the event loop's next turn. */
const MAX_EVENTS = 256;
const MAX_DATAGRAMS = 1024;
const BATCH_BYTES = 256 * 1024;
const MAX_BATCHES = 8;

/** Numbers in the index for each datagram: session, offset, length, arrival. */
const INDEX_FIELDS = 4;

/** Comparisons of the port's clock with performance.now(). */
const CLOCK_TRIES = 16;

/**
 * Key by which other threads find an endpoint: plain data, for a message to them.
 * @typedef {{ key: number, congestionController: CongestionController }} SharedEndpoint
 *
 * @typedef {object} PortOptions
 * @property {(session: NativeSession) => void} [onSession] a session that a client asked for has
 *   opened here
 * @property {(event: NativeEvent) => void} [onEvent]  an event that is no session's
 * @property {(message: string, session: number) => void} [onFault] see Endpoint.onFault; without it
 *   the process warns
 */

/**
 * The sessions of an endpoint that one thread serves. Their packets come from QUIC's threads, with
 * no other between.
 */
export class Port {
  /** @type {NativePort} */
  #native;
  #options;
  /** @type {Map<number, NativeSession>} */
  #sessions = new Map();
  #bytes = new Uint8Array(BATCH_BYTES);
  #index = new Float64Array(INDEX_FIELDS * MAX_DATAGRAMS);
  #ids = new Uint32Array(64);
  #nextGroup = 1;
  #again = false;
  #reading = false;
  #closed = false;
  /** @type {NativeEvent[]} */
  #pending = [];
  /** Ends of sessions that are still to be told. @type {NativeEvent[]} */
  #ends = [];
  #faults = 0;

  /**
   * Makes a port of an endpoint that another thread has, for the thread that calls.
   * @param {SharedEndpoint} endpoint
   * @param {PortOptions & { lastWords?: { code: number, reason: string } }} options lastWords: what
   *   the sessions are closed with where the thread ends without close()
   * @returns {Port}
   * @throws {Error} when there is no such endpoint any more
   * @throws {import('./binding.js').NativeUnavailableError}
   */
  static open({ key, congestionController }, { lastWords = { code: 0, reason: '' }, ...options }) {
    const { Port: Native } = load(congestionController);
    return new Port((read) => new Native(key, lastWords.code, lastWords.reason, read), options);
  }

  /**
   * For the endpoint and open().
   * @param {(read: () => void) => NativePort} make
   * @param {PortOptions} options
   */
  constructor(make, options) {
    this.#options = options;
    this.#native = make(this.#read);
    this.#native.setClockOffset(clockOffset(this.#native));
  }

  /** The number by which the endpoint hands sessions to this port. */
  get number() {
    return this.#native.number;
  }

  /**
   * Sends one datagram to many sessions.
   * @param {readonly { id: number }[]} sessions
   * @param {Uint8Array} bytes
   * @returns {number} to how many it went
   */
  sendMany(sessions, bytes) {
    const count = sessions.length;
    if (count > this.#ids.length) this.#ids = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) this.#ids[i] = sessions[i].id;
    return this.#native.sendMany(this.#ids, count, bytes);
  }

  /** Makes a group, for datagrams that many sessions get. The caller closes it. */
  createGroup() {
    return new SessionGroup(this.#native, this.#nextGroup++);
  }

  /**
   * Hands over at once the datagrams that have come, for a caller that can't wait to be told of
   * them.
   */
  poll() {
    if (!this.#reading && this.#readDatagrams()) this.#readAgain();
  }

  /** Number of panics in the library that were caught. */
  get faults() {
    return this.#faults;
  }

  /** Number of open sessions. */
  get sessionCount() {
    return this.#sessions.size;
  }

  /**
   * Takes the port from its endpoint and closes its sessions. Idempotent.
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
   * All sessions have ended, with the port or its endpoint; they are told at the end of this
   * reading.
   */
  ended() {
    this.#closed = true;
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

  /** The engine's callback: it has events, datagrams or both. */
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

  /**
   * Tells of sessions' ends; they come last, so that no datagram that arrived before them is lost.
   */
  #endSessions() {
    try {
      for (let event = this.#ends.shift(); event; event = this.#ends.shift())
        this.#sessionEnded(event);
    } finally {
      if (this.#ends.length > 0) this.#readAgain();
    }
  }

  /**
   * @returns {boolean} false when the rest must wait for the event loop's next turn: whoever awaits
   *   a session gets to set its callbacks before anything is read for it
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

  /** @returns {boolean} whether there may be more */
  #readDatagrams() {
    const index = this.#index;
    this.#reading = true;
    try {
      for (let batch = 0; batch < MAX_BATCHES; batch++) {
        const count = this.#native.recv(this.#bytes, index);
        if (count === 0) return false;
        for (let at = 0; at < count * INDEX_FIELDS; at += INDEX_FIELDS) {
          const start = index[at + 1];
          const bytes = this.#bytes.subarray(start, start + index[at + 2]);
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

  /** @param {NativeEvent} event */
  #dispatch(event) {
    const session = this.#sessions.get(event.session);
    switch (event.kind) {
      case EventKind.opened:
        return this.#opened(event);
      case EventKind.streamOpened:
        return session?.peerOpened(event.stream, event.code === 1);
      case EventKind.streamReadable:
        return session?.stream(event.stream)?.onReadable?.();
      case EventKind.streamWritable:
        return session?.stream(event.stream)?.onWritable?.();
      case EventKind.streamStopped:
        return session?.streamStopped(event.stream, event.code);
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
    else process.emitWarning(`the native HTTP/3 engine panicked: ${text}`, 'AloudNativeFault');
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
 * Has the process meet an error that a session's callback threw, without the datagrams behind it
 * being lost.
 * @param {unknown} error
 */
function throwLater(error) {
  queueMicrotask(() => {
    throw error;
  });
}

/**
 * The value of performance.now() at the zero of the port's clock: that of the comparison which took
 * the least time.
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
