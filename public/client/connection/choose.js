/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Connection, ConnectionHandler, TransportName } from './connection.js'
 * @import { NodeAddress } from './nodes.js'
 *
 * @typedef {object} ServerConfig transports in the answer to GET /api/config; null when not offered
 * @property {{ webtransport?: WebTransportOffer | null, websocket?: { path: string } | null,
 *   http1?: { path: string } | null }} transports
 * @property {Record<string, string>} [unavailable]  reason why a transport is not offered
 * @property {NodeAddress | null} [node]  the other node that has the room
 * @property {NodeAddress[]} [nodes]      all nodes of the cluster
 *
 * @typedef {{ host?: string, url?: string, port?: number, certificateHashes?: string[] }}
 *   WebTransportOffer the url may lack its host, and be a path alone; then the host is `host`, or
 *   the page's
 *
 * @typedef {object} Scope  constructors; the global object's when absent
 * @property {typeof globalThis.WebTransport} [WebTransport]
 * @property {typeof globalThis.WebSocket} [WebSocket]
 * @property {typeof globalThis.fetch} [fetch]
 *
 * @typedef {object} Failure
 * @property {string} transport
 * @property {string} code a ConnectionError's, 'no-answer' in time, or 'slower' than the chosen one
 * @property {string} reason  for debugging
 *
 * @typedef {object} ConnectOptions
 * @property {'auto' | TransportName} transport
 * @property {string} origin          of the page, such as 'http://localhost:8080'
 * @property {ServerConfig} config
 * @property {{ type: string, room?: string, [field: string]: unknown }} message  to join with
 * @property {() => boolean} [asks] called before each join; false cancels the join
 * @property {ConnectionHandler} handler  handles the connection from the `welcome` on
 * @property {(connection: Connection) => Promise<void>} prove called when the room is joined:
 *   resolves when packets really pass; rejects to have another tried
 * @property {Clock} clock
 * @property {Scope} [scope]
 */

import { sessionUrl } from '../../shared/links.js';
import { isLocalUrl } from '../../shared/local-host.js';
import { ConnectionError } from '../../shared/errors.js';
import { Http1Connection } from './http1.js';
import { join } from './join.js';
import { WebSocketConnection } from './websocket.js';
import { WebTransportConnection } from './webtransport.js';

/** Transports in the order of trying. */
const PREFERENCE = Object.freeze(/** @type {const} */ (['webtransport', 'websocket', 'http1']));

/** Time in which each transport must open, in milliseconds. */
const OPEN_MS = Object.freeze({ webtransport: 3000, websocket: 5000, http1: 5000 });

/** Time without an answer after which the next transport is tried in parallel, in milliseconds. */
const PATIENCE_MS = 1500;

/**
 * Connects to the server and joins, by the transport that is asked for, or by the best that works.
 *
 * @param {ConnectOptions} options
 * @returns {Promise<{ connection: Connection, took: TransportName, tried: Failure[] }>} with the
 *   failed ones before it, and their reasons; rejects with a ConnectionError
 */
export async function connect(options) {
  const chooser = new Chooser(options);
  try {
    return await chooser.run();
  } finally {
    chooser.abandon();
  }
}

/**
 * @typedef {object} Attempt
 * @property {TransportName} transport
 * @property {Promise<{ attempt: Attempt, connection?: Connection, error?: unknown }>} outcome
 * @property {AbortController} abort
 */

class Chooser {
  #options;
  /** @type {TransportName[]} */
  #waiting;
  /** @type {Attempt[]} */
  #open = [];
  /** @type {Failure[]} */
  #tried = [];
  /** @type {unknown} */
  #lastError = null;

  /** @param {ConnectOptions} options */
  constructor(options) {
    this.#options = options;
    this.#waiting = options.transport === 'auto' ? [...PREFERENCE] : [options.transport];
  }

  async run() {
    for (;;) {
      if (this.#open.length === 0 && !this.#startNext()) throw this.#failure();
      const outcome = await this.#nextOutcome();
      if (outcome === null) {
        this.#startNext();
        continue;
      }
      const { attempt, connection, error } = outcome;
      this.#open.splice(this.#open.indexOf(attempt), 1);
      const reason = connection ? await this.#joinOver(connection) : error;
      if (connection && reason === null) {
        return { connection, took: attempt.transport, tried: this.#all() };
      }
      this.#note(attempt.transport, reason);
    }
  }

  /** Starts the next transport. @returns {boolean} false when none is left */
  #startNext() {
    const transport = this.#waiting.shift();
    if (!transport) return false;
    const abort = new AbortController();
    const { clock } = this.#options;
    const ms = OPEN_MS[transport];
    let isLate = false;
    const timer = clock.setTimeout(() => {
      isLate = true;
      abort.abort();
    }, ms);
    /** @type {Attempt} */
    const attempt = {
      transport,
      abort,
      outcome: new Promise(() => {}),
    };
    attempt.outcome = openTransport(transport, this.#options, abort.signal)
      .then(
        (connection) => ({ attempt, connection }),
        (error) => ({
          attempt,
          error: isLate
            ? new ConnectionError('no-answer', `It gave no answer within ${ms / 1000} s.`)
            : error,
        }),
      )
      .finally(() => clock.clearTimeout(timer));
    this.#open.push(attempt);
    return true;
  }

  /** First attempt to end; null when it is time to begin another. */
  async #nextOutcome() {
    const { clock } = this.#options;
    const outcomes = this.#open.map(({ outcome }) => outcome);
    if (this.#waiting.length === 0 || this.#open.length > 1) return Promise.race(outcomes);
    /** @type {unknown} */
    let timer;
    const patience = new Promise((resolve) => {
      timer = clock.setTimeout(() => resolve(null), PATIENCE_MS);
    });
    const first = await Promise.race([...outcomes, /** @type {Promise<null>} */ (patience)]);
    clock.clearTimeout(timer);
    return first;
  }

  /** @param {Connection} connection @returns {Promise<unknown>} null when it is chosen */
  async #joinOver(connection) {
    const { message, handler, prove, clock, asks } = this.#options;
    if (asks?.() === false) {
      connection.close();
      throw new ConnectionError('connection-lost', 'Nobody wants to join any more.', true);
    }
    try {
      await join(connection, message, handler, clock, asks);
      await prove(connection);
      return null;
    } catch (error) {
      const isRefused = error instanceof ConnectionError && error.refused;
      // The next transport takes over the place that this one may have got.
      connection.close(isRefused);
      if (isRefused) throw error;
      return error;
    }
  }

  /** @param {string} transport @param {unknown} error */
  #note(transport, error) {
    this.#lastError = error;
    const { code = 'connection-failed', message } =
      /** @type {Partial<ConnectionError> & Error} */ (error);
    this.#tried.push({ transport, code, reason: message });
  }

  /** Attempts that failed, and slower ones that were cancelled. */
  #all() {
    for (const { transport } of this.#open) {
      this.#tried.push({
        transport,
        code: 'slower',
        reason: `It had not answered after ${PATIENCE_MS / 1000} s.`,
      });
    }
    return this.#tried;
  }

  #failure() {
    if (this.#options.transport !== 'auto' && this.#lastError instanceof ConnectionError)
      return this.#lastError;
    const reasons = this.#tried.map(({ transport, reason }) => `${transport}: ${reason}`).join(' ');
    return new ConnectionError('connection-failed', `The server could not be reached. ${reasons}`);
  }

  /** Ends attempts that are no longer needed. */
  abandon() {
    for (const { abort, outcome } of this.#open) {
      abort.abort();
      void outcome.then(({ connection }) => connection?.close());
    }
    this.#open = [];
  }
}

/**
 * @param {TransportName} transport
 * @param {ConnectOptions} options
 * @param {AbortSignal} signal
 * @returns {Promise<Connection>}
 */
async function openTransport(transport, { config, origin, message, clock, scope = {} }, signal) {
  const { now } = clock;
  const offer = config.transports?.[transport];
  if (!offer) {
    const reason = config.unavailable?.[transport] ?? 'The server does not offer it.';
    throw new ConnectionError('not-offered', reason);
  }
  if (transport === 'webtransport') {
    const { certificateHashes, ...place } = /** @type {WebTransportOffer} */ (offer);
    const url = sessionUrl(webTransportUrl(place, origin), message.room);
    return WebTransportConnection.open({
      url,
      certificateHashes,
      now,
      signal,
      WebTransport: scope.WebTransport,
    });
  }
  const url = new URL(/** @type {{ path: string }} */ (offer).path, origin);
  if (transport === 'http1')
    return Http1Connection.open({ url: url.href, clock, fetch: scope.fetch });
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return WebSocketConnection.open({
    url: sessionUrl(url.href, message.room),
    now,
    signal,
    WebSocket: scope.WebSocket,
  });
}

/** @param {WebTransportOffer} offer @param {string} origin */
function webTransportUrl({ host, url = '/session', port }, origin) {
  if (/^https:\/\/[^/:]/.test(url)) return url;
  const path = url.replace(/^https:\/\/(:\d+)?/, '');
  const address = new URL(path.startsWith('/') ? path : '/session', origin);
  address.protocol = 'https:';
  if (host) address.hostname = host;
  if (port) address.port = String(port);
  return address.href;
}

/**
 * State of the permission to connect to a server on a local network, when this page comes from
 * elsewhere. Chrome asks people from version 147 on (Local Network Access).
 * @param {string} url  of the server; '' for the page's own
 * @param {{ navigator?: { permissions?: { query: (descriptor: any) => Promise<{ state: string }>
 *   } }, location?: { href: string } }} [scope]
 * @returns {Promise<string | null>} 'prompt' before an answer, 'granted' or 'denied'; null when no
 *   permission is needed
 */
export async function localNetworkPermission(url, { navigator, location } = globalThis) {
  if (!navigator?.permissions || url === '' || !isLocalUrl(url)) return null;
  if (location && isLocalUrl(location.href)) return null;
  try {
    return (await navigator.permissions.query({ name: 'local-network' })).state;
  } catch {
    // The browser doesn't know the name, and asks nobody.
    return null;
  }
}
