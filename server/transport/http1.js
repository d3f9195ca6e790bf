/**
 * HTTP/1: a list of packets in a request's body, the answers to them in the response's. A list that
 * ends within a packet is answered for those before it, and its end counts as one truncated packet.
 *
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Accept, Session, Transport } from './session.js'
 */

import { randomBytes } from 'node:crypto';
import { Router } from 'express';
import { errorOfClose, errors } from '../../public/shared/errors.js';
import { readList } from '../../public/shared/packet-list.js';
import { readControl } from '../../public/shared/control.js';
import { PACKET_VERSION, PacketType, packetType } from '../../public/shared/packet.js';
import { peerName, repeat } from './base-session.js';
import { answer, answerError, answerJson, isOfType, readBody } from './http-body.js';
import { Http1Session } from './http1-session.js';
import { MAX_CONTROL_BYTES, sendToEach } from './session.js';

/** The longest list that is read, and the longest that is answered with. */
export const MAX_LIST_BYTES = 64 * 1024;

/**
 * Options for the node:http or node:https server in front of the transport. A client sends all the
 * time, so a connection that is quiet for longer than this is of no more use to it; and all that it asks is
 * short, so who takes long over a request only holds a connection.
 */
export const HTTP1_SERVER_OPTIONS = Object.freeze({
  noDelay: true,
  keepAlive: true,
  keepAliveTimeout: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024,
});

const LIST_TYPE = 'application/octet-stream';

/** So many control messages of one list are read. */
const MAX_LIST_MESSAGES = 100;

/** How often idle sessions are looked for, at most. */
const SWEEP_MS = 1000;

/** What stands for the end of a list that was cut off, so that it is counted as what it is. */
const TRUNCATED = Uint8Array.of((PACKET_VERSION << 4) | PacketType.audio);

/**
 * @typedef {object} Http1Options
 * @property {Accept} accept
 * @property {number} maxSessions     more are refused with 'server-full'
 * @property {number} idleTimeoutMs   who sends no request for so long is gone
 * @property {Clock} clock
 * @property {Log} log
 * @property {() => string} [randomToken]  one that can't be guessed, of letters, digits, '-' and '_'
 *
 * @typedef {(request: IncomingMessage, response: ServerResponse, next: () => void) => void} Middleware
 *
 * @typedef {Transport & { router: Router, handle: Middleware }} Http1Transport
 *   router is for an Express app; handle does the same without Express in front
 */

/**
 * @param {Http1Options} options
 * @returns {Http1Transport}
 */
export function createHttp1Transport(options) {
  return new Http1TransportOfRequests(options);
}

/** @implements {Http1Transport} */
class Http1TransportOfRequests {
  /** @type {'http1'} */
  name = 'http1';
  replyOnly = true;
  sendMany = sendToEach;
  #options;
  #randomToken;
  /** @type {Map<string, Http1Session>} */
  #sessions = new Map();
  /** Why sessions ended that the server ended, by token, for their next request. @type {Map<string, ErrorCode>} */
  #endings = new Map();
  /** All answers are written here, one after another. */
  #list = new Uint8Array(MAX_LIST_BYTES);
  #stopSweeping;
  #closed = false;

  /** @param {Http1Options} options */
  constructor(options) {
    this.#options = options;
    this.#randomToken = options.randomToken ?? randomToken;
    const sweepMs = Math.min(SWEEP_MS, options.idleTimeoutMs / 8);
    this.#stopSweeping = repeat(options.clock, sweepMs, () => this.#sweep(options.idleTimeoutMs - sweepMs));
    this.router = Router().use(this.handle);
  }

  /** @type {Middleware} */
  handle = (request, response, next) => {
    const [start, api, sessions, token, action, ...rest] = (request.url ?? '').split('?', 1)[0].split('/');
    const method = request.method ?? '';
    if (start !== '' || api !== 'api' || sessions !== 'sessions' || rest.length > 0) next();
    else if (method === 'POST' && action === 'packets') this.#packets(token, request, response);
    else if (method === 'POST' && action === 'leave') this.#leave(token, response);
    else if (method === 'POST' && token === undefined) this.#open(request, response);
    else if (method === 'DELETE' && token && action === undefined) this.#leave(token, response);
    else next();
  };

  close() {
    this.#closed = true;
    this.#stopSweeping();
    for (const session of [...this.#sessions.values()]) session.closeWith('server-closing');
    return Promise.resolve();
  }

  /** @param {number} silenceMs */
  #sweep(silenceMs) {
    const oldest = this.#options.clock.now() - silenceMs;
    for (const session of [...this.#sessions.values()]) {
      if (session.heardMs <= oldest) session.closeWith('idle-timeout');
    }
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #open(request, response) {
    if (!isOfType(request, 'application/json')) {
      answerError(response, 'content-type');
      return;
    }
    readBody(request, MAX_CONTROL_BYTES, (body) => {
      const message = body && parse(body);
      if (body === null) answerError(response, 'body-too-large');
      else if (message === undefined) answerError(response, 'bad-request');
      else if (this.#closed) answerError(response, 'server-closing');
      else if (this.#sessions.size >= this.#options.maxSessions) answerError(response, 'server-full');
      else this.#join(message, request, response);
    });
  }

  /**
   * @param {unknown} message
   * @param {IncomingMessage} request
   * @param {ServerResponse} response answered by the first message to the session, or by its end
   */
  #join(message, request, response) {
    const { accept, clock, log } = this.#options;
    const now = clock.now();
    const token = this.#randomToken();
    const session = new Http1Session({
      transport: this,
      token,
      peer: peerName(request.socket),
      log,
      now,
      onFirstMessage: (first) => answerJoin(response, token, first),
      onEnd: (code) => {
        this.#forget(token, code);
        answerError(response, errorOfClose(code) ?? 'internal');
      },
    });
    this.#sessions.set(token, session);
    // Who hangs up before the answer never learns how to come back, save by what it had before.
    const isBack = /** @type {{ resume?: unknown } | null} */ (message)?.resume !== undefined;
    response.once('close', () => {
      if (response.writableFinished) return;
      if (isBack) session.closeWith('session-lost');
      else session.close(0, 'left');
    });
    session.offerTo(accept);
    session.receiveControl(message, now);
  }

  /**
   * @param {string} token
   * @param {number} code
   */
  #forget(token, code) {
    this.#sessions.delete(token);
    const ending = errorOfClose(code);
    if (!ending) return;
    this.#endings.set(token, ending);
    const [oldest] = this.#endings.keys();
    if (this.#endings.size > this.#options.maxSessions) this.#endings.delete(oldest);
  }

  /**
   * @param {string} token
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #packets(token, request, response) {
    if (!this.#known(token, response)) return;
    if (!isOfType(request, LIST_TYPE)) {
      answerError(response, 'content-type');
      return;
    }
    readBody(request, MAX_LIST_BYTES, (body) => {
      const session = this.#known(token, response);
      if (!session) return;
      if (body === null) {
        answerError(response, 'body-too-large');
        return;
      }
      const list = this.#exchange(session, body, response);
      const ending = this.#endings.get(token);
      if (ending) answerError(response, ending);
      else answer(response, 200, LIST_TYPE, list);
    });
  }

  /**
   * @param {Http1Session} session
   * @param {Buffer} body
   * @param {ServerResponse} response
   * @returns {Buffer}
   */
  #exchange(session, body, response) {
    const now = this.#options.clock.now();
    session.heardMs = now;
    session.startAnswer(this.#list);
    let messages = 0;
    const isWhole = readList(body, (packet) => {
      if (packetType(packet) !== PacketType.control) session.receive(packet, now);
      else session.receiveControl(++messages > MAX_LIST_MESSAGES ? undefined : controlOf(packet), now);
    });
    if (!isWhole) session.receive(TRUNCATED, now);
    return session.takeAnswer(response);
  }

  /**
   * @param {string} token
   * @param {ServerResponse} response
   */
  #leave(token, response) {
    const session = this.#known(token, response);
    if (!session) return;
    session.close(0, 'left');
    response.writeHead(204, { 'Cache-Control': 'no-store' });
    response.end();
  }

  /**
   * @param {string} token
   * @param {ServerResponse} response told why, when there is no such session
   * @returns {Http1Session | undefined}
   */
  #known(token, response) {
    const session = this.#sessions.get(token);
    if (!session) answerError(response, this.#endings.get(token) ?? 'session-unknown');
    return session;
  }
}

/**
 * @param {ServerResponse} response
 * @param {string} token
 * @param {{ type?: string, code?: string }} first the first control message to the session
 */
function answerJoin(response, token, first) {
  if (first.type !== 'refused') answerJson(response, 201, { token, messages: [first] });
  else answerError(response, /** @type {ErrorCode} */ (first.code && first.code in errors ? first.code : 'internal'));
}

/** @param {Uint8Array} packet */
function controlOf(packet) {
  return packet.length <= MAX_CONTROL_BYTES ? readControl(packet) : undefined;
}

/**
 * @param {Buffer} body
 * @returns {unknown} undefined when it isn't JSON
 */
function parse(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const randomToken = () => randomBytes(18).toString('base64url');
