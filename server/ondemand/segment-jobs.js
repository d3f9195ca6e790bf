/**
 * Makes the segments of recordings in a separate thread, one recording at a time and at most half
 * of the time. Recordings with listeners come first, then ended ones.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Segments } from './segment-store.js'
 *
 * @typedef {object} Job
 * @property {string} id
 * @property {string} directory
 * @property {Segments} segments
 * @property {boolean} isOpen  true while the thread has its files open
 * @property {number} dueMs
 * @property {number} quiet  consecutive turns without new sound
 * @property {Promise<void>} turn  settles after its last turn
 * @property {Set<() => void>} readers functions that disconnect listeners when no more segments can
 *   be made
 *
 * @typedef {{ ask: (message: object) => Promise<unknown>, end: () => Promise<unknown>, ended: () =>
 *   boolean }} SegmentThread ask: answered in order; ended: true also after a crash
 *
 * @typedef {{ count: number, bytes: number, ended: boolean }} Step  answer to one turn
 */

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { reasonOf } from '../log.js';
import { MIX_FILE } from '../recording/recording.js';
import { ratesOf, SEGMENTS_FILE } from './segment-store.js';

/** Number of segments made in one turn. */
const SEGMENTS_A_TURN = 2;

/** Interval between polls of a mix without new sound, in milliseconds. */
const LOOK_MS = 500;

/**
 * Number of turns without new sound after which a mix counts as ended, if it is no longer written
 * and has no end mark.
 */
const QUIET_TURNS = 4;

/** Limit of recordings that wait or have open files. */
const MAX_WAITING = 1000;
const MAX_OPEN = 16;

/**
 * Limit of open recordings that are still being written: their end is unknown, and the others need
 * their turn. Listeners to further ones hear them over HTTP.
 */
const MAX_RUNNING = 12;

/** Limit of recordings remembered as complete. */
const MAX_KNOWN = 500;

/** Memory limit of the thread's JavaScript heap, in MB; the codec uses another 3 MB. */
const THREAD_MB = 64;

export class SegmentJobs {
  #recordings;
  #clock;
  #log;
  #openThread;
  /** @type {SegmentThread | null} */
  #thread = null;
  /** Ordered by request. @type {Map<string, Job>} */
  #jobs = new Map();
  /** Recordings with complete segments. @type {Map<string, Segments>} */
  #known = new Map();
  #running = false;
  #closed = false;
  /** Ends a pause early. */
  #wake = () => {};

  /**
   * @param {object} options
   * @param {Pick<Recordings, 'locate' | 'describe' | 'isOpen' | 'addBytes' | 'refusalFor' |
   *   'wasRemoved' | 'whenRemoved' | 'whenEnded'>} options.recordings
   * @param {Clock} options.clock
   * @param {Pick<Log, 'warn'>} options.log
   * @param {() => SegmentThread} [options.openThread]
   */
  constructor({ recordings, clock, log, openThread = openSegmentThread }) {
    this.#recordings = recordings;
    this.#clock = clock;
    this.#log = log;
    this.#openThread = openThread;
    recordings.whenRemoved((id) => this.#forget(id));
  }

  /** Makes the segments of each recording as soon as it has ended. */
  makeAhead() {
    this.#recordings.whenEnded((id) => {
      this.#want(id).catch((error) => this.#warn(id, error));
    });
  }

  /**
   * Requests the segments of a recording, unless they exist.
   * @param {string} id  unchecked
   * @returns {Promise<boolean>} false if there are none and none can be made
   */
  async prepare(id) {
    const directory = this.#recordings.locate(id, MIX_FILE)?.root;
    return (
      directory !== undefined &&
      ((await this.#knownOf(id, directory)) ?? (await this.#want(id))) !== null
    );
  }

  /**
   * Gives a listener the segments of a recording, after prepare().
   * @param {string} id
   * @param {() => void} onFailed  called if no more segments can be made, but not after release()
   * @returns {{ segments: Readonly<Segments>, directory: string, release: () => void } | null}
   *   segments: updated as more appear; release: to be called once, when the listener has left;
   *   null if there are none
   */
  hold(id, onFailed) {
    const directory = this.#recordings.locate(id, MIX_FILE)?.root;
    const known = this.#known.get(id);
    const job = this.#jobs.get(id);
    if (directory === undefined || !(known || job)) return null;
    if (known || !job)
      return { segments: /** @type {Segments} */ (known), directory, release: () => {} };
    job.readers.add(onFailed);
    this.#wake();
    return { segments: job.segments, directory, release: () => void job.readers.delete(onFailed) };
  }

  /**
   * @param {string} id
   * @param {string} directory
   * @returns {Promise<Segments | null>}
   */
  async #knownOf(id, directory) {
    const known = this.#known.get(id);
    if (known) return known;
    // The file is incomplete if the server stopped while writing it; then the segments are made
    // again.
    const segments = /** @type {Segments | null} */ (
      await readFile(join(directory, SEGMENTS_FILE), 'utf8')
        .then((text) => JSON.parse(text))
        .catch(() => null)
    );
    if (segments) this.#keep(id, segments);
    return segments;
  }

  /** @param {string} id @param {Segments} segments */
  #keep(id, segments) {
    this.#known.set(id, segments);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  /** @param {string} id @returns {Promise<Segments | null>} */
  async #want(id) {
    const directory = this.#recordings.locate(id, MIX_FILE)?.root;
    const description = await this.#recordings.describe(id);
    if (!directory || !description || this.#closed || this.#recordings.wasRemoved(id)) return null;
    // The segments may be complete by now. Making them again would truncate files that others read.
    const there = this.#known.get(id) ?? this.#jobs.get(id)?.segments;
    if (there) return there;
    if (this.#jobs.size >= MAX_WAITING || this.#recordings.refusalFor(id) !== null) return null;
    const heard = [...this.#jobs.values()].filter(
      (job) => job.readers.size > 0 && this.#recordings.isOpen(job.id),
    );
    if (this.#recordings.isOpen(id) && heard.length >= MAX_RUNNING) return null;
    const segments = { rates: ratesOf(description.bitrate), channels: 1, count: 0, whole: false };
    const job = {
      id,
      directory,
      segments,
      isOpen: false,
      dueMs: 0,
      quiet: 0,
      turn: Promise.resolve(),
      readers: new Set(),
    };
    this.#jobs.set(id, job);
    if (this.#running) this.#wake();
    else this.#run().catch((error) => this.#warn(id, error));
    return segments;
  }

  async #run() {
    this.#running = true;
    try {
      while (this.#jobs.size > 0 && !this.#closed) await this.#makeSome();
    } finally {
      this.#running = false;
    }
    const thread = this.#thread;
    this.#thread = null;
    await thread?.end();
  }

  /** Has one job take its turn, and rests. */
  async #makeSome() {
    if (this.#thread?.ended()) await this.#threadEnded();
    const now = this.#clock.now();
    await this.#makePlace();
    const job = this.#next(now);
    if (job) await (job.turn = this.#turn(job));
    // Rests as long as it has worked, or LOOK_MS without work.
    await this.#pause(job ? Math.max(1, this.#clock.now() - now) : LOOK_MS);
  }

  /** @param {number} ms */
  #pause(ms) {
    return new Promise((/** @type {(done: void) => void} */ resolve) => {
      const timer = this.#clock.setTimeout(resolve, ms);
      this.#wake = () => {
        this.#clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Running recordings with open files. */
  get #openRecordings() {
    return [...this.#jobs.values()].filter(
      ({ id, isOpen }) => isOpen && this.#recordings.isOpen(id),
    );
  }

  /**
   * Makes place for a waiting recording that is still being written, by dropping one without
   * listeners; that one is made again after its end.
   */
  async #makePlace() {
    const running = this.#openRecordings;
    const isWanted = (/** @type {Job} */ { id, isOpen, readers }) =>
      !isOpen && readers.size > 0 && this.#recordings.isOpen(id);
    if (running.length < MAX_RUNNING || ![...this.#jobs.values()].some(isWanted)) return;
    const left = running.find(({ readers }) => readers.size === 0);
    if (left) await this.#drop(left);
  }

  /** Chooses the next job. @param {number} now @returns {Job | null} */
  #next(now) {
    const open = [...this.#jobs.values()].filter(({ isOpen }) => isOpen).length;
    const running = this.#openRecordings.length;
    /** @type {Job | null} */
    let found = null;
    for (const job of this.#jobs.values()) {
      const isRunning = this.#recordings.isOpen(job.id);
      const hasPlace = job.isOpen || (open < MAX_OPEN && (!isRunning || running < MAX_RUNNING));
      const mayRun = job.dueMs <= now && hasPlace && (job.readers.size > 0 || !isRunning);
      if (
        mayRun &&
        (found === null ||
          (job.readers.size > 0 && found.readers.size === 0) ||
          (job.readers.size > 0 && job.dueMs < found.dueMs))
      )
        found = job;
    }
    return found;
  }

  /** @param {Job} job */
  async #turn(job) {
    const { id, directory, segments } = job;
    try {
      if (this.#recordings.refusalFor(id) !== null) throw new Error('there is no room for them');
      const thread = (this.#thread ??= this.#openThread());
      if (!job.isOpen) {
        const open = { mix: join(directory, MIX_FILE), directory, rates: segments.rates };
        const opened = await thread.ask({ id, open });
        const { channels } = /** @type {{ channels: number }} */ (opened);
        if (this.#jobs.get(id) !== job) return;
        segments.channels = channels;
        job.isOpen = true;
      }
      const isWhole = !this.#recordings.isOpen(id) && job.quiet >= QUIET_TURNS;
      const step = { most: SEGMENTS_A_TURN, isWhole };
      const { count, bytes, ended } = /** @type {Step} */ (await thread.ask({ id, step }));
      if (this.#jobs.get(id) !== job) return;
      job.quiet = bytes > 0 ? 0 : job.quiet + 1;
      // Other jobs get their turn first.
      job.dueMs = this.#clock.now() + (bytes > 0 ? 0 : LOOK_MS);
      segments.count = count;
      this.#recordings.addBytes(id, bytes);
      if (ended) await this.#finish(job);
    } catch (error) {
      if (this.#closed || this.#jobs.get(id) !== job) return;
      this.#warn(id, error);
      await this.#fail(job);
    }
  }

  /** @param {string} recording @param {unknown} error */
  #warn(recording, error) {
    this.#log.warn(
      { event: 'segments-failed', recording, reason: reasonOf(error) },
      'segments of a recording could not be made; it can be heard over HTTP',
    );
  }

  /** Makes the next turn start a new thread; the open files of the old one are lost. */
  async #threadEnded() {
    this.#thread = null;
    for (const job of [...this.#jobs.values()]) if (job.isOpen) await this.#fail(job);
  }

  /** Disconnects the listeners of a failed job: they may ask again. @param {Job} job */
  async #fail(job) {
    await this.#drop(job);
    for (const onFailed of [...job.readers]) onFailed();
  }

  /** @param {Job} job */
  async #finish(job) {
    job.segments.whole = true;
    await writeFile(join(job.directory, SEGMENTS_FILE), JSON.stringify(job.segments), {
      mode: 0o600,
    });
    this.#keep(job.id, job.segments);
    await this.#drop(job);
  }

  /** Ends the job of a deleted recording. @param {string} id */
  async #forget(id) {
    this.#known.delete(id);
    const job = this.#jobs.get(id);
    if (!job) return;
    await this.#drop(job);
    await job.turn;
    this.#known.delete(id);
  }

  /** @param {Job} job */
  async #drop({ id }) {
    this.#jobs.delete(id);
    // The thread may be opening its files just now.
    await this.#thread?.ask({ id, close: true }).catch(() => {});
  }

  /** Ends the thread and its work. Idempotent. */
  async close() {
    this.#closed = true;
    this.#wake();
    await this.#thread?.end();
    this.#thread = null;
  }
}

/** @returns {SegmentThread} */
function openSegmentThread() {
  const worker = new Worker(new URL('./segment-worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
  });
  /**
   * Open questions, the oldest first.
   * @type {{ resolve: (answer: unknown) => void, reject: (error: Error) => void }[]}
   */
  const waiting = [];
  const fail = (/** @type {Error} */ error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.unref();
  worker.on('message', (answer) => {
    const asked = waiting.shift();
    if (answer.error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(answer.error));
  });
  let ended = false;
  worker.on('error', fail);
  worker.on('exit', () => {
    ended = true;
    fail(new Error('the thread has ended'));
  });
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (ended) return void reject(new Error('the thread has ended'));
        waiting.push({ resolve, reject });
        worker.postMessage(message);
      }),
    end: async () => {
      if (ended) return;
      const exit = once(worker, 'exit');
      await worker.terminate();
      await exit.catch(() => {});
    },
    ended: () => ended,
  };
}
