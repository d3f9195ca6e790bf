/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 */

import { unwrapFrame } from '../../public/shared/wire/packet.js';
import { GRANULE_RATE, OggOpus } from '../recording/ogg-opus.js';
import { preSkipOf, Track } from '../recording/track.js';
import { WebmOpus } from '../recording/webm-opus.js';
import { ChainedFile } from './chained-file.js';
import { PaddedFile } from './padded-file.js';

/** Sound of one page or cluster, which a player has to wait for, in samples: 200 ms. */
const PART_SAMPLES = GRANULE_RATE / 5;

/**
 * Time to wait for a frame before filling in for it, in milliseconds: the server-side delay grows
 * in smaller steps.
 */
const WAIT_MS = 400;

/**
 * Silence at the beginning of a padded file, in milliseconds. It plays at once, and the part of it
 * before the next block (PaddedFile) is the delay that the player keeps.
 */
export const AHEAD_MS = 1800;

/**
 * Bytes of padding in the header of an unpadded file. They cover the 2 KiB that ffmpeg, mpv and
 * GStreamer read before they begin. A silent room would take 6 s to fill them (`node
 * bench/readers.js listen`).
 */
const HEAD_PADDING = 2048;

/** Interval between calls of fill(), in milliseconds. */
export const FILL_MS = 100;

/**
 * Longest gap to fill, in milliseconds. A longer one, for example of a suspended computer, is left
 * out.
 */
const MAX_GAP_MS = 60_000;

/**
 * Kinds of endless files, by the end of their names. Icecast's relay knows them by their bare types
 * only: with a codec behind the type, later listeners of the relay get no headers.
 */
export const KINDS = Object.freeze({ ogg: { type: 'audio/ogg' }, webm: { type: 'audio/webm' } });

/** @typedef {keyof typeof KINDS} Kind */

/**
 * A room's mix as an endless file: the frames of the shared stream as they were sent, without a
 * gap. Frames left out in silence are filled with silence. Lost frames are filled with packets of
 * one byte, which a decoder conceals with a fade.
 */
export class LiveFile {
  /** @type {Pick<OggOpus, 'put' | 'end' | 'samples'>} */
  #file;
  /** The file, if it has a link for each title. @type {ChainedFile | null} */
  #chain = null;
  #track;
  #frameMs;
  /** Number of the next frame in the file, as packets count; -1 before the first packet. */
  #next = -1;
  /** Number of frames in the file at #sinceMs. */
  #frames;
  #sinceMs;
  #filledMs;

  /**
   * @param {object} options
   * @param {Kind} options.kind
   * @param {AudioFormat} options.format of the room
   * @param {string} options.title
   * @param {boolean} [options.isChained] true for an Ogg file that has a link for each title
   * @param {number} options.serial of the stream in an Ogg file, 32 bits
   * @param {number} options.nowMs
   * @param {boolean} [options.isPadded] for a browser or VLC, which read a file in large blocks
   * @param {(part: Uint8Array) => void} options.write gets a new array each time: the header at
   *   once
   */
  constructor({ kind, format, title, serial, nowMs, isPadded = false, isChained = false, write }) {
    const { sampleRate, channels } = format;
    const stream = {
      preSkip: preSkipOf(format),
      sampleRate,
      channels,
      padding: isPadded ? 0 : HEAD_PADDING,
      write,
    };
    const openOgg = (/** @type {number} */ link, /** @type {string} */ linkTitle) =>
      new OggOpus({
        ...stream,
        padding: link === 0 ? stream.padding : 0,
        serial: serial + link,
        tags: { TITLE: linkTitle },
        pageSamples: PART_SAMPLES,
      });
    if (kind === 'webm')
      this.#file = new WebmOpus({ ...stream, title, clusterSamples: PART_SAMPLES });
    else if (isChained)
      this.#file = this.#chain = new ChainedFile(openOgg, { title, preSkip: stream.preSkip });
    else this.#file = openOgg(0, title);
    if (isPadded) this.#file = new PaddedFile(this.#file);
    this.#track = new Track(this.#file, format);
    this.#frameMs = format.frameMs;
    if (isPadded) for (let ms = 0; ms < AHEAD_MS; ms += format.frameMs) this.#track.putSilence();
    this.#frames = this.#track.frames;
    this.#sinceMs = nowMs;
    this.#filledMs = nowMs;
  }

  /** @param {string} title  of the sound from now on, for a chained file */
  set title(title) {
    if (this.#chain !== null) this.#chain.title = title;
  }

  /** Length of the file's sound, in milliseconds. */
  get lengthMs() {
    return (this.#file.samples * 1000) / GRANULE_RATE;
  }

  /**
   * Adds the missing frames of a packet.
   * @param {Packet} packet as it was read
   * @param {Uint8Array} bytes of the packet
   * @param {number} nowMs
   */
  take(packet, bytes, nowMs) {
    const frame = this.#next < 0 ? packet.frame : unwrapFrame(packet.frame, this.#next);
    const first = frame - packet.redundancy;
    if (this.#next < 0 || first - this.#next > MAX_GAP_MS / this.#frameMs) this.#next = first;
    for (let k = this.#next; k < first; k++) this.#miss();
    for (let k = this.#next; k <= frame; k++) this.#put(packet, frame - k, bytes);
    this.#sinceMs = nowMs;
    this.#frames = this.#track.frames;
  }

  /**
   * @param {Packet} packet
   * @param {number} repeat index among its payloads
   * @param {Uint8Array} bytes
   */
  #put(packet, repeat, bytes) {
    const length = packet.payloadBytes[repeat];
    if (length === 0) this.#track.putSilence();
    else this.#track.put(bytes, packet.payloadStart[repeat], length);
    this.#next += 1;
  }

  #miss() {
    this.#track.putMissing();
    if (this.#next >= 0) this.#next += 1;
  }

  /** Fills time without packets. Call it every FILL_MS. @param {number} nowMs */
  fill(nowMs) {
    const hasStalled = nowMs - this.#filledMs > WAIT_MS / 2;
    this.#filledMs = nowMs;
    // After a stall the frames that were due in it are about to arrive.
    if (hasStalled) return;
    const passedMs = Math.min(nowMs - this.#sinceMs, MAX_GAP_MS) - WAIT_MS;
    const wanted = this.#frames + Math.floor(passedMs / this.#frameMs);
    for (let frames = this.#track.frames; frames < wanted; frames++) this.#miss();
    if (nowMs - this.#sinceMs < MAX_GAP_MS) return;
    this.#sinceMs = nowMs - WAIT_MS;
    this.#frames = this.#track.frames;
  }

  /** Writes the rest, and the mark of the end. Idempotent. */
  end() {
    this.#track.end();
  }
}
