/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 */

import { unwrapFrame } from '../../public/shared/wire/packet.js';
import { GRANULE_RATE, OggOpus } from '../recording/ogg-opus.js';
import { preSkipOf, Track } from '../recording/track.js';
import { WebmOpus } from '../recording/webm-opus.js';
import { PaddedFile } from './padded-file.js';

/** The sound of one page or cluster, which a player has to wait for, in samples: 200 ms. */
const PART_SAMPLES = GRANULE_RATE / 5;

/**
 * How long a frame is waited for before its time is filled, in milliseconds: the server-side delay
 * grows by less at a time.
 */
const WAIT_MS = 400;

/**
 * Silence at the beginning of a padded file, in milliseconds: it plays at once, and what it has
 * before the next block comes (PaddedFile) is the delay that it keeps.
 */
export const AHEAD_MS = 1800;

/**
 * Bytes of padding in the header of any other file. ffmpeg, mpv and GStreamer look at 2 KiB before
 * they begin, which a silent room would take 6 s to fill (`node bench/readers.js listen`).
 */
const HEAD_PADDING = 2048;

/** fill() is to be called this often, in milliseconds. */
export const FILL_MS = 100;

/**
 * The longest gap that is filled, in milliseconds. A longer one, as of a computer that slept, is
 * left out.
 */
const MAX_GAP_MS = 60_000;

/**
 * The endless files that there are, by the end of their names. Icecast's relay knows them by their
 * bare types only: with a codec behind it, later listeners of the relay get no headers.
 */
export const KINDS = Object.freeze({ ogg: { type: 'audio/ogg' }, webm: { type: 'audio/webm' } });

/** @typedef {keyof typeof KINDS} Kind */

/**
 * A room's mix as an endless file: the frames of the shared stream as they were sent, one after
 * another without a gap. The time of frames that are left out in silence is filled with silence;
 * that of frames that are lost with packets of one byte, for which a decoder makes up what fades
 * out.
 */
export class LiveFile {
  #file;
  #track;
  #frameMs;
  /** The frame that comes next in the file, as packets count; -1 before the first packet. */
  #next = -1;
  /** The frames that the file had at #sinceMs. */
  #frames;
  #sinceMs;
  #filledMs;

  /**
   * @param {object} options
   * @param {Kind} options.kind
   * @param {AudioFormat} options.format  the room's
   * @param {string} options.room
   * @param {number} options.serial  of the stream in an Ogg file, 32 bits
   * @param {number} options.nowMs
   * @param {boolean} [options.isPadded]  for a browser or VLC, which take a file in large blocks
   * @param {(part: Uint8Array) => void} options.write given a new array each time: the header at
   *   once
   */
  constructor({ kind, format, room, serial, nowMs, isPadded = false, write }) {
    const { sampleRate, channels } = format;
    const stream = {
      preSkip: preSkipOf(format),
      sampleRate,
      channels,
      padding: isPadded ? 0 : HEAD_PADDING,
      write,
    };
    const file =
      kind === 'webm'
        ? new WebmOpus({ ...stream, title: room, clusterSamples: PART_SAMPLES })
        : new OggOpus({ ...stream, serial, tags: { TITLE: room }, pageSamples: PART_SAMPLES });
    this.#file = isPadded ? new PaddedFile(file) : file;
    this.#track = new Track(this.#file, format);
    this.#frameMs = format.frameMs;
    if (isPadded) for (let ms = 0; ms < AHEAD_MS; ms += format.frameMs) this.#track.putSilence();
    this.#frames = this.#track.frames;
    this.#sinceMs = nowMs;
    this.#filledMs = nowMs;
  }

  /** How much sound there is, in milliseconds. */
  get lengthMs() {
    return (this.#file.samples * 1000) / GRANULE_RATE;
  }

  /**
   * Adds the frames of a packet that aren't there yet.
   * @param {Packet} packet  as it was read
   * @param {Uint8Array} bytes  the packet's
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
   * @param {number} repeat which of its payloads
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

  /**
   * Fills the time for which nothing has come. To be called every FILL_MS.
   * @param {number} nowMs
   */
  fill(nowMs) {
    const stoodStill = nowMs - this.#filledMs > WAIT_MS / 2;
    this.#filledMs = nowMs;
    // What was due meanwhile is about to come.
    if (stoodStill) return;
    const passedMs = Math.min(nowMs - this.#sinceMs, MAX_GAP_MS) - WAIT_MS;
    const wanted = this.#frames + Math.floor(passedMs / this.#frameMs);
    for (let frames = this.#track.frames; frames < wanted; frames++) this.#miss();
    if (nowMs - this.#sinceMs < MAX_GAP_MS) return;
    this.#sinceMs = nowMs - WAIT_MS;
    this.#frames = this.#track.frames;
  }

  /** Writes what is left, and the mark of the end. Idempotent. */
  end() {
    this.#track.end();
  }
}
