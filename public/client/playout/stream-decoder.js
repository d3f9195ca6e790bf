/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { PayloadDecoder } from '../../shared/stream/payload.js'
 *
 * @typedef {object} OneStreamDecoder  as PayloadDecoder has it
 * @property {PayloadDecoder['decode']} decode
 * @property {(out: Float32Array, at: number) => void} conceal
 * @property {() => void} close
 * @property {() => void} [rest]  is told that its sound has ended, where it holds several voices
 */

import { rampGain } from '../../shared/sound/level.js';
import { MAX_PACKET_BYTES, MAX_REDUNDANCY, Stream } from '../../shared/wire/packet.js';

/** The peak of a sound's last millisecond below which it has ended by itself: -60 dBFS. */
const ENDED = 0.001;

/**
 * A listener's streams as one sound. The server sends the full mix to those who are silent and a
 * mix-minus to those who speak, or bundles of voices where it forwards; each stream has a decoder
 * of its own, since an Opus decoder keeps state. Where the stream changes, its decoder is first
 * given the frames before (pre-roll), which the packet repeats though the other stream's were
 * heard; its level is matched, and one sound fades into the other. The same hides the seams of
 * frames that are concealed, silent or cut. All pieces but silence are a frame long.
 */
export class StreamDecoder {
  #decoders;
  #splicer;
  #levels;
  #frameSamples;
  #perMs;
  #scratch;
  #preRoll = new PreRoll();
  #decodeUnheard = (/** @type {Uint8Array} */ payload, /** @type {number} */ length) =>
    this.#prime(payload, length);
  /** The newest packet's stream: one of Stream; -1 before the first. */
  #arriving = -1;
  /** @type {number} the stream of the frame that is played: one of Stream */
  #next = Stream.fullMix;
  /** @type {number} the stream that is heard: one of Stream */
  #stream = Stream.fullMix;
  /** Whether the decoder of each stream holds nothing of a sound that was broken off. */
  #clean;
  /** The peak of the last millisecond that was heard, and its last sample of each channel. */
  #end = 0;
  #last;
  #channels;

  /** Whether the decoder would go on with sound, rather than silence. */
  sounding = false;

  /**
   * @param {AudioFormat} format
   * @param {OneStreamDecoder[]} decoders by Stream; closed with this
   */
  constructor(format, decoders) {
    this.#decoders = decoders;
    this.#clean = decoders.map(() => true);
    this.#splicer = new Splicer(format);
    this.#levels = new LevelMatch(format);
    this.#frameSamples = format.frameSamples;
    this.#perMs = Math.ceil(format.sampleRate / 1000);
    this.#channels = format.channels;
    this.#last = new Float32Array(format.channels);
    this.#scratch = new Float32Array(format.frameValues);
  }

  /** The shortest silence that may follow, in samples. */
  get leastSilence() {
    return this.sounding || this.#splicer.pending ? this.#splicer.samples : 1;
  }

  /** The shortest piece that may be cut, in samples. */
  get fadeSamples() {
    return this.#splicer.samples;
  }

  /**
   * Takes the newest packet as it comes: where it is of another stream than the one before, what it
   * repeats of earlier frames is kept as pre-roll.
   * @param {number} first the first frame that it brings to be heard
   * @param {number} frame its own
   * @param {Packet} packet
   * @param {Uint8Array} bytes the packet's; not kept
   */
  follow(first, frame, packet, bytes) {
    const changes = this.#arriving >= 0 && packet.stream !== this.#arriving;
    if (changes && packet.payloadBytes[0] > 0) this.#preRoll.keep(first, frame, packet, bytes);
    this.#arriving = packet.stream;
  }

  /**
   * Plays a frame.
   * @param {number} frame
   * @param {number} stream one of Stream
   * @param {Uint8Array} payload
   * @param {number} length its bytes; 0: silence
   * @param {Float32Array} out one frame; filled
   * @returns {boolean} false when there was garbage in it, which is concealed
   */
  play(frame, stream, payload, length, out) {
    this.#next = stream;
    this.#preRoll.take(frame, this.#decodeUnheard);
    if (length === 0) {
      this.silence(out, this.#frameSamples);
      return true;
    }
    if (this.sounding && stream !== this.#stream) this.breakOff();
    // A decoder that holds nothing of an earlier sound begins with the sound's own first sample.
    if (!this.sounding && !this.#clean[stream]) this.#splicer.cutSilence();
    if (!this.sounding) this.#levels.begin();
    this.#stream = stream;
    this.#clean[stream] = true;
    this.sounding = true;
    const good = this.#decoders[stream].decode(payload, 0, length, out, 0);
    this.#levels.apply(out);
    this.#join(out, this.#frameSamples);
    return good;
  }

  /**
   * Decodes a frame that isn't heard, since the other stream's was: the next one goes on from it.
   * @param {Uint8Array} payload
   * @param {number} length its bytes; 0: it was silent
   */
  #prime(payload, length) {
    const stream = this.#next;
    if (this.sounding && stream === this.#stream) return;
    if (this.sounding) this.breakOff();
    if (length === 0) return;
    this.#clean[stream] = this.#decoders[stream].decode(payload, 0, length, this.#scratch, 0);
    this.#levels.primed(this.#scratch);
  }

  /** @param {Float32Array} out filled with a frame that goes on from the sound before */
  conceal(out) {
    this.#decoders[this.#stream].conceal(out, 0);
    this.#clean[this.#stream] = false;
    this.#levels.forget();
    this.#join(out, this.#frameSamples);
  }

  /**
   * @param {Float32Array} out
   * @param {number} count samples of it, at least leastSilence
   */
  silence(out, count) {
    if (this.sounding) this.#endSound();
    this.#levels.forget();
    out.fill(0, 0, count * this.#channels);
    this.#join(out, count);
  }

  /**
   * Ends the sound. One that has faded out by itself leaves its decoder as the encoder is; another
   * is broken off.
   */
  #endSound() {
    if (this.#end > ENDED) {
      this.breakOff();
      return;
    }
    this.#splicer.cutTo(this.#last);
    this.#decoders[this.#stream].rest?.();
    this.sounding = false;
  }

  /** Fades the sound out under what follows, which doesn't go on from it. */
  breakOff() {
    this.#decoders[this.#stream].conceal(this.#scratch, 0);
    this.#decoders[this.#stream].rest?.();
    this.#clean[this.#stream] = false;
    this.#splicer.cut(this.#scratch, 0);
    this.sounding = false;
  }

  /**
   * Cuts the piece that was given last: the rest of it fades into what follows.
   * @param {Float32Array} out
   * @param {number} count samples of it that are heard
   */
  shorten(out, count) {
    this.#splicer.cut(out, count);
  }

  /**
   * @param {Float32Array} out
   * @param {number} count
   */
  #join(out, count) {
    this.#splicer.join(out, count);
    this.#end = 0;
    const channels = this.#channels;
    for (let i = Math.max(0, count - this.#perMs) * channels; i < count * channels; i++) {
      const size = Math.abs(out[i]);
      if (size > this.#end) this.#end = size;
    }
    for (let c = 0; c < channels; c++) this.#last[c] = out[(count - 1) * channels + c];
  }

  /** Idempotent. */
  close() {
    for (const decoder of this.#decoders) decoder.close();
  }
}

/** The most changes of the stream within the time that packets wait. */
const CHANGES = 4;

/**
 * Keeps decoder pre-roll: where the stream changes, the new stream's payloads of the frames before.
 * They aren't heard, since the old stream's were, but the decoder needs them to go on from.
 */
class PreRoll {
  #frames = new Float64Array(CHANGES).fill(-1);
  #counts = new Uint8Array(CHANGES);
  #lengths = new Uint16Array(CHANGES * MAX_REDUNDANCY);
  #payloads = Array.from({ length: CHANGES * MAX_REDUNDANCY }, () => new Uint8Array(0));
  #next = 0;

  /**
   * Keeps what a packet repeats of the frames before one.
   * @param {number} first the first frame that is to be heard
   * @param {number} frame the packet's own
   * @param {Packet} packet
   * @param {Uint8Array} bytes the packet's; not kept
   */
  keep(first, frame, packet, bytes) {
    const own = frame - first;
    const count = packet.redundancy - own;
    if (count <= 0) return;
    const change = this.#next;
    this.#next = (change + 1) % CHANGES;
    this.#frames[change] = first;
    this.#counts[change] = count;
    for (let r = 1; r <= count; r++) {
      const at = change * MAX_REDUNDANCY + r - 1;
      const start = packet.payloadStart[own + r];
      const length = packet.payloadBytes[own + r];
      if (this.#payloads[at].length === 0) this.#payloads[at] = new Uint8Array(MAX_PACKET_BYTES);
      this.#payloads[at].set(bytes.subarray(start, start + length));
      this.#lengths[at] = length;
    }
  }

  /**
   * Gives what is to be decoded before a frame, oldest first.
   * @param {number} frame
   * @param {(payload: Uint8Array, length: number) => void} give the payload is its first `length`
   *   bytes; 0: silence
   */
  take(frame, give) {
    const change = this.#frames.indexOf(frame);
    if (change < 0) return;
    this.#frames[change] = -1;
    for (let r = this.#counts[change]; r > 0; r--) {
      const at = change * MAX_REDUNDANCY + r - 1;
      give(this.#payloads[at], this.#lengths[at]);
    }
  }
}

/** Length of the cross-fade from one sound to another, in milliseconds. */
const FADE_MS = 5;

/**
 * Joins pieces of sound that don't follow from one another without a click: what would have come
 * next is kept, and faded into what comes instead. Places and counts are of samples of all channels
 * at once.
 */
class Splicer {
  #tail;
  #channels;
  #pending = false;

  /** @param {{ sampleRate: number, frameSamples: number, channels: number }} format */
  constructor({ sampleRate, frameSamples, channels }) {
    const fade = Math.min((FADE_MS * sampleRate) / 1000, frameSamples / 2);
    this.#channels = channels;
    this.#tail = new Float32Array(Math.max(1, Math.floor(fade)) * channels);
  }

  /** Whether something was cut that isn't joined yet. */
  get pending() {
    return this.#pending;
  }

  /** The cross-fade's length in samples. */
  get samples() {
    return this.#tail.length / this.#channels;
  }

  /**
   * Remembers how the sound would have gone on. The first of several cuts at one place counts.
   * @param {Float32Array} from
   * @param {number} at at least `samples` samples are there
   */
  cut(from, at) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = from[at * this.#channels + i];
    this.#pending = true;
  }

  /** Remembers that the sound was silence. */
  cutSilence() {
    if (this.#pending) return;
    this.#tail.fill(0);
    this.#pending = true;
  }

  /**
   * @param {Float32Array} last of each channel, that was heard: the sound would have gone on at
   *   rest
   */
  cutTo(last) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = last[i % this.#channels];
    this.#pending = true;
  }

  /**
   * Joins what comes instead, if anything was cut, and makes it fit for a speaker: within -1 to 1,
   * and numbers all.
   * @param {Float32Array} out
   * @param {number} count at least `samples`
   */
  join(out, count) {
    if (this.#pending) {
      const { samples } = this;
      for (let i = 0; i < this.#tail.length; i++) {
        const weight = (Math.floor(i / this.#channels) + 1) / (samples + 1);
        out[i] = this.#tail[i] * (1 - weight) + out[i] * weight;
      }
      this.#pending = false;
    }
    for (let i = 0; i < count * this.#channels; i++) {
      const sample = out[i];
      if (!(sample >= -1 && sample <= 1)) out[i] = sample > 1 ? 1 : sample < -1 ? -1 : 0;
    }
  }
}

/**
 * The share of a wrong level that Opus carries from one frame to the next, by the frame's length in
 * milliseconds: levels are coded as the difference to a share of those before (RFC 6716, section
 * 4.3.2.1).
 */
const CARRIED = Object.freeze(
  /** @type {[number, number][]} */ ([
    [2.5, 0.9],
    [5, 0.8],
    [10, 0.65],
    [20, 0.5],
  ]),
);

/**
 * The time in which one frame's gain becomes the next one's, in milliseconds: the overlap of Opus
 * frames.
 */
const RAMP_MS = 2.5;

/** The largest ratio of two levels that are taken for the same sound. */
const MOST = 2;

/** Mean of the squares. @param {Float32Array} values */
function powerOf(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum / values.length;
}

/**
 * A decoder that begins again in the middle of a stream has the levels of another time, and is too
 * soft or too loud for some frames. Where it was given a frame that was heard, from another stream,
 * the difference is known.
 */
export class LevelMatch {
  /** The share of a wrong level that is left after an Opus frame, and after one of the room's. */
  #carried;
  #left;
  #channels;
  #rampSamples;
  /**
   * The power of the last frame that was heard, and of the same frame from the decoder that takes
   * over; 0: unknown.
   */
  #heard = 0;
  #primed = 0;
  /** The gain of the next frame, and of the last one. */
  #gain = 1;
  #before = 1;

  /** @param {AudioFormat} format */
  constructor({ sampleRate, frameMs, opusFrames, channels }) {
    const opusMs = frameMs / opusFrames;
    this.#carried = CARRIED.find(([ms]) => ms >= opusMs)?.[1] ?? 0.5;
    this.#left = this.#carried ** opusFrames;
    this.#channels = channels;
    this.#rampSamples = Math.ceil((RAMP_MS * sampleRate) / 1000);
  }

  /** @param {Float32Array} frame that the other decoder made of a frame which was heard */
  primed(frame) {
    this.#primed = powerOf(frame);
  }

  /** Another decoder takes over, or one begins after silence. */
  begin() {
    const isKnown = this.#heard > 0 && this.#primed > 0;
    const ratio = isKnown ? Math.sqrt(this.#heard / this.#primed) : 1;
    this.#gain = Math.min(MOST, Math.max(1 / MOST, ratio)) ** this.#carried;
    this.#before = this.#gain;
    this.#primed = 0;
  }

  /** @param {Float32Array} frame as decoded; set right in place */
  apply(frame) {
    const gain = this.#gain;
    if (gain !== 1) {
      const channels = this.#channels;
      const ramp = this.#rampSamples;
      rampGain(frame, 0, ramp, channels, this.#before, gain);
      rampGain(frame, ramp * channels, frame.length / channels - ramp, channels, gain, gain);
    }
    this.#before = gain;
    // Below 1 % the rest can't be heard.
    this.#gain = Math.abs(gain - 1) < 0.01 ? 1 : gain ** this.#left;
    this.#heard = powerOf(frame);
  }

  /** The frame that is heard now isn't a decoded one. */
  forget() {
    this.#heard = 0;
  }
}
