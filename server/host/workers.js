/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { SessionRequest, SharedEndpoint } from '@aloud/native'
 * @import { Config } from '../config/config.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Elsewhere, Fact, RoomServices } from '../room/room-config.js'
 * @import { RoomState } from '../state/portable-state.js'
 * @import { Session } from '../session/session.js'
 * @import { HostHandle } from './rooms-by-thread.js'
 * @import { ToFront } from './worker.js'
 * @import { WorkerOwner } from './worker-handle.js'
 * @import { RoomHost } from './room-host.js'
 *
 * @typedef {object} PortOwner  the engine that workers have ports of
 * @property {() => SharedEndpoint} share
 * @property {(port: number, code: ErrorCode) => void} closePort
 */

import { ROOM_QUERY } from '../../public/shared/links.js';
import { roomNameError } from '../../public/shared/text.js';
import { stackOf } from '../log.js';
import { repeat } from '../timers.js';
import { awaitJoin } from './linker.js';
import { Placement } from './placement.js';
import { Tally } from './tally.js';
import { WorkerHandle } from './worker-handle.js';

/** Interval between clean-ups of rooms that nobody has joined, in milliseconds. */
const SWEEP_MS = 10_000;

/**
 * The worker threads with all rooms of a server, and the main thread's copy of each room's state.
 */
export class Workers {
  #config;
  #clock;
  #log;
  #tokens;
  #pluginFile;
  #happened;
  #tally;
  #buffer;
  #placement;
  /** @type {WorkerHandle[]} */
  #handles = [];
  /** @type {RoomHost | null} */
  #own = null;
  /** @type {PortOwner | null} */
  #engine = null;
  /** By the room's name. @type {Map<string, { state: RoomState, worker: number }>} */
  #states = new Map();
  /**
   * Recordings that a worker is writing, by id.
   * @type {Map<string, { worker: number, fact: Fact & { type: 'recording' } }>}
   */
  #recordings = new Map();
  /** @type {number | null} */
  #draining = null;
  #stopSweeping;
  #restarts = 0;
  #isClosed = false;

  /**
   * @param {Config} config
   * @param {number} count  of workers, 1 or more
   * @param {{ clock: Clock, log: Log, tokens: ResumeTokens, pluginFile?: string,
   *   happened?: RoomServices['happened'] }} options
   */
  constructor(config, count, { clock, log, tokens, pluginFile, happened }) {
    this.#tokens = tokens;
    this.#happened = happened;
    this.#pluginFile = pluginFile ?? null;
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
    this.#buffer = Tally.create(count + 1);
    this.#tally = new Tally(this.#buffer, 0);
    this.count = count;
    const peopleOf = (/** @type {number} */ worker) =>
      this.#handles[worker]?.isReady ? this.#tally.of(worker + 1).present : Infinity;
    this.#placement = new Placement({ clock, workers: count, peopleOf });
    this.#stopSweeping = repeat(clock, SWEEP_MS, () => this.#placement.sweep());
    /**
     * Link of the main thread's own host, which has no rooms, to the workers'.
     * @type {Elsewhere}
     */
    this.elsewhere = {
      others: this.#tally.others,
      publish: this.#tally.publish,
      tell: (fact) => this.#tellAll(fact, 0),
      opened: () => {},
      changed: () => {},
      ended: () => {},
    };
  }

  /** @returns {readonly HostHandle[]} */
  get handles() {
    return this.#handles;
  }

  /** Number of workers that have crashed or were killed. */
  get restarts() {
    return this.#restarts;
  }

  /**
   * Starts the workers, and waits until all serve.
   * @param {RoomHost} own  the main thread's host
   * @param {PortOwner | null} engine  null when the native engine doesn't serve WebTransport
   */
  async start(own, engine) {
    this.#own = own;
    this.#engine = engine;
    /** @type {WorkerOwner} */
    const owner = {
      begin: (number) => this.#begin(number),
      told: (message, number) => this.#told(message, number),
      ended: (number, port) => this.#ended(number, port),
    };
    for (let number = 1; number <= this.count; number++)
      this.#handles.push(new WorkerHandle({ number, owner, clock: this.#clock, log: this.#log }));
    await Promise.all(this.#handles.map((handle) => handle.ready));
  }

  /** Start data of a worker. @param {number} number */
  #begin(number) {
    const own = /** @type {RoomHost} */ (this.#own);
    const mine = [...this.#states.values()].filter(({ worker }) => worker === number);
    return {
      config: { ...this.#config },
      tokenKey: this.#tokens.key,
      endpoint: this.#engine?.share() ?? null,
      tally: this.#buffer,
      facts: [...own.rooms.bans.all(), ...own.recordings.all()],
      rooms: mine.map(({ state }) => state),
      draining: this.#draining,
      pluginFile: this.#pluginFile,
    };
  }

  /** @param {string} room @returns {HostHandle | null} its worker */
  find = (room) => {
    const worker = this.#placement.find(room);
    return worker === null ? null : this.#handles[worker];
  };

  /**
   * Hands a session of the native engine over to the worker that has its room.
   * @param {SessionRequest} request
   * @returns {boolean} false when the URL names no room: then only the join does
   */
  handOver = (request) => {
    const room = new URLSearchParams(request.query).get(ROOM_QUERY);
    if (room === null || roomNameError(room) !== null) return false;
    this.#handles[this.#placement.place(room)]
      .takeRequest(request)
      .catch((error) => this.#failed({ room, peer: request.peer }, error));
    return true;
  };

  /**
   * Logs a fault of one session, which would end all of them.
   * @param {Pick<Session, 'room' | 'peer'>} session
   * @param {unknown} error
   */
  #failed({ room, peer }, error) {
    this.#log.error(
      { event: 'session-failed', room, peer, error: stackOf(error) },
      'session failed',
    );
  }

  /**
   * Hands a session of the main thread over to the worker whose room it asks to join.
   * @param {Session} session
   */
  accept = (session) => {
    awaitJoin(session, this.#clock, (one, message) => {
      const { room, mirror } = /** @type {{ room?: unknown, mirror?: unknown }} */ (message ?? {});
      const isNamed = typeof room === 'string' && mirror !== true && roomNameError(room) === null;
      if (isNamed) one.room ??= room;
      const worker = isNamed ? this.#placement.place(room) : this.#placement.least();
      this.#handles[worker].takeSession(one, message).catch((error) => this.#failed(one, error));
    });
  };

  /** @param {ToFront} message @param {number} number  of the worker */
  #told(message, number) {
    switch (message.type) {
      case 'log':
        return this.#log[message.level](message.fields, message.message, message.cause);
      case 'opened':
        return this.#placement.opened(message.room, number - 1);
      case 'ended':
        this.#states.delete(message.room);
        return this.#placement.ended(message.room);
      case 'state':
        return void this.#states.set(message.state.name, { state: message.state, worker: number });
      case 'fact':
        return this.#heard(message.fact, number);
      case 'happened':
        return this.#happened?.(message.happening);
      default:
        throw new RangeError(`a worker told of an unknown thing: ${message.type}`);
    }
  }

  /** @param {Fact} fact @param {number} from  number of the host that reports it */
  #heard(fact, from) {
    if (fact.type === 'recording' && fact.open)
      this.#recordings.set(fact.id, { worker: from, fact });
    else if (fact.type === 'recording') this.#recordings.delete(fact.id);
    this.#own?.heard(fact);
    this.#tellAll(fact, from);
  }

  /** @param {Fact} fact @param {number} from */
  #tellAll(fact, from) {
    this.#handles.forEach((handle, i) => {
      if (i + 1 !== from) handle.tell(fact);
    });
  }

  /** @param {number} number  of a worker that has ended @param {number} port */
  #ended(number, port) {
    this.#restarts += 1;
    this.#tally.set(number, { present: 0, away: 0, rooms: 0 });
    if (port > 0) this.#engine?.closePort(port, 'room-reopened');
    for (const { worker, fact } of [...this.#recordings.values()]) {
      if (worker === number) this.#heard({ ...fact, open: false }, number);
    }
    if (this.#isClosed) return;
    // A room whose state isn't known can't be reopened.
    for (const room of this.#placement.openAt(number - 1)) {
      if (this.#states.has(room)) continue;
      this.#placement.ended(room);
      this.#happened?.({ event: 'room_finished', room });
    }
  }

  /** Refuses newcomers, also in workers that start later. @param {number} seconds */
  drain(seconds) {
    this.#draining = seconds;
  }

  /** Ends a room's worker as a fault in it would. For tests. @param {string} room */
  async endWorkerOf(room) {
    const worker = this.#placement.find(room);
    if (worker !== null) await this.#handles[worker].terminate();
  }

  /** Ends all rooms and threads. Idempotent. */
  async close() {
    this.#isClosed = true;
    this.#stopSweeping();
    await Promise.all(this.#handles.map((handle) => handle.close()));
  }
}
