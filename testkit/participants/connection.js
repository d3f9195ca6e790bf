/**
 * Connections of participants without a browser, on every transport.
 * @import { Endpoint, NativeSession } from '@aloud/native'
 * @import { ServerConfig } from '../../public/client/connection/choose.js'
 * @import { TransportName } from '../../public/client/connection/connection.js'
 *
 * @typedef {TransportName | 'http1-per-request'} ParticipantTransport http1-per-request: HTTP/1
 *   with a new connection for each request
 */

import { WebSocket } from 'ws';
import { Connection, closeReason } from '../../public/client/connection/connection.js';
import { Http1Connection } from '../../public/client/connection/http1.js';
import { WebSocketConnection } from '../../public/client/connection/websocket.js';
import { systemClock } from '../../public/shared/clock.js';
import { ControlLines } from '../../public/shared/wire/control.js';

const READ_BYTES = 16 * 1024;

/** No control message of the server is longer, in bytes: a room's list of people must fit. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * WebTransport datagrams over the native engine's client, without a stream or a promise to a
 * packet.
 */
class NativeConnection extends Connection {
  #session;
  #stream;

  /**
   * @param {Endpoint} endpoint
   * @param {string} url
   * @param {string[]} certificateHashes base64
   */
  static async open(endpoint, url, certificateHashes) {
    return new NativeConnection(await endpoint.connect(url, { certificateHashes }));
  }

  /** @param {NativeSession} session */
  constructor(session) {
    super('webtransport');
    this.#session = session;
    this.#stream = session.openStream();
    session.onDatagram = (bytes, arrivalMs) => this.received(bytes, arrivalMs);
    session.onClosed = (code, reason) => {
      const end = closeReason(code, reason);
      this.ended(end.code, end.reason);
    };
    this.#readControl();
  }

  #readControl() {
    const stream = this.#stream;
    if (!stream) return;
    const lines = new ControlLines({
      maxBytes: MAX_LINE_BYTES,
      onMessage: (message) => this.control(message),
      onError: (reason) =>
        this.ended('connection-lost', `The server sent what is no control message: ${reason}`),
    });
    const bytes = new Uint8Array(READ_BYTES);
    stream.onReadable = () => {
      for (let count = stream.read(bytes); count; count = stream.read(bytes))
        lines.push(bytes.subarray(0, count));
    };
    stream.onReadable();
  }

  /**
   * @override
   * @param {Uint8Array} bytes
   */
  send(bytes) {
    return this.count(this.#session.send(bytes));
  }

  /**
   * @override
   * @param {object} message
   */
  sendControl(message) {
    this.#stream?.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** @override */
  release() {
    this.#session.close();
  }
}

/**
 * Opens a connection for each request, and ends it with the answer.
 * @type {typeof globalThis.fetch}
 */
export const fetchOnce = (url, init) =>
  fetch(url, { ...init, headers: { ...init?.headers, connection: 'close' } });

/**
 * @param {ParticipantTransport} transport
 * @param {{ origin: string, config: ServerConfig, endpoint: Endpoint | null }} options
 * @returns {Promise<Connection>}
 */
export async function openConnection(transport, { origin, config, endpoint }) {
  const url = new URL('/session', origin);
  if (transport === 'webtransport') {
    const offer = config.transports.webtransport;
    if (!offer || !endpoint)
      throw new Error('there is no WebTransport: the native engine is not built');
    url.protocol = 'https:';
    url.port = String(offer.port);
    return NativeConnection.open(endpoint, url.href, offer.certificateHashes ?? []);
  }
  const { now } = systemClock;
  if (transport === 'http1' || transport === 'http1-per-request') {
    return Http1Connection.open({
      url: new URL('/api/sessions', origin).href,
      clock: systemClock,
      ...(transport === 'http1-per-request' && { fetch: fetchOnce }),
    });
  }
  url.protocol = url.protocol.replace('http', 'ws');
  return WebSocketConnection.open({
    url: url.href,
    now,
    WebSocket: /** @type {any} */ (WebSocket),
  });
}
