/**
 * @import { Socket } from 'node:net'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session, Transport } from './session.js'
 */

import { WebSocket } from 'ws';
import { errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { TokenBucket } from '../token-bucket.js';
import { BaseSession, cutText } from './base-session.js';
import { MessageRate, UNREAD_MS } from './message-rate.js';
import { MAX_CONTROL_BYTES, MAX_QUEUED_BYTES, MAX_STUCK_BYTES } from './session.js';

/** The longest reason that a close frame carries, in bytes (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;

/** Application close codes are the session's own, from here on (RFC 6455, section 7.4.2). */
const CLOSE_BASE = 4000;
const NORMAL_CLOSE = 1000;

/** The connection ended without a close frame (RFC 6455, section 7.1.5). */
const ABNORMAL_CLOSE = 1006;

/** So many pings of the peer are answered at once, and then so many a second. */
const PINGS = Object.freeze({ atOnce: 10, perSecond: 5 });

/** How much one more ping moves the round-trip time (as RFC 6298, section 2). */
const RTT_WEIGHT = 1 / 8;

/** @implements {Session} */
export class WebSocketSession extends BaseSession {
  #ws;
  #socket;
  #clock;
  #onEnd;
  #failed = false;
  /** Of messages, pings and pongs. */
  #rate = new MessageRate();
  #pongs = new TokenBucket(PINGS);
  #unanswered = 0;
  #pings = 0;
  #pingMs = 0;
  /** @type {number | null} */
  #rttMs = null;

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {WebSocket} options.ws
   * @param {Socket} options.socket  the one beneath ws
   * @param {Clock} options.clock
   * @param {Log} options.log
   * @param {string} options.peer
   * @param {() => void} options.onEnd
   */
  constructor({ transport, ws, socket, clock, log, peer, onEnd }) {
    super({ peer, log, now: clock.now() });
    this.transport = transport;
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    this.#onEnd = onEnd;
    ws.on('message', (data, isBinary) => this.#message(/** @type {Buffer} */ (data), isBinary));
    ws.on('ping', (data) => this.#pinged(data));
    ws.on('pong', (data) => this.#ponged(data));
    // What the peer did wrong; ws closes by itself.
    ws.on('error', () => (this.#failed = true));
    ws.on('close', (code, reason) => this.#closed(code, reason.toString()));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    return this.sendFrame(this.#isBlocked ? null : binaryFrame(bytes));
  }

  /**
   * @param {Buffer | null} frame whole, not to be changed any more; several sessions may share it
   * @returns {boolean} false when it was dropped
   */
  sendFrame(frame) {
    if (frame === null || this.#isBlocked) {
      this.droppedOut += 1;
      return false;
    }
    // ws writes each message whole and at once, so this one falls between two of its own.
    this.#socket.write(frame);
    return true;
  }

  get #isBlocked() {
    return this.ended || this.#ws.readyState !== WebSocket.OPEN || this.#socket.writableLength > MAX_QUEUED_BYTES;
  }

  /** @param {object} message */
  sendControl(message) {
    if (this.ended || this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#socket.writableLength > MAX_STUCK_BYTES) this.abandon('idle-timeout');
    else this.#ws.send(JSON.stringify(message));
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  end(code, reason) {
    if (!super.end(code, reason)) return false;
    this.#onEnd();
    return true;
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    this.#ws.close(code === 0 ? NORMAL_CLOSE : CLOSE_BASE + code, cutText(reason, MAX_REASON_BYTES));
  }

  /**
   * Closes without waiting for a peer that doesn't answer.
   * @param {ErrorCode} code
   */
  abandon(code) {
    const isStuck = this.#socket.writableLength > 0;
    this.closeWith(code);
    if (isStuck) this.#ws.terminate();
  }

  /** Asks whether the peer is there, and how far away. */
  ping() {
    if (this.#isBlocked) return;
    this.#pings += 1;
    this.#pingMs = this.#clock.now();
    this.#ws.ping(String(this.#pings), false, ignoreError);
  }

  stats() {
    return { rttMs: this.#rttMs, lostPackets: 0, droppedOut: this.droppedOut, droppedIn: this.#unanswered };
  }

  /**
   * @param {Buffer} data
   * @param {boolean} isBinary
   */
  #message(data, isBinary) {
    const now = this.#clock.now();
    this.#count(now);
    if (data.length > MAX_CONTROL_BYTES) {
      this.closeWith('bad-request');
    } else if (isBinary) {
      this.receive(data, now);
    } else {
      const message = parse(data);
      if (message === undefined) this.closeWith('bad-request');
      else this.receiveControl(message, now);
    }
  }

  /** @param {number} now */
  #count(now) {
    if (!this.#rate.count(now) || this.#ws.isPaused) return;
    this.#ws.pause();
    this.#clock.setTimeout(() => this.#ws.resume(), UNREAD_MS);
  }

  /** @param {Buffer} data */
  #pinged(data) {
    const now = this.#clock.now();
    this.heardMs = now;
    this.#count(now);
    if (this.#isBlocked || this.#pongs.take(now) > 0) this.#unanswered += 1;
    else this.#ws.pong(data, false, ignoreError);
  }

  /** @param {Buffer} data */
  #ponged(data) {
    this.heardMs = this.#clock.now();
    this.#count(this.heardMs);
    if (data.toString() !== String(this.#pings)) return;
    const rttMs = this.heardMs - this.#pingMs;
    this.#rttMs = this.#rttMs === null ? rttMs : this.#rttMs + (rttMs - this.#rttMs) * RTT_WEIGHT;
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    const own = code >= CLOSE_BASE && code < CLOSE_BASE + 1000 ? code - CLOSE_BASE : 0;
    if (this.#failed) this.end(errors['bad-request'].close, errors['bad-request'].message);
    else if (code === ABNORMAL_CLOSE) this.end(errors['session-lost'].close, errors['session-lost'].message);
    else this.end(own, reason);
  }
}

const ignoreError = () => {};

/**
 * @param {Buffer} data UTF-8
 * @returns {unknown} undefined when it isn't JSON
 */
function parse(data) {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

/**
 * A server's binary message in one frame, which isn't masked (RFC 6455, section 5.2).
 * @param {Uint8Array} bytes copied
 * @returns {Buffer | null} null when they are more than a packet has
 */
export function binaryFrame(bytes) {
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
