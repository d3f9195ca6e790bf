import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { EventKind, load } from './binding.js';
import { Port } from './port.js';
import { checkSettings, DEFAULTS, LONGEST_TIMER_MS } from './settings.js';

/**
 * @import { Admissions, EndpointSettings, NativeEvent, RequestInfo } from './binding.js'
 * @import { SharedEndpoint } from './port.js'
 * @import { NativeSession } from './session.js'
 */

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
 * A client's request: answer it once with accept or reject, at once or later. One that isn't for a
 * session is answered by accept with the status 405, or 501 where it is for another protocol.
 * @typedef {RequestInfo & { accept: () => void, acceptOn: (port: number) => boolean, reject:
 *   (status: number) => void }} SessionRequest acceptOn: hands the session to the port of another
 *   thread; false when there is none of this number any more, and then the request is still to be
 *   answered
 *
 * @typedef {object} ListenOptions
 * @property {string | readonly string[]} [host] an address or a name, or several; '::' (the
 *   default) takes IPv4 as well
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
  #port;
  /**
   * @type {Map<number, { resolve: (session: NativeSession) => void, reject: (error: Error) => void
   *   }>}
   */
  #connecting = new Map();
  /** @type {ListenOptions | null} */
  #listen = null;
  #congestionController;
  #hold = setInterval(() => {}, LONGEST_TIMER_MS);
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {(() => void) | null} */
  #onClosed = null;
  /**
   * A panic in the library was caught. It ended one session (whose onClosed says 'lost') or one
   * connection that was not a session yet; where its session is 0 and sessions end one after the
   * other, the socket's own task has ended. Without this callback the process warns.
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
      const { congestionController } = settings;
      const { Endpoint: Native } = load(congestionController);
      /** @type {() => void} */
      let read = () => {};
      const native = new Native(settings, () => read());
      this.#native = native;
      this.#port = new Port((readPort) => ((read = readPort), native.port()), {
        onSession: (session) => this.#listen?.onSession(session),
        onEvent: (event) => this.#dispatch(event),
        onFault: (message, session) => this.#fault(message, session),
      });
      this.#congestionController = congestionController;
    } catch (error) {
      clearInterval(this.#hold);
      throw error;
    }
  }

  /**
   * @param {ListenOptions} options
   * @returns {Promise<{ address: string, port: number }>}  address: the first one
   * @throws {Error} when the certificate is no good, or an address can't be had (code EADDRINUSE,
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
   * @param {{ certificateHashes?: (string | Uint8Array)[], headers?: Record<string, string> }}
   *   [options] certificateHashes: SHA-256 of the certificates to believe, as bytes or base64;
   *   without any, those of the system's authorities are believed
   * @returns {Promise<NativeSession>}
   * @throws {TypeError} when the URL is none @throws {ConnectError}
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
   * By this other threads make ports of this endpoint: see Port.open.
   * @returns {SharedEndpoint}
   */
  share() {
    return { key: this.#native.share(), congestionController: this.#congestionController };
  }

  /**
   * Takes the port of a thread that has ended, and closes its sessions. Idempotent.
   * @param {number} port  its number
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
   * @returns {number} to how many it went
   */
  sendMany(sessions, bytes) {
    return this.#port.sendMany(sessions, bytes);
  }

  /** Makes a group of sessions of the endpoint's own port. */
  createGroup() {
    return this.#port.createGroup();
  }

  /**
   * Hands over at once the datagrams that have come, for a caller that can't wait to be told of
   * them.
   */
  poll() {
    this.#port.poll();
  }

  /**
   * Number of panics in the library that were caught, those in other threads' sessions excepted.
   */
  get faults() {
    return this.#port.faults;
  }

  /** Counts of new connections, since the start. @returns {Admissions} */
  admissions() {
    return this.#native.admissions();
  }

  /** Number of open sessions, those of other threads excepted. */
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
   * @param {NativeEvent} event that is no session's, or tells of a session of this side's that has
   *   opened
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

  /**
   * @param {string} message
   * @param {number} session
   */
  #fault(message, session) {
    if (this.onFault) this.onFault(message, session);
    else process.emitWarning(`the native HTTP/3 engine panicked: ${message}`, 'AloudNativeFault');
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

  /** @param {number} id  of a session that this side has asked for */
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
 * Gives an error the system's code, such as EADDRINUSE, where its message starts with one.
 * @param {Error} error
 */
function withSystemCode(error) {
  const [, code] = /^(E[A-Z]+): /.exec(error.message) ?? [];
  return code ? Object.assign(error, { code }) : error;
}
