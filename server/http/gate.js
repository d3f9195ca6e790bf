/**
 * Limits everything served over TCP: the accepted connections, the answered requests, and their
 * time. No single connection or address can take the event loop, memory or descriptors from the
 * others.
 *
 * @import { IncomingMessage, RequestListener, Server } from 'node:http'
 * @import { Socket } from 'node:net'
 * @import { Duplex } from 'node:stream'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { IsAllowedHost } from '../allowed-hosts.js'
 * @import { HttpConnection, Kind } from './visitors.js'
 */

import { ServerResponse, STATUS_CODES } from 'node:http';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { repeat } from '../timers.js';
import { answerError, answerFailure, tellFailure } from '../request/body.js';
import { useOriginForm } from '../request/target.js';
import { Visitors } from './visitors.js';

/**
 * Counts TCP connections ended because of their clients, by reason. Requests refused with a code
 * are counted in server/counts.js.
 *
 * @typedef {object} HttpCounts
 * @property {number} pipelined  a second request arrived before the answer to the first
 * @property {number} connections  too many from one address
 * @property {number} malformed  the bytes weren't HTTP
 * @property {number} slow  the client read an answer too slowly
 */

/** @returns {HttpCounts} */
export const createHttpCounts = () => ({ pipelined: 0, connections: 0, malformed: 0, slow: 0 });

/**
 * Delay of the answer to a refused request, in milliseconds. Its connection isn't read in the
 * meantime, so that a refusal costs less than an answer.
 */
const REFUSAL_MS = 1000;

/**
 * Time limit of an answer, in milliseconds, and the least bytes per millisecond of a longer one.
 * The kernel buffers some megabytes at once, so server.timeout catches clients that read nothing.
 */
const ANSWER_MS = 30_000;
const BYTES_PER_MS = 4;

/** Time for a client to end its side of a connection that has left HTTP, in milliseconds. */
const LINGER_MS = 2000;

/** Interval between checks for slow answers, in milliseconds. */
const CHECK_MS = 2000;

/**
 * Status for bytes that aren't HTTP, by the parser's code; otherwise 400.
 * @type {Readonly<Record<string, number>>}
 */
const STATUS_OF_ERROR = Object.freeze({
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
});

/**
 * Refusals of the gate.
 * @typedef {Extract<ErrorCode, 'bad-request' | 'host-not-allowed' | 'too-many-requests'>} Refusal
 */

export class Gate {
  #clock;
  #isAllowedHost;
  #counts;
  #visitors = new Visitors();
  /** Connections by the socket of their requests. @type {WeakMap<Duplex, HttpConnection>} */
  #connections = new WeakMap();
  /** Connections over HTTPS by address and port of the peer. @type {Map<string, HttpConnection>} */
  #byPeer = new Map();
  /** Connections with an unfinished answer. @type {Set<HttpConnection>} */
  #answering = new Set();
  /** Answers permitted requests. @type {RequestListener} */
  #serve = () => {};
  /** @type {(request: IncomingMessage) => boolean} */
  #isStream = () => false;
  #stopChecks;
  #clientOf;
  #isProxy;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {IsAllowedHost} options.isAllowedHost
   * @param {HttpCounts} options.counts
   * @param {(request: IncomingMessage) => { remoteAddress?: string }} [options.clientOf] client of
   *   a request: its socket, unless a trusted proxy names another
   * @param {(socket: Socket) => boolean} [options.isProxy] true for a trusted proxy, whose
   *   connections carry requests of many people
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
    this.#stopChecks = repeat(clock, CHECK_MS, (lateMs) => this.#endSlow(lateMs));
  }

  /**
   * Puts the gate in front of a server.
   * @param {Server} server  not listening yet
   * @param {RequestListener} app  answers permitted requests
   * @param {(request: IncomingMessage) => boolean} isAudio  true for a request with a session's
   *   audio, which has its own limits
   * @param {(request: IncomingMessage) => boolean} [isStream]  true for a request whose body is a
   *   stream without an end: its handler gets the connection
   */
  attach(server, app, isAudio, isStream = () => false) {
    const isSecure = 'setSecureContext' in server;
    server.on('connection', (socket) => this.#connected(socket, isSecure));
    server.on('secureConnection', (/** @type {Socket} */ socket) => {
      const connection = this.#byPeer.get(peerOf(socket));
      if (connection) this.#connections.set(socket, connection);
    });
    this.#isStream = isStream;
    server.on(isSecure ? 'secureConnection' : 'connection', (/** @type {ParsedSocket} */ socket) =>
      leaveStreams(socket, isStream),
    );
    server.on('clientError', (error, socket) =>
      this.#malformed(error, /** @type {Socket} */ (socket)),
    );
    this.#serve = (request, response) => {
      useOriginForm(request);
      if (this.#opens(request, response, isAudio(request) ? null : kindOf(request)))
        app(request, response);
    };
    server.on('request', this.#serve);
    // Node answers 100 to the only known expectation (RFC 9110, section 10.1.1).
    server.on('checkExpectation', (request, response) => {
      useOriginForm(request);
      if (this.#opens(request, response, 'api')) answerError(response, 'bad-request', 417);
    });
    // Without a listener Node closes the connection silently.
    server.on('connect', (request, socket) => this.ignoreUpgrade(request, socket));
  }

  /**
   * Checks whether a WebSocket may be opened.
   * @param {IncomingMessage} request
   * @returns {Refusal | null} null if it may
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
   * Answers a request to switch the protocol as an ordinary one, which is allowed (RFC 9110,
   * section 7.8): curl asks for h2c, for example. A tunnel (CONNECT) is refused. A body isn't read,
   * except a stream's, so nothing can follow.
   * @param {IncomingMessage} request
   * @param {Duplex} duplex
   * @param {Buffer} [head]  bytes behind the request's head
   */
  ignoreUpgrade(request, duplex, head) {
    const socket = /** @type {Socket} */ (duplex);
    if (head && this.#isStream(request)) socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => {
      socket.end();
      this.#clock.setTimeout(() => socket.destroy(), LINGER_MS);
    });
    socket.on('error', () => socket.destroy());
    this.#serve(request, response);
  }

  /**
   * Exempts an answer from the time limit, because it is a session with its own limits.
   * @param {IncomingMessage} request
   */
  outlives({ socket }) {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    this.#answering.delete(connection);
    this.#visitors.disconnect(connection);
  }

  /** Stops the checks. Idempotent. */
  close() {
    this.#stopChecks();
  }

  /** @param {Socket} socket @param {boolean} isSecure  true if TLS is about to begin */
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
   * @param {Kind | null} kind null for requests with their own limits
   * @returns {boolean} true if it still needs an answer
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
   * @param {boolean} isProxied true on a proxy's connection, which is shared, so the refusal isn't
   *   delayed
   */
  #refuse(request, response, refusal, isProxied) {
    if (!isProxied) response.setHeader('Connection', 'close');
    if (refusal === 'too-many-requests') response.setHeader('Retry-After', '1');
    if (isProxied || refusal !== 'too-many-requests') {
      answerFailure(request, response, refusal);
      return;
    }
    // Counts even if the client doesn't wait for the answer.
    countRefusal('http', refusal);
    this.#clock.setTimeout(() => tellFailure(request, response, refusal), REFUSAL_MS);
  }

  /**
   * @param {IncomingMessage} request
   * @param {HttpConnection | undefined} connection
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
    // RFC 9112, section 3.2. A target without a path, such as a tunnel's, isn't for a host of ours,
    // so its sender isn't told of the option for hosts.
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !url.startsWith('/'))
      return 'bad-request';
    return this.#isAllowedHost(host) ? null : 'host-not-allowed';
  }

  /**
   * @param {IncomingMessage} request
   * @param {HttpConnection | undefined} connection
   * @param {Kind} kind
   */
  #take(request, connection, kind) {
    const now = this.#clock.now();
    const client = this.#clientOf(request);
    if (client !== request.socket) return this.#visitors.takeFor(client.remoteAddress, kind, now);
    return connection?.take(kind, now) ?? true;
  }

  /**
   * Ends a connection that sends a request before the previous answer, which no browser does. One
   * write of many requests would cause many answers at once.
   * @param {HttpConnection} connection
   * @param {IncomingMessage} request
   */
  #endEarly({ socket }, request) {
    if (!socket.destroyed) this.#counts.pipelined += 1;
    socket.destroy();
    stopParsing(/** @type {ParsedSocket} */ (request.socket));
  }

  /**
   * Reports malformed bytes to the client, and ends the connection.
   * @param {NodeJS.ErrnoException} error
   * @param {Socket} socket
   */
  #malformed({ code = '' }, socket) {
    const isOurs = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isOurs) this.#counts.malformed += 1;
    if (isOurs && socket.writable && mayTell(this.#connections.get(socket)?.answering)) {
      const status = STATUS_OF_ERROR[code] ?? 400;
      const refusal = status === 413 ? 'body-too-large' : 'bad-request';
      // Browsers open connections in advance, so a connection without bytes made no request.
      if (socket.bytesRead > 0) countRefusal('http', refusal);
      socket.write(rawAnswer(status, refusal));
    }
    socket.destroy();
  }

  /**
   * Aborts answers that aren't read.
   * @param {number} lateMs  time in which this process stood still, and sent nothing
   */
  #endSlow(lateMs) {
    const now = this.#clock.now();
    for (const connection of this.#answering) {
      connection.askedMs += lateMs;
      const { socket, askedMs, sentBefore } = connection;
      if (now - askedMs <= ANSWER_MS + (socket.bytesWritten - sentBefore) / BYTES_PER_MS) continue;
      this.#answering.delete(connection);
      this.#counts.slow += 1;
      socket.destroy();
    }
  }
}

/**
 * @typedef {(request: IncomingMessage, keepsAlive: boolean) => number} OnIncoming
 * @typedef {Socket & { parser?: { onIncoming?: OnIncoming } }} ParsedSocket
 */

/**
 * Makes Node's parser leave the connection after the head of a stream's request, as after that of a
 * WebSocket's: 'upgrade' follows. It uses the same detail as stopParsing().
 * @param {ParsedSocket} socket
 * @param {(request: IncomingMessage) => boolean} isStream
 */
function leaveStreams({ parser }, isStream) {
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming) return;
  parser.onIncoming = (request, keepsAlive) => {
    if (!isStream(request)) return onIncoming(request, keepsAlive);
    /** @type {IncomingMessage & { upgrade?: boolean }} */ (request).upgrade = true;
    return LEAVES_HTTP;
  };
}

/** Answer to Node's parser: no more HTTP follows. */
const LEAVES_HTTP = 2;

/**
 * Makes Node's parser skip the rest of its input, which may be a thousand requests. Parsing 64 KB
 * of them would take 20 ms, though their connection has ended. This uses a detail of all Node
 * versions: the parser asks after each head what follows, and 2 means "no more HTTP". Without it
 * only time would be lost (test/hostile/http.test.js).
 * @param {ParsedSocket} socket
 */
function stopParsing({ parser }) {
  if (parser?.onIncoming) parser.onIncoming = () => LEAVES_HTTP;
}

/**
 * True if malformed bytes may be reported: not after bytes of an answer, and not before the answer
 * to a complete request.
 * @param {ServerResponse | null | undefined} answering  the unfinished answer
 */
const mayTell = (answering) => !answering || !(answering.headersSent || answering.req.complete);

/**
 * Builds an answer when the parser could make no request.
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
 * Counts the Host fields, of which Node keeps the first.
 * @param {string[]} rawHeaders  alternating names and values
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

/** @param {IncomingMessage} request @returns {Kind} */
const kindOf = ({ url }) => (url?.startsWith('/api/') ? 'api' : 'file');
