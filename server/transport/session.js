/**
 * A connection as the room sees it, whatever protocol carries it. A transport makes sessions and
 * hands each to the `accept` function that it was given, which sets the session's handler
 * synchronously. From then on the transport calls the handler, and never after `closed`.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 *
 * @typedef {object} SessionHandler
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} packet
 *   a packet arrived. The bytes are valid during the call only. arrivalMs is on the server's
 *   monotonic clock (performance.now)
 * @property {(message: unknown) => void} control  a control message arrived, parsed from JSON
 * @property {(done: () => void) => void} [settle] calls back when the packets before it have been
 *   dealt with, and what they caused has been sent; without it that is so at once
 * @property {(code: number, reason: string) => void} closed
 *   the session has ended, whoever ended it; called once
 *
 * @typedef {object} SessionStats
 * @property {number | null} rttMs       the transport's own estimate, in milliseconds
 * @property {number} lostPackets packets towards the peer that the transport knows to be lost
 * @property {number} droppedOut packets that were not sent: too long, or the way was blocked
 * @property {number} [droppedTooBig]    those of them that have no room in a datagram to the peer,
 *   on the native engine
 * @property {number} droppedIn packets that arrived and were dropped, since a queue was full, and
 *   pings that weren't answered, since they were too many
 * @property {number} [sentPackets]      packets towards the peer, where lostPackets is of them
 * @property {number | null} [deliveryBps] bits a second that the way to the peer was seen to
 *   deliver, where the native engine tells it; null while nothing is known
 * @property {boolean} [deliveryIsLimit] whether that is as much as the way takes, not as much as
 *   was sent
 * @property {number} [underWayMs] how long the oldest packet towards the peer is under way that is
 *   neither acknowledged nor known to be lost, in milliseconds, where the native engine tells it; 0
 *   where none is
 * @property {string} [congestionController]  QUIC's, where the native engine tells it
 *
 * @typedef {Pick<SessionStats, 'rttMs' | 'sentPackets' | 'lostPackets' | 'droppedOut' |
 *   'deliveryBps' | 'deliveryIsLimit' | 'underWayMs'>} PathStats
 *
 * @typedef {object} Session
 * @property {Transport} transport
 * @property {string} peer               the other end's address and port, for people to read
 * @property {string} [room] the one room that can be joined over it, named when it began or in its
 *   join
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {SessionHandler | null} handler
 * @property {number} [heardMs] when the other end was heard of last, on the monotonic clock
 * @property {(bytes: Uint8Array) => boolean} send
 *   sends one packet without waiting; false when it was dropped (and counted). The caller may reuse
 *   the bytes at once
 * @property {SureSending} [surely] for packets that are to arrive even where they come late; absent
 *   where send() does no less, or there is no such thing
 * @property {(message: object | ControlMessage) => void} sendControl sends a control message,
 *   reliably and in order. For one message to many sessions see prepareControl
 * @property {(code: number, reason: string) => void} close  idempotent; code 0 is a normal end
 * @property {(waits: boolean) => void} [letAudioWait] whether audio packets may wait until the tick
 *   reads them, where each that comes would wake the thread otherwise. False at first
 * @property {() => SessionStats} stats
 * @property {() => PathStats} pathStats those of them that are read again and again; valid until
 *   the next call, for whichever session
 *
 * @typedef {object} SureSending
 * @property {(framed: Uint8Array) => boolean} send sends one packet, given behind its length
 *   (carry.js), which is sent again where it is lost, until it is too old. The caller may reuse the
 *   bytes at once
 * @property {() => void} end  no packet comes for now. Idempotent
 * @property {(arrivedMs: number) => number} restart gives up what hasn't arrived: all but what was
 *   sent before this time, on the monotonic clock, as far as is known; answers how long ago the
 *   first of it was sent, in milliseconds
 *
 * @typedef {object} Transport
 * @property {'webtransport' | 'websocket' | 'http1' | 'datachannel' | 'listen' | 'relay'} name
 *   relay: sessions at other nodes of a cluster
 * @property {string} [engine]           the HTTP/3 engine that serves it: 'native' or 'quiche'
 * @property {boolean} [isRelay] true for sessions at other nodes, whose relays are sent each packet
 *   once
 * @property {boolean} replyOnly         true where a packet to the peer can only answer one from it
 * @property {(sessions: Session[], bytes: Uint8Array) => void} sendMany
 *   sends one packet to many of this transport's sessions; the caller may reuse both arrays at once
 * @property {() => SessionGroup} [createGroup] makes a group of this transport's sessions, where
 *   that is quicker than sendMany for many of them
 * @property {() => void} [poll]
 *   delivers at once the packets that have arrived, where they otherwise wait for the event loop
 * @property {() => Promise<void>} close idempotent; closes every session
 *
 * @typedef {object} SessionGroup
 * @property {(sessions: Session[]) => boolean} set replaces its sessions; false where there are too
 *   many groups
 * @property {(bytes: Uint8Array) => unknown} send sends one packet to all of them, soon and in
 *   order; the caller may reuse the bytes at once
 * @property {() => void} close  idempotent
 *
 * @typedef {(session: Session) => void} Accept
 */

import { writeControl, writeControlLine } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { countRefusal, countSessionEnd, endOf } from '../counts.js';
import { networkOfPeer } from '../network-address.js';
import { repeat } from '../timers.js';
import { TokenBucket } from '../token-bucket.js';

/** The longest control message, in bytes; a longer one ends its session. */
export const MAX_CONTROL_BYTES = 16 * 1024;

/** The unsent bytes above which packets to a slow peer are dropped, on transports that queue. */
export const MAX_QUEUED_BYTES = 64 * 1024;

/**
 * The bytes of unread control messages above which a peer counts as gone. A welcome must fit, with
 * 101 people of up to 560 bytes and 64 KiB of chat, and what was written before it.
 */
export const MAX_STUCK_BYTES = 640 * 1024;

/**
 * Messages of one peer that are read: 500 in a burst, and 10 a millisecond after it, far above what
 * a client sends and far below what would keep the server busy (test/integration/hostile.test.js).
 */
const MESSAGE_RATE = Object.freeze({ atOnce: 500, perSecond: 10_000 });

/**
 * The pause in reading a peer that sends more, in milliseconds; meanwhile its messages wait on its
 * own side.
 */
export const FLOOD_PAUSE_MS = 200;

/** The longest time between two checks for idle sessions, in milliseconds. */
const IDLE_CHECK_MS = 1000;

/** A control message that is serialised once, however many sessions it is sent to. */
export class ControlMessage {
  /** @type {Uint8Array | null} */
  #line = null;
  /** @type {Uint8Array | null} */
  #packet = null;

  /** @param {object} message not to be changed any more */
  constructor(message) {
    this.message = message;
  }

  /** JSON in UTF-8, ended by a newline. */
  get line() {
    this.#line ??= writeControlLine(this.message);
    return this.#line;
  }

  /** JSON in UTF-8. */
  get json() {
    return this.line.subarray(0, -1);
  }

  /** A control packet, as HTTP/1 carries it. */
  get packet() {
    this.#packet ??= writeControl(this.message);
    return this.#packet;
  }

  toJSON() {
    return this.message;
  }
}

/**
 * Prepares a control message for Session.sendControl: each form of it is written when the first
 * session needs it, and kept for the others.
 * @param {object | ControlMessage} message not to be changed any more
 * @returns {ControlMessage}
 */
export function prepareControl(message) {
  return message instanceof ControlMessage ? message : new ControlMessage(message);
}

/**
 * Tells a session that it can't join, and why, and ends it.
 * @param {Session} session
 * @param {ErrorCode} code
 */
export function refuse(session, code) {
  const { close, message } = errors[code];
  countRefusal('join', code);
  logRefusal(session, code);
  session.sendControl({ type: 'refused', code, message });
  session.close(close, message);
}

/** @param {Pick<Session, 'log' | 'room' | 'peer'>} session @param {ErrorCode} code */
function logRefusal({ log, room, peer }, code) {
  // A flood is counted: a line for each of its joins would fill the log.
  const write = code === 'join-flood' ? log.debug : log.info;
  write?.(
    'join refused',
    { event: 'join-refused', code, room, peer },
    { network: networkOfPeer(peer) },
  );
}

/**
 * The state that all kinds of session share: the handler, which is told of the session's end once
 * and of nothing after it, the time of the last sign of life, and the counters. An error that the
 * handler throws is logged and ends this session alone.
 */
export class BaseSession {
  #ended = false;
  #onEnd;
  #isCounted;
  #messageRate = new TokenBucket(MESSAGE_RATE);

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {string} options.peer
   * @param {Pick<Log, 'error'> & Partial<Log>} options.log
   * @param {number} options.now  on the monotonic clock, in milliseconds
   * @param {(code: number) => void} options.onEnd called once, after the handler was told
   * @param {boolean} [options.isCounted]  whether its end counts in the metrics
   */
  constructor({ transport, peer, log, now, onEnd, isCounted = true }) {
    this.#isCounted = isCounted;
    /**
     * The one room that can be joined over it; undefined until it names one.
     * @type {string | undefined}
     */
    this.room = undefined;
    this.transport = transport;
    this.peer = peer;
    this.log = log;
    this.#onEnd = onEnd;
    /** @type {SessionHandler | null} */
    this.handler = null;
    /** The time of the peer's last sign of life, on the monotonic clock, in milliseconds. */
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
      this.fail(error);
    }
  }

  /**
   * Hands a packet to the handler. A bound function, which an engine can call without another
   * around it.
   * @type {(bytes: Uint8Array, arrivalMs: number) => void}
   */
  receive = (bytes, arrivalMs) => {
    if (this.#ended) return;
    this.heardMs = arrivalMs;
    try {
      this.handler?.packet(bytes, arrivalMs);
    } catch (error) {
      this.fail(error);
    }
  };

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
      this.fail(error);
    }
  }

  /**
   * Counts a message of the peer.
   * @param {number} now on the monotonic clock
   * @returns {boolean} whether there were too many: the peer isn't to be read for FLOOD_PAUSE_MS
   */
  isFlood(now) {
    return this.#messageRate.take(now) > 0;
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
    if (this.#isCounted) this.#count(code);
    try {
      this.handler?.closed(code, reason);
    } catch (error) {
      this.fail(error);
    }
    this.#onEnd(code);
    return true;
  }

  /** @param {number} code */
  #count(code) {
    countSessionEnd(this.transport.name, code);
    // One that no handler was ever given came to a full server.
    if (this.handler !== null || code === 0) return;
    const refusal = /** @type {ErrorCode} */ (endOf(code));
    countRefusal('join', refusal);
    logRefusal(this, refusal);
  }

  /**
   * Ends the session and closes the connection. Each kind of session has its own way.
   * @param {number} _code
   * @param {string} _reason
   */
  close(_code, _reason) {
    throw new Error('close is to be overridden');
  }

  /** The session's own stats(), where that costs no more. @returns {PathStats} */
  pathStats() {
    return /** @type {Session} */ (/** @type {unknown} */ (this)).stats();
  }

  /** @param {ErrorCode} code */
  closeWith(code) {
    this.close(errors[code].close, errors[code].message);
  }

  /**
   * Logs an error and closes the session as 'internal'.
   * @param {unknown} error
   */
  fail(error) {
    this.log.error(
      `a session of ${this.peer} failed: ${error instanceof Error ? error.stack : error}`,
    );
    this.closeWith('internal');
  }
}

/**
 * Checks for sessions whose peer wasn't heard for the idle timeout, and closes them.
 * @param {Clock} clock
 * @param {number} idleTimeoutMs
 * @param {() => Iterable<BaseSession>} sessions those that are open
 * @returns {() => void} ends the checks
 */
export function closeIdle(clock, idleTimeoutMs, sessions) {
  const everyMs = Math.min(IDLE_CHECK_MS, idleTimeoutMs / 8);
  return repeat(clock, everyMs, () => {
    // The next check would come after the timeout.
    const oldest = clock.now() - idleTimeoutMs + everyMs;
    for (const session of [...sessions()])
      if (session.heardMs <= oldest) session.closeWith('idle-timeout');
  });
}

/**
 * Cuts a text to a number of bytes in UTF-8, between two characters.
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
