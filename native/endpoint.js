import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { CLOSE_CAUSES, EventKind, load } from './binding.js';
import { SessionGroup } from './group.js';
import { NativeSession } from './session.js';
import { checkSettings, DEFAULTS, LONGEST_TIMER_MS } from './settings.js';

/** @import { Admissions, EndpointSettings, NativeEndpoint, NativeEvent, RequestInfo } from './binding.js' */

/** The most that one reading takes; the rest waits for the event loop's next turn. */
const MAX_EVENTS = 256;
const MAX_DATAGRAMS = 1024;
const BATCH_BYTES = 256 * 1024;
const MAX_BATCHES = 8;

/** Numbers in the index for each datagram: session, offset, length, arrival. */
const INDEX_FIELDS = 4;

/** Comparisons of the endpoint's clock with performance.now(). */
const CLOCK_TRIES = 16;

/** A session could not be opened; `status` is the HTTP status of a refusal, or 0. */
export class ConnectError extends Error {
  /**
   * @param {string} message
   * @param {number} status
   */
  constructor(message, status) {
    super(status === 0 ? message : `the server refused with status ${status}`);
    this.name = 'ConnectError';
    this.code = 'ERR_WEBTRANSPORT_CONNECT';
    this.status = status;
  }
}

/**
 * A client's request: answer it once with accept or reject, at once or later. One that isn't for a session is
 * answered by accept with the status 405, or 501 where it is for another protocol.
 * @typedef {RequestInfo & { accept: () => void, reject: (status: number) => void }} SessionRequest
 *
 * @typedef {object} ListenOptions
 * @property {string} [host]   an address or a name; '::' (the default) takes IPv4 as well
 * @property {number} [port]   0 (the default) for any
 * @property {string} certPem  the certificate chain
 * @property {string} keyPem
 * @property {(request: SessionRequest) => void} onRequest
 * @property {(session: NativeSession) => void} onSession  an accepted session has opened
 */

/**
 * The sessions of a WebTransport server, of a client, or of both, and the threads that serve them.
 * It keeps the process alive until it is closed.
 */
export class Endpoint {
  #native;
  /** @type {Map<number, NativeSession>} */
  #sessions = new Map();
  /** @type {Map<number, RequestInfo>} */
  #requests = new Map();
  /** @type {Map<number, { resolve: (session: NativeSession) => void, reject: (error: Error) => void }>} */
  #connecting = new Map();
  /** @type {ListenOptions | null} */
  #listen = null;
  #bytes = new Uint8Array(BATCH_BYTES);
  #index = new Float64Array(INDEX_FIELDS * MAX_DATAGRAMS);
  #ids = new Uint32Array(64);
  #nextGroup = 1;
  #hold = setInterval(() => {}, LONGEST_TIMER_MS);
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {(() => void) | null} */
  #onClosed = null;
  #again = false;
  #reading = false;
  /** @type {NativeEvent[]} */
  #pending = [];
  /** Ends of sessions that are still to be told. @type {NativeEvent[]} */
  #ends = [];
  #faults = 0;
  /**
   * A panic in the library was caught. It ended one session (whose onClosed says 'lost') or one connection
   * that was not a session yet; where its session is 0 and sessions end one after the other, the socket's
   * own task has ended. Without this callback the process warns.
   * @type {((message: string, session: number) => void) | null}
   */
  onFault = null;

  /**
   * @param {Partial<EndpointSettings>} [options]
   * @throws {RangeError} @throws {import('./binding.js').NativeUnavailableError}
   */
  constructor(options = {}) {
    const settings = { ...DEFAULTS, ...options };
    try {
      checkSettings(settings);
      const { Endpoint: Native } = load(settings.congestionController);
      this.#native = new Native(settings, this.#read);
    } catch (error) {
      clearInterval(this.#hold);
      throw error;
    }
    this.#native.setClockOffset(clockOffset(this.#native));
  }

  /**
   * @param {ListenOptions} options
   * @returns {Promise<{ address: string, port: number }>}
   * @throws {Error} when the certificate is no good, or the address can't be had (code EADDRINUSE,
   *   EACCES, EADDRNOTAVAIL)
   */
  async listen({ host = '::', port = 0, ...options }) {
    if (this.#listen) throw new Error('the endpoint listens already');
    const address = isIP(host) ? host : (await lookup(host)).address;
    try {
      const bound = this.#native.listen(address, port, options.certPem, options.keyPem);
      this.#listen = options;
      return { address, port: bound };
    } catch (error) {
      throw withSystemCode(/** @type {Error} */ (error));
    }
  }

  /**
   * New sessions get this certificate; those that there are go on.
   * @param {string} certPem
   * @param {string} keyPem
   * @throws {Error} when it is no good; the old one stays then
   */
  setCertificate(certPem, keyPem) {
    this.#native.setCertificate(certPem, keyPem);
  }

  /**
   * Opens a session.
   * @param {string | URL} url https
   * @param {{ certificateHashes?: (string | Uint8Array)[], headers?: Record<string, string> }} [options]
   *   certificateHashes: SHA-256 of the certificates to believe, as bytes or base64; without any,
   *   those of the system's authorities are believed
   * @returns {Promise<NativeSession>}
   * @throws {TypeError} when the URL is none @throws {ConnectError}
   */
  async connect(url, { certificateHashes = [], headers = {} } = {}) {
    const { protocol, href } = new URL(url);
    if (protocol !== 'https:') throw new TypeError(`WebTransport needs an https URL, not ${href}`);
    if (this.#closing) throw new ConnectError('the endpoint is closed', 0);
    const hashes = certificateHashes.map((hash) => (typeof hash === 'string' ? Buffer.from(hash, 'base64') : hash));
    const id = this.#native.connect(href, hashes, Object.entries(headers).flat());
    if (id === 0) throw new ConnectError('the endpoint has as many connections as it may', 0);
    return new Promise((resolve, reject) => void this.#connecting.set(id, { resolve, reject }));
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

  /** Hands over at once the datagrams that have come, for a caller that can't wait to be told of them. */
  poll() {
    if (!this.#reading && this.#readDatagrams()) this.#readAgain();
  }

  /** Number of panics in the library that were caught. */
  get faults() {
    return this.#faults;
  }

  /** Counts of new connections, since the start. @returns {Admissions} */
  admissions() {
    return this.#native.admissions();
  }

  /** Number of open sessions. */
  get sessionCount() {
    return this.#sessions.size;
  }

  /**
   * Closes all sessions, the sockets and the threads; idempotent.
   * @param {number} [code] for the sessions
   * @param {string} [reason]
   * @returns {Promise<void>} within about two seconds
   */
  close(code = 0, reason = '') {
    this.#closing ??= new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#native.close(code, reason);
    });
    return this.#closing;
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
  }

  /** Tells of sessions' ends; they come last, so that no datagram that arrived before them is lost. */
  #endSessions() {
    try {
      for (let event = this.#ends.shift(); event; event = this.#ends.shift()) this.#sessionEnded(event);
    } finally {
      if (this.#ends.length > 0) this.#readAgain();
    }
  };

  /**
   * @returns {boolean} false when the rest must wait for the event loop's next turn: whoever awaits
   *   a session gets to set its callbacks before anything is read for it
   */
  #dispatchPending() {
    for (let event = this.#pending.shift(); event; event = this.#pending.shift()) {
      if (event.kind === EventKind.closed) this.#ends.push(event);
      else this.#dispatch(event);
      if (event.kind === EventKind.opened && !this.#sessions.get(event.session)?.request) return false;
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
      case EventKind.request:
        return this.#requested(event);
      case EventKind.opened:
        return this.#opened(event);
      case EventKind.connectFailed:
        this.#connecting.get(event.session)?.reject(new ConnectError(event.text, event.code));
        this.#connecting.delete(event.session);
        return undefined;
      case EventKind.streamOpened:
        return session?.peerOpened(event.stream, event.code === 1);
      case EventKind.streamReadable:
        return session?.stream(event.stream)?.onReadable?.();
      case EventKind.streamWritable:
        return session?.stream(event.stream)?.onWritable?.();
      case EventKind.streamStopped:
        return session?.streamStopped(event.stream, event.code);
      case EventKind.endpointClosed:
        return this.#ended();
      case EventKind.fault:
        return this.#fault(event);
      default:
        throw new RangeError(`the library told of an unknown event ${event.kind}`);
    }
  }

  /** @param {NativeEvent} event */
  #fault({ text, session }) {
    this.#faults += 1;
    if (this.onFault) this.onFault(text, session);
    else process.emitWarning(`the native HTTP/3 engine panicked: ${text}`, 'AloudNativeFault');
  }

  /** @param {NativeEvent} event */
  #requested({ session: id, request }) {
    if (!request || !this.#listen) return;
    this.#listen.onRequest({
      ...request,
      accept: () => {
        if (this.#native.accept(id)) this.#requests.set(id, request);
      },
      reject: (status) => {
        this.#native.reject(id, status);
      },
    });
  }

  /** @param {NativeEvent} event */
  #opened({ session: id, text, connectedMs }) {
    const request = this.#requests.get(id) ?? null;
    const session = new NativeSession(this.#native, id, text, request, connectedMs);
    this.#sessions.set(id, session);
    this.#requests.delete(id);
    const client = this.#connecting.get(id);
    this.#connecting.delete(id);
    if (client) client.resolve(session);
    else this.#listen?.onSession(session);
  }

  /** @param {NativeEvent} event */
  #sessionEnded({ session: id, code, text, cause }) {
    const session = this.#sessions.get(id);
    this.#requests.delete(id);
    this.#sessions.delete(id);
    try {
      session?.end(code, text, CLOSE_CAUSES[cause]);
    } finally {
      this.#native.forget(id);
    }
  }

  #ended() {
    for (const { reject } of this.#connecting.values()) reject(new ConnectError('the endpoint is closed', 0));
    this.#connecting.clear();
    for (const id of this.#sessions.keys()) {
      this.#ends.push({ kind: EventKind.closed, session: id, stream: 0, code: 0, cause: 1, text: '' });
    }
    this.#native.shutdown();
    clearInterval(this.#hold);
    this.#onClosed?.();
  }
}

/**
 * Has the process meet an error that a session's callback threw, without the datagrams behind it being lost.
 * @param {unknown} error
 */
function throwLater(error) {
  queueMicrotask(() => {
    throw error;
  });
}

/**
 * The value of performance.now() at the zero of the endpoint's clock: that of the comparison which took
 * the least time.
 * @param {NativeEndpoint} native
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

/**
 * Gives an error the system's code, such as EADDRINUSE, where its message starts with one.
 * @param {Error} error
 */
function withSystemCode(error) {
  const [, code] = /^(E[A-Z]+): /.exec(error.message) ?? [];
  return code ? Object.assign(error, { code }) : error;
}
