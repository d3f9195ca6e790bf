/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Log } from '../log.js'
 *
 * Connection as the room sees it, over any protocol. A transport makes sessions and passes each to
 * its `accept` function, which sets the session's handler synchronously. From then on the transport
 * calls the handler, and never after `closed`.
 *
 *
 * @typedef {object} SessionHandler
 * @property {(bytes: Uint8Array, arrivalMs: number) => void} packet a packet arrived. The bytes are
 *   valid during the call only. arrivalMs is on the server's monotonic clock (performance.now)
 * @property {(message: unknown) => void} control a control message arrived, parsed from JSON
 * @property {(done: () => void) => void} [settle] calls back when earlier packets have been
 *   handled, and their effects sent; without it they have been at once
 * @property {(lateMs: number, nowMs: number) => void} [forgive] leaves out time in which the thread
 *   that reads the session stood still
 * @property {(code: number, reason: string) => void} closed the session has ended, by either side;
 *   called once
 *
 * @typedef {object} SessionStats
 * @property {number | null} rttMs estimate of the transport, in milliseconds
 * @property {number} lostPackets packets to the peer that the transport knows to be lost
 * @property {number} droppedOut packets that weren't sent: too long, or the path was blocked
 * @property {number} [droppedTooBig] packets too long for a datagram to the peer, part of
 *   droppedOut, on the native engine
 * @property {number} droppedIn packets that arrived and were dropped because a queue was full, and
 *   pings beyond the limit of answers
 * @property {number} [sentPackets] packets to the peer, if lostPackets counts among them
 * @property {number | null} [deliveryBps] bits a second that the path to the peer has delivered, if
 *   the native engine measures it; null while unknown
 * @property {boolean} [deliveryIsLimit] true if the path carries no more; false if no more was sent
 * @property {number} [underWayMs] age of the oldest packet in flight to the peer, neither
 *   acknowledged nor lost, in milliseconds, if the native engine measures it; 0 without one
 * @property {string} [congestionController] of QUIC, if the native engine reports it
 *
 * @typedef {Pick<SessionStats, 'rttMs' | 'sentPackets' | 'lostPackets' | 'droppedOut' |
 *   'deliveryBps' | 'deliveryIsLimit' | 'underWayMs'>} PathStats
 *
 * @typedef {object} Session
 * @property {Transport} transport
 * @property {string} peer address and port of the other end, for people to read
 * @property {string} [room] only room that can be joined over it, named when it began or in its
 *   join
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {SessionHandler | null} handler
 * @property {number} [heardMs] last sign of life of the other end, on the monotonic clock
 * @property {(lateMs: number, nowMs: number) => void} [forgive] leaves out time in which this
 *   process stood still, and read nothing
 * @property {(bytes: Uint8Array) => boolean} send sends one packet without waiting; false when it
 *   was dropped (and counted). The caller may reuse the bytes at once
 * @property {SureSending} [surely] for packets that must arrive even if late; absent if send()
 *   ensures that, or nothing can
 * @property {(message: ServerMessage | ControlMessage) => void} sendControl sends it reliably and
 *   in order. For one message to many sessions see prepareControl
 * @property {(code: number, reason: string) => void} close idempotent; code 0 is a normal end
 * @property {(waits: boolean) => void} [holdAudio] true lets audio packets wait until the tick
 *   reads them; otherwise each wakes the thread. False at first
 * @property {() => SessionStats} stats
 * @property {() => PathStats} pathStats the statistics that are read often; valid until the next
 *   call for any session
 *
 * @typedef {object} SureSending
 * @property {(framed: Uint8Array) => boolean} send sends one packet, given behind its length
 *   (stream-packets.js), and repeats it after loss until it is too old. The caller may reuse the
 *   bytes at once
 * @property {() => void} end marks a pause in the packets. Idempotent
 * @property {(arrivedMs: number) => number} restart gives up packets sent from this time on, on the
 *   monotonic clock, unless they are known to have arrived. Returns the first one's age, in
 *   milliseconds
 *
 * @typedef {object} Transport
 * @property {string} name webtransport, websocket, http1, listen, relay, or a plugin's; relay:
 *   sessions at other nodes of a cluster
 * @property {string} [engine] HTTP/3 engine that serves it: 'native' or 'quiche'
 * @property {boolean} [isRelay] true for sessions at other nodes, whose relays are sent each packet
 *   once
 * @property {boolean} replyOnly true if a packet to the peer can only answer one from it
 * @property {(sessions: Session[], bytes: Uint8Array) => void} sendMany sends one packet to many of
 *   this transport's sessions; the caller may reuse both arrays at once
 * @property {() => SessionGroup} [createGroup] makes a group of this transport's sessions, if that
 *   is faster than sendMany for many of them
 * @property {() => void} [poll] delivers arrived packets at once, if they otherwise wait for the
 *   event loop
 * @property {(atMs: number) => void} [wakeAt] wakes the thread once at this time of the monotonic
 *   clock, in place of the time before, if that is more exact than a timer
 * @property {() => void} [cork] keeps packets until uncork(), if many sent together cost less
 * @property {() => void} [uncork]
 * @property {() => Promise<void>} close idempotent; closes every session
 *
 * @typedef {object} SessionGroup
 * @property {(sessions: Session[]) => boolean} set replaces its sessions; false if there are too
 *   many groups
 * @property {(bytes: Uint8Array) => unknown} send sends one packet to all of them, soon and in
 *   order; the caller may reuse the bytes at once
 * @property {() => void} close idempotent
 *
 * @typedef {(session: Session) => void} Accept
 *
 * @typedef {object} SessionOptions  of all kinds of session
 * @property {Transport} transport
 * @property {string} peer
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {(code: number) => void} onEnd called once, after the handler
 */

import { errors } from '../../public/shared/errors.js';
import { writeControl, writeControlLine } from '../../public/shared/wire/control.js';
import { countRefusal, countSessionEnd, endOf } from '../counts.js';
import { stackOf } from '../log.js';
import { networkOfPeer } from '../network-address.js';
import { repeat } from '../timers.js';
import { TokenBucket } from '../token-bucket.js';

/** Longest control message, in bytes; a longer one ends its session. */
export const MAX_CONTROL_BYTES = 16 * 1024;

/** Unsent bytes above which packets to a slow peer are dropped, on transports that queue. */
export const MAX_QUEUED_BYTES = 64 * 1024;

/**
 * Bytes of unread control messages above which a peer counts as gone. A welcome with 101 people of
 * up to 560 bytes and 64 KiB of chat must fit, and earlier messages too.
 */
export const MAX_STUCK_BYTES = 640 * 1024;

/**
 * Limit of a peer's messages: 500 in a burst, then 10 a millisecond. That is far above what a
 * client sends, and far below what would keep the server busy (test/integration/hostile.test.js).
 */
const MESSAGE_RATE = Object.freeze({ atOnce: 500, perSecond: 10_000 });

/** Pause in reading a peer that sends more, in milliseconds; its messages wait on its own side. */
export const FLOOD_PAUSE_MS = 200;

/** Longest time between two checks for idle sessions, in milliseconds. */
const IDLE_CHECK_MS = 1000;

/** Control message that is serialised once for any number of sessions. */
export class ControlMessage {
  /** @type {Uint8Array | null} */
  #line = null;
  /** @type {Uint8Array | null} */
  #packet = null;

  /** @param {object} message must not change any more */
  constructor(message) {
    this.message = message;
  }

  /** JSON in UTF-8 with a final newline. */
  get line() {
    this.#line ??= writeControlLine(this.message);
    return this.#line;
  }

  /** JSON in UTF-8. */
  get json() {
    return this.line.subarray(0, -1);
  }

  /** Control packet, as HTTP/1 carries it. */
  get packet() {
    this.#packet ??= writeControl(this.message);
    return this.#packet;
  }

  toJSON() {
    return this.message;
  }
}

/**
 * Prepares a control message for Session.sendControl: each form of it is written for the first
 * session that needs it, and kept for the others.
 * @param {object} message must not change any more
 * @returns {ControlMessage}
 */
export function prepareControl(message) {
  return message instanceof ControlMessage ? message : new ControlMessage(message);
}

/**
 * Notifies a session that it can't join, and why, and ends it.
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

/**
 * Tells a session which node has the room, and ends it.
 * @param {Session} session
 * @param {NodeAddress} node
 */
export function moveTo(session, node) {
  const { close, message } = errors.moved;
  session.sendControl({ type: 'moved', node });
  session.close(close, message);
}

/** @param {Pick<Session, 'log' | 'room' | 'peer'>} session @param {ErrorCode} code */
function logRefusal({ log, room, peer }, code) {
  const cause = { network: networkOfPeer(peer) };
  // Only counted: a line for each join of a flood would fill the log.
  if (code === 'join-flood')
    log.debug?.({ event: 'join-refused', code, room, peer }, 'join refused', cause);
  else log.info?.({ event: 'join-refused', code, room, peer }, 'join refused', cause);
}

/**
 * State that all kinds of session share: the handler, the time of the last sign of life, and the
 * counters. The handler is notified of the session's end once, and of nothing after it. An error
 * that the handler throws is logged and ends only this session.
 */
export class BaseSession {
  #ended = false;
  #onEnd;
  #isCounted;
  #messageRate = new TokenBucket(MESSAGE_RATE);

  /**
   * @param {SessionOptions & { now: number, isCounted?: boolean }} options now: on the monotonic
   *   clock, in milliseconds; isCounted: true, the default, if its end counts in the metrics
   */
  constructor({ transport, peer, log, now, onEnd, isCounted = true }) {
    this.#isCounted = isCounted;
    /**
     * Only room that can be joined over it; undefined until it names one.
     * @type {string | undefined}
     */
    this.room = undefined;
    this.transport = transport;
    this.peer = peer;
    this.log = log;
    this.#onEnd = onEnd;
    /** @type {SessionHandler | null} */
    this.handler = null;
    /** Time of the peer's last sign of life, on the monotonic clock, in milliseconds. */
    this.heardMs = now;
    /** Number of packets that weren't sent, and of the peer's that were dropped. */
    this.droppedOut = 0;
    this.droppedIn = 0;
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
   * Passes a packet to the handler. Bound, so an engine can call it without a wrapper.
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

  /** @param {unknown} message @param {number} arrivalMs on the monotonic clock */
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
   * @returns {boolean} true if there were too many: pause reading the peer for FLOOD_PAUSE_MS
   */
  isFlood(now) {
    return this.#messageRate.take(now) > 0;
  }

  /**
   * Ends the session for its handler.
   * @param {number} code
   * @param {string} reason
   * @returns {boolean} false if it had ended already
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
    // A session that never got a handler came to a full server.
    if (this.handler !== null || code === 0) return;
    const refusal = /** @type {ErrorCode} */ (endOf(code));
    countRefusal('join', refusal);
    logRefusal(this, refusal);
  }

  /**
   * Ends the session and closes the connection, as each kind of session does it.
   * @param {number} _code
   * @param {string} _reason
   */
  close(_code, _reason) {
    throw new Error('close is to be overridden');
  }

  /** Statistics, as far as every kind of session has them. @returns {SessionStats} */
  stats() {
    const { droppedOut, droppedIn } = this;
    return { rttMs: null, lostPackets: 0, droppedOut, droppedIn };
  }

  /** Defaults to stats(), for sessions where that costs no more. @returns {PathStats} */
  pathStats() {
    return this.stats();
  }

  /**
   * Leaves out time in which this process stood still: the peer's packets weren't read.
   * @param {number} lateMs
   * @param {number} now on the monotonic clock
   */
  forgive(lateMs, now) {
    this.heardMs = Math.min(now, this.heardMs + lateMs);
  }

  /** @param {ErrorCode} code */
  closeWith(code) {
    this.close(errors[code].close, errors[code].message);
  }

  /** Logs an error and closes the session as 'internal'. @param {unknown} error */
  fail(error) {
    this.log.error(
      { event: 'session-failed', room: this.room, peer: this.peer, error: stackOf(error) },
      'session failed',
    );
    this.closeWith('internal');
  }
}

/**
 * Closes sessions whose peer gave no sign of life for the idle timeout, in regular checks.
 * @param {Clock} clock
 * @param {number} idleTimeoutMs
 * @param {() => Iterable<BaseSession>} sessions open ones
 * @returns {() => void} ends the checks
 */
export function closeIdle(clock, idleTimeoutMs, sessions) {
  const everyMs = Math.min(IDLE_CHECK_MS, idleTimeoutMs / 8);
  return repeat(clock, everyMs, (lateMs) => {
    const now = clock.now();
    // The next check would come after the timeout.
    const oldest = now - idleTimeoutMs + everyMs;
    for (const session of [...sessions()]) {
      session.forgive(lateMs, now);
      if (session.heardMs <= oldest) session.closeWith('idle-timeout');
    }
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
