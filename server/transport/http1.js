/**
 * Carries sessions over HTTP/1: a list of packets in a request's body, the answers in the
 * response's. If a list ends within a packet, its whole packets are answered, and its end counts as
 * one truncated packet.
 *
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { HttpOptions } from './client-address.js'
 * @import { ControlMessage, Session, SessionOptions, Transport } from '../session/session.js'
 */

import { randomBytes } from 'node:crypto';
import { Router } from 'express';
import { errorOfClose, errors } from '../../public/shared/errors.js';
import {
  MAX_LIST_BYTES,
  MAX_LIST_ENTRY_BYTES,
  readList,
  writeListEntry,
} from '../../public/shared/wire/packet-list.js';
import { readControl } from '../../public/shared/wire/control.js';
import {
  MAX_PACKET_BYTES,
  PACKET_VERSION,
  packetType,
  PacketType,
} from '../../public/shared/wire/packet.js';
import {
  answer,
  answerCode,
  answerError,
  answerJson,
  isOfType,
  parseJson,
  readBody,
} from '../request/body.js';
import { TokenBucket } from '../token-bucket.js';
import { ControlAnswers } from './control-answers.js';
import { directClient, peerName } from './client-address.js';
import {
  BaseSession,
  closeIdle,
  MAX_CONTROL_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../session/session.js';

const LIST_TYPE = 'application/octet-stream';

/** Beginning of the path of a session's requests, followed by its token. */
const SESSIONS = '/api/sessions/';

/** Path of a request: a session's token, and the requested action. */
const PATH = /^\/api\/sessions(?:\/([^/]*)(?:\/([^/]*))?)?$/;

/**
 * Requests of one session: a packet for each frame has its own, and the shortest frame is 2.5 ms.
 */
const REQUEST_RATE = Object.freeze({ atOnce: 1000, perSecond: 500 });

/** Most lists of one session that wait while another thread answers one; more are refused. */
const MAX_LATER = 64;

/** Most control messages of one list that are read; the rest count as dropped. */
const MAX_LIST_MESSAGES = 100;

/** Number of a control message. */
const NUMBER = /^\d{1,15}$/;

/** Truncated packet that stands for the end of a truncated list, so that it is counted. */
const TRUNCATED = Uint8Array.of((PACKET_VERSION << 4) | PacketType.audio);

/**
 * @typedef {{ control: number | null, read: number | null, isLost: boolean }} ListNumbers numbers
 *   of a list from a client that numbers control messages: of its first one, of the last one that
 *   it has read, and whether an answer was lost
 *
 * @typedef {(list: Buffer, first: number | null) => void} Answered first: the number of the first
 *   control message in it
 *
 * @typedef {object} RequestOptions
 * @property {number} maxSessions limit; more are refused with 'server-full'
 * @property {number} idleTimeoutMs a peer that sends no request for this long is gone
 * @property {() => string} [randomToken] makes a token that can't be guessed, of letters, digits,
 *   '-' and '_'
 *
 * @typedef {HttpOptions & RequestOptions} Http1Options
 *
 * @typedef {(request: IncomingMessage, response: ServerResponse, next: () => void) => void}
 *   Middleware
 *
 * @typedef {Transport & { router: Router, handle: Middleware, carries: (request: IncomingMessage)
 *   => boolean }} Http1Transport router is for an Express app; handle does the same without
 *   Express, which costs half as much; carries returns true for a request of an open session
 */

/** @param {Http1Options} options @returns {Http1Transport} */
export function createHttp1Transport(options) {
  return new RequestTransport(options);
}

/** @implements {Http1Transport} */
class RequestTransport {
  /** @type {'http1'} */
  name = 'http1';
  replyOnly = true;
  #options;
  #randomToken;
  /** @type {Map<string, Http1Session>} */
  #sessions = new Map();
  /**
   * Reasons for which the server ended sessions, by token, for their next request.
   * @type {Map<string, ErrorCode>}
   */
  #endings = new Map();
  #stopChecks;
  #closed = false;

  /** @param {Http1Options} options */
  constructor(options) {
    this.#options = options;
    this.#randomToken = options.randomToken ?? randomToken;
    this.#stopChecks = closeIdle(options.clock, options.idleTimeoutMs, () =>
      this.#sessions.values(),
    );
    this.router = Router().use(this.handle);
  }

  /** @type {Middleware} */
  handle = (request, response, next) => {
    const found = PATH.exec((request.url ?? '').split('?', 1)[0]);
    if (!found) return next();
    const [, token, action] = found;
    const { method } = request;
    if (method === 'POST' && action === 'packets') this.#packets(token, request, response);
    else if (method === 'POST' && action === 'leave') this.#leave(token, response);
    else if (method === 'POST' && token === undefined) this.#open(request, response);
    else if (method === 'DELETE' && token && action === undefined) this.#leave(token, response);
    else next();
  };

  /** @param {IncomingMessage} request */
  carries = ({ url = '' }) =>
    url.startsWith(SESSIONS) && this.#sessions.has(url.slice(SESSIONS.length).split('/', 1)[0]);

  /** @param {Session[]} sessions @param {Uint8Array} bytes */
  sendMany(sessions, bytes) {
    for (let i = 0; i < sessions.length; i++) sessions[i].send(bytes);
  }

  close() {
    this.#closed = true;
    this.#stopChecks();
    for (const session of [...this.#sessions.values()]) session.closeWith('server-closing');
    return Promise.resolve();
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  #open(request, response) {
    if (!isOfType(request, 'application/json')) {
      answerError(response, 'content-type');
      return;
    }
    readBody(request, MAX_CONTROL_BYTES, (body) => {
      const message = body && parseJson(body);
      if (body === null) answerError(response, 'body-too-large');
      else if (message === undefined) answerError(response, 'bad-request');
      else if (this.#closed) answerError(response, 'server-closing');
      else if (this.#sessions.size >= this.#options.maxSessions)
        answerError(response, 'server-full');
      else this.#join(message, request, response);
    });
  }

  /**
   * @param {unknown} message
   * @param {IncomingMessage} request
   * @param {ServerResponse} response answered by the first message to the session, or by its end
   */
  #join(message, request, response) {
    const { accept, clock, log, clientOf = directClient } = this.#options;
    const now = clock.now();
    const token = this.#randomToken();
    const session = new Http1Session({
      transport: this,
      peer: peerName(clientOf(request)),
      log,
      now,
      onFirstMessage: (first) => answerJoin(response, token, first),
      onEnd: (code) => {
        this.#forget(token, code);
        answerError(response, errorOfClose(code) ?? 'internal');
      },
    });
    this.#sessions.set(token, session);
    // A peer that hangs up before the answer has no token to return with, except an earlier one.
    const isBack = /** @type {{ resume?: unknown } | null} */ (message)?.resume !== undefined;
    response.once('close', () => {
      if (response.writableFinished) return;
      if (isBack) session.closeWith('session-lost');
      else session.close(0, 'left');
    });
    session.offerTo(accept);
    session.receiveControl(message, now);
  }

  /** @param {string} token @param {number} code */
  #forget(token, code) {
    this.#sessions.delete(token);
    const ending = errorOfClose(code);
    if (!ending) return;
    this.#endings.set(token, ending);
    const [oldest] = this.#endings.keys();
    if (this.#endings.size > this.#options.maxSessions) this.#endings.delete(oldest);
  }

  /** @param {string} token @param {IncomingMessage} request @param {ServerResponse} response */
  #packets(token, request, response) {
    const asked = this.#known(token, response);
    if (!asked) return;
    if (asked.isPollingTooFast(this.#options.clock.now())) {
      answerError(response, 'too-many-requests');
      return;
    }
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
      const done = (/** @type {Buffer} */ list, /** @type {number | null} */ first) => {
        const ending = this.#endings.get(token);
        if (ending) answerError(response, ending);
        else
          answer(
            response,
            200,
            first === null ? LIST_TYPE : `${LIST_TYPE}; control=${first}`,
            list,
          );
      };
      const list = { body, numbers: numbersOf(request.url), now: this.#options.clock.now() };
      if (!session.exchange(list, response, done)) answerError(response, 'too-many-requests');
    });
  }

  /** @param {string} token @param {ServerResponse} response */
  #leave(token, response) {
    const session = this.#known(token, response);
    if (!session) return;
    session.close(0, 'left');
    response.writeHead(204, { 'Cache-Control': 'no-store' });
    response.end();
  }

  /**
   * @param {string} token
   * @param {ServerResponse} response answered with the reason if there is no such session
   * @returns {Http1Session | undefined}
   */
  #known(token, response) {
    const session = this.#sessions.get(token);
    if (!session) answerError(response, this.#endings.get(token) ?? 'session-unknown');
    return session;
  }
}

/** Buffer of every answer: they are written one after another. */
const answerList = new Uint8Array(MAX_LIST_BYTES);

/**
 * Session that is a series of requests. Packets to the peer go into the answer to the packets that
 * caused them, control messages into the next answer.
 * @implements {Session}
 */
class Http1Session extends BaseSession {
  /**
   * Handles the first control message, which answers the request that opened the session.
   * @type {((message: object) => void) | null}
   */
  #onFirstMessage;
  #requestRate = new TokenBucket(REQUEST_RATE);
  #isAnswering = false;
  /** Buffer of the answer. @type {Uint8Array<ArrayBuffer>} */
  #list = answerList;
  /** @type {Uint8Array<ArrayBuffer> | null} */
  #ownList = null;
  /** Lists that came during an earlier one's answer. @type {(() => void)[]} */
  #later = [];
  #listEnd = 0;
  #toPeer = new ControlAnswers();
  /** Number of the peer's next control message, if the peer numbers them. */
  #nextFromPeer = 1;

  /**
   * @param {SessionOptions & { now: number, onFirstMessage: (message: object) => void }} options
   */
  constructor({ onFirstMessage, ...options }) {
    super(options);
    this.#onFirstMessage = onFirstMessage;
  }

  /**
   * Passes a request's packets to the handler, and collects its answers.
   * @param {{ body: Buffer, numbers: ListNumbers, now: number }} list now: on the monotonic clock
   * @param {ServerResponse} response to be filled with the answer
   * @param {Answered} done called with the answer: at once if the room is on this thread
   * @returns {boolean} false if too many lists wait already
   */
  exchange(list, response, done) {
    this.heardMs = list.now;
    if (this.#isAnswering && this.#later.length >= MAX_LATER) return false;
    if (this.#isAnswering)
      return this.#later.push(() => void this.exchange(list, response, done)) > 0;
    this.#isAnswering = true;
    this.#listEnd = 0;
    this.#read(list);
    const { read } = list.numbers;
    const end = () => this.#endExchange(response, read !== null, done);
    if (this.handler?.settle && !this.ended) this.#settle(this.handler.settle, end);
    else end();
    return true;
  }

  /** @param {{ body: Buffer, numbers: ListNumbers, now: number }} list */
  #read({ body, numbers, now }) {
    const { control, read, isLost } = numbers;
    if (read !== null) this.#toPeer.heard(read, isLost);
    // Some messages of a repeated list were read before.
    const known = control === null ? 0 : this.#nextFromPeer - control;
    let messages = 0;
    const isWhole = readList(body, (packet) => {
      if (packetType(packet) !== PacketType.control) this.receive(packet, now);
      else if (++messages > known)
        this.receiveControl(messages > MAX_LIST_MESSAGES ? undefined : controlOf(packet), now);
    });
    if (!isWhole) this.receive(TRUNCATED, now);
    if (control !== null) this.#nextFromPeer = Math.max(this.#nextFromPeer, control + messages);
  }

  /**
   * Waits for another thread's answer. Until then the session uses a list of its own.
   * @param {(done: () => void) => void} settle
   * @param {() => void} end
   */
  #settle(settle, end) {
    this.#list = this.#ownList ??= new Uint8Array(MAX_LIST_BYTES);
    settle(end);
  }

  /** @param {ServerResponse} response @param {boolean} isNumbered @param {Answered} done */
  #endExchange(response, isNumbered, done) {
    const { end, first } = this.#toPeer.write(this.#list, this.#listEnd, response, isNumbered);
    this.#isAnswering = false;
    done(Buffer.from(this.#list.subarray(0, end)), isNumbered ? first : null);
    this.#later.shift()?.();
  }

  /** Counts a request of the peer. @param {number} now on the monotonic clock */
  isPollingTooFast(now) {
    return this.#requestRate.take(now) > 0;
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    const canSend = this.#isAnswering && !this.ended && bytes.length <= MAX_PACKET_BYTES;
    const end = canSend ? writeListEntry(this.#list, this.#listEnd, bytes) : -1;
    if (end < 0) {
      this.droppedOut += 1;
      return false;
    }
    this.#listEnd = end;
    return true;
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    if (this.ended) return;
    const prepared = prepareControl(message);
    if (this.#onFirstMessage !== null) {
      const tell = this.#onFirstMessage;
      this.#onFirstMessage = null;
      tell(prepared.message);
      return;
    }
    const { packet } = prepared;
    if (packet.length > MAX_LIST_ENTRY_BYTES) return this.closeWith('internal');
    this.#toPeer.add(packet);
    if (this.#toPeer.bytes > MAX_STUCK_BYTES) this.closeWith('idle-timeout');
  }

  /** @override @param {number} code @param {string} reason */
  end(code, reason) {
    this.#toPeer.clear();
    return super.end(code, reason);
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    this.end(code, reason);
  }
}

/**
 * @param {ServerResponse} response
 * @param {string} token
 * @param {{ type?: string, code?: string }} first first control message to the session
 */
function answerJoin(response, token, first) {
  if (first.type !== 'refused') answerJson(response, 201, { token, messages: [first] });
  // Counted already by the code that refused.
  else
    answerCode(
      response,
      /** @type {ErrorCode} */ (first.code && first.code in errors ? first.code : 'internal'),
    );
}

/**
 * Reads the numbers of a list from a request's query.
 * @param {string} [url]
 * @returns {ListNumbers}
 */
function numbersOf(url = '') {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  const numberOf = (/** @type {string} */ name) => {
    const text = query.get(name) ?? '';
    return NUMBER.test(text) ? Number(text) : null;
  };
  return { control: numberOf('control'), read: numberOf('read'), isLost: query.has('lost') };
}

/** @param {Uint8Array} packet */
function controlOf(packet) {
  return packet.length <= MAX_CONTROL_BYTES ? readControl(packet) : undefined;
}

const randomToken = () => randomBytes(18).toString('base64url');
