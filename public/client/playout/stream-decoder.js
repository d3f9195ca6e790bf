/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { PayloadDecoder } from '../../shared/stream/payload.js'
 *
 * @typedef {object} OneStreamDecoder  the part of PayloadDecoder that is used here
 * @property {PayloadDecoder['decode']} decode
 * @property {(out: Float32Array, at: number) => void} conceal
 * @property {() => void} close
 * @property {() => void} [rest]  ends its sound; only a decoder of several voices has it
 */

import { rampGain } from '../../shared/sound/level.js';
import { MAX_PACKET_BYTES, MAX_REDUNDANCY, Stream } from '../../shared/wire/packet.js';

/** Peak of a sound's last millisecond below which the sound counts as faded out: -60 dBFS. */
const ENDED = 0.001;

/**
 * Decodes a listener's streams into one sound. The server sends the full mix to silent listeners, a
 * mix-minus to speakers, or bundles of voices when it forwards. Each stream has its own decoder,
 * since an Opus decoder keeps state.
 *
 * When the stream changes, its decoder first gets the earlier frames as pre-roll: the packet
 * repeats them, though they were played from the other stream. The level is matched, and the sounds
 * cross-fade. Seams of concealed, silent or cut frames are hidden in the same way. All pieces
 * except silence are a frame long.
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
  /** Stream of the newest packet; -1 before the first. */
  #arriving = -1;
  /** @type {number} Stream of the frame being played */
  #next = Stream.fullMix;
  /** @type {number} Stream being heard */
  #stream = Stream.fullMix;
  /** For each stream: false while its decoder still holds some of a sound that was broken off. */
  #clean;
  /** Peak of the last millisecond played, and the last sample of each channel. */
  #end = 0;
  #last;
  #channels;

  /** True when the decoder would continue a sound, not silence. */
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

  /** Shortest silence that may follow, in samples. */
  get leastSilence() {
    return this.sounding || this.#splicer.pending ? this.#splicer.samples : 1;
  }

  /** Shortest piece that may be cut, in samples. */
  get fadeSamples() {
    return this.#splicer.samples;
  }

  /**
   * Keeps pre-roll from the newest packet, if its stream differs from the previous packet's: the
   * earlier frames that it repeats.
   * @param {number} first the first frame in it that will be played
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
   * @param {Uint8Array} bytes
   * @param {number} start where the payload starts
   * @param {number} length its bytes; 0: silence
   * @param {Float32Array} out one frame; filled
   * @returns {boolean} false when it held garbage, which is concealed
   */
  play(frame, stream, bytes, start, length, out) {
    this.#next = stream;
    this.#preRoll.take(frame, this.#decodeUnheard);
    if (length === 0) {
      this.silence(out, this.#frameSamples);
      return true;
    }
    if (this.sounding && stream !== this.#stream) this.breakOff();
    // A clean decoder begins with the sound's own first sample, without a fade.
    if (!this.sounding && !this.#clean[stream]) this.#splicer.cutSilence();
    if (!this.sounding) this.#levels.begin();
    this.#stream = stream;
    this.#clean[stream] = true;
    this.sounding = true;
    const good = this.#decoders[stream].decode(bytes, start, length, out, 0);
    this.#levels.apply(out);
    this.#join(out, this.#frameSamples);
    return good;
  }

  /**
   * Decodes a frame that was played from the other stream, so that the next frame continues from
   * it.
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

  /** @param {Float32Array} out filled with a frame that continues the sound */
  conceal(out) {
    this.#decoders[this.#stream].conceal(out, 0);
    this.#clean[this.#stream] = false;
    this.#levels.forget();
    this.#join(out, this.#frameSamples);
  }

  /** @param {Float32Array} out @param {number} count samples of it, at least leastSilence */
  silence(out, count) {
    if (this.sounding) this.#endSound();
    this.#levels.forget();
    out.fill(0, 0, count * this.#channels);
    this.#join(out, count);
  }

  /**
   * Ends the sound. After a fade-out the decoder matches the encoder; otherwise the sound was
   * broken off.
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

  /** Fades the sound out under the next piece, which doesn't continue it. */
  breakOff() {
    this.#decoders[this.#stream].conceal(this.#scratch, 0);
    this.#decoders[this.#stream].rest?.();
    this.#clean[this.#stream] = false;
    this.#splicer.cut(this.#scratch, 0);
    this.sounding = false;
  }

  /**
   * Cuts the last piece: the rest of it fades into the next one.
   * @param {Float32Array} out
   * @param {number} count samples of it that are heard
   */
  shorten(out, count) {
    this.#splicer.cut(out, count);
  }

  /** @param {Float32Array} out @param {number} count */
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

/** Maximum number of stream changes within the time that packets wait. */
const CHANGES = 4;

/**
 * Keeps decoder pre-roll at a change of stream: the new stream's payloads of the frames before.
 * The old stream's frames were heard in their place, but the decoder needs them as its past.
 */
class PreRoll {
  #frames = new Float64Array(CHANGES).fill(-1);
  #counts = new Uint8Array(CHANGES);
  #lengths = new Uint16Array(CHANGES * MAX_REDUNDANCY);
  #payloads = Array.from({ length: CHANGES * MAX_REDUNDANCY }, () => new Uint8Array(0));
  #next = 0;

  /**
   * Keeps the frames that a packet repeats before a given one.
   * @param {number} first the first frame that will be heard
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
   * Passes on the payloads to decode before a frame, oldest first.
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
 * Joins unrelated pieces of sound without a click: keeps the continuation of the first piece and
 * fades it into the second. Places and counts are samples of all channels at once.
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

  /** True when a cut isn't joined yet. */
  get pending() {
    return this.#pending;
  }

  /** The cross-fade's length in samples. */
  get samples() {
    return this.#tail.length / this.#channels;
  }

  /**
   * Remembers the continuation of the sound. The first of several cuts at one place counts.
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
   * @param {Float32Array} last played sample of each channel: the continuation fades from it to
   *   zero
   */
  cutTo(last) {
    if (this.#pending) return;
    for (let i = 0; i < this.#tail.length; i++) this.#tail[i] = last[i % this.#channels];
    this.#pending = true;
  }

  /**
   * Fades the continuation into the next piece, if there was a cut, and clamps the piece to numbers
   * within -1 to 1.
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
 * Share of a level error that Opus carries from one frame to the next, by the frame's length in
 * milliseconds. Levels are coded as the difference to a share of earlier ones (RFC 6716, section
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

/** Time to ramp from one frame's gain to the next, in milliseconds: the overlap of Opus frames. */
const RAMP_MS = 2.5;

/** Largest ratio of two levels that can belong to the same sound. */
const MOST = 2;

/** Mean of squares. @param {Float32Array} values */
function powerOf(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum / values.length;
}

/**
 * Corrects the level of a decoder that starts in the middle of a stream. Such a decoder still has
 * earlier levels, and is too soft or too loud for some frames. The error is known when it also
 * decoded a frame that was heard from another stream.
 */
export class LevelMatch {
  /** Share of a level error that is left after an Opus frame, and after a frame of the room. */
  #carried;
  #left;
  #channels;
  #rampSamples;
  /** Power of the last frame heard, and of the same frame from the new decoder; 0: unknown. */
  #heard = 0;
  #primed = 0;
  /** Gain of the next frame, and of the last one. */
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

  /** @param {Float32Array} frame the new decoder's version of a frame that was heard */
  primed(frame) {
    this.#primed = powerOf(frame);
  }

  /** Begins with a new decoder, or again after silence. */
  begin() {
    const isKnown = this.#heard > 0 && this.#primed > 0;
    const ratio = isKnown ? Math.sqrt(this.#heard / this.#primed) : 1;
    this.#gain = Math.min(MOST, Math.max(1 / MOST, ratio)) ** this.#carried;
    this.#before = this.#gain;
    this.#primed = 0;
  }

  /** @param {Float32Array} frame as decoded; corrected in place */
  apply(frame) {
    const gain = this.#gain;
    if (gain !== 1) {
      const channels = this.#channels;
      const ramp = this.#rampSamples;
      rampGain(frame, 0, ramp, channels, this.#before, gain);
      rampGain(frame, ramp * channels, frame.length / channels - ramp, channels, gain, gain);
    }
    this.#before = gain;
    // An error below 1 % is inaudible.
    this.#gain = Math.abs(gain - 1) < 0.01 ? 1 : gain ** this.#left;
    this.#heard = powerOf(frame);
  }

  /** Notes that the frame heard now isn't a decoded one. */
  forget() {
    this.#heard = 0;
  }
}
