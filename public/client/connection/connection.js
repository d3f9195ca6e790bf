import { errorOfClose, errors } from '../../shared/errors.js';
import { MAX_SENT_BYTES } from '../../shared/wire/packet-format.js';

/**
 * A client's connection to the server over any protocol.
 *
 * @import { ServerMessages, ServerMessageType } from '../../shared/messages/server-messages.js'
 *
 * @typedef {object} ConnectionHandler
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} onPacket bytes valid during the call
 * @property {(message: unknown) => void} onControl  a control message, parsed
 * @property {(code: string, reason: string) => void} onClosed called once when the server or the
 *   network has ended it, never after close(). The code is one of the registry, 'closed' for a
 *   normal end, or 'connection-lost'
 *
 * @typedef {object} ConnectionStats
 * @property {number} sent        packets handed to the network
 * @property {number} droppedOut  packets dropped because the path was blocked
 * @property {number} received    packets
 *
 * @typedef {'webtransport' | 'websocket' | 'http1'} TransportName
 */

/**
 * Readers of the server's messages, by type.
 * @template R
 * @typedef {{ readonly [T in ServerMessageType]?: (message: ServerMessages[T]) => R }}
 *   MessageReaders
 */

/**
 * Passes a message to the reader of its type. The client reads the type in no other place.
 * @template R
 * @param {unknown} message  as it came from the server, which may be hostile
 * @param {MessageReaders<R>} readers
 * @returns {R | undefined} the reader's result, or undefined without a reader
 */
export function readMessage(message, readers) {
  const { type } = /** @type {{ type?: unknown }} */ (message ?? {});
  if (typeof type !== 'string' || !Object.hasOwn(readers, type)) return undefined;
  const read = /** @type {(message: unknown) => R} */ (
    readers[/** @type {ServerMessageType} */ (type)]
  );
  return read(message);
}

/**
 * @param {number} close the registry's number
 * @param {string} reason as the server gave it
 * @returns {{ code: string, reason: string }} always with a sentence
 */
export function closeReason(close, reason) {
  if (close === 0) return { code: 'closed', reason: reason || 'The server ended the session.' };
  const code = errorOfClose(close);
  if (code) return { code, reason: reason || errors[code].message };
  return { code: 'connection-lost', reason: reason || 'The connection to the server was lost.' };
}

/** Base of all connections: one handler, counters, and a single end. */
export class Connection {
  /** @type {ConnectionHandler | null} */
  handler = null;
  closed = false;
  /**
   * URL of the beacon by which a closing page leaves; empty when the protocol signals that itself.
   */
  leaveUrl = '';
  /** @type {ConnectionStats} */
  counters = { sent: 0, droppedOut: 0, received: 0 };

  /** @param {string} transport its name */
  constructor(transport) {
    this.transport = transport;
  }

  /**
   * Asks to join; the answer is the first control message, `welcome` or `refused`.
   * @param {object} message the join message
   */
  join(message) {
    this.sendControl(message);
  }

  /** Most bytes that a packet may have now. */
  get limit() {
    return MAX_SENT_BYTES;
  }

  /**
   * Sends one packet without waiting.
   * @param {Uint8Array} _bytes may be reused at once
   * @returns {boolean} false when it was dropped, and counted
   */
  send(_bytes) {
    throw new TypeError('a connection must say how it sends');
  }

  /** Sends a control message reliably, in order. @param {object} _message */
  sendControl(_message) {
    throw new TypeError('a connection must say how it sends');
  }

  /** @returns {ConnectionStats} */
  stats() {
    return { ...this.counters };
  }

  /** @param {boolean} sent */
  count(sent) {
    if (sent) this.counters.sent += 1;
    else this.counters.droppedOut += 1;
    return sent;
  }

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  received(bytes, arrivalMs) {
    if (this.closed) return;
    this.counters.received += 1;
    try {
      this.handler?.onPacket(bytes, arrivalMs);
    } catch (error) {
      this.#fault(error);
    }
  }

  /**
   * Passes on a control message as a transport received it, or ends the connection.
   * @param {string} text JSON
   */
  controlText(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      this.ended('connection-lost', 'The server sent what is no control message.');
      return;
    }
    this.control(message);
  }

  /** @param {unknown} message */
  control(message) {
    if (this.closed) return;
    try {
      this.handler?.onControl(message);
    } catch (error) {
      this.#fault(error);
    }
  }

  /**
   * Handles an exception of the handler: logs it and ends the connection, so that the call can
   * reconnect.
   * @param {unknown} error
   */
  #fault(error) {
    console.error(`A ${this.transport} connection ends, because its handler threw:`, error);
    this.ended('internal', `The client failed at what the server sent: ${messageOf(error)}`);
  }

  /**
   * Called when the other side or the network has ended it.
   * @param {string} code
   * @param {string} reason
   */
  ended(code, reason) {
    if (this.closed) return;
    this.close(false);
    this.handler?.onClosed(code, reason);
  }

  /**
   * Ends it silently. Idempotent.
   * @param {boolean} [leaves] false: keeps the place in the room for another connection
   */
  close(leaves = true) {
    if (this.closed) return;
    this.closed = true;
    this.release(leaves);
  }

  /** Releases what the protocol holds; called once. @param {boolean} _leaves as in close */
  release(_leaves) {}
}

/** Message of an error of any type. @param {unknown} error @returns {string} */
export function messageOf(error) {
  return /** @type {{ message?: string } | null} */ (error)?.message || 'no reason given.';
}

/**
 * Sentence for a person about the end of a session.
 * @param {{ code: string, message: string }} end
 */
export function sentenceOf({ code, message }) {
  if (Object.hasOwn(errors, code)) return errors[/** @type {keyof typeof errors} */ (code)].message;
  return message || 'The connection to the server was lost.';
}
