/**
 * @import { Recordings } from './recordings.js'
 *
 * @typedef {object} FileDescription
 * @property {string} file
 * @property {string} label          whose track it is, or that it is the mix
 * @property {string | null} person  the person's id; null for the mix
 * @property {number | null} seconds null where the server ended before it knew
 *
 * @typedef {object} Description  what is kept beside the files of a recording, as JSON
 * @property {string} id
 * @property {string} room
 * @property {string} startedAt         ISO 8601
 * @property {string | null} stoppedAt  null while it runs, or where the server ended before it did
 * @property {FileDescription[]} files
 */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordingFile } from './recording-file.js';

/** The file that tells what the others are. */
export const DESCRIPTION = 'recording.json';

/** One recording that is being written: its directory, its files, and what is told of them. */
export class RecordingDirectory {
  #recordings;
  #directory;
  #troubled = false;
  /** @type {Set<RecordingFile>} */
  #files = new Set();
  /** @type {Promise<unknown>} */
  #made;

  /**
   * @param {Recordings} recordings
   * @param {string} directory
   * @param {Description} description changed as files come and go
   */
  constructor(recordings, directory, description) {
    this.#recordings = recordings;
    this.#directory = directory;
    this.description = description;
    /** @type {(code: 'recording-limit' | 'recording-failed') => void} */
    this.onTrouble = () => {};
    /** Ends it at once: the server closes. */
    this.onClose = () => {};
    this.#made = mkdir(directory, { recursive: true, mode: 0o700 });
    this.#made.catch((error) => recordings.failed(error, this));
    this.describe();
  }

  /** Settles when everything is on disk. @type {Promise<unknown>} */
  get settled() {
    return Promise.all([this.#made.catch(() => {}), ...[...this.#files].map((file) => file.settled)]);
  }

  get waiting() {
    let waiting = 0;
    for (const file of this.#files) waiting += file.waiting;
    return waiting;
  }

  get bytes() {
    let bytes = 0;
    for (const file of this.#files) bytes += file.bytes;
    return bytes;
  }

  /**
   * @param {'recording-limit' | 'recording-failed'} code
   * @returns {boolean} whether it is the first
   */
  trouble(code) {
    if (this.#troubled) return false;
    this.#troubled = true;
    this.onTrouble(code);
    return true;
  }

  /**
   * @param {FileDescription} description of a new file
   * @returns {{ write: (bytes: Uint8Array) => void, end: (seconds: number) => void, remove: () => void }}
   */
  addFile(description) {
    const path = join(this.#directory, description.file);
    const file = new RecordingFile(path, (error) => this.#recordings.failed(error, this), this.#made);
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

  /** Nothing more is added. @returns {Promise<unknown>} when everything is on disk */
  end() {
    this.#recordings.ended(this);
    this.describe();
    return this.settled;
  }

  /** Writes what is told of the recording, for who asks after the server was started again. */
  describe() {
    const path = join(this.#directory, DESCRIPTION);
    const text = JSON.stringify(this.description);
    this.#made = this.#made
      .then(() => writeFile(`${path}.new`, text, { mode: 0o600 }))
      .then(() => rename(`${path}.new`, path));
    this.#made.catch((error) => this.#recordings.failed(error, this));
  }
}
