/**
 * WebSocket (RFC 6455): one packet a binary message, one control message a text message.
 *
 * @import { IncomingMessage, Server as HttpServer } from 'node:http'
 * @import { Server as HttpsServer } from 'node:https'
 * @import { Socket } from 'node:net'
 * @import { Duplex } from 'node:stream'
 * @import { WebSocket } from 'ws'
 * @import { Log } from '../log.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Accept, Session, Transport } from './session.js'
 */

import { STATUS_CODES } from 'node:http';
import { WebSocketServer } from 'ws';
import { errors } from '../../public/shared/errors.js';
import { peerName, repeat } from './base-session.js';
import { isSameHost } from './origin.js';
import { MAX_CONTROL_BYTES } from './session.js';
import { binaryFrame, WebSocketSession } from './websocket-session.js';

/** How long a peer has to answer a close before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;

/** In how many parts the idle timeout is looked at: a live peer is pinged, and so heard, in each. */
const IDLE_PARTS = 5;

const WEBSOCKET_OPTIONS = Object.freeze({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // A session closes with a code that says why before ws closes with its own.
  maxPayload: 4 * MAX_CONTROL_BYTES,
  maxFragments: 64,
  autoPong: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
});

/**
 * @typedef {object} WebSocketOptions
 * @property {Accept} accept
 * @property {HttpServer | HttpsServer} server  its upgrades are all taken; those for elsewhere get a 404
 * @property {string} [path]
 * @property {number} maxSessions               more are told 'server-full' and closed
 * @property {number} idleTimeoutMs             a peer that doesn't even answer a ping for so long is gone
 * @property {Clock} clock
 * @property {Log} log
 */

/**
 * @param {WebSocketOptions} options
 * @returns {Transport}
 */
export function createWebSocketTransport(options) {
  return new WebSocketTransport(options);
}

/** @implements {Transport} */
class WebSocketTransport {
  /** @type {'websocket'} */
  name = 'websocket';
  replyOnly = false;
  #options;
  #path;
  #wss = new WebSocketServer(WEBSOCKET_OPTIONS);
  /** @type {Set<WebSocketSession>} */
  #sessions = new Set();
  /** With those that are closing still. @type {Set<WebSocket>} */
  #sockets = new Set();
  #stopSweeping;
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {() => void} */
  #onLastGone = () => {};

  /** @param {WebSocketOptions} options */
  constructor(options) {
    this.#options = options;
    this.#path = options.path ?? '/session';
    const { server, clock, idleTimeoutMs } = options;
    server.on('upgrade', this.#upgrade);
    this.#stopSweeping = repeat(clock, idleTimeoutMs / IDLE_PARTS, () => this.#sweep());
  }

  /**
   * @param {Session[]} sessions
   * @param {Uint8Array} bytes
   */
  sendMany(sessions, bytes) {
    const frame = binaryFrame(bytes);
    for (let i = 0; i < sessions.length; i++) /** @type {WebSocketSession} */ (sessions[i]).sendFrame(frame);
  }

  close() {
    this.#closing ??= new Promise((resolve) => {
      this.#options.server.off('upgrade', this.#upgrade);
      this.#stopSweeping();
      for (const session of [...this.#sessions]) session.closeWith('server-closing');
      this.#onLastGone = resolve;
      if (this.#sockets.size === 0) resolve();
    });
    return this.#closing;
  }

  /** @type {(request: IncomingMessage, socket: Duplex, head: Buffer) => void} */
  #upgrade = (request, socket, head) => {
    const refusal = this.#refusal(request);
    if (refusal) {
      socket.on('error', () => {});
      const length = 'Content-Length: 0\r\nConnection: close';
      socket.end(`HTTP/1.1 ${refusal} ${STATUS_CODES[refusal]}\r\n${length}\r\n\r\n`, () => socket.destroy());
      return;
    }
    this.#wss.handleUpgrade(request, socket, head, (ws) => this.#connected(ws, /** @type {Socket} */ (socket)));
  };

  /**
   * @param {IncomingMessage} request
   * @returns {number} an HTTP status; 0 when the upgrade is fine
   */
  #refusal(request) {
    if (request.url?.split('?', 1)[0] !== this.#path) return 404;
    if (!isSameHost(request.headers.origin, request.headers.host)) return 403;
    // Beyond maxSessions a peer is told why, which takes a moment; beyond that no more.
    return this.#sockets.size >= 2 * this.#options.maxSessions + 16 ? 503 : 0;
  }

  /**
   * @param {WebSocket} ws
   * @param {Socket} socket
   */
  #connected(ws, socket) {
    const { clock, log, accept, maxSessions } = this.#options;
    this.#sockets.add(ws);
    const session = new WebSocketSession({
      transport: this,
      ws,
      socket,
      clock,
      log,
      peer: peerName(socket),
      onEnd: () => this.#sessions.delete(session),
    });
    ws.once('close', () => {
      this.#sockets.delete(ws);
      if (this.#sockets.size === 0) this.#onLastGone();
    });
    if (this.#sessions.size >= maxSessions) {
      session.sendControl({ type: 'refused', code: 'server-full', message: errors['server-full'].message });
      session.closeWith('server-full');
      return;
    }
    this.#sessions.add(session);
    session.offerTo(accept);
    session.ping();
  }

  #sweep() {
    const { clock, idleTimeoutMs } = this.#options;
    // The next look would come after the timeout.
    const oldest = clock.now() - idleTimeoutMs + idleTimeoutMs / IDLE_PARTS;
    for (const session of [...this.#sessions]) {
      if (session.heardMs <= oldest) session.abandon('idle-timeout');
      else session.ping();
    }
  }
}
