/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Description, FileDescription, Trouble } from './recording-directory.js'
 * @import { RecordingOwner } from './recording-usage.js'
 *
 * @typedef {{ id: string, room: string, startedAt: string, stoppedAt: string | null, isPublic:
 *   boolean, on: boolean }} ListedRecording
 *
 * @typedef {{ type: 'recording', id: string, owner: RecordingOwner, bytes: number | null, open:
 *   boolean }} RecordingChange plain data; bytes: of its files, null where it is deleted; open:
 *   whether it is being written
 */

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedBuckets } from '../keyed-buckets.js';
import { repeat } from '../timers.js';
import { DESCRIPTION, RecordingDirectory } from './recording-directory.js';
import { SteadyDate } from './steady-date.js';
import { wholePages } from './ogg-reader.js';
import { exists, lastWritten, LEAST_BYTES, secondsOf, sizeOf } from './on-disk.js';
import { CHAPTERS_FILE, MIX_FILE, PEAKS_FILE } from './recording.js';
import { RecordingUsage } from './recording-usage.js';
import { WEBM_FILE, WebmMaker } from './webm-file.js';

/**
 * The bytes of all recordings that may wait for the disk; above it the disk is too slow to record
 * to.
 */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** The interval between two sweeps for old recordings, in milliseconds. */
const SWEEP_MS = 10 * 60 * 1000;

/**
 * The shortest time between two looks at what is on the disk when something was refused, in
 * milliseconds.
 */
const LOOK_MS = 10_000;

/** The recordings that one network may begin: in a row, and then a second. */
const STARTS = Object.freeze({ atOnce: 10, perSecond: 1 / 20 });

const HOUR_MS = 3600 * 1000;

/** An id: 128 bits in base64url. */
const ID = /^[A-Za-z0-9_-]{22}$/;

/** A file's name, as recordings give it. */
const FILE = /^[a-z0-9][a-z0-9-]{0,60}\.opus$/;
const OTHER_FILES = Object.freeze([PEAKS_FILE, CHAPTERS_FILE, WEBM_FILE]);

/** The deleted recordings that are remembered as such. */
const MAX_REMOVED = 1000;

/** The recordings on disk: a directory each, named by an id that can't be guessed. */
export class Recordings {
  #directory;
  #limitBytes;
  #usage;
  #starts = new KeyedBuckets(STARTS);
  #clock;
  #lookedMs = -Infinity;
  #keepMs;
  #wallNow;
  #date;
  #log;
  #randomId;
  #tell;
  /** The recordings that other threads are writing, by id. @type {Set<string>} */
  #openElsewhere = new Set();
  /** The recordings that are being written. @type {Map<string, RecordingDirectory>} */
  #open = new Map();
  #stopSweeping;
  /** Told the id of each recording that has ended. @type {((id: string) => void)[]} */
  #onEnded = [];
  /** Told the id of each recording that is deleted. @type {((id: string) => unknown)[]} */
  #onRemoved = [];
  /**
   * Bytes that were added to recordings that other threads are writing, by id.
   * @type {Map<string, number>}
   */
  #added = new Map();
  #webm = new WebmMaker({
    made: (id, bytes) => this.addBytes(id, bytes),
    failed: (error) => this.logError(`no ${WEBM_FILE} can be made of a recording`, error),
  });
  /** The last that were deleted, the oldest first. @type {Set<string>} */
  #removed = new Set();
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.directory   made when the first recording begins
   * @param {number} options.limitBytes  of all recordings on the disk; 0: nothing is recorded
   * @param {number} options.keepHours   the time after its end at which a recording is deleted
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'warn' | 'error'>} options.log
   * @param {() => string} [options.randomId]
   * @param {{ tell: (change: RecordingChange) => void }} [options.elsewhere] other threads that
   *   record to the same directory
   */
  constructor({
    directory,
    limitBytes,
    keepHours,
    clock,
    wallNow,
    log,
    randomId = newId,
    elsewhere,
  }) {
    this.#directory = directory;
    this.#limitBytes = limitBytes;
    this.#usage = new RecordingUsage(limitBytes);
    this.#clock = clock;
    this.#keepMs = keepHours * HOUR_MS;
    this.#wallNow = wallNow;
    this.#date = new SteadyDate({ clock, wallNow, log, forgetMs: this.#keepMs });
    this.#log = log;
    this.#randomId = randomId;
    this.#tell = elsewhere?.tell ?? (() => {});
    this.#stopSweeping = repeat(clock, SWEEP_MS, () => void this.sweep());
  }

  /** Takes note of a recording of another thread's. @param {RecordingChange} change */
  heard({ id, owner, bytes, open }) {
    const hasEnded = !open && this.#openElsewhere.has(id);
    if (open) this.#openElsewhere.add(id);
    else this.#openElsewhere.delete(id);
    if (bytes === null) {
      this.#usage.remove(id);
      this.#remember(id);
      for (const onRemoved of this.#onRemoved) onRemoved(id);
      return;
    }
    this.#usage.set(id, owner, bytes + (this.#added.get(id) ?? 0));
    if (hasEnded) this.#hasEnded(id);
  }

  /**
   * What other threads are to know of the recordings that there are.
   * @returns {RecordingChange[]}
   */
  all() {
    return this.#usage.ids.map((id) => this.#changeOf(id));
  }

  /** @param {string} id @returns {RecordingChange} */
  #changeOf(id) {
    const found = this.#usage.ownerOf(id);
    const owner = {
      room: found?.room ?? '',
      identity: found?.identity ?? null,
      network: found?.network ?? null,
    };
    return { type: 'recording', id, owner, bytes: this.#usage.bytesOf(id), open: this.isOpen(id) };
  }

  /** Whether there are recordings at all. */
  get offered() {
    return this.#limitBytes > 0 && !this.#closed;
  }

  /**
   * Asks to begin a recording.
   * @param {RecordingOwner} owner
   * @returns {{ code: 'recording-off' | 'recording-limit' | 'recording-share' | 'recording-busy',
   *   retryMs?: number } | null} why it may not begin; null where it may
   */
  refusal(owner) {
    if (!this.offered) return { code: 'recording-off' };
    const code = this.#usage.refusal(owner);
    if (code !== null) {
      this.#lookSoon();
      return { code };
    }
    const retryMs = this.#starts.take(owner.network, this.#clock.now());
    return retryMs > 0 ? { code: 'recording-busy', retryMs } : null;
  }

  /**
   * Looks at what is on the disk, so that files which somebody deleted by hand don't count any
   * more.
   */
  #lookSoon() {
    const now = this.#clock.now();
    if (now - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = now;
    void this.sweep();
  }

  /** How much the recordings take of what they may, in bytes, and how many are being written. */
  get usage() {
    return {
      bytes: this.#usage.bytes,
      limitBytes: this.#limitBytes,
      open: this.#open.size + this.#openElsewhere.size,
    };
  }

  /**
   * The recordings that there are, the newest first.
   * @param {number} most  how many are listed at most
   * @returns {Promise<ListedRecording[]>}
   */
  async list(most) {
    const found = [...this.#open.values()].map(({ description }) => ({ ...description, on: true }));
    for (const id of await this.#idsOnDisk()) {
      const description = await this.#read(id);
      if (description) found.push({ ...description, on: this.#openElsewhere.has(id) });
    }
    found.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    return found.slice(0, most).map(({ id, room, startedAt, stoppedAt, isPublic = false, on }) => ({
      id,
      room,
      startedAt,
      stoppedAt,
      isPublic,
      on,
    }));
  }

  /**
   * Begins a recording.
   * @param {RecordingOwner} owner
   * @param {(code: Trouble) => void} onTrouble the recording has to stop; called once
   * @param {{ isPublic?: boolean, bitrate?: number }} [known] whether anybody may hear it; of the
   *   mix, in bits a second
   */
  begin(owner, onTrouble, { isPublic = false, bitrate } = {}) {
    const id = this.#randomId();
    const startedAt = new Date(this.#wallNow()).toISOString();
    /** @type {Description} */
    const description = {
      id,
      room: owner.room,
      startedAt,
      stoppedAt: null,
      isPublic,
      bitrate,
      files: [],
    };
    const opened = new RecordingDirectory(this, join(this.#directory, id), description, onTrouble);
    this.#open.set(id, opened);
    this.#usage.set(id, owner, LEAST_BYTES);
    this.#tell(this.#changeOf(id));
    return opened;
  }

  /**
   * Counts bytes that are to be written, and stops the recording that is one too many.
   * @param {number} bytes less than 0 for deleted ones
   * @param {RecordingDirectory} by
   */
  count(bytes, by) {
    const { id } = by.description;
    this.#usage.add(id, bytes);
    this.#tell(this.#changeOf(id));
    if (bytes <= 0) return;
    const code = this.refusalFor(id);
    if (code !== null) by.trouble(code);
    let waiting = 0;
    for (const { waiting: bytesOfOne } of this.#open.values()) waiting += bytesOfOne;
    if (waiting > MAX_WAITING_BYTES) by.failed(new Error('the disk is too slow'));
  }

  /** How many recordings there are, how many of them are being written, and what they take. */
  stats() {
    return {
      recordings: this.#usage.count,
      open: this.#open.size,
      bytes: this.#usage.bytes,
      limitBytes: this.#limitBytes,
    };
  }

  /**
   * Logs an error, with its stack where it isn't the system's.
   * @param {string} what what happened
   * @param {unknown} error
   */
  logError(what, error) {
    const { code, message, stack } = /** @type {NodeJS.ErrnoException} */ (error);
    this.#log.error(`${what}: ${code ? message : stack}`);
  }

  /** @param {RecordingDirectory} by */
  ended(by) {
    by.description.stoppedAt = new Date(this.#wallNow()).toISOString();
    this.#open.delete(by.description.id);
    this.#tell(this.#changeOf(by.description.id));
    this.#hasEnded(by.description.id);
  }

  /** @param {string} id */
  #hasEnded(id) {
    this.#added.delete(id);
    for (const onEnded of this.#onEnded) onEnded(id);
  }

  /**
   * Has somebody told of each recording that ends, by its id.
   * @param {(id: string) => void} onEnded
   */
  whenEnded(onEnded) {
    this.#onEnded.push(onEnded);
  }

  /**
   * @param {string} id of a recording
   * @returns {'recording-limit' | 'recording-share' | null} why nothing may be added to it
   */
  refusalFor(id) {
    const owner = this.#usage.ownerOf(id);
    return owner ? this.#usage.refusal(owner) : null;
  }

  /**
   * Describes a recording and the files that there are of it.
   * @param {string} id whatever came
   * @returns {Promise<(Omit<Description, 'files'> & { on: boolean, seconds: number, files:
   *   (FileDescription & { bytes: number })[] }) | null>} seconds: of the mix, as far as it is
   *   written; null when there is none
   */
  async describe(id) {
    if (!ID.test(id)) return null;
    const description = await this.#read(id);
    if (!description) return null;
    const files = [];
    let seconds = 0;
    for (const file of description.files) {
      const path = join(this.#directory, id, file.file);
      const found = await stat(path).catch(() => null);
      if (!found) continue;
      files.push({ ...file, bytes: found.size });
      if (file.file === MIX_FILE) seconds = file.seconds ?? (await secondsOf(path, found.size));
    }
    return { ...description, on: this.isOpen(id), seconds, files };
  }

  /** The room that a recording is of; null where there is none. @param {string} id whatever came */
  async roomOf(id) {
    return ID.test(id) ? ((await this.#read(id))?.room ?? null) : null;
  }

  /** Whether a recording is being written. @param {string} id */
  isOpen(id) {
    return this.#open.has(id) || this.#openElsewhere.has(id);
  }

  /** Whether there was a recording that was deleted lately. @param {string} id */
  wasRemoved(id) {
    return this.#removed.has(id);
  }

  /** @param {string} id */
  #remember(id) {
    this.#removed.add(id);
    for (const oldest of this.#removed) {
      if (this.#removed.size <= MAX_REMOVED) break;
      this.#removed.delete(oldest);
    }
  }

  /**
   * Has somebody told of each recording that is deleted, by its id. Its files go once what is
   * returned is settled.
   * @param {(id: string) => unknown} onRemoved
   */
  whenRemoved(onRemoved) {
    this.#onRemoved.push(onRemoved);
  }

  /**
   * Finds a recording's file, to be sent.
   * @param {string} id whatever came
   * @param {string} file whatever came
   * @returns {{ root: string, file: string } | null} null when it can't be a recording's
   */
  locate(id, file) {
    const isFile = FILE.test(file) || OTHER_FILES.includes(file);
    return ID.test(id) && isFile ? { root: join(this.#directory, id), file } : null;
  }

  /**
   * Finds how much of a file that is being written is whole, in bytes.
   * @param {string} id    of a recording
   * @param {string} file  an Ogg file of it
   * @param {number} size  as the disk has it
   */
  async wholeBytes(id, file, size) {
    return (await wholePages(join(this.#directory, id, file), size)).bytes;
  }

  /**
   * Makes the file that is asked for, where it is one that is made when it is asked for first.
   * @param {string} id whatever came
   * @param {string} file whatever came
   * @returns {Promise<'not-found' | 'recording-limit' | 'recording-share' | null>} why it isn't
   *   made
   */
  async prepare(id, file) {
    const found = this.locate(id, file);
    if (file !== WEBM_FILE || found === null || this.#closed || this.#removed.has(id)) return null;
    const path = join(found.root, file);
    if ((await exists(path)) || !(await exists(join(found.root, MIX_FILE)))) return null;
    if (this.isOpen(id)) return 'not-found';
    const refusal = this.refusalFor(id);
    if (refusal !== null) return refusal;
    await this.#webm.make(id, found.root);
    return null;
  }

  /**
   * Counts bytes of a recording that others have written to its directory.
   * @param {string} id
   * @param {number} bytes
   */
  addBytes(id, bytes) {
    this.#usage.add(id, bytes);
    // The thread that writes it counts what it writes, and knows nothing of this.
    if (this.#openElsewhere.has(id)) this.#added.set(id, (this.#added.get(id) ?? 0) + bytes);
    else this.#tell(this.#changeOf(id));
  }

  /**
   * Deletes a recording that has ended.
   * @param {string} id whatever came
   * @returns {Promise<boolean>} false when there is none
   */
  async remove(id) {
    if (!ID.test(id) || this.isOpen(id) || !(await this.#read(id))) return false;
    await this.#delete(id);
    this.#usage.remove(id);
    return true;
  }

  /**
   * Nothing is begun with it from here on, and whoever writes to its directory has ended before
   * that goes: it would not be empty.
   * @param {string} id
   */
  async #delete(id) {
    this.#remember(id);
    await Promise.all([this.#webm.made(id), ...this.#onRemoved.map((onRemoved) => onRemoved(id))]);
    try {
      await rm(join(this.#directory, id), { recursive: true, force: true });
    } catch (error) {
      this.#removed.delete(id);
      throw error;
    }
    this.#tell({ ...this.#changeOf(id), bytes: null, open: false });
  }

  /** Deletes old recordings, and measures the rest. */
  async sweep() {
    if (!this.offered) return;
    const now = this.#date.now();
    for (const id of await this.#closedIds()) {
      const path = join(this.#directory, id);
      const writtenMs = await lastWritten(path);
      if (writtenMs === null || now - writtenMs <= this.#keepMs || this.#closed) continue;
      await this.#delete(id).catch((error) => {
        this.#log.warn(`an old recording can't be deleted: ${error.message}`);
      });
    }
    await this.#measure();
  }

  async #measure() {
    const ids = new Set(await this.#closedIds());
    for (const id of ids) {
      const bytes = await sizeOf(join(this.#directory, id));
      const owner = this.#usage.ownerOf(id) ?? {
        room: (await this.#read(id))?.room ?? '',
        identity: null,
        network: null,
      };
      this.#usage.set(id, owner, bytes);
    }
    for (const id of this.#usage.ids)
      if (!ids.has(id) && !this.isOpen(id)) await this.#forgetMissing(id);
  }

  /**
   * @param {string} id of a recording that wasn't there when all were listed: it may have ended
   *   since
   */
  async #forgetMissing(id) {
    const found = await stat(join(this.#directory, id)).catch(() => null);
    if (found === null) this.#usage.remove(id);
  }

  /** @returns {Promise<string[]>} the ids of the recordings that have ended */
  async #closedIds() {
    return (await this.#idsOnDisk()).filter((id) => !this.#openElsewhere.has(id));
  }

  /** @returns {Promise<string[]>} the ids of the recordings that this thread isn't writing */
  async #idsOnDisk() {
    try {
      const ids = await readdir(this.#directory);
      return ids.filter((id) => ID.test(id) && !this.#open.has(id));
    } catch (error) {
      // The directory is made with the first recording.
      if (!isMissing(error)) this.logError("the recordings' directory can't be read", error);
      return [];
    }
  }

  /** @param {string} id @returns {Promise<Description | null>} */
  async #read(id) {
    const open = this.#open.get(id);
    if (open) return open.description;
    if (this.#removed.has(id)) return null;
    try {
      return JSON.parse(await readFile(join(this.#directory, id, DESCRIPTION), 'utf8'));
    } catch (error) {
      if (!isMissing(error)) this.logError("a recording's description can't be read", error);
      return null;
    }
  }

  /** Ends what is being written. Idempotent. */
  async close() {
    this.#closed = true;
    this.#stopSweeping();
    await Promise.all([...this.#open.values()].map((open) => open.close()));
  }
}

/** @param {unknown} error */
const isMissing = (error) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const newId = () => randomBytes(16).toString('base64url');
