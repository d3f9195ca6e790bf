/**
 * The page's end of recordings of one's own sound. Their files are in the browser's own file
 * system, which no other site can read. Sends them to the server.
 *
 * @import { Call } from '../../call.js'
 * @import { FromFile } from '../capture/recording-worker.js'
 *
 * @typedef {{ name: string, bytes: number, seconds: number, lastModified: number }} OwnFile
 *   lastModified: milliseconds since 1970
 */

import { startWorker } from './call-port.js';
import { MAX_OWN_PIECE_BYTES } from '../../shared/limits.js';
import { readWavHeader, SAMPLE_BYTES, WAV_HEADER_BYTES } from '../../shared/sound/wav.js';

/** Directory of the files, as in recording-worker.js. */
const DIRECTORY = 'own-recordings';

/** Time in which a call's worker ends the file itself when the call ends, in milliseconds. */
const END_MS = 1000;

/** True when this browser has files of its own; it has them over HTTPS alone. */
export const canRecordOwn = () => typeof navigator.storage?.getDirectory === 'function';

async function directoryOf() {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(DIRECTORY);
}

/**
 * Lists the files on this device, the newest first.
 * @returns {Promise<OwnFile[]>}
 */
export async function listOwnFiles() {
  const directory = await directoryOf().catch(() => null);
  if (directory === null) return [];
  const files = [];
  for await (const entry of directory.values()) {
    if (entry.kind !== 'file') continue;
    const file = await entry.getFile();
    const { name, size, lastModified } = file;
    files.push({ name, bytes: size, seconds: await secondsOf(file), lastModified });
  }
  return files.sort((a, b) => b.lastModified - a.lastModified);
}

/** @param {File} file */
async function secondsOf(file) {
  const bytes = new Uint8Array(await file.slice(0, WAV_HEADER_BYTES).arrayBuffer());
  const wav = readWavHeader(bytes);
  return wav ? wav.dataBytes / (wav.sampleRate * wav.channels * SAMPLE_BYTES) : 0;
}

/**
 * @param {string} name
 * @returns {Promise<File>} read from the disk as it is used
 */
export async function ownFile(name) {
  return (await (await directoryOf()).getFileHandle(name)).getFile();
}

/** @param {string} name  of a file that isn't being written */
export async function removeOwnFile(name) {
  await (await directoryOf()).removeEntry(name);
}

/**
 * Adds a file to a recording of the server's.
 * @param {File} file
 * @param {{ url: string, resume: string }} to  url: of the recording; resume: this person's token
 * @param {(share: number) => void} progress  0 to 1
 * @returns {Promise<string | null>} null when it is there; otherwise the code of a sentence
 */
export async function sendOwnFile(file, { url, resume }, progress) {
  for (let at = 0; at < file.size; at += MAX_OWN_PIECE_BYTES) {
    const answer = await fetch(`${url}/own?at=${at}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${resume}` },
      body: file.slice(at, at + MAX_OWN_PIECE_BYTES),
    }).catch(() => null);
    if (answer === null) return 'own-not-sent';
    if (!answer.ok) return (await answer.json().catch(() => ({}))).code ?? 'own-not-sent';
    progress(Math.min(1, (at + MAX_OWN_PIECE_BYTES) / file.size));
  }
  return null;
}

/** One recording that runs. */
export class OwnFileRecording {
  #worker = startWorker(new URL('../capture/recording-worker.js', import.meta.url));
  #call;
  #on;
  #ended = false;

  /**
   * @param {Pick<Call, 'toWorker'>} call
   * @param {{ name: string, description: string }} file  description: for its header
   * @param {object} on
   * @param {(bytes: number, seconds: number) => void} on.progress  twice a second
   * @param {(code: string) => void} on.ended  once: '', or the code of a sentence
   */
  constructor(call, file, on) {
    this.#call = call;
    this.#on = on;
    const { port1, port2 } = new MessageChannel();
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = () => this.#receive({ ended: 'own-failed' });
    this.#worker.postMessage({ ...file, port: port2 }, [port2]);
    call.toWorker('record-own', port1, [port1]);
    // Browsers may delete files of sites that nobody has used for long, unless they are asked.
    void navigator.storage.persist?.().catch(() => {});
  }

  /** @param {FromFile} message */
  #receive({ bytes = 0, seconds = 0, ended }) {
    if (this.#ended) return;
    if (ended === undefined) return this.#on.progress(bytes, seconds);
    this.#ended = true;
    this.#worker.terminate();
    this.#call.toWorker('record-own', null);
    this.#on.ended(ended);
  }

  /** Ends it: `ended` follows. Idempotent. */
  stop() {
    this.#call.toWorker('record-own', null);
    // The call's worker may be gone.
    setTimeout(() => this.#worker.postMessage(null), END_MS);
  }
}
