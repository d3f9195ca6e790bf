/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Description, FileDescription } from './recording-directory.js'
 */

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { repeat } from '../timers.js';
import { DESCRIPTION, RecordingDirectory } from './recording-directory.js';

/** What may wait for the disk, of all recordings together: beyond it the disk is too slow to record to. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** What a recording counts for before anything is in it: a directory, and files in it, take blocks of the disk. */
const LEAST_BYTES = 16 * 1024;

/** How often old recordings are looked for. */
const SWEEP_MS = 10 * 60 * 1000;

const HOUR_MS = 3600 * 1000;

/** 128 bits, in base64url. */
const ID = /^[A-Za-z0-9_-]{22}$/;
const FILE = /^[a-z0-9][a-z0-9-]{0,60}\.opus$/;

/** The recordings on disk: a directory each, named by an id that can't be guessed. */
export class Recordings {
  #directory;
  #limitBytes;
  #keepMs;
  #wallNow;
  #log;
  #randomId;
  #bytes = 0;
  /** Those that are being written, and what ends them. @type {Map<string, RecordingDirectory>} */
  #open = new Map();
  #stopSweeping;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.directory   made when the first recording begins
   * @param {number} options.limitBytes  on disk, of all recordings; 0: there are none
   * @param {number} options.keepHours   after its end
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<Log, 'warn' | 'error'>} options.log
   * @param {() => string} [options.randomId]
   */
  constructor({ directory, limitBytes, keepHours, clock, wallNow, log, randomId = newId }) {
    this.#directory = directory;
    this.#limitBytes = limitBytes;
    this.#keepMs = keepHours * HOUR_MS;
    this.#wallNow = wallNow;
    this.#log = log;
    this.#randomId = randomId;
    this.#stopSweeping = repeat(clock, SWEEP_MS, () => void this.sweep());
  }

  /** Whether there are recordings at all. */
  get offered() {
    return this.#limitBytes > 0 && !this.#closed;
  }

  /** Whether there is room on the disk for another. */
  get hasRoom() {
    return this.#bytes < this.#limitBytes;
  }

  /**
   * Begins a recording.
   * @param {string} room
   * @param {(code: 'recording-limit' | 'recording-failed') => void} onTrouble the recording has to stop;
   *   called once
   */
  begin(room, onTrouble) {
    const id = this.#randomId();
    const startedAt = new Date(this.#wallNow()).toISOString();
    const opened = new RecordingDirectory(this, join(this.#directory, id), { id, room, startedAt, stoppedAt: null, files: [] });
    opened.onTrouble = onTrouble;
    this.#open.set(id, opened);
    this.#bytes += LEAST_BYTES;
    return opened;
  }

  /**
   * @param {number} bytes that are to be written
   * @param {RecordingDirectory} by
   */
  count(bytes, by) {
    this.#bytes += bytes;
    if (bytes <= 0) return;
    if (this.#bytes >= this.#limitBytes) by.trouble('recording-limit');
    let waiting = 0;
    for (const { waiting: bytesOfOne } of this.#open.values()) waiting += bytesOfOne;
    if (waiting > MAX_WAITING_BYTES) by.trouble('recording-failed');
  }

  /** @param {unknown} error @param {RecordingDirectory} by */
  failed(error, by) {
    const isFirst = by.trouble('recording-failed');
    if (isFirst) this.#log.error(`a recording can't be written: ${error instanceof Error ? error.message : error}`);
  }

  /** @param {RecordingDirectory} by */
  ended(by) {
    by.description.stoppedAt = new Date(this.#wallNow()).toISOString();
    this.#open.delete(by.description.id);
  }

  /**
   * What there is of a recording.
   * @param {string} id whatever came
   * @returns {Promise<(Omit<Description, 'files'> & { on: boolean, files: (FileDescription & { bytes: number })[] })
   *   | null>} null when there is none
   */
  async describe(id) {
    if (!ID.test(id)) return null;
    const description = await this.#read(id);
    if (!description) return null;
    const files = [];
    for (const file of description.files) {
      const found = await stat(join(this.#directory, id, file.file)).catch(() => null);
      if (found) files.push({ ...file, bytes: found.size });
    }
    return { ...description, on: this.#open.has(id), files };
  }

  /**
   * Where a file is, for those who send it.
   * @param {string} id whatever came
   * @param {string} file whatever came
   * @returns {{ root: string, file: string } | null} null when it can't be a recording's
   */
  locate(id, file) {
    return ID.test(id) && FILE.test(file) ? { root: join(this.#directory, id), file } : null;
  }

  /**
   * Deletes a recording that has ended.
   * @param {string} id whatever came
   * @returns {Promise<boolean>} false when there is none
   */
  async remove(id) {
    if (!ID.test(id) || this.#open.has(id) || !(await this.#read(id))) return false;
    const path = join(this.#directory, id);
    const bytes = await sizeOf(path);
    await rm(path, { recursive: true, force: true });
    this.#bytes -= bytes;
    return true;
  }

  /** Deletes what is too old, and measures the rest. */
  async sweep() {
    if (!this.offered) return;
    const ids = await readdir(this.#directory).catch(() => []);
    for (const id of ids) {
      if (!ID.test(id) || this.#open.has(id)) continue;
      const path = join(this.#directory, id);
      // One without a description is what a server left that ended before it had written any.
      const found = await stat(join(path, DESCRIPTION)).catch(() => stat(path).catch(() => null));
      if (found === null || this.#wallNow() - found.mtimeMs <= this.#keepMs || this.#closed) continue;
      await rm(path, { recursive: true, force: true }).catch((error) => {
        this.#log.warn(`an old recording can't be deleted: ${error.message}`);
      });
    }
    await this.#measure();
  }

  async #measure() {
    let bytes = 0;
    for (const id of await readdir(this.#directory).catch(() => [])) {
      if (ID.test(id) && !this.#open.has(id)) bytes += await sizeOf(join(this.#directory, id));
    }
    for (const { bytes: bytesOfOne } of this.#open.values()) bytes += LEAST_BYTES + bytesOfOne;
    this.#bytes = bytes;
  }

  /** @param {string} id @returns {Promise<Description | null>} */
  async #read(id) {
    const open = this.#open.get(id);
    if (open) return open.description;
    try {
      return JSON.parse(await readFile(join(this.#directory, id, DESCRIPTION), 'utf8'));
    } catch {
      return null;
    }
  }

  /** Ends what is being written. Idempotent. */
  async close() {
    this.#closed = true;
    this.#stopSweeping();
    const ending = [...this.#open.values()];
    for (const open of ending) open.onClose();
    await Promise.all(ending.map((open) => open.settled));
  }
}

/** @param {string} directory @returns {Promise<number>} what it counts for: bytes of the files in it, and its own */
async function sizeOf(directory) {
  let bytes = LEAST_BYTES;
  for (const name of await readdir(directory).catch(() => [])) {
    bytes += (await stat(join(directory, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

const newId = () => randomBytes(16).toString('base64url');
