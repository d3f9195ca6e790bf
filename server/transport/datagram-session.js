/**
 * @import { CloseCause, NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Session, SessionHandler, SessionStats, Transport } from './session.js'
 */

import { ControlLines, writeControlLine } from '../../public/shared/control.js';
import { errors } from '../../public/shared/errors.js';
import { MessageRate, UNREAD_MS } from './message-rate.js';
import { MAX_CONTROL_BYTES, MAX_STUCK_BYTES } from './session.js';

/** What a stream is read with, one at a time. */
const chunk = new Uint8Array(4 * 1024);

/** So often a control stream is read before it is somebody else's turn. */
const READS_PER_TURN = 16;

/**
 * A session of the native engine.
 * @implements {Session}
 */
export class DatagramSession {
  #native;
  #clock;
  #log;
  #released;
  /** @type {Stream | null} */
  #control = null;
  /** Control messages from before the client opened its stream. @type {Uint8Array[]} */
  #waiting = [];
  #waitingBytes = 0;
  #lines;
  /** Of control messages. */
  #rate = new MessageRate();
  #isFlood = false;
  #closed = false;

  /**
   * @param {Transport} transport
   * @param {NativeSession} native
   * @param {Clock} clock
   * @param {Pick<Log, 'error'>} log
   * @param {() => void} released called once, when the session has ended
   */
  constructor(transport, native, clock, log, released) {
    this.#native = native;
    this.#clock = clock;
    this.#log = log;
    this.#released = released;
    this.transport = transport;
    this.peer = native.peer;
    /** The engine's number, for sendMany. */
    this.id = native.id;
    /** @type {SessionHandler | null} */
    this.handler = null;
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.#message(message),
      onError: (reason) => this.close(errors['bad-request'].close, reason),
    });
    native.onDatagram = (bytes, arrivalMs) => this.#packet(bytes, arrivalMs);
    native.onStream = (stream) => this.#stream(stream);
    native.onClosed = (code, reason, cause) => this.#ended(code, reason, cause);
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {boolean}
   */
  send(bytes) {
    return this.#native.send(bytes);
  }

  /**
   * A peer that doesn't read its control messages is closed once their queue is full.
   * @param {object} message
   */
  sendControl(message) {
    if (!this.#native.open) return;
    const line = writeControlLine(message);
    if (this.#control ? !this.#control.write(line) : !this.#wait(line)) {
      const { close, message: reason } = errors['idle-timeout'];
      this.close(close, reason);
    }
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    this.#lines.close();
    this.#native.close(code, reason);
  }

  /** @returns {SessionStats} */
  stats() {
    const stats = this.#native.stats();
    if (!stats) return { rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 };
    return {
      rttMs: stats.rttMs,
      lostPackets: stats.lostPackets,
      droppedOut: stats.droppedTooBig + stats.droppedBlocked,
      droppedIn: stats.droppedIn,
    };
  }

  /**
   * Calls what may have a mistake in it; a mistake ends this session and no other.
   * @param {() => void} call
   */
  guard(call) {
    try {
      call();
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #packet(bytes, arrivalMs) {
    if (!this.#native.open) return;
    try {
      this.handler?.packet(bytes, arrivalMs);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    this.#log.error(`a session was closed by a mistake: ${error instanceof Error ? error.stack : error}`);
    const { close, message } = errors.internal;
    this.close(close, message);
  }

  /** @param {Stream} stream */
  #stream(stream) {
    if (this.#control || !stream.bidi) {
      const { close } = errors['bad-request'];
      stream.stop(close);
      if (stream.bidi) stream.reset(close);
      return;
    }
    this.#control = stream;
    stream.onReadable = () => this.#readControl(stream);
    for (const line of this.#waiting) stream.write(line);
    this.#waiting = [];
  }

  /** @param {Stream} stream */
  #readControl(stream) {
    this.#isFlood = false;
    for (let i = 0; i < READS_PER_TURN && !this.#isFlood; i++) {
      if (!this.#native.open) return;
      const count = stream.read(chunk);
      if (!count) return;
      this.#lines.push(chunk.subarray(0, count));
    }
    if (this.#isFlood) this.#clock.setTimeout(() => this.#readControl(stream), UNREAD_MS);
    else setImmediate(() => this.#readControl(stream));
  }

  /** @param {unknown} message */
  #message(message) {
    if (this.#rate.count(this.#clock.now())) this.#isFlood = true;
    this.guard(() => this.handler?.control(message));
  }

  /**
   * @param {Uint8Array} line
   * @returns {boolean} false when there is no room
   */
  #wait(line) {
    if (this.#waitingBytes + line.length > MAX_STUCK_BYTES) return false;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    return true;
  }

  /**
   * @param {number} code
   * @param {string} reason
   * @param {CloseCause} cause
   */
  #ended(code, reason, cause) {
    if (this.#closed) return;
    this.#closed = true;
    this.#lines.close();
    this.#waiting = [];
    this.#released();
    const told = codeOf(cause, code);
    const { handler } = this;
    this.handler = null;
    this.guard(() => handler?.closed(told, reason));
  }
}

/**
 * @param {CloseCause} cause
 * @param {number} code the peer's own
 */
function codeOf(cause, code) {
  if (cause === 'timeout') return errors['idle-timeout'].close;
  return cause === 'lost' ? errors['session-lost'].close : code;
}
