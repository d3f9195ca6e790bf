import { errorOfClose, errors } from '../../shared/errors.js';
import { MAX_SENT_BYTES } from '../../shared/wire/packet-format.js';

/**
 * A client's connection to the server, whatever protocol carries it.
 *
 * @typedef {object} ConnectionHandler
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} onPacket the bytes are valid during
 *   the call
 * @property {(message: unknown) => void} onControl  a control message, parsed
 * @property {(code: string, reason: string) => void} onClosed
 *   the server, or the network, has ended it; once, and never after close(). The code is one of the
 *   registry, 'closed' for a normal end, or 'connection-lost'
 *
 * @typedef {object} ConnectionStats
 * @property {number} sent        packets handed to the network
 * @property {number} droppedOut  packets that were not: the way was blocked
 * @property {number} received    packets
 *
 * @typedef {'webtransport' | 'websocket' | 'http1'} TransportName
 */

/** Why there is no connection, or none any more. */
export class ConnectionError extends Error {
  /**
   * @param {string} code of the registry, or 'connection-failed', 'connection-lost', 'no-answer',
   *   'not-offered', 'no-webtransport', 'no-worker'
   * @param {string} message  a sentence for people
   * @param {boolean} [refused] the server answered, and said no: another transport won't help
   */
  constructor(code, message, refused = false) {
    super(message);
    this.name = 'ConnectionError';
    this.code = code;
    this.refused = refused;
  }
}

/**
 * @param {number} close the registry's number
 * @param {string} reason as the server gave it
 * @returns {{ code: string, reason: string }} with a sentence in any case
 */
export function closeReason(close, reason) {
  if (close === 0) return { code: 'closed', reason: reason || 'The server ended the session.' };
  const code = errorOfClose(close);
  if (code) return { code, reason: reason || errors[code].message };
  return { code: 'connection-lost', reason: reason || 'The connection to the server was lost.' };
}

/** The base of all connections: one handler, counters, and an end that comes once. */
export class Connection {
  /** @type {ConnectionHandler | null} */
  handler = null;
  closed = false;
  /**
   * The URL of the beacon by which a page that goes away leaves; empty where the protocol tells by
   * itself.
   */
  leaveUrl = '';
  /** @type {ConnectionStats} */
  counters = { sent: 0, droppedOut: 0, received: 0 };

  /** @param {TransportName | 'datachannel'} transport  data channels are the lab's */
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

  /** The most bytes that a packet may have now. */
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

  /**
   * Sends a control message, reliably and in order.
   * @param {object} _message
   */
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

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  received(bytes, arrivalMs) {
    if (this.closed) return;
    this.counters.received += 1;
    try {
      this.handler?.onPacket(bytes, arrivalMs);
    } catch (error) {
      this.#fault(error);
    }
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
   * The handler threw: the fault is logged, and the connection ends, so that the call can come back
   * over another.
   * @param {unknown} error
   */
  #fault(error) {
    console.error(`A ${this.transport} connection ends, because its handler threw:`, error);
    this.ended('internal', `The client failed at what the server sent: ${messageOf(error)}`);
  }

  /**
   * The other side, or the network, has ended it.
   * @param {string} code
   * @param {string} reason
   */
  ended(code, reason) {
    if (this.closed) return;
    this.close(false);
    this.handler?.onClosed(code, reason);
  }

  /**
   * Ends it; nothing is heard of it any more. Idempotent.
   * @param {boolean} [leaves]  false: the place in the room is kept, for another connection
   */
  close(leaves = true) {
    if (this.closed) return;
    this.closed = true;
    this.release(leaves);
  }

  /**
   * Lets go of what the protocol holds; called once.
   * @param {boolean} _leaves  as in close
   */
  release(_leaves) {}
}

/**
 * @param {unknown} error
 * @returns {string} its message
 */
export function messageOf(error) {
  return /** @type {{ message?: string } | null} */ (error)?.message || 'no reason given.';
}

/**
 * @param {{ code: string, message: string }} end of a session
 * @returns {string} what a person is told of it
 */
export function sentenceOf({ code, message }) {
  if (Object.hasOwn(errors, code)) return errors[/** @type {keyof typeof errors} */ (code)].message;
  return message || 'The connection to the server was lost.';
}
