/**
 * The worker that writes a recording of one's own sound to the browser's own file system (File
 * System standard, "Origin private file system"). Sound passes in blocks, so an hour takes no
 * memory. The header is right after each block, so a crash loses less than a second.
 *
 * @import { FilePart } from './own-recording.js'
 *
 * @typedef {{ name: string, description: string, port: MessagePort } | null} ToFile
 *   null: close the file now
 * @typedef {object} FileHandle  part of FileSystemSyncAccessHandle, which only workers have
 * @property {(bytes: Uint8Array, options: { at: number }) => number} write
 * @property {() => void} flush
 * @property {() => void} close
 *
 * @typedef {{ bytes?: number, seconds?: number, ended?: string }} FromFile  ended: '', or the
 *   code of a sentence; the file is closed
 */

import {
  MAX_WAV_BYTES,
  SAMPLE_BYTES,
  WAV_HEADER_BYTES,
  wavHeader,
} from '../../shared/sound/wav.js';

/** Directory of the recordings in the origin's private file system. */
export const DIRECTORY = 'own-recordings';

/** Number of blocks after which the system writes them to the disk: 5 s. */
const FLUSH_BLOCKS = 10;

/** Writes one file. */
export class OwnFileWriter {
  #handle;
  #description;
  #tell;
  #blocks = 0;
  #bytes = 0;
  /** @type {{ sampleRate: number, channels: number, timeReference: number, date: Date } | null} */
  #format = null;
  #ended = false;

  /**
   * @param {FileHandle} handle of an empty file
   * @param {string} description  for the header
   * @param {(message: FromFile) => void} tell
   */
  constructor(handle, description, tell) {
    this.#handle = handle;
    this.#description = description;
    this.#tell = tell;
  }

  /** @param {FilePart} part @param {(buffer: ArrayBuffer) => void} giveBack */
  add(part, giveBack) {
    if ('buffer' in part) {
      if (!this.#ended) this.#attempt(() => this.#write(part));
      giveBack(part.buffer);
    } else if ('begin' in part) this.#format = { ...part.begin, date: new Date() };
    else this.end(part.end);
  }

  /** @param {{ buffer: ArrayBuffer, at: number, bytes: number }} part */
  #write({ buffer, at, bytes }) {
    if (at + bytes > MAX_WAV_BYTES) return this.end('own-full');
    // A place beyond the end leaves zeros before it: a gap is silence.
    const sound = new Uint8Array(buffer, 0, bytes);
    if (this.#handle.write(sound, { at: WAV_HEADER_BYTES + at }) < bytes)
      return this.end('own-full');
    this.#bytes = at + bytes;
    this.#writeHeader();
    if (++this.#blocks % FLUSH_BLOCKS === 0) this.#handle.flush();
    this.#tellProgress();
  }

  #writeHeader() {
    if (this.#format === null) return;
    const described = { ...this.#format, description: this.#description };
    const header = wavHeader(described, this.#bytes);
    this.#handle.write(header, { at: 0 });
  }

  #tellProgress() {
    const { sampleRate = 1, channels = 1 } = this.#format ?? {};
    const seconds = this.#bytes / (sampleRate * channels * SAMPLE_BYTES);
    this.#tell({ bytes: WAV_HEADER_BYTES + this.#bytes, seconds });
  }

  /** @param {() => void} run */
  #attempt(run) {
    try {
      run();
    } catch (error) {
      const { name } = /** @type {Error} */ (error);
      this.end(name === 'QuotaExceededError' ? 'own-full' : 'own-failed');
    }
  }

  /**
   * Closes the file. Idempotent.
   * @param {string} code
   */
  end(code) {
    if (this.#ended) return;
    this.#ended = true;
    try {
      this.#handle.flush();
      this.#handle.close();
    } catch {
      // The sound that was written before is there.
    }
    this.#tell({ ended: this.#bytes === 0 && code === '' ? 'own-empty' : code });
  }
}

/** Scope of this worker. */
const scope = /** @type {{ onmessage: unknown, postMessage: (message: FromFile) => void }} */ (
  /** @type {unknown} */ (globalThis)
);

/** @type {OwnFileWriter | null} */
let file = null;

/** @param {MessageEvent<ToFile>} event */
async function receive({ data }) {
  if (data === null) return file?.end('');
  const { name, description, port } = data;
  try {
    const root = await navigator.storage.getDirectory();
    const directory = await root.getDirectoryHandle(DIRECTORY, { create: true });
    const entry =
      /** @type {FileSystemFileHandle & { createSyncAccessHandle(): Promise<FileHandle> }} */ (
        await directory.getFileHandle(name, { create: true })
      );
    const handle = await entry.createSyncAccessHandle();
    const opened = new OwnFileWriter(handle, description, (message) => scope.postMessage(message));
    file = opened;
    port.onmessage = ({ data: part }) =>
      opened.add(part, (buffer) => port.postMessage(buffer, [buffer]));
  } catch {
    scope.postMessage({ ended: 'own-failed' });
  }
}

if (typeof navigator === 'object' && 'WorkerGlobalScope' in globalThis) scope.onmessage = receive;
