import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { EventKind, load } from './binding.js';
import { EngineCallback, Port } from './port.js';

/**
 * @import { Admissions, EndpointSettings, NativeEvent, RequestInfo } from './binding.js'
 * @import { SharedEndpoint } from './port.js'
 * @import { NativeSession } from './session.js'
 */

/** Longest delay of a timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Defaults of an endpoint's options. @type {Readonly<EndpointSettings>} */
export const DEFAULTS = Object.freeze({
  // Leaves a core to JavaScript; and two threads on one core mostly wake each other.
  ioThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  library: null,
  congestionController: 'cubic',
  idleTimeoutMs: 15_000,
  keepAliveMs: 5_000,
  handshakeTimeoutMs: 10_000,
  maxConnections: 1_100,
  receiveQueue: 64,
  // Some 400 ms of speech: older datagrams are too late (`npm run bench -- call --link thin`).
  sendQueueBytes: 4 * 1024,
  maxStreams: 16,
  streamBufferBytes: 64 * 1024,
});

/**
 * @param {EndpointSettings} settings
 * @throws {RangeError}
 */
function checkSettings({ library: _library, congestionController: _name, ...numbers }) {
  for (const [name, value] of Object.entries(numbers)) {
    const least = name === 'keepAliveMs' ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > LONGEST_TIMER_MS) {
      throw new RangeError(`${name} ${value}: must be a whole number, ${least} or more`);
    }
  }
}

/** Error of a session that could not be opened; `status` is the HTTP status of a refusal, or 0. */
export class ConnectError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(status === 0 ? message : `the server refused with status ${status}`);
    this.name = 'ConnectError';
    this.code = 'ERR_WEBTRANSPORT_CONNECT';
    this.status = status;
  }
}

/**
 * A client's request: answer it once with accept or reject, at once or later. For a request that is
 * not for a session, accept answers with status 405, or 501 for another protocol.
 * @typedef {RequestInfo & { accept: () => void, acceptOn: (port: number) => boolean, reject:
 *   (status: number) => void }} SessionRequest acceptOn: hands the session to the port of another
 *   thread; false when the port has gone, and then the request still needs an answer
 *
 * @typedef {object} ListenOptions
 * @property {string | readonly string[]} [host] an address or a name, or several; '::' (the
 *   default) takes IPv4 as well
 * @property {number} [port]   0 (the default) for any
 * @property {string} certPem  the certificate chain
 * @property {string} keyPem
 * @property {(request: SessionRequest) => void} onRequest
 * @property {(session: NativeSession) => void} onSession  called when an accepted session has
 *   opened
 */

/**
 * The sessions of a WebTransport server, of a client, or of both, and the threads that serve them.
 * It keeps the process alive until it is closed.
 */
export class Endpoint {
  #native;
  #port;
  /**
   * @type {Map<number, { resolve: (session: NativeSession) => void, reject: (error: Error) => void
   *   }>}
   */
  #connecting = new Map();
  /** @type {ListenOptions | null} */
  #listen = null;
  #library;
  #hold = setInterval(() => {}, LONGEST_TIMER_MS);
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {(() => void) | null} */
  #onClosed = null;
  /**
   * Reports a caught panic in the library, or a failed socket. A panic ended one session (its
   * onClosed says 'lost') or a connection without a session yet. A failed socket ends all its
   * sessions, one after the other, and accepts no more; a client's next session gets another
   * socket. Without this callback the process warns.
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
      const { Endpoint: Native } = load(settings.library);
      const callback = new EngineCallback();
      const native = new Native(settings, callback.call);
      this.#native = native;
      this.#port = new Port(
        () => native.port(),
        {
          onSession: (session) => this.#listen?.onSession(session),
          onEvent: (event) => this.#dispatch(event),
          onFault: (message, session) => this.#fault(message, session),
        },
        callback,
      );
      this.#library = settings.library;
    } catch (error) {
      clearInterval(this.#hold);
      throw error;
    }
  }

  /**
   * @param {ListenOptions} options
   * @returns {Promise<{ address: string, port: number }>} address: the first one
   * @throws {Error} when the certificate is invalid, or an address unavailable (code EADDRINUSE,
   *   EACCES, EADDRNOTAVAIL)
   */
  async listen({ host = '::', port = 0, ...options }) {
    if (this.#listen) throw new Error('the endpoint listens already');
    const addresses = await Promise.all(
      [host].flat().map(async (one) => (isIP(one) ? one : (await lookup(one)).address)),
    );
    try {
      let bound = port;
      for (const address of addresses)
        bound = this.#native.listen(address, bound, options.certPem, options.keyPem);
      this.#listen = options;
      return { address: addresses[0], port: bound };
    } catch (error) {
      throw withSystemCode(/** @type {Error} */ (error));
    }
  }

  /**
   * Sets the certificate of new sessions; existing ones go on.
   * @param {string} certPem
   * @param {string} keyPem
   * @throws {Error} when it is invalid; then the old one stays
   */
  setCertificate(certPem, keyPem) {
    this.#native.setCertificate(certPem, keyPem);
  }

  /**
   * Opens a session.
   * @param {string | URL} url https
   * @param {{ certificateHashes?: (string | Uint8Array)[], headers?: Record<string, string> }}
   *   [options] certificateHashes: SHA-256 of the trusted certificates, as bytes or base64; the
   *   default trusts the system's authorities
   * @returns {Promise<NativeSession>}
   * @throws {TypeError} when the URL is invalid @throws {ConnectError}
   */
  async connect(url, { certificateHashes = [], headers = {} } = {}) {
    const { protocol, href } = new URL(url);
    if (protocol !== 'https:') throw new TypeError(`WebTransport needs an https URL, not ${href}`);
    if (this.#closing) throw new ConnectError('the endpoint is closed', 0);
    const hashes = certificateHashes.map((hash) =>
      typeof hash === 'string' ? Buffer.from(hash, 'base64') : hash,
    );
    const id = this.#native.connect(href, hashes, Object.entries(headers).flat());
    if (id === 0) throw new ConnectError('the endpoint has as many connections as it may', 0);
    return new Promise((resolve, reject) => void this.#connecting.set(id, { resolve, reject }));
  }

  /**
   * Key with which other threads make ports of this endpoint: see Port.open. @returns
   * {SharedEndpoint}
   */
  share() {
    return { key: this.#native.share(), library: this.#library };
  }

  /**
   * Removes the port of an ended thread, and closes its sessions. Idempotent.
   * @param {number} port its number
   * @param {number} [code]
   * @param {string} [reason]
   */
  closePort(port, code = 0, reason = '') {
    this.#native.closePort(port, code, reason);
  }

  /**
   * Sends one datagram to many sessions of the endpoint's own port.
   * @param {readonly { id: number }[]} sessions
   * @param {Uint8Array} bytes
   * @returns {number} number of sessions that got it
   */
  sendMany(sessions, bytes) {
    return this.#port.sendMany(sessions, bytes);
  }

  /** Makes a group of sessions of the endpoint's own port. */
  createGroup() {
    return this.#port.createGroup();
  }

  /** Delivers the received datagrams at once, for a caller that can't wait for the notification. */
  poll() {
    this.#port.poll();
  }

  /** See Port.wakeAt. @param {number} atMs */
  wakeAt(atMs) {
    this.#port.wakeAt(atMs);
  }

  /** See Port.cork. */
  cork() {
    this.#port.cork();
  }

  /** See Port.uncork. */
  uncork() {
    this.#port.uncork();
  }

  /** Number of caught panics and failed sockets, except in other threads' sessions. */
  get faults() {
    return this.#port.faults;
  }

  /** Counts of new connections since the start. @returns {Admissions} */
  admissions() {
    return this.#native.admissions();
  }

  /** Number of open sessions, except other threads'. */
  get sessionCount() {
    return this.#port.sessionCount;
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

  /**
   * @param {NativeEvent} event that is no session's, or reports the opening of a session requested
   *   here
   */
  #dispatch(event) {
    switch (event.kind) {
      case EventKind.request:
        return this.#requested(event);
      case EventKind.opened:
        return this.#connected(event.session);
      case EventKind.connectFailed:
        this.#connecting.get(event.session)?.reject(new ConnectError(event.text, event.code));
        this.#connecting.delete(event.session);
        return undefined;
      case EventKind.endpointClosed:
        return this.#ended();
      default:
        throw new RangeError(`the library told of an unknown event ${event.kind}`);
    }
  }

  /** @param {string} message @param {number} session */
  #fault(message, session) {
    if (this.onFault) this.onFault(message, session);
    else process.emitWarning(`the native HTTP/3 engine failed: ${message}`, 'AloudNativeFault');
  }

  /** @param {NativeEvent} event */
  #requested({ session: id, request }) {
    if (!request || !this.#listen) return;
    this.#listen.onRequest({
      ...request,
      accept: () => void this.#native.accept(id),
      acceptOn: (port) => this.#native.acceptOn(id, port),
      reject: (status) => {
        this.#native.reject(id, status);
      },
    });
  }

  /** @param {number} id of a session requested here */
  #connected(id) {
    const session = this.#port.session(id);
    if (session) this.#connecting.get(id)?.resolve(session);
    this.#connecting.delete(id);
  }

  #ended() {
    for (const { reject } of this.#connecting.values())
      reject(new ConnectError('the endpoint is closed', 0));
    this.#connecting.clear();
    this.#port.ended();
    this.#native.shutdown();
    clearInterval(this.#hold);
    this.#onClosed?.();
  }
}

/**
 * Sets an error's system code, such as EADDRINUSE, if its message starts with one.
 * @param {Error} error
 */
function withSystemCode(error) {
  const [, code] = /^(E[A-Z]+): /.exec(error.message) ?? [];
  return code ? Object.assign(error, { code }) : error;
}
