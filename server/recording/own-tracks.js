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
   * Adds a piece; the last one completes the file.
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
    const { root, name, label, person } = next;
    const path = join(root, name);
    const begun = (await stat(path + PART).catch(() => null))?.size ?? 0;
    if (at === 0) await this.#discard(id, path, begun);
    else if (begun !== at) return 'own-invalid';
    const wav = readWavHeader(at === 0 ? piece : await beginningOf(path + PART));
    if (wav === null || piece.length === 0) return 'own-invalid';
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
   * @returns {{ root: string, name: string, label: string, person: string | null } | ErrorCode}
   */
  #nextFor(id, place, files) {
    const theirs = files.filter((file) => file.place === place);
    const track = theirs.find(({ offset }) => offset === undefined);
    const own = theirs.filter(({ offset }) => offset !== undefined).length;
    if (!track || this.#recordings.isOpen(id) || own >= MAX_FILES) return 'own-refused';
    const base = track.file.replace(/\.opus$/, '');
    const found = this.#recordings.locate(id, `${base}${own === 0 ? '' : `-${own + 1}`}.wav`);
    if (!found) return 'not-found';
    return { root: found.root, name: found.file, label: track.label, person: track.person };
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

/** @param {string} path @returns {Promise<Uint8Array>} the file's bytes, at most a header's */
async function beginningOf(path) {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(WAV_HEADER_BYTES), 0);
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
