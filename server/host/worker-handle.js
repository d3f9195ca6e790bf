/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Session } from '../session/session.js'
 * @import { SessionRequest } from '@aloud/native'
 * @import { Fact } from '../room/room-config.js'
 * @import { HostHandle } from './rooms-by-thread.js'
 * @import { HostAct, HostAnswer, HostArgs } from './host-acts.js'
 * @import { ToFront, ToWorker, WorkerData } from './worker.js'
 *
 * @template T
 * @typedef {{ promise: Promise<T>, resolve: (value: T) => void, reject: (error: Error) => void }}
 *   Settled
 */

/**
 * @typedef {object} WorkerOwner  the object that has all workers
 * @property {(number: number) => Omit<WorkerData, 'number' | 'rings'>} begin start data of a
 *   worker
 * @property {(message: ToFront, number: number) => void} told receives messages for
 *   others than its handle
 * @property {(number: number, port: number) => void} ended  a worker has crashed or was killed
 */

import { Worker } from 'node:worker_threads';
import { errors } from '../../public/shared/errors.js';
import { stackOf } from '../log.js';
import { repeat, settlesWithin } from '../timers.js';
import { refuse } from '../session/session.js';
import { HostGoneError } from './rooms-by-thread.js';
import { WorkerLinks } from './linker.js';
import { createRing } from './ring.js';

const WORKER = new URL('./worker.js', import.meta.url);

/**
 * Most memory of a worker's JavaScript, in megabytes. A worker that needs more ends; the others
 * continue.
 */
const HEAP_MB = 512;

/**
 * Wait before a worker is restarted, in milliseconds, by the number of its recent ends.
 */
const RESTART_MS = Object.freeze([0, 0, 1000, 5000, 30_000]);

/** Running time after which earlier ends of a worker don't count, in milliseconds. */
const SOUND_MS = 60_000;

/** Interval between beats of a worker, in milliseconds, and most beats without an answer. */
const BEAT_MS = 1000;
const MOST_UNANSWERED = 8;

/** Longest wait for a worker that is starting, in milliseconds. */
const WAIT_MS = 8000;

/** Time for a worker to end its rooms, in milliseconds. */
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
  /** Number of its port of the native engine; 0 without one. */
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
  /** @type {Map<number, Settled<unknown>>} */
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

  /** True when it serves. */
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
    worker.on('error', (error) => this.#failed(/** @type {NodeJS.ErrnoException} */ (error)));
    worker.on('exit', () => this.#ended(worker));
  }

  /**
   * Checks that the worker answers. It counts beats, not time: after a machine has slept, no answer
   * is late.
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
    this.#log.error(
      { event: 'worker-stuck', worker: this.#number },
      'worker does not respond and is ended',
    );
    void this.#worker?.terminate();
  }

  /** @param {ToWorker} message */
  #post(message) {
    this.#worker?.postMessage(message);
  }

  /** @param {NodeJS.ErrnoException} error  that ends the worker */
  #failed(error) {
    this.#log.error(
      { event: 'worker-failed', worker: this.#number, code: error?.code, error: stackOf(error) },
      'worker failed',
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

  /** @param {Worker} worker  that has ended */
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
    if (!this.#isClosed) this.#restart();
  }

  #restart() {
    const isSound = this.#clock.now() - this.#startedMs > SOUND_MS;
    this.#ends = isSound ? 1 : this.#ends + 1;
    const waitMs = RESTART_MS[Math.min(this.#ends, RESTART_MS.length - 1)];
    this.#log.warn(
      { event: 'worker-restarted', worker: this.#number, inSeconds: waitMs / 1000 },
      'worker ended and is restarted with its rooms',
    );
    if (waitMs === 0) this.#start();
    else this.#timer = this.#clock.setTimeout(() => this.#start(), waitMs);
  }

  /**
   * Does one of HOST_ACTS there.
   * @template {HostAct} A
   * @param {A} act
   * @param {HostArgs<A>} args
   * @returns {Promise<HostAnswer<A>>}
   */
  async call(act, ...args) {
    if (!this.#isReady) throw new HostGoneError();
    const call = this.#nextCall++;
    const asked = withResolvers();
    this.#calls.set(call, asked);
    this.#post({ type: 'call', call, act, args });
    return asked.promise;
  }

  /** Passes on a fact of another host. @param {Fact} fact */
  tell(fact) {
    this.#post({ type: 'fact', fact });
  }

  /** @returns {Promise<boolean>} false when the worker doesn't serve in time */
  async #serves() {
    return this.#isReady || settlesWithin(this.#clock, WAIT_MS, this.ready).catch(() => false);
  }

  /**
   * Hands a session of the native engine over to the worker.
   * @param {SessionRequest} request
   */
  async takeRequest(request) {
    if ((await this.#serves()) && request.acceptOn(this.#port)) return;
    request.reject(errors['server-busy'].status);
  }

  /**
   * Hands a session of this thread over to the worker.
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

  /** Ends the thread at once, as a fault in it would. For tests. */
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

/**
 * Does what Promise.withResolvers() does, which Node.js 20 lacks.
 * @template T
 * @returns {Settled<T>}
 */
function withResolvers() {
  const found = /** @type {Settled<T>} */ ({});
  found.promise = new Promise((resolve, reject) => Object.assign(found, { resolve, reject }));
  return found;
}
