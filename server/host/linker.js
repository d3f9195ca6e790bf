/**
 * The main thread's side of sessions that are in a worker's rooms: see linked-session.js.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session, SessionHandler } from '../session/session.js'
 * @import { Link, LinkAnswer } from './worker.js'
 */

import { errors } from '../../public/shared/errors.js';
import { repeat } from '../timers.js';
import { prepareControl, refuse } from '../session/session.js';
import { RingReader, RingWriter, toShared } from './ring.js';

/** Time for a session to ask to join, in milliseconds. */
const JOIN_TIMEOUT_MS = 10_000;

/** Interval between reports of round trips and losses to a worker, in milliseconds. */
const STATS_MS = 1000;

/**
 * Waits for a session's first message, which names the room, and hands the session over.
 * @param {Session} session
 * @param {Clock} clock
 * @param {(session: Session, message: unknown) => void} bring to the room's worker; sets another
 *   handler
 */
export function awaitJoin(session, clock, bring) {
  const timer = clock.setTimeout(() => refuse(session, 'join-timeout'), JOIN_TIMEOUT_MS);
  session.handler = {
    packet: () => {},
    control: (message) => {
      clock.clearTimeout(timer);
      bring(session, message);
    },
    closed: () => clock.clearTimeout(timer),
  };
}

/** Sessions that the main thread has handed over to one worker. */
export class WorkerLinks {
  /** @type {Map<number, Session>} */
  #sessions = new Map();
  /** Packets dropped because the ring was full, by session. @type {Map<number, number>} */
  #dropped = new Map();
  /**
   * Callbacks that wait until the worker has read everything before them, by session, in order.
   * @type {Map<number, (() => void)[]>}
   */
  #waiting = new Map();
  #nextId = 1;
  #writer;
  #reader;
  #post;
  #stopStats;

  /**
   * @param {object} options
   * @param {{ toWorker: SharedArrayBuffer, toFront: SharedArrayBuffer }} options.rings
   * @param {Clock} options.clock
   * @param {(message: Link) => void} options.post
   */
  constructor({ rings, clock, post }) {
    this.#post = post;
    this.#writer = new RingWriter(rings.toWorker);
    this.#reader = new RingReader(rings.toFront, {
      packet: (ids, count, bytes) => this.#packet(ids, count, bytes),
      mark: (id) => this.#marked(id),
    });
    this.#reader.start();
    this.#stopStats = repeat(clock, STATS_MS, () => this.#tellStats());
  }

  /**
   * Hands a session over to the worker.
   * @param {Session} session
   * @param {unknown} message  its first
   */
  link(session, message) {
    const id = this.#nextId++;
    this.#sessions.set(id, session);
    const {
      peer,
      room,
      transport: { name, engine, replyOnly },
    } = session;
    this.#post({ type: 'link', id, peer, room, transport: { name, engine, replyOnly }, message });
    session.handler = this.#handlerOf(id);
  }

  /** @param {number} id @returns {SessionHandler} */
  #handlerOf(id) {
    return {
      packet: (bytes, arrivalMs) => {
        if (!this.#writer.write(id, bytes, toShared(arrivalMs)))
          this.#dropped.set(id, (this.#dropped.get(id) ?? 0) + 1);
      },
      control: (message) => this.#post({ type: 'control', id, message }),
      settle: (done) => this.#settle(id, done),
      closed: (code, reason) => {
        this.#forget(id);
        this.#post({ type: 'unlink', id, code, reason });
      },
    };
  }

  /** @param {number} id */
  #forget(id) {
    this.#sessions.delete(id);
    this.#dropped.delete(id);
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const done of waiting) done();
  }

  /** @param {number} id @param {() => void} done */
  #settle(id, done) {
    if (!this.#sessions.has(id) || !this.#writer.mark(id)) return done();
    const waiting = this.#waiting.get(id);
    if (waiting) waiting.push(done);
    else this.#waiting.set(id, [done]);
  }

  /** @param {number} id */
  #marked(id) {
    const waiting = this.#waiting.get(id);
    const done = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(id);
    done?.();
  }

  /** @param {Uint32Array} ids @param {number} count @param {Uint8Array} bytes */
  #packet(ids, count, bytes) {
    if (count === 1) return void this.#sessions.get(ids[0])?.send(bytes);
    /** @type {Map<import('../session/session.js').Transport, Session[]>} */
    const byTransport = new Map();
    for (let i = 0; i < count; i++) {
      const session = this.#sessions.get(ids[i]);
      if (!session) continue;
      const others = byTransport.get(session.transport);
      if (others) others.push(session);
      else byTransport.set(session.transport, [session]);
    }
    for (const [transport, sessions] of byTransport) transport.sendMany(sessions, bytes);
  }

  /** Takes the worker's answers. @param {LinkAnswer[]} answers */
  take(answers) {
    for (const answer of answers) {
      if (answer.type === 'mark') this.#marked(answer.id);
      else if (answer.type === 'close')
        this.#sessions.get(answer.id)?.close(answer.code, answer.reason);
      else this.#tell(answer.ids, answer.message);
    }
  }

  /** @param {number[]} ids @param {object} message */
  #tell(ids, message) {
    const prepared = prepareControl(message);
    for (const id of ids) this.#sessions.get(id)?.sendControl(prepared);
  }

  #tellStats() {
    for (const [id, session] of this.#sessions) {
      const stats = session.stats();
      this.#post({
        type: 'link-stats',
        id,
        stats: { ...stats, droppedIn: stats.droppedIn + (this.#dropped.get(id) ?? 0) },
      });
    }
  }

  /**
   * Closes the sessions of a worker that has ended; the code says whether to reconnect. Idempotent.
   * @param {'room-reopened' | 'server-closing'} code
   */
  close(code) {
    this.#reader.close();
    this.#stopStats();
    const { close, message } = errors[code];
    for (const session of [...this.#sessions.values()]) session.close(close, message);
  }
}
