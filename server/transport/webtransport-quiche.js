/**
 * Carries sessions over WebTransport (HTTP/3) on the quiche engine, the package
 * @fails-components/webtransport: packets are datagrams, control messages are lines on the client's
 *   first bidirectional stream.
 *
 * Two limits of the engine can't be fixed here. A TLS hello whose server name isn't ASCII ends the
 * process. A new certificate needs a restart of the engine, see updateCertificate.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Http3Options } from './webtransport.js'
 * @import { ControlMessage, Session, SessionOptions, Transport } from '../session/session.js'
 *
 * HttpServer of the package, as far as it is used.
 * @typedef {object} QuicheServer
 * @property {Promise<unknown>} ready
 * @property {Promise<unknown>} closed
 * @property {() => void} startServer
 * @property {() => void} stopServer
 * @property {() => { host: string, port: number } | null} address
 * @property {(callback: (request: { header?: Record<string, string> }) => Promise<object>) => void}
 *   setRequestCallback
 * @property {(path: string) => ReadableStream<QuicheWebTransport>} sessionStream
 *
 * HttpWTSession of the package, as far as it is used.
 * @typedef {object} QuicheWebTransport
 * @property {string} [peerAddress]
 * @property {Promise<unknown>} ready
 * @property {Promise<{ closeCode?: number, reason?: string }>} closed
 * @property {{ readable: ReadableStream<Uint8Array>, readonly maxDatagramSize: number }} datagrams
 * @property {ReadableStream<BidirectionalStream>} incomingBidirectionalStreams
 * @property {ReadableStream<ReadableStream<Uint8Array>>} incomingUnidirectionalStreams
 * @property {{ writeDatagram: (bytes: Uint8Array) => { code: string } } | undefined | null}
 *   [objint] object of the engine; gone when the session is over
 * @property {(info: { closeCode: number, reason: string }) => void} close
 *
 * @typedef {object} BidirectionalStream
 * @property {ReadableStream<Uint8Array>} readable
 * @property {WritableStream<Uint8Array>} writable
 *
 * @typedef {Http3Options['certificate']} Certificate
 * @typedef {new (options: object) => QuicheServer} QuicheServerClass
 */

import { randomBytes, X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { probe } from '@aloud/native';
import { systemClock } from '../../public/shared/clock.js';
import { ControlLines } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { countRefusal } from '../counts.js';
import { reasonOf, stackOf } from '../log.js';
import { settlesWithin } from '../timers.js';
import { isSameHostname } from './client-address.js';
import {
  BaseSession,
  closeIdle,
  cutText,
  MAX_CONTROL_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../session/session.js';

const API_PACKAGE = '@fails-components/webtransport';
const ENGINE_PACKAGE = '@fails-components/webtransport-transport-http3-quiche';

/** Command that installs the engine. */
export const QUICHE_COMMAND = `npm install ${API_PACKAGE} ${ENGINE_PACKAGE}`;

/**
 * Time for the engine to start, in milliseconds: with a bad certificate, for example, it never
 * reports its failure.
 */
const START_TIMEOUT_MS = 5000;

const NOT_STARTED =
  `the quiche engine did not start within ${START_TIMEOUT_MS / 1000} s: ` +
  'its certificate or key may be of a kind that it does not take, or its port in use';

/** Time for sessions and sockets to close in order, in milliseconds. */
const STOP_TIMEOUT_MS = 1000;

/** Time for a session's last control messages to go out before it is closed, in milliseconds. */
const FLUSH_MS = 500;

/** Longest close reason. The protocol allows 1024 bytes, and the package cuts by characters. */
const MAX_REASON_BYTES = 1023;

/**
 * Loads the engine, after a child process has tried it: one that was built for another processor
 * ends the process.
 */
async function loadEngine() {
  const reason = await probe(fileURLToPath(import.meta.resolve(ENGINE_PACKAGE)));
  if (reason !== null) throw new Error(reason);
  await import(ENGINE_PACKAGE);
  import.meta.resolve(API_PACKAGE);
}

/**
 * Checks for the engine.
 * @param {() => Promise<unknown>} [load]
 * @returns {Promise<string | null>} null if it is there, or else the reason, for people to read
 */
export async function quicheError(load = loadEngine) {
  try {
    await load();
    return null;
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_MODULE_NOT_FOUND')
      return `the optional package ${ENGINE_PACKAGE} is not installed`;
    return (
      `the package ${ENGINE_PACKAGE} is installed, but can't be used: ` +
      `${message.split('\n', 1)[0]}`
    );
  }
}

/**
 * Opens HTTP/3 on the quiche engine.
 *
 * @param {Http3Options & { Http3Server?: QuicheServerClass }} options Http3Server: replaces the
 *   package's
 * @returns {Promise<QuicheTransport>}
 * @throws {Error} if it doesn't listen: the port is taken, or the certificate is invalid
 */
export async function createQuicheTransport({ Http3Server, ...options }) {
  // Not imported above: without an engine the package complains on the console.
  const Server =
    Http3Server ??
    /** @type {QuicheServerClass} */ ((await import('@fails-components/webtransport')).Http3Server);
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
class QuicheTransport {
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
  /** Certificate that waits for the last session to end. @type {Certificate | null} */
  #nextCertificate = null;
  #renewing = false;
  /** @type {Set<QuicheSession>} */
  #sessions = new Set();
  #stopChecks;
  /** @type {Promise<void> | null} */
  #closing = null;

  /** @param {QuicheServerClass} Server @param {Http3Options} options */
  constructor(Server, options) {
    const { host = '::', port = 0, certificate, path = '/session', clock = systemClock } = options;
    this.#Server = Server;
    this.#options = options;
    this.#clock = clock;
    this.#path = path;
    // The engine listens on one address only.
    this.#address = { host: [host].flat()[0], port };
    this.#certificate = certificate;
    this.#stopChecks = closeIdle(clock, options.idleTimeoutMs ?? 15_000, () => {
      // Retries a failed renewal.
      this.#renewWhenEmpty();
      return this.#sessions;
    });
  }

  /** Address that it listens on; the port is UDP's. */
  address() {
    return this.#address;
  }

  /** SHA-256, in base64, of the certificate that it serves now, which may not be the newest. */
  certificateHash() {
    const { fingerprint256 } = new X509Certificate(this.#certificate.certPem);
    return Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64');
  }

  /** @param {Session[]} sessions @param {Uint8Array} bytes */
  sendMany(sessions, bytes) {
    const copy = bytes.slice();
    for (let i = 0; i < sessions.length; i++)
      /** @type {QuicheSession} */ (sessions[i]).sendCopy(copy);
  }

  /**
   * Gives the engine a new certificate. It can't accept one while it runs, so it restarts as soon
   * as nobody is connected. Until then it serves the old one, see certificateHash.
   * @param {Certificate} certificate
   */
  updateCertificate(certificate) {
    this.#nextCertificate = certificate;
    if (this.#sessions.size > 0) {
      this.#options.log.warn?.(
        { event: 'certificate-pending', engine: 'quiche' },
        'HTTP/3 keeps its old certificate until its last session has ended',
      );
    }
    this.#renewWhenEmpty();
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Starts the engine; called by createQuicheTransport, and again for each new certificate. */
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
    // `ready` rejects if it fails to start.
    server.closed.catch(() => {});
    server.setRequestCallback((request) => this.#requested(request));
    const sessions = server.sessionStream(this.#path);
    server.startServer();
    const started = await settlesWithin(this.#clock, START_TIMEOUT_MS, server.ready);
    if (!started) throw new Error(NOT_STARTED);
    this.#address = { host, port: server.address()?.port ?? port };
    const { log } = this.#options;
    readAll(sessions, (webTransport) => this.#arrived(webTransport)).catch((error) => {
      log.error(
        { event: 'engine-stopped', engine: 'quiche', error: stackOf(error) },
        'HTTP/3 accepts no more sessions',
      );
    });
  }

  /**
   * Answers at once and never fails: the engine crashes otherwise.
   * @param {{ header?: Record<string, string> }} request
   */
  #requested(request) {
    const refusal = this.#refusal(request.header ?? {});
    if (refusal !== null) countRefusal('upgrade', refusal);
    return Promise.resolve({
      ...request,
      path: this.#path,
      status: refusal === null ? 200 : errors[refusal].status,
    });
  }

  /**
   * @param {Record<string, string>} header
   * @returns {ErrorCode | null} null if the session is allowed
   */
  #refusal({ ':path': path, ':authority': authority, origin }) {
    if (this.#options.isAllowedHost?.(authority) === false) return 'host-not-allowed';
    if (this.#closing !== null || String(path).split('?', 1)[0] !== this.#path) return 'not-found';
    return isSameHostname(origin, authority) || this.#options.allowsOrigin?.(origin)
      ? null
      : 'origin-not-allowed';
  }

  /** @param {QuicheWebTransport} webTransport */
  #arrived(webTransport) {
    const { accept, maxSessions = 1000, log } = this.#options;
    const onEnd = () => {
      this.#sessions.delete(session);
      this.#renewWhenEmpty();
    };
    const session = new QuicheSession({
      transport: this,
      webTransport,
      clock: this.#clock,
      log,
      onEnd,
    });
    const isFull = this.#sessions.size >= maxSessions;
    this.#sessions.add(session);
    const open = () => {
      if (isFull) session.closeWith('server-full');
      if (session.ended) return;
      session.offerTo(accept);
      session.start();
    };
    // A session that is never ready is closed as idle.
    webTransport.ready.then(open, () => {});
  }

  #renewWhenEmpty() {
    if (
      this.#nextCertificate === null ||
      this.#sessions.size > 0 ||
      this.#renewing ||
      this.#closing
    )
      return;
    this.#renewing = true;
    this.#renew(this.#nextCertificate)
      .catch((error) =>
        this.#options.log.error(
          { event: 'certificate-not-applied', engine: 'quiche', reason: reasonOf(error) },
          'new certificate could not be applied',
        ),
      )
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
      return; // Not started.
    }
    await settlesWithin(this.#clock, STOP_TIMEOUT_MS, server.closed);
  }

  async #close() {
    this.#stopChecks();
    const sessions = [...this.#sessions];
    for (const session of sessions) session.closeWith('server-closing');
    await settlesWithin(
      this.#clock,
      STOP_TIMEOUT_MS,
      Promise.all(sessions.map(({ gone }) => gone)),
    );
    await this.#stop();
  }
}

/** @implements {Session} */
class QuicheSession extends BaseSession {
  #webTransport;
  #clock;
  #lines;
  /**
   * Writer of the client's first bidirectional stream.
   * @type {WritableStreamDefaultWriter<Uint8Array> | null}
   */
  #writer = null;
  /** Lines from before there was a stream. @type {Uint8Array[]} */
  #waiting = [];
  #queuedBytes = 0;
  /** @type {Promise<unknown>} */
  #lastWrite = Promise.resolve();

  /**
   * @param {Omit<SessionOptions, 'peer'> & { webTransport: QuicheWebTransport, clock: Clock }}
   *   options
   */
  constructor({ webTransport, clock, ...options }) {
    super({ ...options, peer: webTransport.peerAddress ?? '?', now: clock.now() });
    this.#webTransport = webTransport;
    this.#clock = clock;
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.receiveControl(message, clock.now()),
      onError: () => this.closeWith('bad-request'),
    });
    /** Settles when the engine has finished with the session. @type {Promise<void>} */
    this.gone = webTransport.closed.then(
      ({ closeCode, reason }) => void this.end(Number(closeCode ?? 0), String(reason ?? '')),
      () => void this.end(errors['session-lost'].close, errors['session-lost'].message),
    );
  }

  /** Reads everything that arrives, until the session is over. */
  start() {
    const { datagrams, incomingBidirectionalStreams, incomingUnidirectionalStreams } =
      this.#webTransport;
    // Never cancelled: the engine throws when it delivers to a cancelled stream. Continuous reading
    // keeps the streams empty.
    const fail = (/** @type {unknown} */ error) => this.fail(error);
    readAll(datagrams.readable, (bytes) => this.receive(bytes, this.#clock.now())).catch(fail);
    readAll(incomingBidirectionalStreams, (stream) => this.#stream(stream)).catch(fail);
    readAll(
      incomingUnidirectionalStreams,
      (readable) => void readable.cancel(refusal).catch(ignoreError),
    ).catch(fail);
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    return this.sendCopy(bytes.slice());
  }

  /**
   * Sends through the engine's own object: the package's writer doesn't report dropped datagrams.
   * @param {Uint8Array} bytes must not change any more; several sessions may share them
   * @returns {boolean} false if they were dropped
   */
  sendCopy(bytes) {
    if (!this.#write(bytes)) {
      this.droppedOut += 1;
      return false;
    }
    return true;
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    if (this.ended) return;
    const { line } = prepareControl(message);
    this.#queuedBytes += line.length;
    if (this.#queuedBytes > MAX_STUCK_BYTES) this.closeWith('idle-timeout');
    else if (this.#writer === null) this.#waiting.push(line);
    else this.#writeLine(this.#writer, line);
  }

  /** @override @param {number} code @param {string} reason */
  end(code, reason) {
    if (this.ended) return false;
    this.#lines.close();
    this.#waiting.length = 0;
    return super.end(code, reason);
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    const info = { closeCode: code, reason: cutText(reason, MAX_REASON_BYTES) };
    if (this.#queuedBytes === 0 || this.#writer === null) this.#closeEngine(info);
    else
      void settlesWithin(this.#clock, FLUSH_MS, this.#lastWrite).then(() =>
        this.#closeEngine(info),
      );
  }

  /** @param {{ closeCode: number, reason: string }} info */
  #closeEngine(info) {
    try {
      this.#webTransport.close(info);
    } catch {
      // The stream was closing already.
    }
  }

  /** @param {Uint8Array} bytes @returns {boolean} */
  #write(bytes) {
    if (this.ended || bytes.length > MAX_PACKET_BYTES) return false;
    try {
      if (bytes.length > this.#webTransport.datagrams.maxDatagramSize) return false;
      return this.#webTransport.objint?.writeDatagram(bytes).code === 'success';
    } catch {
      return false;
    }
  }

  /** @param {BidirectionalStream} stream */
  #stream({ readable, writable }) {
    if (this.#writer !== null || this.ended) {
      readable.cancel(refusal).catch(ignoreError);
      writable.abort(refusal).catch(ignoreError);
      return;
    }
    this.#writer = writable.getWriter();
    for (const line of this.#waiting.splice(0)) this.#writeLine(this.#writer, line);
    readAll(readable, (bytes) => this.#lines.push(bytes)).catch((error) => this.fail(error));
  }

  /** @param {WritableStreamDefaultWriter<Uint8Array>} writer @param {Uint8Array} line */
  #writeLine(writer, line) {
    const done = () => void (this.#queuedBytes -= line.length);
    this.#lastWrite = writer.write(line).then(done, done);
  }
}

/** Error that refuses unused streams. */
const refusal = { code: errors['bad-request'].close };

const ignoreError = () => {};

/**
 * Reads a stream to its end, or until it breaks: the end of its session, or of the server, reports
 * the cause.
 * @template T
 * @param {ReadableStream<T>} stream
 * @param {(value: T) => void} onValue
 * @throws the errors of onValue
 */
async function readAll(stream, onValue) {
  const reader = stream.getReader();
  for (;;) {
    let result;
    try {
      result = await reader.read();
    } catch {
      return;
    }
    if (result.done) return;
    onValue(result.value);
  }
}
