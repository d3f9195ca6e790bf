/**
 * WebTransport over HTTP/3 on the native engine: packets are datagrams, control messages are lines
 * on the client's first bidirectional stream.
 *
 * @import { NativeSession, SessionRequest } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Accept, Session, Transport } from './session.js'
 *
 * @typedef {object} Http3Options
 * @property {Accept} accept
 * @property {string} [host]                 '::' takes IPv4 as well
 * @property {number} [port]                 UDP; 0 for any
 * @property {{ certPem: string, keyPem: string }} certificate
 * @property {number} [idleTimeoutMs]        a peer of whom nothing is heard for so long is gone
 * @property {'cubic' | 'newreno' | 'bbr'} [congestionController]
 * @property {number} [receiveQueue]         packets of one session that wait to be read
 * @property {string} [path]                 where sessions are asked for; others get a 404, and pages of other hosts a 403
 * @property {number} [maxSessions]          those above are closed as 'server-full'
 * @property {Pick<Log, 'error'>} log
 * @property {Clock} [clock]
 */

import { Endpoint } from '@aloud/native';
import { systemClock } from '../../public/shared/clock.js';
import { errors } from '../../public/shared/errors.js';
import { DatagramSession } from './datagram-session.js';
import { isSameHostname } from './origin.js';
import { MAX_STUCK_BYTES } from './session.js';

/** Connections beyond the sessions, so that those who are one too many can be told why. */
const SPARE_CONNECTIONS = 64;

/**
 * How a timeout is divided: after the first part of silence a ping goes out, and QUIC gives up the
 * rest after that (RFC 9000, section 10.1), so that both together are the timeout.
 */
const PING_SHARE = 0.25;

/** Chromium takes a second off the timeout that it is told, where it is longer than that. */
const CHROMIUM_MARGIN_MS = 1000;

/**
 * After how long a silence a ping goes out: twice in what Chromium takes for the timeout.
 * @param {number} idleTimeoutMs
 */
function pingAfter(idleTimeoutMs) {
  const share = Math.ceil(idleTimeoutMs * PING_SHARE);
  if (idleTimeoutMs - share <= CHROMIUM_MARGIN_MS) return share;
  return Math.min(share, Math.ceil((idleTimeoutMs - CHROMIUM_MARGIN_MS) / 3));
}

/**
 * Opens HTTP/3 on the native engine.
 *
 * @param {Http3Options} options
 * @returns {Promise<NativeTransport>}
 * @throws {Error} when the engine isn't built (code ERR_NATIVE_NOT_BUILT, ERR_NATIVE_UNUSABLE), the
 *   certificate is no good, or the port can't be had (code EADDRINUSE, EACCES)
 */
export async function createNativeTransport({ host = '::', port = 0, certificate, ...options }) {
  const transport = new NativeTransport(options);
  await transport.listen(host, port, certificate);
  return transport;
}

/** @implements {Transport} */
export class NativeTransport {
  /** @readonly */
  name = 'webtransport';
  /** @readonly */
  engine = 'native';
  replyOnly = false;
  #accept;
  #path;
  #maxSessions;
  #log;
  #clock;
  #endpoint;
  #sessions = 0;
  #address = { host: '', port: 0 };

  /** @param {Omit<Http3Options, 'host' | 'port' | 'certificate'>} options */
  constructor({ accept, path = '/session', maxSessions = 1000, log, idleTimeoutMs = 15_000, ...engine }) {
    this.#accept = accept;
    this.#path = path;
    this.#maxSessions = maxSessions;
    this.#log = log;
    this.#clock = engine.clock ?? systemClock;
    const { congestionController = 'cubic', receiveQueue = 64 } = engine;
    const keepAliveMs = pingAfter(idleTimeoutMs);
    this.#endpoint = new Endpoint({
      congestionController,
      receiveQueue,
      idleTimeoutMs: Math.max(1, idleTimeoutMs - keepAliveMs),
      keepAliveMs,
      maxConnections: maxSessions + SPARE_CONNECTIONS,
      streamBufferBytes: MAX_STUCK_BYTES,
    });
  }

  /**
   * @param {string} host
   * @param {number} port
   * @param {{ certPem: string, keyPem: string }} certificate
   */
  async listen(host, port, { certPem, keyPem }) {
    try {
      const bound = await this.#endpoint.listen({
        host,
        port,
        certPem,
        keyPem,
        onRequest: (request) => this.#requested(request),
        onSession: (session) => this.#opened(session),
      });
      this.#address = { host, port: bound.port };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Where it listens; the port is UDP's. */
  address() {
    return this.#address;
  }

  /**
   * @param {Session[]} sessions
   * @param {Uint8Array} bytes
   */
  sendMany(sessions, bytes) {
    this.#endpoint.sendMany(/** @type {DatagramSession[]} */ (sessions), bytes);
  }

  /** Hands over the packets that have come, which would otherwise wait for the event loop's turn. */
  poll() {
    this.#endpoint.poll();
  }

  /**
   * New sessions get this certificate; those that there are go on.
   * @param {{ certPem: string, keyPem: string }} certificate
   * @throws {Error} when it is no good; the old one stays then
   */
  updateCertificate({ certPem, keyPem }) {
    this.#endpoint.setCertificate(certPem, keyPem);
  }

  async close() {
    const { close, message } = errors['server-closing'];
    await this.#endpoint.close(close, message);
  }

  /** @param {SessionRequest} request */
  #requested(request) {
    if (request.path !== this.#path) request.reject(404);
    else if (!isSameHostname(request.origin, request.authority)) request.reject(403);
    else request.accept();
  }

  /** @param {NativeSession} native */
  #opened(native) {
    if (this.#sessions >= this.#maxSessions) {
      const { close, message } = errors['server-full'];
      native.close(close, message);
      return;
    }
    this.#sessions += 1;
    const session = new DatagramSession(this, native, this.#clock, this.#log, () => (this.#sessions -= 1));
    session.guard(() => this.#accept(session));
  }
}
