/**
 * @import { Recordings } from './recordings.js'
 *
 * @typedef {object} FileDescription
 * @property {string} file
 * @property {string} label          the name of the person whose track it is; another for the mix
 * @property {string | null} person  the person's id; null for the mix
 * @property {number | null} seconds null where the server ended before it knew
 *
 * @typedef {'recording-limit' | 'recording-share' | 'recording-failed'} Trouble why a recording has
 *   to stop
 *
 * The description that is kept beside the files of a recording, as JSON.
 * @typedef {object} Description
 * @property {string} id
 * @property {string} room
 * @property {string} startedAt         ISO 8601
 * @property {string | null} stoppedAt  null while it runs, or where the server ended before it did
 * @property {boolean} [isPublic]       whether anybody may hear it
 * @property {number} [bitrate]         of the mix, in bits a second
 * @property {FileDescription[]} files
 */

import { mkdir, open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that describes the others. */
export const DESCRIPTION = 'recording.json';

/** One recording that is being written: its directory, its files, and their description. */
export class RecordingDirectory {
  #recordings;
  #directory;
  #onTrouble;
  #hasTrouble = false;
  #onClose = () => {};
  /** @type {Set<RecordingFile>} */
  #files = new Set();
  /**
   * Texts that wait to be written, by their files' names: the latest of each.
   * @type {Map<string, string>}
   */
  #texts = new Map();
  /** The bytes of files that are written anew each time, by name. @type {Map<string, number>} */
  #textBytes = new Map();
  /**
   * The last of the steps that make the directory and write the texts, one after another; never
   * rejected.
   * @type {Promise<unknown>}
   */
  #made;

  /**
   * @param {Recordings} recordings
   * @param {string} directory
   * @param {Description} description changed as files come and go
   * @param {(code: Trouble) => void} onTrouble the recording has to stop; called once
   */
  constructor(recordings, directory, description, onTrouble) {
    this.#recordings = recordings;
    this.#directory = directory;
    this.description = description;
    this.#onTrouble = onTrouble;
    this.#made = mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) =>
      this.failed(error),
    );
    this.describe();
  }

  /** Settles when everything is on disk. @type {Promise<unknown>} */
  get settled() {
    return Promise.all([this.#made, ...[...this.#files].map((file) => file.settled)]);
  }

  /** The bytes that wait for the disk. */
  get waiting() {
    let waiting = 0;
    for (const file of this.#files) waiting += file.waiting;
    return waiting;
  }

  /** The bytes of its files, written or not. */
  get bytes() {
    let bytes = 0;
    for (const file of this.#files) bytes += file.bytes;
    return bytes;
  }

  /** @param {() => void} run ends the recording at once, when the server closes */
  onServerClose(run) {
    this.#onClose = run;
  }

  /**
   * Ends the recording, since the server closes.
   * @returns {Promise<unknown>} when everything is on disk
   */
  close() {
    this.#onClose();
    return this.settled;
  }

  /**
   * Has the recording stopped, the first time.
   * @param {Trouble} code
   * @returns {boolean} whether it was the first
   */
  trouble(code) {
    if (this.#hasTrouble) return false;
    this.#hasTrouble = true;
    this.#onTrouble(code);
    return true;
  }

  /**
   * Has the recording stopped, and the first error logged.
   * @param {unknown} error
   */
  failed(error) {
    if (this.trouble('recording-failed'))
      this.#recordings.logError("a recording can't be written", error);
  }

  /**
   * @param {FileDescription} description of a new file
   * @returns {{ write: (bytes: Uint8Array) => void, end: (seconds: number) => void, remove: () =>
   *   void }}
   */
  addFile(description) {
    const path = join(this.#directory, description.file);
    const file = new RecordingFile(path, (error) => this.failed(error), this.#made);
    this.#files.add(file);
    this.description.files.push(description);
    this.describe();
    return {
      write: (bytes) => {
        file.write(bytes);
        this.#recordings.count(bytes.length, this);
      },
      end: (seconds) => {
        description.seconds = seconds;
        file.end();
      },
      remove: () => {
        file.remove();
        this.#files.delete(file);
        this.#recordings.count(-file.bytes, this);
        this.description.files = this.description.files.filter((other) => other !== description);
        this.describe();
      },
    };
  }

  /**
   * Ends the recording: nothing more is added.
   * @returns {Promise<unknown>} when everything is on disk
   */
  end() {
    this.#recordings.ended(this);
    this.describe();
    return this.settled;
  }

  /** Writes the description, for those who ask after the server was started again. */
  describe() {
    this.#replace(DESCRIPTION, JSON.stringify(this.description));
  }

  /**
   * Writes a small file in place of the one that there was.
   * @param {string} name
   * @param {string} text
   */
  replaceFile(name, text) {
    const bytes = Buffer.byteLength(text);
    const more = bytes - (this.#textBytes.get(name) ?? 0);
    this.#textBytes.set(name, bytes);
    this.#replace(name, text);
    this.#recordings.count(more, this);
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #replace(name, text) {
    const isQueued = this.#texts.has(name);
    this.#texts.set(name, text);
    if (isQueued) return;
    const path = join(this.#directory, name);
    this.#made = this.#made
      .then(() => {
        const latest = this.#texts.get(name) ?? '';
        this.#texts.delete(name);
        return writeFile(`${path}.new`, latest, { mode: 0o600 });
      })
      .then(() => rename(`${path}.new`, path))
      // A text that can't be written has the recording stop; its end is to be described all the
      // same.
      .catch((error) => this.failed(error));
  }
}

/**
 * A file that is appended to without anybody waiting: what is written waits in memory until the
 * disk takes it. The caller bounds that, by `waiting`.
 */
class RecordingFile {
  /** The last of the steps, which are done one after another. @type {Promise<unknown>} */
  #last;
  #ended = false;
  #removed = false;
  #failed = false;
  /** @type {import('node:fs/promises').FileHandle | null} */
  #handle = null;
  #onError;

  /**
   * @param {string} path where there is nothing yet
   * @param {(error: unknown) => void} onError called once; nothing more is written after it
   * @param {Promise<unknown>} [ready] when the file may be made
   */
  constructor(path, onError, ready = Promise.resolve()) {
    this.path = path;
    this.#last = ready;
    this.#onError = onError;
    /** The bytes that were written, waiting ones included. */
    this.bytes = 0;
    /** The bytes that wait for the disk. */
    this.waiting = 0;
  }

  /** Settles when every step is done. */
  get settled() {
    return this.#last;
  }

  /** @param {Uint8Array} bytes kept: not to be changed */
  write(bytes) {
    if (this.#ended) return;
    this.bytes += bytes.length;
    this.waiting += bytes.length;
    this.#then(async () => {
      if (this.#removed || this.#failed) return;
      this.#handle ??= await open(this.path, 'wx', 0o600);
      await this.#handle.appendFile(bytes);
      this.waiting -= bytes.length;
    });
  }

  /** Closes the file when all is written. Idempotent. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#then(() => this.#close());
  }

  /** Deletes the file at once, with what waits. Idempotent. */
  remove() {
    if (this.#removed) return;
    this.#removed = true;
    this.waiting = 0;
    // Its name goes now, before what waits for the disk. A file that was being opened meanwhile is
    // deleted by the last step, which also tells of errors.
    unlink(this.path).catch(() => {});
    this.end();
    this.#then(async () => {
      await unlink(this.path).catch((error) => {
        if (error.code !== 'ENOENT') throw error;
      });
    });
  }

  async #close() {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  /** @param {() => Promise<void>} step */
  #then(step) {
    this.#last = this.#last.then(step).catch((error) => {
      if (this.#failed) return;
      this.#failed = true;
      this.#ended = true;
      this.waiting = 0;
      this.#onError(error);
      // The error was told; closing the file may meet it again.
      return this.#close().catch(() => {});
    });
  }
}
