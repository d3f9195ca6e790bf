/**
 * What stands before everything that is served over TCP: which connections are taken, which
 * requests are answered, and for how long. One connection or one address can't take the event loop,
 * the memory or the descriptors from the others.
 *
 * @import { IncomingMessage, RequestListener, Server } from 'node:http'
 * @import { Socket } from 'node:net'
 * @import { Duplex } from 'node:stream'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { IsAllowedHost } from '../allowed-hosts.js'
 * @import { HttpCounts } from './http-counts.js'
 * @import { Connection, Kind } from './visitors.js'
 */

import { ServerResponse, STATUS_CODES } from 'node:http';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { repeat } from '../timers.js';
import { answerError, answerFailure, tellFailure } from './body.js';
import { useOriginForm } from './target.js';
import { Visitors } from './visitors.js';

/**
 * The time that a refused request waits for its answer, in milliseconds. Its connection is not
 * heard meanwhile, so that refusing costs less than answering would.
 */
const REFUSAL_MS = 1000;

/**
 * The time that an answer may take, in milliseconds, and the bytes of a longer one that are to go
 * out in each. The kernel takes some megabytes at once: who reads nothing at all is noticed by
 * server.timeout.
 */
const ANSWER_MS = 30_000;
const BYTES_PER_MS = 4;

/** The interval between two looks for answers that take longer, in milliseconds. */
const CHECK_MS = 2000;

/**
 * The status of what isn't HTTP, by the parser's code; 400 for all else.
 * @type {Readonly<Record<string, number>>}
 */
const STATUS_OF_ERROR = Object.freeze({
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
});

/**
 * Refusals at the gate.
 * @typedef {Extract<ErrorCode, 'bad-request' | 'host-not-allowed' | 'too-many-requests'>} Refusal
 */

export class Gate {
  #clock;
  #isAllowedHost;
  #counts;
  #visitors = new Visitors();
  /** Connections by the socket that requests come from. @type {WeakMap<Duplex, Connection>} */
  #connections = new WeakMap();
  /** Those of HTTPS by the peer's address and port. @type {Map<string, Connection>} */
  #byPeer = new Map();
  /** Those with an answer under way. @type {Set<Connection>} */
  #answering = new Set();
  /** Answers what may pass. @type {RequestListener} */
  #serve = () => {};
  #stopChecks;
  #clientOf;
  #isProxy;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {IsAllowedHost} options.isAllowedHost
   * @param {HttpCounts} options.counts
   * @param {(request: IncomingMessage) => { remoteAddress?: string }} [options.clientOf]
   *   tells a request's client, which is its socket unless a trusted proxy names another
   * @param {(socket: Socket) => boolean} [options.isProxy]
   *   whether who connects is a trusted proxy, whose connections carry many people's requests
   */
  constructor({
    clock,
    isAllowedHost,
    counts,
    clientOf = ({ socket }) => socket,
    isProxy = () => false,
  }) {
    this.#clock = clock;
    this.#clientOf = clientOf;
    this.#isProxy = isProxy;
    this.#isAllowedHost = isAllowedHost;
    this.#counts = counts;
    this.#stopChecks = repeat(clock, CHECK_MS, () => this.#endSlow());
  }

  /**
   * Puts itself before a server's requests.
   * @param {Server} server not listening yet
   * @param {RequestListener} app answers what may pass
   * @param {(request: IncomingMessage) => boolean} isAudio whether a request is of a session's
   *   audio, which has limits of its own
   */
  attach(server, app, isAudio) {
    const isSecure = 'setSecureContext' in server;
    server.on('connection', (socket) => this.#connected(socket, isSecure));
    server.on('secureConnection', (/** @type {Socket} */ socket) => {
      const connection = this.#byPeer.get(peerOf(socket));
      if (connection) this.#connections.set(socket, connection);
    });
    server.on('clientError', (error, socket) =>
      this.#malformed(error, /** @type {Socket} */ (socket)),
    );
    this.#serve = (request, response) => {
      useOriginForm(request);
      if (this.#opens(request, response, isAudio(request) ? null : kindOf(request)))
        app(request, response);
    };
    server.on('request', this.#serve);
    // There is one expectation, to which Node answers 100 (RFC 9110, section 10.1.1).
    server.on('checkExpectation', (request, response) => {
      useOriginForm(request);
      if (this.#opens(request, response, 'api')) answerError(response, 'bad-request', 417);
    });
    // Node closes the connection without a word where nobody listens.
    server.on('connect', (request, socket) => this.ignoreUpgrade(request, socket));
  }

  /**
   * Asks whether a WebSocket may be opened.
   * @param {IncomingMessage} request
   * @returns {Refusal | null} null where it may
   */
  refuseUpgrade(request) {
    useOriginForm(request);
    const connection = this.#connections.get(request.socket);
    if (connection?.answering) {
      this.#endEarly(connection, request);
      return 'bad-request';
    }
    const refusal = this.#refusal(request, connection, 'api');
    if (connection && refusal === null) this.#visitors.disconnect(connection);
    return refusal;
  }

  /**
   * Answers a request to go on in another protocol as if it were none, which it may be (RFC 9110,
   * section 7.8): curl asks for h2c, say. A tunnel (CONNECT) is refused. A body isn't read, so
   * nothing can follow.
   * @param {IncomingMessage} request
   * @param {Duplex} duplex
   */
  ignoreUpgrade(request, duplex) {
    const socket = /** @type {Socket} */ (duplex);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    socket.on('error', () => socket.destroy());
    this.#serve(request, response);
  }

  /**
   * The answer to a request goes on for as long as its reader takes it: it is a session, which has
   * limits of its own.
   * @param {IncomingMessage} request
   */
  outlives({ socket }) {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    this.#answering.delete(connection);
    this.#visitors.disconnect(connection);
  }

  /** Ends the checks. Idempotent. */
  close() {
    this.#stopChecks();
  }

  /**
   * @param {Socket} socket
   * @param {boolean} isSecure whether TLS is to begin
   */
  #connected(socket, isSecure) {
    const connection = this.#visitors.connect(
      socket,
      isSecure,
      this.#clock.now(),
      this.#isProxy(socket),
    );
    if (connection === null) {
      this.#counts.connections += 1;
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    this.#connections.set(socket, connection);
    if (isSecure) this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      this.#answering.delete(connection);
      this.#visitors.disconnect(connection);
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
    });
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Kind | null} kind null for what has limits of its own
   * @returns {boolean} whether it is to be answered; otherwise it has been
   */
  #opens(request, response, kind) {
    const connection = this.#connections.get(request.socket);
    if (connection) {
      if (connection.answering) {
        this.#endEarly(connection, request);
        return false;
      }
      connection.answering = response;
      connection.askedMs = this.#clock.now();
      connection.sentBefore = connection.socket.bytesWritten;
      this.#answering.add(connection);
      response.once('finish', () => {
        connection.answering = null;
        this.#answering.delete(connection);
        this.#visitors.release(connection);
      });
    }
    const client = this.#clientOf(request);
    const isProxied = client !== request.socket;
    const isCrowded =
      isProxied &&
      connection !== undefined &&
      !this.#visitors.carry(connection, client.remoteAddress);
    const refusal = isCrowded ? 'too-many-requests' : this.#refusal(request, connection, kind);
    if (refusal !== null) this.#refuse(request, response, refusal, isProxied);
    return refusal === null;
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Refusal} refusal
   * @param {boolean} isProxied whether a proxy carries it, whose connection is others' too: it
   *   waits for nothing
   */
  #refuse(request, response, refusal, isProxied) {
    if (!isProxied) response.setHeader('Connection', 'close');
    if (refusal === 'too-many-requests') response.setHeader('Retry-After', '1');
    if (isProxied || refusal !== 'too-many-requests') {
      answerFailure(request, response, refusal);
      return;
    }
    // Counted also where the client doesn't wait for it.
    countRefusal('http', refusal);
    this.#clock.setTimeout(() => tellFailure(request, response, refusal), REFUSAL_MS);
  }

  /**
   * @param {IncomingMessage} request
   * @param {Connection | undefined} connection
   * @param {Kind | null} kind
   * @returns {Refusal | null}
   */
  #refusal(request, connection, kind) {
    const {
      headers: { host },
      httpVersion,
      rawHeaders,
      url = '',
    } = request;
    if (kind !== null && !this.#take(request, connection, kind)) return 'too-many-requests';
    const hosts = countHosts(rawHeaders);
    // RFC 9112, section 3.2. A target that is no path, as of a tunnel, means no host of ours: its
    // sender isn't told which option allows it.
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !url.startsWith('/'))
      return 'bad-request';
    return this.#isAllowedHost(host) ? null : 'host-not-allowed';
  }

  /**
   * @param {IncomingMessage} request
   * @param {Connection | undefined} connection
   * @param {Kind} kind
   */
  #take(request, connection, kind) {
    const now = this.#clock.now();
    const client = this.#clientOf(request);
    if (client !== request.socket) return this.#visitors.takeFor(client.remoteAddress, kind, now);
    return connection?.take(kind, now) ?? true;
  }

  /**
   * Ends a connection that sends a request before it has the answer to the last, which no browser
   * does: one write of many requests would be many answers at once.
   * @param {Connection} connection
   * @param {IncomingMessage} request
   */
  #endEarly({ socket }, request) {
    if (!socket.destroyed) this.#counts.pipelined += 1;
    socket.destroy();
    stopParsing(/** @type {ParsedSocket} */ (request.socket));
  }

  /**
   * Tells a client what was wrong with its bytes, and ends the connection.
   * @param {NodeJS.ErrnoException} error
   * @param {Socket} socket
   */
  #malformed({ code = '' }, socket) {
    const isOurs = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isOurs) this.#counts.malformed += 1;
    if (isOurs && socket.writable && mayTell(this.#connections.get(socket)?.answering)) {
      const status = STATUS_OF_ERROR[code] ?? 400;
      const refusal = status === 413 ? 'body-too-large' : 'bad-request';
      // Browsers open connections beforehand: one on which nothing came asked for nothing.
      if (socket.bytesRead > 0) countRefusal('http', refusal);
      socket.write(rawAnswer(status, refusal));
    }
    socket.destroy();
  }

  /** Breaks off answers that aren't read. */
  #endSlow() {
    const now = this.#clock.now();
    for (const connection of this.#answering) {
      const { socket, askedMs, sentBefore } = connection;
      if (now - askedMs <= ANSWER_MS + (socket.bytesWritten - sentBefore) / BYTES_PER_MS) continue;
      this.#answering.delete(connection);
      this.#counts.slow += 1;
      socket.destroy();
    }
  }
}

/** @typedef {Socket & { parser?: { onIncoming?: () => number } }} ParsedSocket */

/**
 * Has Node's parser leave the rest of what it was given, which may be a thousand requests: it would
 * go through all of them, 20 ms of 64 KB, though their connection has ended. That the parser asks
 * after each head of a request what is to come, and takes 2 for "no more HTTP", is Node's own
 * affair, the same in all of its versions; where it were not, only the time would be lost
 * (test/hostile/http.test.js).
 * @param {ParsedSocket} socket
 */
function stopParsing({ parser }) {
  if (parser?.onIncoming) parser.onIncoming = () => 2;
}

/**
 * Whether what is wrong with a connection's bytes may be told: not behind bytes of an answer, nor
 * ahead of an answer to a request that was whole.
 * @param {ServerResponse | null | undefined} answering  what is under way
 */
const mayTell = (answering) => !answering || !(answering.headersSent || answering.req.complete);

/**
 * An answer to what the parser made no request of.
 * @param {number} status
 * @param {ErrorCode} code
 */
function rawAnswer(status, code) {
  const body = JSON.stringify({ code, message: errors[code].message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * Counts the fields named Host, of which Node keeps the first.
 * @param {string[]} rawHeaders  names and values by turns
 */
function countHosts(rawHeaders) {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') hosts += 1;
  return hosts;
}

/** @param {Socket} socket */
const peerOf = ({ remoteAddress, remotePort, localAddress }) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * @param {IncomingMessage} request
 * @returns {Kind}
 */
const kindOf = ({ url }) => (url?.startsWith('/api/') ? 'api' : 'file');
