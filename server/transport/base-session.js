/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Accept, Session, SessionHandler } from './session.js'
 */

import { errors } from '../../public/shared/errors.js';

/**
 * What sessions have in common whose protocol is spoken in JavaScript: the handler, which is told of
 * the end once and of nothing after it, and the counters.
 */
export class BaseSession {
  #ended = false;
  #log;

  /**
   * @param {object} options
   * @param {string} options.peer
   * @param {Log} options.log
   * @param {number} options.now  on the monotonic clock, in milliseconds
   */
  constructor({ peer, log, now }) {
    this.peer = peer;
    this.#log = log;
    /** @type {SessionHandler | null} */
    this.handler = null;
    /** When the peer was last heard, on the monotonic clock, in milliseconds. */
    this.heardMs = now;
    /** Packets that were not sent. */
    this.droppedOut = 0;
  }

  get ended() {
    return this.#ended;
  }

  /** @param {Accept} accept */
  offerTo(accept) {
    try {
      accept(/** @type {Session} */ (/** @type {unknown} */ (this)));
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * @param {Uint8Array} bytes valid during the call
   * @param {number} arrivalMs on the monotonic clock
   */
  receive(bytes, arrivalMs) {
    if (this.#ended) return;
    this.heardMs = arrivalMs;
    try {
      this.handler?.packet(bytes, arrivalMs);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * @param {unknown} message
   * @param {number} arrivalMs on the monotonic clock
   */
  receiveControl(message, arrivalMs) {
    if (this.#ended) return;
    this.heardMs = arrivalMs;
    try {
      this.handler?.control(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Ends the session for its handler.
   * @param {number} code
   * @param {string} reason
   * @returns {boolean} false when it had ended already
   */
  end(code, reason) {
    if (this.#ended) return false;
    this.#ended = true;
    try {
      this.handler?.closed(code, reason);
    } catch (error) {
      this.#fail(error);
    }
    return true;
  }

  /**
   * Closes the connection. Each transport has its own way.
   * @param {number} _code
   * @param {string} _reason
   */
  close(_code, _reason) {
    throw new Error('close is to be overridden');
  }

  /** @param {ErrorCode} code */
  closeWith(code) {
    this.close(errors[code].close, errors[code].message);
  }

  /**
   * A mistake of the server's own ends one session, never the process that serves all the others.
   * @param {unknown} error
   */
  #fail(error) {
    this.#log.error(`a session of ${this.peer} failed: ${error instanceof Error ? error.stack : error}`);
    this.closeWith('internal');
  }
}

/**
 * The other end of a socket, for people to read.
 * @param {{ remoteAddress?: string, remotePort?: number }} socket
 */
export function peerName({ remoteAddress = '?', remotePort = 0 }) {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}

/**
 * Cuts a text so that it fits into so many bytes of UTF-8.
 * @param {string} text
 * @param {number} bytes
 */
export function cutText(text, bytes) {
  const utf8 = Buffer.from(text);
  if (utf8.length <= bytes) return text;
  let end = bytes;
  // Bytes of the form 10xxxxxx continue a character (RFC 3629, section 3).
  while (end > 0 && (utf8[end] & 0xc0) === 0x80) end -= 1;
  return utf8.toString('utf8', 0, end);
}

/**
 * Runs something again and again.
 * @param {Clock} clock
 * @param {number} ms from one run to the next
 * @param {() => void} run
 * @returns {() => void} stops it
 */
export function repeat(clock, ms, run) {
  let stopped = false;
  /** @type {unknown} */
  let timer;
  const next = () => {
    timer = clock.setTimeout(() => {
      run();
      if (!stopped) next();
    }, ms);
  };
  next();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
}
