/**
 * Makes the segments of recordings in a thread of its own, one recording at a time and for half of
 * the time at most: those that somebody listens to first, then those that have ended.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Segments } from './segment-files.js'
 *
 * @typedef {object} Job
 * @property {string} id
 * @property {string} directory
 * @property {Segments} segments
 * @property {boolean} isOpen   whether the thread has its files open
 * @property {number} dueMs
 * @property {number} quiet     turns in a row without anything new
 * @property {Promise<void>} turn  settled when its last turn is over
 * @property {Set<() => void>} readers what ends those who listen, where no more segments can be
 *   made
 *
 * @typedef {{ ask: (message: object) => Promise<any>, end: () => Promise<unknown>, ended: () =>
 *   boolean }} SegmentThread ask: answered in order; ended: whether it has ended, by itself too
 */

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MIX_FILE } from '../recording/recording.js';
import { ratesOf, SEGMENTS_FILE } from './segment-files.js';

/** The segments that are made in one turn. */
const SEGMENTS_A_TURN = 2;

/** The time until a mix in which there was nothing new is looked at again, in milliseconds. */
const LOOK_MS = 500;

/**
 * The turns without anything new after which a mix that isn't written any more has ended, though
 * its end isn't marked.
 */
const QUIET_TURNS = 4;

/** The recordings that wait, and those whose files are open, at most. */
const MAX_WAITING = 1000;
const MAX_OPEN = 16;

/**
 * Those of the open ones that are still being written, at most: nobody knows when they end, and the
 * others must have their turn. Whoever listens to one more hears it over HTTP.
 */
const MAX_RUNNING = 12;

/** The recordings that are known to be whole, at most. */
const MAX_KNOWN = 500;

/** The memory of the thread, in MB: the heap of JavaScript; the codec's is 3 MB beside. */
const THREAD_MB = 64;

export class SegmentJobs {
  #recordings;
  #clock;
  #log;
  #openThread;
  /** @type {SegmentThread | null} */
  #thread = null;
  /** In the order in which they were wanted. @type {Map<string, Job>} */
  #jobs = new Map();
  /** Recordings whose segments are whole. @type {Map<string, Segments>} */
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

  /** Has the segments of each recording made as soon as it has ended. */
  makeAhead() {
    this.#recordings.whenEnded((id) => void this.#want(id));
  }

  /**
   * Has the segments of a recording made, unless they are there.
   * @param {string} id whatever came
   * @returns {Promise<boolean>} false where there are none and none can be made
   */
  async prepare(id) {
    const directory = this.#recordings.locate(id, MIX_FILE)?.root;
    return (
      directory !== undefined &&
      ((await this.#knownOf(id, directory)) ?? (await this.#want(id))) !== null
    );
  }

  /**
   * Takes the segments of a recording for somebody who listens, after prepare().
   * @param {string} id
   * @param {() => void} onFailed  no more segments can be made; not called after release()
   * @returns {{ segments: Readonly<Segments>, directory: string, release: () => void } | null}
   *   segments: changed as there are more; release: to be called once, when they don't listen any
   *   more; null where there are none
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
    // Where the server ended while it wrote the file, the segments are made again.
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
    // They may have become whole meanwhile; made anew, their files would be cut off under those who
    // read them.
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
    void this.#run();
    return segments;
  }

  async #run() {
    if (this.#running) return this.#wake();
    this.#running = true;
    while (this.#jobs.size > 0 && !this.#closed) {
      if (this.#thread?.ended()) await this.#threadEnded();
      const now = this.#clock.now();
      await this.#makePlace();
      const job = this.#next(now);
      if (job) await (job.turn = this.#turn(job));
      // As long a rest as it has worked; LOOK_MS where there is nothing to do.
      await this.#pause(job ? Math.max(1, this.#clock.now() - now) : LOOK_MS);
    }
    this.#running = false;
    const thread = this.#thread;
    this.#thread = null;
    await thread?.end();
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

  /** Those that are being written and whose files are open. */
  get #runningOnes() {
    return [...this.#jobs.values()].filter(
      ({ id, isOpen }) => isOpen && this.#recordings.isOpen(id),
    );
  }

  /**
   * Where a recording that is being written waits for its turn, one that nobody listens to any more
   * makes way: it is done again when it has ended.
   */
  async #makePlace() {
    const running = this.#runningOnes;
    const isWanted = (/** @type {Job} */ { id, isOpen, readers }) =>
      !isOpen && readers.size > 0 && this.#recordings.isOpen(id);
    if (running.length < MAX_RUNNING || ![...this.#jobs.values()].some(isWanted)) return;
    const left = running.find(({ readers }) => readers.size === 0);
    if (left) await this.#drop(left);
  }

  /** The job whose turn it is. @param {number} now @returns {Job | null} */
  #next(now) {
    const open = [...this.#jobs.values()].filter(({ isOpen }) => isOpen).length;
    const running = this.#runningOnes.length;
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
        const { channels } = await thread.ask({
          id,
          open: { mix: join(directory, MIX_FILE), directory, rates: segments.rates },
        });
        if (this.#jobs.get(id) !== job) return;
        segments.channels = channels;
        job.isOpen = true;
      }
      const isWhole = !this.#recordings.isOpen(id) && job.quiet >= QUIET_TURNS;
      const { count, bytes, ended } = await thread.ask({
        id,
        step: { most: SEGMENTS_A_TURN, isWhole },
      });
      if (this.#jobs.get(id) !== job) return;
      job.quiet = bytes > 0 ? 0 : job.quiet + 1;
      // Others have their turn before it.
      job.dueMs = this.#clock.now() + (bytes > 0 ? 0 : LOOK_MS);
      segments.count = count;
      this.#recordings.addBytes(id, bytes);
      if (ended) await this.#finish(job);
    } catch (error) {
      if (this.#closed || this.#jobs.get(id) !== job) return;
      this.#log.warn(
        `the segments of a recording can't be made; it can be heard over HTTP: ` +
          `${error instanceof Error ? error.message : error}`,
      );
      await this.#fail(job);
    }
  }

  /** Has the next turn begin a thread anew; what the one before had open is lost with it. */
  async #threadEnded() {
    this.#thread = null;
    for (const job of [...this.#jobs.values()]) if (job.isOpen) await this.#fail(job);
  }

  /** Ends those who listen, for whom there won't be more: they may ask again. @param {Job} job */
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

  /** Ends what is being made of a recording that is deleted. @param {string} id */
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
    // It may be opening its files just now.
    await this.#thread?.ask({ id, close: true }).catch(() => {});
  }

  /** Ends the thread, with what it is making. Idempotent. */
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
   * Those who asked, the first first.
   * @type {{ resolve: (answer: any) => void, reject: (error: Error) => void }[]}
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
