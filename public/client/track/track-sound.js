import { systemClock } from '../../shared/clock.js';
import { startWorker } from '../call/call-port.js';
import {
  LEAD_SAMPLES,
  MAX_TRACK_SECONDS,
  PIECE_SECONDS,
  piecesOf,
  SOURCE_SAMPLES,
  TRACK_CHANNELS,
  TRACK_RATE,
} from '../../shared/wire/track-piece.js';

/** Largest file that is read, in bytes: more than the longest track as a 24-bit WAV file. */
const MAX_FILE_BYTES = 300e6;

/** Interval of fetching pieces in advance, in milliseconds: at 128 kbit/s, 1.3 Mbit/s. */
const KEEP_MS = 1000;

/** Failure with the code of a sentence. */
export class SoundError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** The file has gone since it was chosen, or is no sound. @returns {never} */
function unreadable() {
  throw new SoundError('track-unreadable');
}

/**
 * Decodes a file by the browser's own decoders.
 * @param {Blob} file
 * @returns {Promise<AudioBuffer>} at TRACK_RATE
 * @throws {SoundError}
 */
export async function readTrack(file) {
  if (file.size > MAX_FILE_BYTES) throw new SoundError('track-too-long');
  const context = new OfflineAudioContext({
    numberOfChannels: TRACK_CHANNELS,
    length: 1,
    sampleRate: TRACK_RATE,
  });
  const bytes = await file.arrayBuffer().catch(unreadable);
  const sound = await context.decodeAudioData(bytes).catch(unreadable);
  if (sound.duration > MAX_TRACK_SECONDS) throw new SoundError('track-too-long');
  if (sound.duration === 0) throw new SoundError('track-unreadable');
  return sound;
}

/**
 * Transfers the backing tracks' pieces between the server and this page. Its own worker codes them;
 * it starts when needed.
 */
export class TrackPieces {
  /** @type {Worker | null} */
  #worker = null;
  /** Origin of the node of a cluster that has the room; '' for the page's own server. */
  origin = '';
  #nextId = 1;
  #closed = false;
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #clock;
  /**
   * Pieces of one track that have arrived.
   * @type {{ id: string, pieces: Map<number, Uint8Array<ArrayBuffer>> }}
   */
  #kept = { id: '', pieces: new Map() };

  constructor(clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Sends all pieces of a track in order.
   * @param {string} id
   * @param {AudioBuffer} sound
   * @param {(share: number) => void} progress 0 to 1
   * @throws {SoundError}
   */
  async send(id, sound, progress) {
    const count = piecesOf(sound.duration);
    for (let number = 0; number < count; number++) {
      progress(number / count);
      const encode = sourceOf(sound, number);
      const piece = await this.#ask({ encode }, [encode.buffer]).catch(() => null);
      const body = /** @type {Uint8Array<ArrayBuffer> | null} */ (piece);
      const answer =
        body &&
        (await fetch(`${this.origin}/api/tracks/${id}/${number}`, { method: 'PUT', body }).catch(
          () => null,
        ));
      if (!answer?.ok) throw new SoundError('track-not-sent');
    }
    progress(1);
  }

  /**
   * Fetches a track in advance, and forgets the previous one, so that nothing is fetched while
   * people play to it.
   * @param {string} id '' for none
   * @param {number} seconds
   */
  async keep(id, seconds) {
    if (this.#kept.id === id) return;
    const kept = (this.#kept = { id, pieces: new Map() });
    for (let number = 0; number < piecesOf(seconds); number++) {
      // A missing piece is requested again when it is needed.
      await this.#fetch(id, number).catch(() => {});
      await new Promise(
        (/** @type {(done: void) => void} */ done) => void this.#clock.setTimeout(done, KEEP_MS),
      );
      if (this.#kept !== kept) return;
    }
  }

  /**
   * Gets a piece's sound.
   * @param {string} id
   * @param {number} number
   * @returns {Promise<Float32Array<ArrayBuffer>[]>} left and right
   * @throws {SoundError}
   */
  async get(id, number) {
    const sound = await this.#ask({ decode: await this.#fetch(id, number) });
    if (!sound) throw new SoundError('track-not-heard');
    return /** @type {Float32Array<ArrayBuffer>[]} */ (sound);
  }

  /** @param {string} id @param {number} number */
  #fetch(id, number) {
    const { pieces } = this.#kept.id === id ? this.#kept : { pieces: new Map() };
    const piece = pieces.get(number) ?? fetchPiece(this.origin, id, number);
    pieces.set(number, piece);
    piece.catch(() => pieces.delete(number));
    return piece;
  }

  /**
   * @param {object} message
   * @param {Transferable[]} [transfer]
   * @returns {Promise<unknown>}
   */
  #ask(message, transfer = []) {
    // A piece that was on its way when the call ended must start no worker, which nobody would end.
    if (this.#closed) return Promise.reject(new Error('the worker has ended'));
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...message }, transfer);
    });
  }

  #start() {
    const worker = startWorker(new URL('./track-worker.js', import.meta.url));
    worker.onmessage = ({ data: { id, value, error } }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    };
    worker.onerror = () => this.#end();
    return worker;
  }

  /** Ends the worker; waiting requests fail. */
  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(new Error('the worker has ended'));
    this.#waiting.clear();
  }

  /** Ends all transfers for good. Idempotent. */
  close() {
    this.#closed = true;
    this.#end();
    this.#kept = { id: '', pieces: new Map() };
  }
}

/**
 * @param {string} origin
 * @param {string} id
 * @param {number} number
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {SoundError}
 */
async function fetchPiece(origin, id, number) {
  const answer = await fetch(`${origin}/api/tracks/${id}/${number}`);
  if (!answer.ok) throw new SoundError('track-not-heard');
  return new Uint8Array(await answer.arrayBuffer());
}

/**
 * Returns the sound that a piece is encoded from, silent before and after the track.
 * @param {AudioBuffer} sound
 * @param {number} number
 * @returns {Float32Array<ArrayBuffer>} SOURCE_SAMPLES, left and right interleaved
 */
function sourceOf(sound, number) {
  const from = number * PIECE_SECONDS * TRACK_RATE - LEAD_SAMPLES;
  const pcm = new Float32Array(SOURCE_SAMPLES * TRACK_CHANNELS);
  for (let channel = 0; channel < TRACK_CHANNELS; channel++) {
    const samples = sound.getChannelData(Math.min(channel, sound.numberOfChannels - 1));
    for (let i = Math.max(0, -from); i < SOURCE_SAMPLES && from + i < samples.length; i++)
      pcm[i * TRACK_CHANNELS + channel] = samples[from + i];
  }
  return pcm;
}
