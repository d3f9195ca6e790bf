/**
 * WebTransport over HTTP/3 on the quiche engine, the package @fails-components/webtransport: packets
 * are datagrams, control messages are lines on the client's first bidirectional stream.
 *
 * What the engine can't do, and nothing here can mend: a TLS hello whose server name isn't ASCII ends
 * the process; a new certificate is taken only by starting anew, see updateCertificate.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { QuicheWebTransport } from './quiche-session.js'
 * @import { Accept, Session, Transport } from './session.js'
 *
 * @typedef {{ certPem: string, keyPem: string }} Certificate
 *
 * What is used of the package's HttpServer.
 * @typedef {object} QuicheServer
 * @property {Promise<unknown>} ready
 * @property {Promise<unknown>} closed
 * @property {() => void} startServer
 * @property {() => void} stopServer
 * @property {() => { host: string, port: number } | null} address
 * @property {(callback: (request: { header?: Record<string, string> }) => Promise<object>) => void} setRequestCallback
 * @property {(path: string) => ReadableStream<any>} sessionStream
 *
 * @typedef {object} QuicheOptions
 * @property {Accept} accept
 * @property {string} [host]
 * @property {number} [port]             UDP; 0 for any
 * @property {Certificate} certificate
 * @property {number} [idleTimeoutMs]    who sends nothing for so long is gone
 * @property {string} [path]             where sessions are asked for, with any query; others get a 404, and
 *                                       pages of other hosts a 403
 * @property {number} [maxSessions]      those above are closed as 'server-full'
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {Clock} [clock]
 * @property {new (options: any) => QuicheServer} [Http3Server]  in place of the package's
 */

import { randomBytes, X509Certificate } from 'node:crypto';
import { systemClock } from '../../public/shared/clock.js';
import { repeat } from './base-session.js';
import { isSameHostname } from './origin.js';
import { QuicheSession } from './quiche-session.js';
import { settlesWithin } from './settles-within.js';

const ENGINE_PACKAGE = '@fails-components/webtransport-transport-http3-quiche';

/** With a bad certificate, and some other troubles, the engine never says that it didn't start. */
const START_TIMEOUT_MS = 5000;

/** How long sessions and sockets have to close in order. */
const STOP_TIMEOUT_MS = 1000;

/** How often idle sessions are looked for, at most. */
const SWEEP_MS = 1000;

/**
 * Whether the engine is there.
 * @param {() => Promise<unknown>} [load]
 * @returns {Promise<string | null>} null when it is, or else why not, for people to read
 */
export async function quicheError(load = () => import(ENGINE_PACKAGE)) {
  try {
    await load();
    return null;
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_MODULE_NOT_FOUND') return `the optional package ${ENGINE_PACKAGE} is not installed`;
    return `the package ${ENGINE_PACKAGE} is installed, but does not load: ${message.split('\n', 1)[0]}`;
  }
}

/**
 * Opens HTTP/3 on the quiche engine.
 *
 * @param {QuicheOptions} options
 * @returns {Promise<QuicheTransport>}
 * @throws {Error} when it doesn't listen: the port is taken, or the certificate is no good
 */
export async function createQuicheTransport({ Http3Server, ...options }) {
  // Not imported above: where there is no engine, the package complains on the console.
  const Server = Http3Server ?? /** @type {any} */ ((await import('@fails-components/webtransport')).Http3Server);
  const transport = new QuicheTransport(Server, options);
  try {
    await transport.listen();
  } catch (error) {
    await transport.close();
    throw error;
  }
  return transport;
}

/** @implements {Transport} */
export class QuicheTransport {
  /** @readonly */
  name = 'webtransport';
  /** @readonly */
  engine = 'quiche';
  replyOnly = false;
  #Server;
  #options;
  #clock;
  #path;
  #address;
  /** @type {QuicheServer | null} */
  #server = null;
  #certificate;
  /** One that waits for the last session to end. @type {Certificate | null} */
  #nextCertificate = null;
  #renewing = false;
  /** @type {Set<QuicheSession>} */
  #sessions = new Set();
  #stopSweeping;
  /** @type {Promise<void> | null} */
  #closing = null;

  /**
   * @param {new (options: any) => QuicheServer} Server
   * @param {Omit<QuicheOptions, 'Http3Server'>} options
   */
  constructor(Server, options) {
    const { host = '::', port = 0, certificate, path = '/session', clock = systemClock } = options;
    const { idleTimeoutMs = 15_000 } = options;
    this.#Server = Server;
    this.#options = options;
    this.#clock = clock;
    this.#path = path;
    this.#address = { host, port };
    this.#certificate = certificate;
    const sweepMs = Math.min(SWEEP_MS, idleTimeoutMs / 8);
    this.#stopSweeping = repeat(clock, sweepMs, () => this.#sweep(idleTimeoutMs - sweepMs));
  }

  /** Where it listens; the port is UDP's. */
  address() {
    return this.#address;
  }

  /** The SHA-256 of the certificate that it serves now, which may not be the newest, in base64. */
  certificateHash() {
    const { fingerprint256 } = new X509Certificate(this.#certificate.certPem);
    return Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64');
  }

  /**
   * @param {Session[]} sessions
   * @param {Uint8Array} bytes
   */
  sendMany(sessions, bytes) {
    const copy = bytes.slice();
    for (let i = 0; i < sessions.length; i++) /** @type {QuicheSession} */ (sessions[i]).sendCopy(copy);
  }

  /**
   * Has the engine serve a new certificate. It can't while it runs, so it is started anew as soon as
   * nobody is connected; until then it serves the old one, see certificateHash.
   * @param {Certificate} certificate
   */
  updateCertificate(certificate) {
    this.#nextCertificate = certificate;
    if (this.#sessions.size > 0) {
      this.#options.log.warn?.('HTTP/3 on quiche keeps its old certificate until its last session has ended.');
    }
    this.#renewWhenEmpty();
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** For createQuicheTransport. */
  async listen() {
    const { host, port } = this.#address;
    const { certPem, keyPem } = this.#certificate;
    const server = new this.#Server({
      host,
      port,
      secret: randomBytes(32).toString('hex'),
      cert: certPem,
      privKey: keyPem,
      defaultDatagramsReadableMode: 'default',
    });
    this.#server = server;
    server.closed.catch(() => {});
    server.setRequestCallback((request) => this.#requested(request));
    const sessions = server.sessionStream(this.#path);
    server.startServer();
    const started = await settlesWithin(this.#clock, START_TIMEOUT_MS, server.ready);
    if (!started) throw new Error(`the quiche engine did not start within ${START_TIMEOUT_MS / 1000} s: ${CAUSES}`);
    this.#address = { host, port: server.address()?.port ?? port };
    void this.#readSessions(sessions);
  }

  /**
   * Answers at once and never fails: the engine crashes otherwise.
   * @param {{ header?: Record<string, string> }} request
   */
  #requested(request) {
    return Promise.resolve({ ...request, path: this.#path, status: this.#statusFor(request.header ?? {}) });
  }

  /**
   * @param {Record<string, string>} header
   * @returns {number} an HTTP status; 200 when the session is fine
   */
  #statusFor({ ':path': path, ':authority': authority, origin }) {
    if (this.#closing !== null || String(path).split('?', 1)[0] !== this.#path) return 404;
    return isSameHostname(origin, authority) ? 200 : 403;
  }

  /** @param {ReadableStream<QuicheWebTransport>} sessions */
  async #readSessions(sessions) {
    const reader = sessions.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#arrived(value);
    }
  }

  /** @param {QuicheWebTransport} webTransport */
  #arrived(webTransport) {
    const { accept, maxSessions = 1000, log } = this.#options;
    const session = new QuicheSession({
      transport: this,
      session: webTransport,
      clock: this.#clock,
      log: /** @type {Log} */ (log),
      onEnd: () => {
        this.#sessions.delete(session);
        this.#renewWhenEmpty();
      },
    });
    const isFull = this.#sessions.size >= maxSessions;
    this.#sessions.add(session);
    const open = () => {
      if (isFull) session.closeWith('server-full');
      if (session.ended) return;
      session.offerTo(accept);
      session.start();
    };
    // One that is never ready is swept.
    webTransport.ready.then(open, () => {});
  }

  /** @param {number} silenceMs */
  #sweep(silenceMs) {
    const oldest = this.#clock.now() - silenceMs;
    for (const session of [...this.#sessions]) if (session.heardMs <= oldest) session.closeWith('idle-timeout');
    this.#renewWhenEmpty();
  }

  #renewWhenEmpty() {
    if (this.#nextCertificate === null || this.#sessions.size > 0 || this.#renewing || this.#closing) return;
    this.#renewing = true;
    this.#renew(this.#nextCertificate)
      // Tried again when the sessions are next looked at.
      .catch((error) => this.#options.log.error(`HTTP/3 did not take its new certificate: ${error?.message ?? error}`))
      .finally(() => (this.#renewing = false));
  }

  /** @param {Certificate} certificate */
  async #renew(certificate) {
    await this.#stop();
    this.#certificate = certificate;
    await this.listen();
    if (this.#nextCertificate === certificate) this.#nextCertificate = null;
    if (this.#closing) await this.#stop();
  }

  async #stop() {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    try {
      server.stopServer();
    } catch {
      return; // It never started.
    }
    await settlesWithin(this.#clock, STOP_TIMEOUT_MS, server.closed);
  }

  async #close() {
    this.#stopSweeping();
    const sessions = [...this.#sessions];
    for (const session of sessions) session.closeWith('server-closing');
    await settlesWithin(this.#clock, STOP_TIMEOUT_MS, Promise.all(sessions.map(({ gone }) => gone)));
    await this.#stop();
  }
}

const CAUSES = 'its certificate or key may be of a kind that it does not take, or its port in use';
