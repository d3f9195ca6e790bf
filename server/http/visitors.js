/**
 * Tracks TCP clients by address, with the rate limits of each address and connection.
 * @import { Socket } from 'node:net'
 * @import { ServerResponse } from 'node:http'
 */

import { networkOf } from '../network-address.js';
import { TokenBucket } from '../token-bucket.js';

/**
 * Limits of requests per connection and per address (an IPv4 address, an IPv6 /64). A page is 88
 * files over six connections (`node bench/page-load.js`), and many people may share one address.
 * Requests of the HTTP/1 transport, 50 a second per person, count for their session instead.
 */
export const RATES = Object.freeze({
  file: { connection: { atOnce: 500, perSecond: 100 }, address: { atOnce: 6000, perSecond: 1000 } },
  api: { connection: { atOnce: 100, perSecond: 20 }, address: { atOnce: 1000, perSecond: 100 } },
});

/** Limit of new connections per address: a reverse proxy may open one per request. */
const CONNECTION_RATE = Object.freeze({ atOnce: 2000, perSecond: 1000 });

/** Limit of new TLS connections per address: each handshake costs half a millisecond. */
const SECURE_CONNECTION_RATE = Object.freeze({ atOnce: 200, perSecond: 100 });

/**
 * Limit of connections per address, without WebSockets. Each may have one open request, and the
 * audio of all rooms waits while all are checked in one turn of the event loop
 * (test/hostile/http.test.js).
 */
export const MAX_CONNECTIONS = 512;

/** Limit of remembered addresses without a connection. */
const MAX_REMEMBERED = 20_000;

/** @typedef {keyof typeof RATES} Kind */

export class HttpConnection {
  #buckets = bucketsOf('connection');

  /** The unfinished answer. @type {ServerResponse | null} */
  answering = null;
  /** Time of its request on the monotonic clock, in milliseconds. */
  askedMs = 0;
  /** Bytes sent before it. */
  sentBefore = 0;
  /** Client of the request on a trusted proxy's connection. @type {Visitor | null} */
  client = null;

  /** @param {Socket} socket @param {Visitor} visitor  its owner */
  constructor(socket, visitor) {
    this.socket = socket;
    this.visitor = visitor;
  }

  /**
   * Checks whether a request may be answered, and counts it.
   * @param {Kind} kind
   * @param {number} nowMs
   */
  take(kind, nowMs) {
    return this.#buckets[kind].take(nowMs) === 0 && this.visitor.buckets[kind].take(nowMs) === 0;
  }
}

/** State of one address. */
class Visitor {
  buckets = bucketsOf('address');
  connecting;
  /**
   * Connections of the address, the oldest first, and those of proxies with one of its requests.
   * @type {Set<HttpConnection>}
   */
  connections = new Set();

  /** @param {boolean} isSecure */
  constructor(isSecure) {
    this.connecting = new TokenBucket(isSecure ? SECURE_CONNECTION_RATE : CONNECTION_RATE);
  }
}

/** @param {'connection' | 'address'} of */
function bucketsOf(of) {
  return { file: new TokenBucket(RATES.file[of]), api: new TokenBucket(RATES.api[of]) };
}

export class Visitors {
  /** @type {Map<string, Visitor>} */
  #visitors = new Map();

  /**
   * Accepts a new connection. If its address has too many, the oldest idle one is closed in return.
   * @param {Socket} socket
   * @param {boolean} isSecure  true if TLS is about to begin
   * @param {number} nowMs
   * @param {boolean} [isProxy]  true for a trusted proxy, which has no limit because many people
   *   share it
   * @returns {HttpConnection | null} null if it is one too many
   */
  connect(socket, isSecure, nowMs, isProxy = false) {
    const visitor = this.#at(socket.remoteAddress, isSecure);
    if (!isProxy && visitor.connecting.take(nowMs) > 0) return null;
    if (!isProxy && visitor.connections.size >= MAX_CONNECTIONS && !endIdle(visitor)) return null;
    const connection = new HttpConnection(socket, visitor);
    visitor.connections.add(connection);
    return connection;
  }

  /**
   * Counts a trusted proxy's connection for the client of its request, until release() after the
   * answer.
   * @param {HttpConnection} connection
   * @param {string | undefined} address  of the client
   * @returns {boolean} false if the client has reached its limit of connections
   */
  carry(connection, address) {
    this.#forgetOne();
    const client = this.#at(address, false);
    if (client.connections.size >= MAX_CONNECTIONS) return false;
    client.connections.add(connection);
    connection.client = client;
    return true;
  }

  /** @param {HttpConnection} connection  no longer carries a client's request. Idempotent */
  release(connection) {
    connection.client?.connections.delete(connection);
    connection.client = null;
  }

  /**
   * Checks whether a request of a client behind a trusted proxy may be answered; it counts for the
   * client's address only.
   * @param {string | undefined} address  of the client
   * @param {Kind} kind
   * @param {number} nowMs
   */
  takeFor(address, kind, nowMs) {
    this.#forgetOne();
    return this.#at(address, false).buckets[kind].take(nowMs) === 0;
  }

  /** @param {HttpConnection} connection  has ended, or carries HTTP no more. Idempotent */
  disconnect(connection) {
    this.release(connection);
    connection.visitor.connections.delete(connection);
    this.#forgetOne();
  }

  /** Number of remembered addresses. */
  get size() {
    return this.#visitors.size;
  }

  /** @param {string | undefined} address @param {boolean} isSecure */
  #at(address, isSecure) {
    const network = networkOf(address);
    let visitor = this.#visitors.get(network);
    if (!visitor) this.#visitors.set(network, (visitor = new Visitor(isSecure)));
    return visitor;
  }

  #forgetOne() {
    if (this.#visitors.size <= MAX_REMEMBERED) return;
    for (const [network, { connections }] of this.#visitors) {
      if (connections.size > 0) continue;
      this.#visitors.delete(network);
      return;
    }
  }
}

/** @param {Visitor} visitor @returns {boolean} true if there was one */
function endIdle({ connections }) {
  for (const connection of connections) {
    if (connection.answering !== null) continue;
    connections.delete(connection);
    connection.socket.destroy();
    return true;
  }
  return false;
}
