/**
 * @import { Log } from '../log.js'
 * @import { Bus, BusState } from '../bus/bus.js'
 * @import { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
 *
 * @typedef {{ subject: string, callback: (error: Error | null, message: Msg) => void, subscription:
 *   Subscription | null }} Listening
 */

import { connect, errors } from '@nats-io/transport-node';
import { readClusterUrl } from '../config/readers.js';
import { stackOf } from '../log.js';
import { NOBODY, SILENCE } from '../bus/bus.js';
import { MAX_MESSAGE_BYTES } from '../bus/messages.js';

/**
 * Interval of pings, in milliseconds: a server that misses two is left for another. Then the wait
 * before the next attempt, and its jitter. NATS's defaults are two minutes and two seconds.
 */
const SETTINGS = Object.freeze({
  pingInterval: 1000,
  maxPingOut: 2,
  reconnectTimeWait: 100,
  reconnectJitter: 50,
  reconnectJitterTLS: 50,
  maxReconnectAttempts: -1,
  noEcho: true,
  ignoreAuthErrorAbort: true,
  noAsyncTraces: true,
  // A server that accepts no connection in this time counts as gone.
  timeout: 2000,
});

/** Wait before the next attempt while NATS has never been reached, in milliseconds. */
const RETRY_MS = 500;

/** Wait before the next attempt to connect a standby server, in milliseconds. */
const STANDBY_RETRY_MS = 2000;

/**
 * Uses NATS as the bus of a cluster: core messages only, none stored. With several servers, an idle
 * second connection to another one stands by, and takes over as soon as the first one breaks.
 * @implements {Bus}
 */
export class NatsBus {
  #log;
  #options;
  /** @type {NatsConnection | null} */
  #connection = null;
  /** @type {NatsConnection | null} */
  #standby = null;
  #isPreparing = false;
  /** @type {BusState} */
  #state = 'connecting';
  #closed = false;
  #isReported = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {Set<Listening>} */
  #listening = new Set();
  /** @type {Set<() => void>} */
  #onChanged = new Set();
  /** Messages that were too long, or not JSON. */
  dropped = 0;

  /**
   * @param {string} url  as in --cluster
   * @param {{ name: string, log: Pick<Log, 'info' | 'warn' | 'error'> }} options name: of the node,
   *   for NATS's own lists
   */
  constructor(url, { name, log }) {
    this.#log = log;
    const read = /** @type {NonNullable<ReturnType<typeof readClusterUrl>>} */ (
      readClusterUrl(url)
    );
    this.#options = { ...SETTINGS, ...read, name };
  }

  open() {
    void this.#connect();
  }

  async #connect() {
    if (this.#closed) return;
    try {
      const connection = await connect(this.#options);
      if (this.#closed) return void (await connection.close());
      this.#state = 'connected';
      this.#log.info(
        { event: 'nats-connected', server: connection.getServer() },
        'connected to NATS',
      );
      this.#use(connection);
      void this.#watch(connection);
    } catch (error) {
      if (this.#closed) return;
      this.#tellRefusal(/** @type {Error} */ (error));
      this.#retry = setTimeout(() => void this.#connect(), RETRY_MS);
    }
  }

  /** Logs a refusal once, not per attempt. @param {Error} error */
  #tellRefusal({ message }) {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#log.warn(
      { event: 'nats-unreachable', servers: this.#options.servers, reason: message },
      'NATS is unreachable: this node serves alone, and tries again',
    );
  }

  /** @param {NatsConnection} connection */
  #use(connection) {
    this.#connection = connection;
    this.#checkLimit(connection);
    for (const listening of this.#listening)
      listening.subscription = connection.subscribe(listening.subject, {
        callback: listening.callback,
      });
    void this.#prepare();
  }

  /** Warns of a server that takes only shorter messages. @param {NatsConnection} connection */
  #checkLimit(connection) {
    const maxPayload = connection.info?.max_payload ?? Infinity;
    if (maxPayload < MAX_MESSAGE_BYTES)
      this.#log.warn(
        { event: 'nats-payload', server: connection.getServer(), maxPayload },
        'NATS takes only short messages: set its max_payload to 256KB or more',
      );
  }

  /** Connects to another server, as the standby. */
  async #prepare() {
    if (this.#closed || this.#isPreparing || this.#standby) return;
    const servers = this.#options.servers.filter(
      (server) => server !== this.#connection?.getServer(),
    );
    if (servers.length === 0) return;
    this.#isPreparing = true;
    const connection = await connect({ ...this.#options, servers }).catch(() => null);
    this.#isPreparing = false;
    if (
      connection === null ||
      this.#closed ||
      connection.getServer() === this.#connection?.getServer()
    ) {
      void connection?.close();
      return this.#prepareLater();
    }
    this.#standby = connection;
    void this.#watch(connection);
    if (this.#state === 'lost') this.#takeStandby();
  }

  #prepareLater() {
    clearTimeout(this.#retry);
    if (!this.#closed) this.#retry = setTimeout(() => void this.#prepare(), STANDBY_RETRY_MS);
  }

  /** Makes the standby the used connection. @returns {boolean} false if there is none */
  #takeStandby() {
    const [connection, before] = [this.#standby, this.#connection];
    if (!connection) return false;
    this.#standby = null;
    this.#state = 'connected';
    this.#log.warn(
      { event: 'nats-switched', from: before?.getServer(), server: connection.getServer() },
      'NATS server lost; another one is in use',
    );
    this.#use(connection);
    this.#changed();
    void before?.close();
    return true;
  }

  /** Reports another connection. A fault would end the node. */
  #changed() {
    for (const run of this.#onChanged) {
      try {
        run();
      } catch (failure) {
        this.#failed('changed', failure);
      }
    }
  }

  /** @param {NatsConnection} connection */
  async #watch(connection) {
    for await (const status of connection.status()) {
      if (status.type === 'error')
        this.#log.warn({ event: 'nats-error', reason: status.error.message }, 'NATS error');
      else if (connection === this.#connection) this.#heed(connection, status.type);
      else if (connection === this.#standby && status.type === 'disconnect') {
        this.#standby = null;
        void connection.close();
        this.#prepareLater();
      }
    }
  }

  /** @param {NatsConnection} connection  the used one @param {string} type  of its status */
  #heed(connection, type) {
    if (type === 'disconnect' && this.#state === 'connected') {
      if (this.#takeStandby()) return;
      this.#state = 'lost';
      this.#log.warn(
        { event: 'nats-lost', server: connection.getServer() },
        "NATS is lost: calls go on, other nodes' rooms can't be joined from here; trying again",
      );
    } else if (type === 'reconnect') {
      this.#state = 'connected';
      this.#log.info(
        { event: 'nats-reconnected', server: connection.getServer() },
        'connected to NATS again',
      );
      this.#changed();
      void this.#prepare();
    }
  }

  /** @param {() => void} run */
  onChanged(run) {
    this.#onChanged.add(run);
    return () => void this.#onChanged.delete(run);
  }

  get state() {
    return this.#state;
  }

  /** True when another server is connected, with which the bus goes on when it loses its own. */
  get hasStandby() {
    return this.#standby !== null;
  }

  /** @param {string} subject @param {object} message */
  publish(subject, message) {
    if (this.#state === 'connected') this.#send(subject, JSON.stringify(message));
  }

  /** @param {string} subject @param {Uint8Array} bytes */
  publishBytes(subject, bytes) {
    if (this.#state === 'connected') this.#send(subject, bytes);
  }

  /**
   * Sends a message, or drops one that NATS doesn't take. Callers are timers, so a fault would end
   * the node.
   * @param {string} subject
   * @param {string | Uint8Array} payload
   */
  #send(subject, payload) {
    if (this.#closed) return;
    try {
      this.#connection?.publish(subject, payload);
    } catch (failure) {
      this.dropped += 1;
      this.#failed(subject, failure);
    }
  }

  /** @param {string} subject @param {(bytes: Uint8Array) => void} handler */
  subscribeBytes(subject, handler) {
    return this.#listen(subject, ({ data }) => handler(data));
  }

  /** @param {string} subject @param {(message: unknown) => void} handler */
  subscribe(subject, handler) {
    return this.#listen(subject, (message) => {
      const read = this.#read(message);
      if (read !== undefined) handler(read);
    });
  }

  /**
   * @param {string} subject
   * @param {(message: unknown) => object | null | Promise<object | null>} handler
   */
  serve(subject, handler) {
    return this.#listen(subject, (message) => {
      const read = this.#read(message);
      const answer = read === undefined ? null : handler(read);
      const respond = (/** @type {object | null} */ value) =>
        void (value !== null && message.respond(JSON.stringify(value)));
      if (answer instanceof Promise)
        answer.then(respond).catch((error) => this.#failed(subject, error));
      else respond(answer);
    });
  }

  /** @param {string} subject @param {unknown} failure */
  #failed(subject, failure) {
    this.#log.error(
      { event: 'cluster-message-failed', subject, error: stackOf(failure) },
      'message of the cluster failed',
    );
  }

  /** @param {string} subject @param {(message: Msg) => void} run */
  #listen(subject, run) {
    const callback = (/** @type {Error | null} */ error, /** @type {Msg} */ message) => {
      if (error)
        return this.#log.warn(
          { event: 'nats-refused', subject, reason: error.message },
          'NATS refused a subscription',
        );
      try {
        run(message);
      } catch (failure) {
        this.#failed(subject, failure);
      }
    };
    /** @type {Listening} */
    const listening = { subject, callback, subscription: null };
    if (this.#connection && !this.#closed)
      listening.subscription = this.#connection.subscribe(subject, { callback });
    this.#listening.add(listening);
    return () => {
      this.#listening.delete(listening);
      if (!this.#connection?.isClosed()) listening.subscription?.unsubscribe();
    };
  }

  /** @param {Msg} message @returns {unknown} undefined if dropped */
  #read(message) {
    try {
      if (message.data.length <= MAX_MESSAGE_BYTES) return message.json();
    } catch {
      // Counted below.
    }
    this.dropped += 1;
    return undefined;
  }

  /** @param {string} subject @param {object} message @param {number} timeoutMs */
  async request(subject, message, timeoutMs) {
    if (this.#state !== 'connected' || !this.#connection) return SILENCE;
    try {
      const answer = await this.#connection.request(subject, JSON.stringify(message), {
        timeout: timeoutMs,
      });
      const read = this.#read(answer);
      return read === undefined ? SILENCE : read;
    } catch (error) {
      const isNobody =
        error instanceof errors.NoRespondersError ||
        (error instanceof errors.RequestError && error.isNoResponders());
      return isNobody ? NOBODY : SILENCE;
    }
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    await Promise.all([this.#connection?.close(), this.#standby?.close()]);
  }
}
