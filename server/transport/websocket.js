/**
 * Carries sessions over WebSocket (RFC 6455): each packet is a binary message, each control message
 * a text message.
 *
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { IncomingMessage, Server as HttpServer } from 'node:http'
 * @import { Server as HttpsServer } from 'node:https'
 * @import { Socket } from 'node:net'
 * @import { Duplex } from 'node:stream'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { HttpOptions } from './client-address.js'
 * @import { ControlMessage, Session, SessionOptions, Transport } from '../session/session.js'
 */

import { STATUS_CODES } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { ROOM_QUERY } from '../../public/shared/links.js';
import { countRefusal } from '../counts.js';
import { parseJson } from '../request/body.js';
import { repeat } from '../timers.js';
import { TokenBucket } from '../token-bucket.js';
import { directClient, isSameHost, peerName } from './client-address.js';
import {
  BaseSession,
  cutText,
  FLOOD_PAUSE_MS,
  MAX_CONTROL_BYTES,
  MAX_QUEUED_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../session/session.js';

/** Time for a peer to answer a close before its socket is destroyed, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;

/** Number of checks within the idle timeout: each pings the peers, so that live ones answer. */
const IDLE_PARTS = 5;

const WEBSOCKET_OPTIONS = Object.freeze({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Larger than the session's own limit, so a session closes with a code for the reason before ws
  // closes.
  maxPayload: 4 * MAX_CONTROL_BYTES,
  maxFragments: 64,
  autoPong: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
});

/** Longest reason of a close frame, in bytes (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;

/**
 * Base added to a session's close code, in the range for applications (RFC 6455, section 7.4.2).
 */
const CLOSE_BASE = 4000;

/** Close code of a normal end (RFC 6455, section 7.4.1). */
const NORMAL_CLOSE = 1000;

/** Close code if the connection ended without a close frame (RFC 6455, section 7.1.5). */
const ABNORMAL_CLOSE = 1006;

/** Limit of answered pings: a burst of 10, and 5 a second after it. */
const PINGS = Object.freeze({ atOnce: 10, perSecond: 5 });

/** Weight of a new measurement in the smoothed round-trip time (RFC 6298, section 2: alpha). */
const RTT_WEIGHT = 1 / 8;

/**
 * @typedef {object} UpgradeOptions
 * @property {HttpServer | HttpsServer} server its upgrades are all handled; other paths get a 404
 * @property {string} [path]
 * @property {number} maxSessions limit; more sessions are closed with 'server-full'
 * @property {(request: IncomingMessage) => ErrorCode | null} [refuseUpgrade] called before each
 *   session
 * @property {(request: IncomingMessage, socket: Duplex, head: Buffer) => void} [otherUpgrade]
 *   handles upgrades to other protocols, which are refused otherwise
 * @property {(origin: string | undefined) => boolean} [allowsOrigin] called with the origin of
 *   another host's page
 * @property {number} idleTimeoutMs a peer that doesn't even answer a ping for this long is gone
 *
 * @typedef {HttpOptions & UpgradeOptions} WebSocketOptions
 */

/** @param {WebSocketOptions} options @returns {Transport} */
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
  /** All open sockets, closing ones too. @type {Set<WebSocket>} */
  #sockets = new Set();
  #stopChecks;
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {() => void} */
  #onLastClosed = () => {};

  /** @param {WebSocketOptions} options */
  constructor(options) {
    this.#options = options;
    this.#path = options.path ?? '/session';
    const { server, clock, idleTimeoutMs } = options;
    server.on('upgrade', this.#upgrade);
    this.#stopChecks = repeat(clock, idleTimeoutMs / IDLE_PARTS, (lateMs) => this.#check(lateMs));
  }

  /** @param {Session[]} sessions @param {Uint8Array} bytes */
  sendMany(sessions, bytes) {
    const frame = binaryFrame(bytes);
    for (let i = 0; i < sessions.length; i++)
      /** @type {WebSocketSession} */ (sessions[i]).sendFrame(frame);
  }

  close() {
    this.#closing ??= new Promise((resolve) => {
      this.#options.server.off('upgrade', this.#upgrade);
      this.#stopChecks();
      for (const session of [...this.#sessions]) session.closeWith('server-closing');
      this.#onLastClosed = resolve;
      if (this.#sockets.size === 0) resolve();
    });
    return this.#closing;
  }

  /** @type {(request: IncomingMessage, socket: Duplex, head: Buffer) => void} */
  #upgrade = (request, socket, head) => {
    const { otherUpgrade } = this.#options;
    if (otherUpgrade && request.headers.upgrade?.toLowerCase() !== 'websocket') {
      otherUpgrade(request, socket, head);
      return;
    }
    const refusal = this.#refusal(request);
    if (refusal !== null) {
      countRefusal('upgrade', refusal);
      socket.on('error', () => {});
      const length = 'Content-Length: 0\r\nConnection: close';
      const { status } = errors[refusal];
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${length}\r\n\r\n`, () =>
        socket.destroy(),
      );
      return;
    }
    this.#wss.handleUpgrade(request, socket, head, (ws) =>
      this.#connected(ws, /** @type {Socket} */ (socket), request),
    );
  };

  /** @param {IncomingMessage} request @returns {ErrorCode | null} null if the upgrade is allowed */
  #refusal(request) {
    const code = this.#options.refuseUpgrade?.(request);
    if (code) return code;
    if (request.url?.split('?', 1)[0] !== this.#path) return 'not-found';
    const { origin, host } = request.headers;
    if (!isSameHost(origin, host) && !this.#options.allowsOrigin?.(origin))
      return 'origin-not-allowed';
    // Peers above maxSessions get a message with the reason first, so their number is bounded too.
    return this.#sockets.size >= 2 * this.#options.maxSessions + 16 ? 'server-full' : null;
  }

  /** @param {WebSocket} ws @param {Socket} socket @param {IncomingMessage} request */
  #connected(ws, socket, request) {
    const { clock, log, accept, maxSessions, clientOf = directClient } = this.#options;
    this.#sockets.add(ws);
    const session = new WebSocketSession({
      transport: this,
      ws,
      socket,
      clock,
      log,
      peer: peerName(clientOf(request)),
      onEnd: () => void this.#sessions.delete(session),
    });
    session.room =
      new URLSearchParams(request.url?.split('?', 2)[1] ?? '').get(ROOM_QUERY) ?? undefined;
    ws.once('close', () => {
      this.#sockets.delete(ws);
      if (this.#sockets.size === 0) this.#onLastClosed();
    });
    if (this.#sessions.size >= maxSessions) {
      session.sendControl({
        type: 'refused',
        code: 'server-full',
        message: errors['server-full'].message,
      });
      session.closeWith('server-full');
      return;
    }
    this.#sessions.add(session);
    session.offerTo(accept);
    session.ping();
  }

  /** @param {number} lateMs  time in which this process stood still */
  #check(lateMs) {
    const { clock, idleTimeoutMs } = this.#options;
    const now = clock.now();
    // The next check would come after the timeout.
    const oldest = now - idleTimeoutMs + idleTimeoutMs / IDLE_PARTS;
    for (const session of [...this.#sessions]) {
      session.forgive(lateMs, now);
      if (session.heardMs <= oldest) session.abandon('idle-timeout');
      else session.ping();
    }
  }
}

/** @implements {Session} */
class WebSocketSession extends BaseSession {
  #ws;
  #socket;
  #clock;
  #failed = false;
  #pongs = new TokenBucket(PINGS);
  #pings = 0;
  #pingMs = 0;
  /** @type {number | null} */
  #rttMs = null;

  /**
   * @param {SessionOptions & { ws: WebSocket, socket: Socket, clock: Clock }} options socket: the
   *   one beneath ws
   */
  constructor({ ws, socket, clock, ...options }) {
    super({ ...options, now: clock.now() });
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    ws.on('message', (data, isBinary) => this.#message(/** @type {Buffer} */ (data), isBinary));
    ws.on('ping', (data) => this.#pinged(data));
    ws.on('pong', (data) => this.#ponged(data));
    // The peer broke the protocol, and ws closes the connection.
    ws.on('error', () => (this.#failed = true));
    ws.on('close', (code, reason) => this.#closed(code, reason.toString()));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    return this.sendFrame(this.#isBlocked ? null : binaryFrame(bytes));
  }

  /**
   * @param {Buffer | null} frame whole, must not change any more; several sessions may share it
   * @returns {boolean} false if it was dropped
   */
  sendFrame(frame) {
    if (frame === null || this.#isBlocked) {
      this.droppedOut += 1;
      return false;
    }
    // ws writes each message whole and at once, so this one lands between two of them.
    this.#socket.write(frame);
    return true;
  }

  get #isBlocked() {
    return (
      this.ended ||
      this.#ws.readyState !== WebSocket.OPEN ||
      this.#socket.writableLength > MAX_QUEUED_BYTES
    );
  }

  /** @param {ServerMessage | ControlMessage} message */
  sendControl(message) {
    if (this.ended || this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#socket.writableLength > MAX_STUCK_BYTES) this.abandon('idle-timeout');
    else this.#ws.send(prepareControl(message).json, { binary: false });
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    this.#ws.close(
      code === 0 ? NORMAL_CLOSE : CLOSE_BASE + code,
      cutText(reason, MAX_REASON_BYTES),
    );
  }

  /** Closes without waiting for a peer that doesn't answer. @param {ErrorCode} code */
  abandon(code) {
    const isStuck = this.#socket.writableLength > 0;
    this.closeWith(code);
    if (isStuck) this.#ws.terminate();
  }

  /** Measures the round-trip time, and makes a live peer answer. */
  ping() {
    if (this.#isBlocked) return;
    this.#pings += 1;
    this.#pingMs = this.#clock.now();
    this.#ws.ping(String(this.#pings), false, ignoreError);
  }

  /** @override */
  stats() {
    return { ...super.stats(), rttMs: this.#rttMs };
  }

  /** @param {Buffer} data @param {boolean} isBinary */
  #message(data, isBinary) {
    const now = this.#clock.now();
    this.#countMessage(now);
    if (data.length > MAX_CONTROL_BYTES) {
      this.closeWith('bad-request');
    } else if (isBinary) {
      this.receive(data, now);
    } else {
      const message = parseJson(data);
      if (message === undefined) this.closeWith('bad-request');
      else this.receiveControl(message, now);
    }
  }

  /** Counts a message, ping or pong, and stops reading a peer that floods. @param {number} now */
  #countMessage(now) {
    if (!this.isFlood(now) || this.#ws.isPaused) return;
    this.#ws.pause();
    this.#clock.setTimeout(() => this.#ws.resume(), FLOOD_PAUSE_MS);
  }

  /** @param {Buffer} data */
  #pinged(data) {
    const now = this.#clock.now();
    this.heardMs = now;
    this.#countMessage(now);
    if (this.#isBlocked || this.#pongs.take(now) > 0) this.droppedIn += 1;
    else this.#ws.pong(data, false, ignoreError);
  }

  /** @param {Buffer} data */
  #ponged(data) {
    this.heardMs = this.#clock.now();
    this.#countMessage(this.heardMs);
    if (data.toString() !== String(this.#pings)) return;
    const rttMs = this.heardMs - this.#pingMs;
    this.#rttMs = this.#rttMs === null ? rttMs : this.#rttMs + (rttMs - this.#rttMs) * RTT_WEIGHT;
  }

  /** @param {number} code @param {string} reason */
  #closed(code, reason) {
    const own = code >= CLOSE_BASE && code < CLOSE_BASE + 1000 ? code - CLOSE_BASE : 0;
    if (this.#failed) this.end(errors['bad-request'].close, errors['bad-request'].message);
    else if (code === ABNORMAL_CLOSE)
      this.end(errors['session-lost'].close, errors['session-lost'].message);
    else this.end(own, reason);
  }
}

const ignoreError = () => {};

/**
 * Writes a server's binary message as one unmasked frame (RFC 6455, section 5.2).
 * @param {Uint8Array} bytes copied
 * @returns {Buffer | null} null if the packet is too long
 */
function binaryFrame(bytes) {
  const { length } = bytes;
  if (length > MAX_PACKET_BYTES) return null;
  const headerBytes = length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = 0x82;
  frame[1] = length < 126 ? length : 126;
  if (length >= 126) frame.writeUInt16BE(length, 2);
  frame.set(bytes, headerBytes);
  return frame;
}
