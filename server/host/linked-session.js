/**
 * A worker's side of sessions that the main thread has: those of WebSocket and HTTP/1, and others
 * whose room wasn't known when they began. Packets go through rings, the rest through messages.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { Log } from '../log.js'
 * @import { Accept, ControlMessage, Session, SessionOptions } from '../session/session.js'
 * @import { SessionStats, Transport } from '../session/session.js'
 * @import { Link, LinkAnswer } from './worker.js'
 */

import { repeat } from '../timers.js';
import { BaseSession, prepareControl } from '../session/session.js';
import { fromShared, MAX_RING_SESSIONS, RingReader, RingWriter } from './ring.js';

/**
 * Silence from which the main thread counts as standing still, and the interval of checks, in
 * milliseconds. While it has sessions of a worker, it reports each of them once a second.
 */
const STALL_MS = 2500;
const LOOK_MS = 1000;

const NO_STATS = Object.freeze({ rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 });

/** Sessions of the main thread that are in a worker's rooms. */
export class LinkedSessions {
  /** @type {Map<number, LinkedSession>} */
  #sessions = new Map();
  /** By name and engine. @type {Map<string, LinkedTransport>} */
  #transports = new Map();
  #accept;
  #log;
  #clock;
  #writer;
  #reader;
  #send;
  #stopLooks;
  /** Time of the main thread's last message or packet, on the monotonic clock. */
  #frontMs;
  /** Time up to which its silence has been forgiven. */
  #forgivenMs = -Infinity;
  /** Answers that go to the main thread in one message, in order. @type {LinkAnswer[]} */
  #out = [];

  /**
   * @param {object} options
   * @param {{ toWorker: SharedArrayBuffer, toFront: SharedArrayBuffer }} options.rings
   * @param {Accept} options.accept
   * @param {Pick<Log, 'error'>} options.log
   * @param {Clock} options.clock
   * @param {(answers: LinkAnswer[]) => void} options.send  to the main thread
   */
  constructor({ rings, accept, log, clock, send }) {
    this.#accept = accept;
    this.#log = log;
    this.#clock = clock;
    this.#send = send;
    this.#frontMs = clock.now();
    this.#writer = new RingWriter(rings.toFront);
    this.#reader = new RingReader(rings.toWorker, {
      packet: (ids, _count, bytes, arrivalMs) => {
        this.#heard();
        this.#sessions.get(ids[0])?.receive(bytes, fromShared(arrivalMs));
      },
      mark: (id) => {
        if (!this.#writer.mark(id)) this.answer({ type: 'mark', id });
      },
    });
    this.#reader.start();
    this.#stopLooks = repeat(clock, LOOK_MS, () => this.#look());
  }

  #heard() {
    this.#frontMs = this.#look();
  }

  /**
   * Leaves out time in which the main thread stood still, and read no packets of anybody.
   * @returns {number} now
   */
  #look() {
    const now = this.#clock.now();
    if (now - this.#frontMs <= STALL_MS) return now;
    const lateMs = now - Math.max(this.#frontMs, this.#forgivenMs);
    this.#forgivenMs = now;
    for (const session of this.#sessions.values()) session.forgive(lateMs, now);
    return now;
  }

  /** Reads the packets that have come. */
  poll() {
    this.#reader.poll();
  }

  /** Takes a message of the main thread. @param {Link} link */
  take(link) {
    this.#heard();
    const session = this.#sessions.get(link.id);
    if (link.type === 'link') return this.#open(link);
    if (link.type === 'control') return session?.receiveControl(link.message, this.#clock.now());
    if (link.type === 'link-stats') return session?.takeStats(link.stats);
    return void session?.end(link.code, link.reason);
  }

  /** @param {Link & { type: 'link' }} link */
  #open({ id, peer, room, transport, message }) {
    const session = new LinkedSession({
      id,
      links: this,
      transport: this.#transportOf(transport),
      peer,
      room,
      log: this.#log,
      now: this.#clock.now(),
      onEnd: () => void this.#sessions.delete(id),
    });
    this.#sessions.set(id, session);
    session.offerTo(this.#accept);
    session.receiveControl(message, this.#clock.now());
  }

  /** @param {(Link & { type: 'link' })['transport']} named */
  #transportOf(named) {
    const key = `${named.name} ${named.engine}`;
    let transport = this.#transports.get(key);
    if (!transport)
      this.#transports.set(key, (transport = new LinkedTransport(named, this.#writer)));
    return transport;
  }

  /**
   * @param {number} id
   * @param {Uint8Array} bytes
   */
  write(id, bytes) {
    return this.#writer.write(id, bytes, 0);
  }

  /** Answers the main thread, with all other answers of this turn. @param {LinkAnswer} answer */
  answer(answer) {
    this.#out.push(answer);
    if (this.#out.length === 1) queueMicrotask(() => this.#send(this.#out.splice(0)));
  }

  /**
   * Sends a control message. One for many sessions crosses once.
   * @param {number} id
   * @param {object} message  the same object for all of them
   */
  tell(id, message) {
    const last = this.#out.at(-1);
    if (last?.type === 'tell' && last.message === message) last.ids.push(id);
    else this.answer({ type: 'tell', ids: [id], message });
  }

  /** Idempotent. */
  close() {
    this.#stopLooks();
    this.#reader.close();
  }
}

/** @implements {Transport} */
class LinkedTransport {
  #writer;
  #ids = new Uint32Array(MAX_RING_SESSIONS);

  /**
   * @param {Pick<Transport, 'name' | 'engine' | 'replyOnly'>} named  as the main thread's is
   * @param {RingWriter} writer
   */
  constructor({ name, engine, replyOnly }, writer) {
    this.name = name;
    this.engine = engine;
    this.replyOnly = replyOnly;
    this.#writer = writer;
  }

  /**
   * @param {Session[]} sessions
   * @param {Uint8Array} bytes
   */
  sendMany(sessions, bytes) {
    for (let from = 0; from < sessions.length; from += MAX_RING_SESSIONS) {
      const count = Math.min(MAX_RING_SESSIONS, sessions.length - from);
      for (let i = 0; i < count; i++)
        this.#ids[i] = /** @type {LinkedSession} */ (sessions[from + i]).id;
      if (this.#writer.writeFor(this.#ids, count, bytes, 0)) continue;
      for (let i = 0; i < count; i++)
        /** @type {LinkedSession} */ (sessions[from + i]).droppedOut += 1;
    }
  }

  async close() {}
}

/** @implements {Session} */
class LinkedSession extends BaseSession {
  #links;
  /** @type {SessionStats} */
  #stats = NO_STATS;

  /**
   * @param {SessionOptions & { id: number, links: LinkedSessions, room: string | undefined, now:
   *   number }} options
   */
  constructor({ id, links, room, ...options }) {
    // The main thread counts the session, which it has.
    super({ ...options, isCounted: false });
    this.id = id;
    this.room = room;
    this.#links = links;
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    if (!this.ended && this.#links.write(this.id, bytes)) return true;
    this.droppedOut += 1;
    return false;
  }

  /** @param {ServerMessage | ControlMessage} message */
  sendControl(message) {
    if (!this.ended) this.#links.tell(this.id, prepareControl(message).message);
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (this.end(code, reason)) this.#links.answer({ type: 'close', id: this.id, code, reason });
  }

  /** @override @param {number} lateMs @param {number} now */
  forgive(lateMs, now) {
    super.forgive(lateMs, now);
    this.handler?.forgive?.(lateMs, now);
  }

  /** @param {SessionStats} stats  of the main thread's session */
  takeStats(stats) {
    this.#stats = stats;
  }

  /** @override */
  stats() {
    return { ...this.#stats, droppedOut: this.#stats.droppedOut + this.droppedOut };
  }
}
