/**
 * @import { Recordings } from './recordings.js'
 *
 * @typedef {object} FileDescription
 * @property {string} file
 * @property {string} label  name of the person; the mix has its own
 * @property {string | null} person  the person's id in that call; null for the mix
 * @property {string} [place]  key of the person's place, which proves that a track is theirs; it is
 *   on the disk alone
 * @property {number | null} seconds null if the server stopped before the length was known
 * @property {number} [offset]  of a recording from a person's own device: seconds from the mix's
 *   first sample to its own
 *
 * @typedef {'recording-limit' | 'recording-share' | 'recording-failed'} Trouble reason to stop a
 *   recording
 *
 * Description beside the files of a recording, stored as JSON.
 * @typedef {object} Description
 * @property {string} id
 * @property {string} room
 * @property {string} startedAt         ISO 8601
 * @property {string | null} stoppedAt  null while it runs, or if the server stopped first
 * @property {boolean} [isPublic]  true if everybody may hear it
 * @property {number} [bitrate]  of the mix, in bits per second
 * @property {number} [firstSample]  that is played of its tracks, on the room's clock
 * @property {boolean} [transcript]  true if captions were kept
 * @property {FileDescription[]} files
 */

import { mkdir, open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const DESCRIPTION = 'recording.json';

/** Writes one recording: its directory, its files, and their description. */
export class RecordingDirectory {
  #recordings;
  #directory;
  #onTrouble;
  #hasFailed = false;
  #onClose = () => {};
  /** @type {Set<RecordingFile>} */
  #files = new Set();
  /** Waiting texts by file name: the latest of each. @type {Map<string, string>} */
  #texts = new Map();
  /** Bytes of files that are replaced as a whole, by name. @type {Map<string, number>} */
  #textBytes = new Map();
  /**
   * Last of the sequential steps that make the directory and write the texts; never rejects.
   * @type {Promise<unknown>}
   */
  #made;

  /**
   * @param {Recordings} recordings
   * @param {string} directory
   * @param {Description} description updated as files are added and removed
   * @param {(code: Trouble) => void} onTrouble called once when the recording must stop
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

  /** Bytes that wait for the disk. */
  get waiting() {
    let waiting = 0;
    for (const file of this.#files) waiting += file.waiting;
    return waiting;
  }

  /** Bytes of its files, written or waiting. */
  get bytes() {
    let bytes = 0;
    for (const file of this.#files) bytes += file.bytes;
    return bytes;
  }

  /** @param {() => void} run  ends the recording at once when the server closes */
  onServerClose(run) {
    this.#onClose = run;
  }

  /**
   * Ends the recording because the server closes.
   * @returns {Promise<unknown>} settles when everything is on disk
   */
  close() {
    this.#onClose();
    return this.settled;
  }

  /**
   * Requests the end of the recording once.
   * @param {Trouble} code
   * @returns {boolean} true for the first request
   */
  trouble(code) {
    if (this.#hasFailed) return false;
    this.#hasFailed = true;
    this.#onTrouble(code);
    return true;
  }

  /** Requests the end of the recording, and logs the first error. @param {unknown} error */
  failed(error) {
    if (this.trouble('recording-failed'))
      this.#recordings.logFailure({ recording: this.description.id }, error);
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
   * Ends the recording: nothing is added any more.
   * @returns {Promise<unknown>} settles when everything is on disk
   */
  end() {
    this.#recordings.ended(this);
    this.describe();
    return this.settled;
  }

  /** Writes the description, which also outlasts a restart of the server. */
  describe() {
    this.#replace(DESCRIPTION, JSON.stringify(this.description));
  }

  /**
   * Replaces a small file.
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

  /** @param {string} name @param {string} text */
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
      // A failed write stops the recording, but its end must be described nevertheless.
      .catch((error) => this.failed(error));
  }
}

/**
 * Appends to a file without making the caller wait: data waits in memory for the disk. The caller
 * bounds that by `waiting`.
 */
class RecordingFile {
  /** Last of the sequential steps. @type {Promise<unknown>} */
  #last;
  #ended = false;
  #removed = false;
  #failed = false;
  /** @type {import('node:fs/promises').FileHandle | null} */
  #handle = null;
  #onError;

  /**
   * @param {string} path  of a new file
   * @param {(error: unknown) => void} onError  called once; nothing is written afterwards
   * @param {Promise<unknown>} [ready]  settles when the file may be made
   */
  constructor(path, onError, ready = Promise.resolve()) {
    this.path = path;
    this.#last = ready;
    this.#onError = onError;
    /** Bytes of the file, including waiting ones. */
    this.bytes = 0;
    /** Bytes that wait for the disk. */
    this.waiting = 0;
  }

  /** Settles when every step is done. */
  get settled() {
    return this.#last;
  }

  /** @param {Uint8Array} bytes  kept, so the caller must not change them */
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

  /** Closes the file when everything is written. Idempotent. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#then(() => this.#close());
  }

  /** Deletes the file at once, and discards waiting data. Idempotent. */
  remove() {
    if (this.#removed) return;
    this.#removed = true;
    this.waiting = 0;
    // Removes the name now, ahead of waiting data. If the file is still being opened, the last step
    // deletes it and reports errors.
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
      // The error was reported already; closing the file may cause it again.
      return this.#close().catch(() => {});
    });
  }
}
