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
 *   boolean }} RecordingChange plain data; bytes: of its files, null if deleted; open: true while
 *   it is being written
 */

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedBuckets } from '../token-bucket.js';
import { reasonOf, stackOf } from '../log.js';
import { repeat } from '../timers.js';
import { DESCRIPTION, RecordingDirectory } from './recording-directory.js';
import { SteadyDate } from './steady-date.js';
import { wholePages } from './ogg-reader.js';
import { exists, lastWritten, LEAST_BYTES, secondsOf, sizeOf } from './on-disk.js';
import { OwnTracks } from './own-tracks.js';
import { CHAPTERS_FILE, MIX_FILE, PEAKS_FILE, TRANSCRIPT_FILE } from './recording.js';
import { RecordingUsage } from './recording-usage.js';
import { WEBM_FILE, WebmMaker } from './webm-file.js';

/** Limit of bytes that wait for the disk in all recordings; above it the disk is too slow. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** Interval between deletions of old recordings, in milliseconds. */
const SWEEP_MS = 10 * 60 * 1000;

/** Minimum time between two checks of the disk after refusals, in milliseconds. */
const LOOK_MS = 10_000;

/** Limit of recordings started from one network: in a row, and then per second. */
const STARTS = Object.freeze({ atOnce: 10, perSecond: 1 / 20 });

const HOUR_MS = 3600 * 1000;

/** Form of an id: 128 bits in base64url. */
const ID = /^[A-Za-z0-9_-]{22}$/;

const FILE = /^[a-z0-9][a-z0-9-]{0,60}\.(opus|wav)$/;
const OTHER_FILES = Object.freeze([PEAKS_FILE, CHAPTERS_FILE, TRANSCRIPT_FILE, WEBM_FILE]);

/** Limit of remembered deletions. */
const MAX_REMOVED = 1000;

/** Manages the recordings on disk: one directory each, named by an unguessable id. */
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
  #tell;
  /** Recordings that other threads are writing, by id. @type {Set<string>} */
  #openElsewhere = new Set();
  /** Recordings that this thread is writing. @type {Map<string, RecordingDirectory>} */
  #open = new Map();
  #stopSweeping;
  /** Called with the id of each ended recording. @type {((id: string) => void)[]} */
  #onEnded = [];
  /** Called with the id of each deleted recording. @type {((id: string) => unknown)[]} */
  #onRemoved = [];
  /**
   * Bytes added here to recordings that other threads are writing, by id.
   * @type {Map<string, number>}
   */
  #added = new Map();
  #webm = new WebmMaker({
    made: (id, bytes) => this.addBytes(id, bytes),
    failed: (error) =>
      this.#log.error(
        { event: 'recording-not-converted', file: WEBM_FILE, error: detailOf(error) },
        'recording could not be converted',
      ),
  });
  #own = new OwnTracks(this);
  /** Recently deleted recordings, the oldest first. @type {Set<string>} */
  #removed = new Set();
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.directory  created with the first recording
   * @param {number} options.limitBytes  of all recordings on the disk; 0 turns recording off
   * @param {number} options.keepHours  age at which an ended recording is deleted
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'warn' | 'error'>} options.log
   * @param {{ tell: (change: RecordingChange) => void }} [options.elsewhere] other threads that
   *   record to this directory
   */
  constructor({ directory, limitBytes, keepHours, clock, wallNow, log, elsewhere }) {
    this.#directory = directory;
    this.#limitBytes = limitBytes;
    this.#usage = new RecordingUsage(limitBytes);
    this.#clock = clock;
    this.#keepMs = keepHours * HOUR_MS;
    this.#wallNow = wallNow;
    this.#date = new SteadyDate({ clock, wallNow, log, forgetMs: this.#keepMs });
    this.#log = log;
    this.#tell = elsewhere?.tell ?? (() => {});
    this.#stopSweeping = repeat(clock, SWEEP_MS, () => void this.sweep());
  }

  /** Applies a change that another thread has made. @param {RecordingChange} change */
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

  /** All recordings, for other threads. @returns {RecordingChange[]} */
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

  /** True when recording is turned on. */
  get offered() {
    return this.#limitBytes > 0 && !this.#closed;
  }

  /**
   * Checks whether a recording may begin.
   * @param {RecordingOwner} owner
   * @returns {{ code: 'recording-off' | 'recording-limit' | 'recording-share' | 'recording-busy',
   *   retryMs?: number } | null} reason to refuse it, or null
   */
  refusal(owner) {
    if (!this.offered) return { code: 'recording-off' };
    const code = this.#usage.refusal(owner);
    if (code !== null) {
      this.#scheduleSweep();
      return { code };
    }
    const retryMs = this.#starts.take(owner.network, this.#clock.now());
    return retryMs > 0 ? { code: 'recording-busy', retryMs } : null;
  }

  /** Checks the disk, so that manually deleted files no longer count. */
  #scheduleSweep() {
    const now = this.#clock.now();
    if (now - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = now;
    void this.sweep();
  }

  /** Used and allowed bytes of the recordings, and the number of running ones. */
  get usage() {
    return {
      bytes: this.#usage.bytes,
      limitBytes: this.#limitBytes,
      open: this.#open.size + this.#openElsewhere.size,
    };
  }

  /**
   * Lists the recordings, the newest first.
   * @param {number} most  limit of the list
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
   * @param {(code: Trouble) => void} onTrouble  called once when the recording must stop
   * @param {{ isPublic?: boolean, bitrate?: number }} [known]  isPublic: everybody may hear it;
   *   bitrate: of the mix, in bits per second
   */
  begin(owner, onTrouble, { isPublic = false, bitrate } = {}) {
    const id = newId();
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
   * Counts bytes before they are written, and stops a recording that exceeds a limit.
   * @param {number} bytes  negative for deleted ones
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

  /** Numbers of all and of running recordings, and the bytes used. */
  stats() {
    return {
      recordings: this.#usage.count,
      open: this.#open.size,
      bytes: this.#usage.bytes,
      limitBytes: this.#limitBytes,
    };
  }

  /**
   * Logs that a recording, or one participant in it, isn't written.
   * @param {{ recording?: string, room?: string, participant?: string }} fields
   * @param {unknown} error
   */
  logFailure(fields, error) {
    this.#log.error(
      { event: 'recording-failed', ...fields, error: detailOf(error) },
      'recording could not be written',
    );
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

  /** @param {(id: string) => void} onEnded  called with the id of each ended recording */
  whenEnded(onEnded) {
    this.#onEnded.push(onEnded);
  }

  /**
   * @param {string} id  of a recording
   * @returns {'recording-limit' | 'recording-share' | null} reason to refuse additions, or null
   */
  refusalFor(id) {
    const owner = this.#usage.ownerOf(id);
    return owner ? this.#usage.refusal(owner) : null;
  }

  /**
   * Describes a recording and its existing files.
   * @param {string} id  unchecked
   * @returns {Promise<(Omit<Description, 'files'> & { on: boolean, seconds: number, files:
   *   (Omit<FileDescription, 'place'> & { bytes: number })[] }) | null>} seconds: written length of
   *   the mix; null if there is no such recording
   */
  async describe(id) {
    if (!ID.test(id)) return null;
    const description = await this.#read(id);
    if (!description) return null;
    const files = [];
    let seconds = 0;
    for (const { place: _place, ...file } of description.files) {
      const path = join(this.#directory, id, file.file);
      const found = await stat(path).catch(() => null);
      if (!found) continue;
      files.push({ ...file, bytes: found.size });
      if (file.file === MIX_FILE) seconds = file.seconds ?? (await secondsOf(path, found.size));
    }
    return { ...description, on: this.isOpen(id), seconds, files };
  }

  /**
   * Description of a recording as it is on the disk.
   * @param {string} id  unchecked
   * @returns {Promise<Description | null>}
   */
  async read(id) {
    return ID.test(id) ? this.#read(id) : null;
  }

  /** Finds the room of a recording, or null. @param {string} id  unchecked */
  async roomOf(id) {
    return (await this.read(id))?.room ?? null;
  }

  /** True while a recording is being written. @param {string} id */
  isOpen(id) {
    return this.#open.has(id) || this.#openElsewhere.has(id);
  }

  /** True for a recently deleted recording. @param {string} id */
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
   * @param {(id: string) => unknown} onRemoved  called with the id of each deleted recording; its
   *   files are deleted after the returned promise settles
   */
  whenRemoved(onRemoved) {
    this.#onRemoved.push(onRemoved);
  }

  /**
   * Locates a recording's file for sending.
   * @param {string} id  unchecked
   * @param {string} file  unchecked
   * @returns {{ root: string, file: string } | null} null if it can't be a recording's
   */
  locate(id, file) {
    const isFile = FILE.test(file) || OTHER_FILES.includes(file);
    return ID.test(id) && isFile ? { root: join(this.#directory, id), file } : null;
  }

  /**
   * Finds the size of the whole pages in a growing file, in bytes.
   * @param {string} id  of a recording
   * @param {string} file  an Ogg file of it
   * @param {number} size  on the disk
   */
  async wholeBytes(id, file, size) {
    return (await wholePages(join(this.#directory, id, file), size)).bytes;
  }

  /**
   * Makes a file that is made at the first request for it.
   * @param {string} id  unchecked
   * @param {string} file  unchecked
   * @returns {Promise<'not-found' | 'recording-limit' | 'recording-share' | null>} reason for a
   *   failure, or null
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
   * Counts bytes that another writer has added to a recording's directory.
   * @param {string} id
   * @param {number} bytes
   */
  addBytes(id, bytes) {
    this.#usage.add(id, bytes);
    // The thread that writes the recording doesn't know of these bytes.
    if (this.#openElsewhere.has(id)) this.#added.set(id, (this.#added.get(id) ?? 0) + bytes);
    else this.#tell(this.#changeOf(id));
  }

  /**
   * Adds a piece of a recording from a person's own device.
   * @type {OwnTracks['add']}
   */
  addOwn(id, place, at, piece) {
    return this.#own.add(id, place, at, piece);
  }

  /**
   * Deletes an ended recording.
   * @param {string} id  unchecked
   * @returns {Promise<boolean>} false if there is none
   */
  async remove(id) {
    if (!ID.test(id) || this.isOpen(id) || !(await this.#read(id))) return false;
    await this.#delete(id);
    this.#usage.remove(id);
    return true;
  }

  /**
   * Deletes a recording after all writers to its directory have ended, because the directory must
   * be empty; no new one begins from here on.
   * @param {string} id
   */
  async #delete(id) {
    this.#remember(id);
    await Promise.all([
      this.#own.settled(id),
      this.#webm.made(id),
      ...this.#onRemoved.map((onRemoved) => onRemoved(id)),
    ]);
    try {
      await rm(join(this.#directory, id), { recursive: true, force: true });
    } catch (error) {
      this.#removed.delete(id);
      throw error;
    }
    this.#tell({ ...this.#changeOf(id), bytes: null, open: false });
  }

  /** Deletes old recordings, and measures the others. */
  async sweep() {
    if (!this.offered) return;
    const now = this.#date.now();
    for (const id of await this.#closedIds()) {
      const path = join(this.#directory, id);
      const writtenMs = await lastWritten(path);
      if (writtenMs === null || now - writtenMs <= this.#keepMs || this.#closed) continue;
      await this.#delete(id).catch((error) => {
        this.#log.warn(
          { event: 'recording-not-deleted', recording: id, reason: reasonOf(error) },
          'old recording could not be deleted',
        );
      });
    }
    await this.#measure();
  }

  async #measure() {
    const ids = new Set(await this.#closedIds());
    for (const id of ids) {
      const countedBytes = this.#usage.bytesOf(id);
      const bytes = await sizeOf(join(this.#directory, id));
      const owner = this.#usage.ownerOf(id) ?? {
        room: (await this.#read(id))?.room ?? '',
        identity: null,
        network: null,
      };
      // A recording may be deleted, or get another file, while it is measured.
      if (!this.#removed.has(id) && this.#usage.bytesOf(id) === countedBytes)
        this.#usage.set(id, owner, bytes);
    }
    for (const id of this.#usage.ids)
      if (!ids.has(id) && !this.isOpen(id)) await this.#forgetMissing(id);
  }

  /** @param {string} id  of a recording missing from the list: it may have ended since */
  async #forgetMissing(id) {
    const found = await stat(join(this.#directory, id)).catch(() => null);
    if (found === null) this.#usage.remove(id);
  }

  /** @returns {Promise<string[]>} ids of the ended recordings */
  async #closedIds() {
    return (await this.#idsOnDisk()).filter((id) => !this.#openElsewhere.has(id));
  }

  /** @param {string} path @param {unknown} error */
  #logUnreadable(path, error) {
    this.#log.error(
      { event: 'recording-unreadable', path, error: detailOf(error) },
      'recordings could not be read',
    );
  }

  /** @returns {Promise<string[]>} ids of the recordings that this thread isn't writing */
  async #idsOnDisk() {
    try {
      const ids = await readdir(this.#directory);
      return ids.filter((id) => ID.test(id) && !this.#open.has(id));
    } catch (error) {
      // The directory appears with the first recording.
      if (!isMissing(error)) this.#logUnreadable(this.#directory, error);
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
      if (!isMissing(error)) this.#logUnreadable(join(id, DESCRIPTION), error);
      return null;
    }
  }

  /** Ends all running recordings. Idempotent. */
  async close() {
    this.#closed = true;
    this.#stopSweeping();
    await Promise.all([...this.#open.values()].map((open) => open.close()));
  }
}

/** @param {unknown} error */
const isMissing = (error) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const newId = () => randomBytes(16).toString('base64url');

/** Returns the message of a system error, or the stack of another error. @param {unknown} error */
const detailOf = (error) =>
  error instanceof Error && 'code' in error ? reasonOf(error) : stackOf(error);
