/**
 * Who is connected over TCP, by address, and what each address and each connection may still ask
 * for.
 * @import { Socket } from 'node:net'
 * @import { ServerResponse } from 'node:http'
 */

import { networkOf } from '../network-address.js';
import { TokenBucket } from '../token-bucket.js';

/**
 * Requests of one connection and of one address (an IPv4 address, an IPv6 /64). A page is 112 files
 * over six connections (`node bench/page-load.js`), and an address may be many people behind one
 * router. The HTTP/1 transport's own requests, 50 a second for each person, count for their session
 * instead.
 */
export const RATES = Object.freeze({
  file: { connection: { atOnce: 500, perSecond: 100 }, address: { atOnce: 6000, perSecond: 1000 } },
  api: { connection: { atOnce: 100, perSecond: 20 }, address: { atOnce: 1000, perSecond: 100 } },
});

/** New connections of one address: a reverse proxy may make one for each request. */
const CONNECTION_RATE = Object.freeze({ atOnce: 2000, perSecond: 1000 });

/** New connections of one address over TLS, whose handshakes cost half a millisecond each. */
const SECURE_CONNECTION_RATE = Object.freeze({ atOnce: 200, perSecond: 100 });

/**
 * Connections of one address, without those that have become a WebSocket. Each may have one request
 * under way, and the audio of all rooms waits while all of these are looked at in one turn of the
 * event loop (test/hostile/http.test.js).
 */
export const MAX_CONNECTIONS = 512;

/** Addresses that are remembered without a connection. */
const MAX_REMEMBERED = 20_000;

/** @typedef {keyof typeof RATES} Kind */

/** One connection. */
export class Connection {
  #buckets = bucketsOf('connection');

  /** The answer that is under way. @type {ServerResponse | null} */
  answering = null;
  /** When its request came, on the monotonic clock, in milliseconds. */
  askedMs = 0;
  /** The bytes that had gone out before it. */
  sentBefore = 0;
  /** The client whose request a trusted proxy's connection carries. @type {Visitor | null} */
  client = null;

  /**
   * @param {Socket} socket
   * @param {Visitor} visitor whose connection it is
   */
  constructor(socket, visitor) {
    this.socket = socket;
    this.visitor = visitor;
  }

  /**
   * Asks whether a request may be answered.
   * @param {Kind} kind
   * @param {number} nowMs
   */
  take(kind, nowMs) {
    return this.#buckets[kind].take(nowMs) === 0 && this.visitor.buckets[kind].take(nowMs) === 0;
  }
}

/** All that is known of one address. */
class Visitor {
  buckets = bucketsOf('address');
  connecting;
  /**
   * Its own, the oldest first, and those of proxies that carry a request of its.
   * @type {Set<Connection>}
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
   * Takes a new connection. Where its address has too many, the oldest that nothing goes on in is
   * ended for it.
   * @param {Socket} socket
   * @param {boolean} isSecure whether TLS is to begin
   * @param {number} nowMs
   * @param {boolean} [isProxy] whether it is a trusted proxy's, which has many people's: it has no
   *   limit
   * @returns {Connection | null} null where it is one too many
   */
  connect(socket, isSecure, nowMs, isProxy = false) {
    const visitor = this.#at(socket.remoteAddress, isSecure);
    if (!isProxy && visitor.connecting.take(nowMs) > 0) return null;
    if (!isProxy && visitor.connections.size >= MAX_CONNECTIONS && !endIdle(visitor)) return null;
    const connection = new Connection(socket, visitor);
    visitor.connections.add(connection);
    return connection;
  }

  /**
   * Counts a trusted proxy's connection for the client whose request it carries, until the answer
   * is out: see release().
   * @param {Connection} connection
   * @param {string | undefined} address  the client's
   * @returns {boolean} false where as many carry requests of the client's as it might have
   *   connections
   */
  carry(connection, address) {
    this.#forgetOne();
    const client = this.#at(address, false);
    if (client.connections.size >= MAX_CONNECTIONS) return false;
    client.connections.add(connection);
    connection.client = client;
    return true;
  }

  /** @param {Connection} connection  one that carries nobody's request any more. Idempotent */
  release(connection) {
    connection.client?.connections.delete(connection);
    connection.client = null;
  }

  /**
   * Asks whether a request of a client behind a trusted proxy may be answered: it counts for the
   * client's address alone.
   * @param {string | undefined} address the client's
   * @param {Kind} kind
   * @param {number} nowMs
   */
  takeFor(address, kind, nowMs) {
    this.#forgetOne();
    return this.#at(address, false).buckets[kind].take(nowMs) === 0;
  }

  /** @param {Connection} connection that has ended, or is none of HTTP any more. Idempotent */
  disconnect(connection) {
    this.release(connection);
    connection.visitor.connections.delete(connection);
    this.#forgetOne();
  }

  /** How many addresses are remembered. */
  get size() {
    return this.#visitors.size;
  }

  /**
   * @param {string | undefined} address
   * @param {boolean} isSecure
   */
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

/** @param {Visitor} visitor @returns {boolean} whether there was one */
function endIdle({ connections }) {
  for (const connection of connections) {
    if (connection.answering !== null) continue;
    connections.delete(connection);
    connection.socket.destroy();
    return true;
  }
  return false;
}
