/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Description, FileDescription } from './recording-directory.js'
 * @import { Recordings } from './recordings.js'
 */

import { open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWavHeader, SAMPLE_BYTES, WAV_HEADER_BYTES } from '../../public/shared/sound/wav.js';
import { DESCRIPTION } from './recording-directory.js';

/** Most files of a person in a recording. */
const MAX_FILES = 5;

/** Ending of a file that is being sent. */
const PART = '.part';

/**
 * A person's next file in a recording.
 * @typedef {object} NextFile
 * @property {string} root  directory of the recording
 * @property {string} name
 * @property {string | null} last  name of their last complete file
 * @property {boolean} isFull  true when they may add no more
 * @property {string} label
 * @property {string | null} person
 */

/**
 * @param {unknown} error  of a write
 * @returns {ErrorCode} reason to refuse a piece when the disk, or the user's share of it, is full
 * @throws {unknown} any other error
 */
function refusalOf(error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'recording-limit';
  throw error;
}

/**
 * Adds recordings from people's own devices to the files of an ended recording. Only people with a
 * track in it may add one, so a person who has withdrawn can't.
 */
export class OwnTracks {
  #recordings;
  /** The last step of each recording; never rejects. @type {Map<string, Promise<unknown>>} */
  #steps = new Map();

  /**
   * @param {Pick<Recordings, 'read' | 'locate' | 'isOpen' | 'refusalFor' | 'addBytes' |
   *   'usage'>} recordings
   */
  constructor(recordings) {
    this.#recordings = recordings;
  }

  /** Settles when nothing is being written. @param {string} id */
  async settled(id) {
    await this.#steps.get(id);
  }

  /**
   * Adds a piece; the last one completes the file. A piece that is there already may come again, as
   * when the answer to it got lost.
   * @param {string} id  of a recording
   * @param {string} place  key of the participant's place
   * @param {number} at  place of the piece in the file, unchecked; 0 begins a file
   * @param {Uint8Array} piece
   * @returns {Promise<ErrorCode | null>} reason to refuse it, or null
   */
  add(id, place, at, piece) {
    const before = this.#steps.get(id) ?? Promise.resolve();
    const added = before.then(() => this.#add(id, place, at, piece));
    const step = added
      .catch(() => {})
      .then(() => {
        if (this.#steps.get(id) === step) this.#steps.delete(id);
      });
    this.#steps.set(id, step);
    return added;
  }

  /** @type {OwnTracks['add']} */
  async #add(id, place, at, piece) {
    const description = await this.#recordings.read(id);
    if (description === null) return 'not-found';
    const next = this.#nextFor(id, place, description.files);
    if (typeof next === 'string') return next;
    if (piece.length === 0 || !Number.isSafeInteger(at) || at < 0) return 'own-invalid';
    const { root, name, last, isFull } = next;
    const path = join(root, name);
    if (at === 0) await this.#discard(id, path, await sizeOf(path + PART));
    const begun = await sizeOf(path + PART);
    const whole = begun === 0 ? last : null;
    if (whole !== null && (await heldBytes(join(root, whole), at, piece)) === piece.length)
      return null;
    if (isFull) return 'own-refused';
    const held = at < begun ? await heldBytes(path + PART, at, piece) : 0;
    if (at > begun || held === null) return 'own-invalid';
    if (held === piece.length) return null;
    return this.#append(id, description, { ...next, place }, begun, piece.subarray(held));
  }

  /**
   * @param {string} id
   * @param {Description} description
   * @param {NextFile & { place: string }} file
   * @param {number} at  its bytes so far
   * @param {Uint8Array} piece  some bytes
   * @returns {Promise<ErrorCode | null>}
   */
  async #append(id, description, { root, name, label, person, place }, at, piece) {
    const path = join(root, name);
    const wav = readWavHeader(at === 0 ? piece : await bytesOf(path + PART, 0, WAV_HEADER_BYTES));
    if (wav === null) return 'own-invalid';
    const total = WAV_HEADER_BYTES + wav.dataBytes;
    if (at + piece.length > total) return 'own-invalid';
    const refusal = this.#refusalFor(id, total - at);
    if (refusal !== null) {
      await this.#discard(id, path, at);
      return refusal;
    }
    this.#recordings.addBytes(id, piece.length);
    try {
      await append(path + PART, piece);
      if (at + piece.length < total) return null;
      const { firstSample = wav.timeReference } = description;
      await complete(root, {
        file: name,
        label: `${label} · WAV`,
        person,
        place,
        seconds: wav.dataBytes / (wav.sampleRate * wav.channels * SAMPLE_BYTES),
        offset: (wav.timeReference - firstSample) / wav.sampleRate,
      });
      return null;
    } catch (error) {
      // A part of a piece can't be continued, and would keep a full disk full.
      await this.#discard(id, path, at + piece.length);
      return refusalOf(error);
    }
  }

  /**
   * Finds the name of a person's next file. Ids of people begin again with each call of a room, so
   * the key of the place says whose track it is.
   * @param {string} id
   * @param {string} place
   * @param {FileDescription[]} files
   * @returns {NextFile | ErrorCode}
   */
  #nextFor(id, place, files) {
    const theirs = files.filter((file) => file.place === place);
    const track = theirs.find(({ offset }) => offset === undefined);
    const own = theirs.filter(({ offset }) => offset !== undefined);
    if (!track || this.#recordings.isOpen(id)) return 'own-refused';
    const base = track.file.replace(/\.opus$/, '');
    const count = own.length;
    const found = this.#recordings.locate(id, `${base}${count === 0 ? '' : `-${count + 1}`}.wav`);
    if (!found) return 'not-found';
    const { label, person } = track;
    const last = own.at(-1)?.file ?? null;
    return { root: found.root, name: found.file, last, isFull: count >= MAX_FILES, label, person };
  }

  /**
   * Refuses what doesn't fit into the server's limit.
   * @param {string} id
   * @param {number} bytes  still to come
   */
  #refusalFor(id, bytes) {
    const { bytes: used, limitBytes } = this.#recordings.usage;
    return used + bytes > limitBytes ? 'recording-limit' : this.#recordings.refusalFor(id);
  }

  /**
   * @param {string} id
   * @param {string} path
   * @param {number} bytes
   */
  async #discard(id, path, bytes) {
    await unlink(path + PART).catch(() => {});
    if (bytes > 0) this.#recordings.addBytes(id, -bytes);
  }
}

/**
 * Lists a complete file among the recording's.
 * @param {string} root
 * @param {FileDescription} file
 */
async function complete(root, file) {
  const path = join(root, DESCRIPTION);
  /** @type {Description} */
  const description = JSON.parse(await readFile(path, 'utf8'));
  description.files.push(file);
  try {
    await writeFile(`${path}.new`, JSON.stringify(description), { mode: 0o600 });
  } catch (error) {
    await unlink(`${path}.new`).catch(() => {});
    throw error;
  }
  await rename(join(root, file.file + PART), join(root, file.file));
  await rename(`${path}.new`, path);
}

/** Bytes of a file; 0 if there is none. @param {string} path */
const sizeOf = async (path) => (await stat(path).catch(() => null))?.size ?? 0;

/**
 * Counts the first bytes of a piece that a file holds at their place.
 * @param {string} path
 * @param {number} at
 * @param {Uint8Array} piece
 * @returns {Promise<number | null>} null if the file holds others there
 */
async function heldBytes(path, at, piece) {
  const held = await bytesOf(path, at, piece.length);
  return held.equals(piece.subarray(0, held.length)) ? held.length : null;
}

/**
 * Reads a part of a file.
 * @param {string} path
 * @param {number} at
 * @param {number} most
 * @returns {Promise<Buffer>} fewer bytes at the file's end; none without the file
 */
async function bytesOf(path, at, most) {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @param {string} path @param {Uint8Array} bytes */
async function append(path, bytes) {
  const handle = await open(path, 'a', 0o600);
  try {
    await handle.appendFile(bytes);
  } finally {
    await handle.close();
  }
}
