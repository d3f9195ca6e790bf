/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Session } from '../transport/session.js'
 * @import { SessionRequest } from '@aloud/native'
 * @import { Fact } from '../room/room-config.js'
 * @import { HostHandle } from './directory.js'
 * @import { HostAct } from './host-acts.js'
 * @import { ToFront, ToWorker, WorkerData } from './messages.js'
 *
 * @template T
 * @typedef {{ promise: Promise<T>, resolve: (value: T) => void, reject: (error: Error) => void }}
 *   Settled
 */

/**
 * @typedef {object} WorkerOwner  whoever has all workers
 * @property {(number: number) => Omit<WorkerData, 'number' | 'rings'>} begin what a worker begins
 *   with, now
 * @property {(message: ToFront, number: number) => void} told what a worker tells that isn't for
 *   its handle
 * @property {(number: number, port: number) => void} ended  a worker has ended by itself
 */

import { Worker } from 'node:worker_threads';
import { errors } from '../../public/shared/errors.js';
import { repeat, settlesWithin } from '../timers.js';
import { refuse } from '../transport/session.js';
import { HostGoneError } from './directory.js';
import { WorkerLinks } from './linker.js';
import { createRing } from './ring.js';

const WORKER = new URL('./worker.js', import.meta.url);

/**
 * The most memory of a worker's JavaScript, in megabytes: beyond it the worker ends, and the others
 * go on.
 */
const HEAP_MB = 512;

/**
 * The wait before a worker that has ended is started again, by how often it has ended lately, in
 * milliseconds.
 */
const RESTART_MS = Object.freeze([0, 0, 1000, 5000, 30_000]);

/** A worker that has run for so long has not ended lately, in milliseconds. */
const SOUND_MS = 60_000;

/**
 * How often it is looked whether a worker answers, in milliseconds, and how many looks in a row it
 * may leave unanswered.
 */
const BEAT_MS = 1000;
const MOST_UNANSWERED = 8;

/** How long somebody waits for a worker that is being started, in milliseconds. */
const WAIT_MS = 8000;

/** The time that a worker has to end its rooms, in milliseconds. */
const END_MS = 3000;

/** A room host in a worker thread, started again when it ends. @implements {HostHandle} */
export class WorkerHandle {
  #number;
  #owner;
  #clock;
  #log;
  /** @type {Worker | null} */
  #worker = null;
  /** @type {WorkerLinks | null} */
  #links = null;
  /** The number of its port of the native engine; 0 without one. */
  #port = 0;
  /** Settles when the worker that runs, or is being started, serves. @type {Settled<void>} */
  #ready = withResolvers();
  #isReady = false;
  #startedMs = 0;
  #ends = 0;
  /** @type {unknown} */
  #timer = null;
  #stopBeats;
  #unanswered = 0;
  #isClosed = false;
  #nextCall = 1;
  /** @type {Map<number, Settled<any>>} */
  #calls = new Map();

  /**
   * @param {object} options
   * @param {number} options.number  of the host: 1 or more
   * @param {WorkerOwner} options.owner
   * @param {Clock} options.clock
   * @param {Pick<Log, 'error' | 'warn'>} options.log
   */
  constructor({ number, owner, clock, log }) {
    this.#number = number;
    this.#owner = owner;
    this.#clock = clock;
    this.#log = log;
    this.#stopBeats = repeat(clock, BEAT_MS, () => this.#beat());
    this.#start();
  }

  /** Whether it serves. */
  get isReady() {
    return this.#isReady;
  }

  /** Settles when the worker serves. */
  get ready() {
    return this.#ready.promise;
  }

  #start() {
    this.#timer = null;
    this.#startedMs = this.#clock.now();
    const rings = { toWorker: createRing(), toFront: createRing() };
    /** @type {WorkerData} */
    const workerData = { ...this.#owner.begin(this.#number), number: this.#number, rings };
    const worker = new Worker(WORKER, {
      workerData,
      name: `rooms ${this.#number}`,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker = worker;
    this.#links = new WorkerLinks({
      rings,
      clock: this.#clock,
      post: (message) => this.#post(message),
    });
    worker.on('message', (message) => this.#told(message));
    worker.on('error', (error) => this.#failed(error));
    worker.on('exit', () => this.#ended(worker));
  }

  /**
   * Looks whether the worker answers. It counts looks, not time: a machine that has slept has
   * answered none of them late.
   */
  #beat() {
    if (!this.#isReady) return;
    this.#unanswered += 1;
    if (this.#unanswered === 1)
      this.call('beat').then(
        () => (this.#unanswered = 0),
        () => {},
      );
    if (this.#unanswered !== MOST_UNANSWERED) return;
    this.#log.error(`worker ${this.#number} stands still, and is ended`);
    void this.#worker?.terminate();
  }

  /** @param {ToWorker} message */
  #post(message) {
    this.#worker?.postMessage(message);
  }

  /** @param {NodeJS.ErrnoException} error  that the worker ends with */
  #failed(error) {
    this.#log.error(
      `worker ${this.#number} failed: ` +
        `${[error?.code, error?.stack ?? error].filter(Boolean).join(' ')}`,
    );
  }

  /** @param {ToFront} message */
  #told(message) {
    if (message.type === 'links') this.#links?.take(message.answers);
    else if (message.type === 'answer') this.#answered(message);
    else if (message.type === 'ready') {
      this.#port = message.port;
      this.#isReady = true;
      this.#ready.resolve();
    } else this.#owner.told(message, this.#number);
  }

  /** @param {ToFront & { type: 'answer' }} answer */
  #answered({ call, value, error }) {
    const asked = this.#calls.get(call);
    this.#calls.delete(call);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  }

  /** @param {Worker} worker  that has ended, by itself or since it was asked to */
  #ended(worker) {
    if (this.#worker !== worker) return;
    this.#worker = null;
    if (this.#isReady) this.#ready = withResolvers();
    this.#isReady = false;
    this.#unanswered = 0;
    for (const { reject } of this.#calls.values()) reject(new HostGoneError());
    this.#calls.clear();
    this.#owner.ended(this.#number, this.#port);
    this.#port = 0;
    this.#links?.close(this.#isClosed ? 'server-closing' : 'room-reopened');
    if (!this.#isClosed) this.#startAgain();
  }

  #startAgain() {
    const isSound = this.#clock.now() - this.#startedMs > SOUND_MS;
    this.#ends = isSound ? 1 : this.#ends + 1;
    const waitMs = RESTART_MS[Math.min(this.#ends, RESTART_MS.length - 1)];
    this.#log.warn(
      `worker ${this.#number} has ended, and is started ` +
        `again${waitMs > 0 ? ` in ${waitMs / 1000} s` : ''}: its rooms go on there`,
    );
    if (waitMs === 0) this.#start();
    else this.#timer = this.#clock.setTimeout(() => this.#start(), waitMs);
  }

  /**
   * Does one of HOST_ACTS there.
   * @param {HostAct} act
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  async call(act, ...args) {
    if (!this.#isReady) throw new HostGoneError();
    const call = this.#nextCall++;
    const asked = withResolvers();
    this.#calls.set(call, asked);
    this.#post({ type: 'call', call, act, args });
    return asked.promise;
  }

  /** Tells the worker what another host has told. @param {Fact} fact */
  tell(fact) {
    this.#post({ type: 'fact', fact });
  }

  /** @returns {Promise<boolean>} whether the worker serves, soon enough for somebody who waits */
  async #serves() {
    return this.#isReady || settlesWithin(this.#clock, WAIT_MS, this.ready).catch(() => false);
  }

  /**
   * Has the worker serve a session that the native engine is asked for.
   * @param {SessionRequest} request
   */
  async takeRequest(request) {
    if ((await this.#serves()) && request.acceptOn(this.#port)) return;
    request.reject(errors['server-busy'].status);
  }

  /**
   * Has the worker serve a session that this thread has.
   * @param {Session} session
   * @param {unknown} message  its first
   */
  async takeSession(session, message) {
    let isThere = true;
    session.handler = { packet: () => {}, control: () => {}, closed: () => void (isThere = false) };
    const serves = await this.#serves();
    if (!isThere) return;
    if (serves && this.#links) this.#links.link(session, message);
    else refuse(session, 'server-busy');
  }

  /** Ends the thread as it is, as a fault in it would. For tests. */
  async terminate() {
    await this.#worker?.terminate();
  }

  /** Ends the rooms, and the thread. Idempotent. */
  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#stopBeats();
    this.#ready.promise.catch(() => {});
    this.#ready.reject(new HostGoneError());
    const worker = this.#worker;
    if (!worker) return;
    const exited = new Promise((resolve) => void worker.once('exit', resolve));
    this.#post({ type: 'end' });
    if (!(await settlesWithin(this.#clock, END_MS, exited))) await worker.terminate();
  }
}

/** @returns {Settled<any>} as Promise.withResolvers(), which Node.js 20 lacks */
function withResolvers() {
  /** @type {any} */
  const found = {};
  found.promise = new Promise((resolve, reject) => Object.assign(found, { resolve, reject }));
  return found;
}
