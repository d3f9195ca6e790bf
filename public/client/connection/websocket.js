import { ConnectionError, errors } from '../../shared/errors.js';
import { Connection, closeReason } from './connection.js';

/** Unsent bytes above which packets are dropped, since they would arrive too late. */
const MAX_BUFFERED_BYTES = 8 * 1024;

/** First WebSocket close code of an application (RFC 6455, section 7.4.2). */
const FIRST_CLOSE_CODE = 4000;

/**
 * @typedef {object} WebSocketOptions
 * @property {string} url
 * @property {() => number} now      milliseconds, monotonic
 * @property {AbortSignal} [signal]  gives up opening
 * @property {typeof globalThis.WebSocket} [WebSocket]
 */

/** Carries each packet in a binary message, and control messages as text. */
export class WebSocketConnection extends Connection {
  #socket;

  /**
   * @param {WebSocketOptions} options
   * @returns {Promise<WebSocketConnection>} rejects with a ConnectionError
   */
  static open({ url, now, signal, ...scope }) {
    const Constructor = scope.WebSocket ?? globalThis.WebSocket;
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ message) =>
        reject(
          new ConnectionError('connection-failed', `A WebSocket could not be opened: ${message}`),
        );
      if (typeof Constructor !== 'function') {
        fail('this browser has none.');
        return;
      }
      let socket;
      try {
        socket = new Constructor(url);
      } catch (error) {
        fail(/** @type {Error} */ (error).message);
        return;
      }
      socket.binaryType = 'arraybuffer';
      const stop = () => socket.close();
      signal?.addEventListener('abort', stop, { once: true });
      socket.onopen = () => {
        signal?.removeEventListener('abort', stop);
        resolve(new WebSocketConnection(socket, now));
      };
      // A `close` event follows, with more detail.
      socket.onerror = () => {};
      socket.onclose = () => fail(`${url} gave no answer.`);
    });
  }

  /** @param {WebSocket} socket one that is open @param {() => number} now */
  constructor(socket, now) {
    super('websocket');
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.controlText(data);
      else this.received(new Uint8Array(data), now());
    };
    socket.onclose = ({ code, reason }) => {
      const close = code === 1000 ? 0 : code >= FIRST_CLOSE_CODE ? code - FIRST_CLOSE_CODE : -1;
      const end = closeReason(close, reason);
      this.ended(end.code, end.reason);
    };
  }

  /** @override @param {Uint8Array} bytes */
  send(bytes) {
    const isOpen = !this.closed && this.#socket.readyState === 1;
    if (!isOpen || this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) return this.count(false);
    // Some implementations send after the call; the caller reuses its bytes.
    this.#socket.send(bytes.slice());
    return this.count(true);
  }

  /** @override @param {object} message */
  sendControl(message) {
    if (!this.closed && this.#socket.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** @override @param {boolean} leaves */
  release(leaves) {
    this.#socket.onmessage = null;
    this.#socket.onclose = null;
    this.#socket.close(leaves ? 1000 : FIRST_CLOSE_CODE + errors['session-lost'].close);
  }
}
