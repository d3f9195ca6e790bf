/**
 * The page's end of recordings of one's own sound. Their files are in the browser's own file
 * system, which no other site can read. Sends them to the server.
 *
 * @import { Call } from '../../call.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { FromFile } from '../capture/recording-worker.js'
 *
 * @typedef {{ name: string, bytes: number, seconds: number, lastModified: number }} OwnFile
 *   lastModified: milliseconds since 1970
 */

import { startWorker } from './call-port.js';
import { systemClock } from '../../shared/clock.js';
import { MAX_OWN_PIECE_BYTES } from '../../shared/limits.js';
import { readWavHeader, SAMPLE_BYTES, WAV_HEADER_BYTES } from '../../shared/sound/wav.js';

/** Directory of the files, as in recording-worker.js. */
const DIRECTORY = 'own-recordings';

/**
 * Least bytes of a piece, and the time that one is to take, in milliseconds. The server ends a
 * request after 30 s, so the least piece needs an uplink of 64 kbit/s.
 */
const LEAST_PIECE_BYTES = 240_000;
const PIECE_MS = 4000;

/** Status of the server for a request that takes too long. */
const TOO_LATE = 408;

/**
 * Status of the server when too many requests came. Then, or when the least piece was late, the
 * first wait, in milliseconds. Each wait is as long as all before it, at most PATIENCE_MS in all.
 */
const TOO_MANY = 429;
const BUSY_MS = 1000;
const PATIENCE_MS = 60_000;

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
 * Adds a file to a recording of the server's, in pieces that fit the uplink.
 * @param {File} file
 * @param {{ url: string, resume: string }} to  url: of the recording; resume: this person's token
 * @param {(share: number) => void} progress  0 to 1
 * @param {Clock} [clock]
 * @returns {Promise<string | null>} null when it is there; otherwise the code of a sentence
 */
export async function sendOwnFile(file, { url, resume }, progress, clock = systemClock) {
  let most = LEAST_PIECE_BYTES;
  let waitedMs = 0;
  for (let at = 0; at < file.size;) {
    const piece = file.slice(at, at + most);
    const startMs = clock.now();
    const answer = await fetch(`${url}/own?at=${at}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${resume}` },
      body: piece,
    }).catch(() => null);
    const isLate = answer === null || answer.status === TOO_LATE;
    // The uplink may be slower by now.
    if (isLate && most > LEAST_PIECE_BYTES) most = LEAST_PIECE_BYTES;
    else if (isLate || answer.status === TOO_MANY) {
      const waitMs = Math.max(BUSY_MS, waitedMs, isLate ? 0 : retryAfterMs(answer));
      waitedMs += waitMs + (isLate ? clock.now() - startMs : 0);
      if (waitedMs > PATIENCE_MS) return isLate ? 'own-not-sent' : codeOf(answer);
      await new Promise((resolve) => clock.setTimeout(() => resolve(null), waitMs));
    } else if (!answer.ok) return codeOf(answer);
    else {
      waitedMs = 0;
      at += piece.size;
      progress(at / file.size);
      const fitting = (piece.size * PIECE_MS) / Math.max(1, clock.now() - startMs);
      most = Math.round(Math.min(MAX_OWN_PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, fitting)));
    }
  }
  return null;
}

/**
 * Wait that the server asks for; 0 without one in seconds (RFC 9110, section 10.2.3).
 * @param {Response} answer
 */
const retryAfterMs = ({ headers }) => 1000 * Number(headers.get('Retry-After')) || 0;

/** Code of the server's refusal. @param {Response} answer @returns {Promise<string>} */
const codeOf = async (answer) => (await answer.json().catch(() => ({}))).code ?? 'own-not-sent';

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
