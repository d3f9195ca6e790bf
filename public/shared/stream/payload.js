/**
 * Converts a frame of the grid to a packet's payload and back: one Opus frame, or several behind
 * their lengths; or PCM (pcm.js).
 * @import { AudioFormat } from '../sound/audio-format.js'
 * @import { Decoder, Encoder } from './codec.js'
 */

import { readOpusFrames, writeLength } from '../wire/packet-format.js';
import { ConcealmentFade } from './concealment.js';
import { isPcm, readPcm } from './pcm.js';

/** Longest Opus frame of a payload, in bytes, by its coded length. */
const MAX_OPUS_FRAME_BYTES = 1275;

/**
 * Frames for which a codec is not reopened after two failures in a row: a second of 20 ms frames.
 */
const REST_FRAMES = 50;

/** Buffer for one Opus frame of several, of every encoder, and views of its beginning by length. */
const scratch = new Uint8Array(MAX_OPUS_FRAME_BYTES);
/** @type {Uint8Array[]} */
const views = [];

/**
 * One Opus encoder or decoder. With `open` it is opened when first needed, and replaced when it
 * throws. If its predecessor failed recently too, the replacement waits for REST_FRAMES. Otherwise
 * it is kept, since an Opus frame is coded against the one before it.
 * @template {Encoder | Decoder} T
 */
class CodecSlot {
  #codec;
  #open;
  #onFault;
  #closed = false;
  /** Frames asked for since the last fault, skipped ones not counted. */
  #frames = REST_FRAMES;
  /** Frames still to skip. */
  #rest = 0;

  /** @param {T | null} codec @param {Reopening<T>} [reopening] */
  constructor(codec, { open, onFault } = {}) {
    this.#codec = codec;
    this.#open = open;
    this.#onFault = onFault;
  }

  /** The open instance, or null. */
  get current() {
    return this.#codec;
  }

  /** Called once per frame. @returns {T | null} null while none can be had */
  get() {
    if (this.#rest > 0) {
      this.#rest -= 1;
      return null;
    }
    this.#frames += 1;
    if (this.#codec !== null || this.#closed || this.#open === undefined) return this.#codec;
    try {
      this.#codec = this.#open();
    } catch (error) {
      this.fail(error);
    }
    return this.#codec;
  }

  /**
   * Drops the instance that threw.
   * @param {unknown} error
   * @throws {unknown} the same if no other instance can be had
   */
  fail(error) {
    const broken = this.#codec;
    this.#codec = null;
    if (this.#open === undefined) throw error;
    this.#rest = this.#frames < REST_FRAMES ? REST_FRAMES : 0;
    this.#frames = 0;
    this.#onFault?.(error);
    try {
      broken?.close();
    } catch {
      // The fault was reported; an instance that can't even be closed is left to the garbage
      // collector.
    }
  }

  /** Idempotent. */
  close() {
    this.#closed = true;
    this.#codec?.close();
    this.#codec = null;
  }
}

/**
 * @template T
 * @typedef {object} Reopening
 * @property {() => T} [open] makes the codec, first and after a fault; without it a fault is thrown
 * @property {(error: unknown) => void} [onFault]  called when the codec threw, or couldn't be
 *   opened
 */

/**
 * Encodes frames of the grid to payloads. Stereo with equal sides, such as a mono microphone's, is
 * sent as mono.
 */
export class PayloadEncoder {
  #slot;
  #opusFrames;
  #opusFrameValues;
  #isStereo;
  /** True when the last frame's sides were equal, and true when it was sent as mono. */
  #hadSameSides = true;
  #isMono = false;
  #predicts = true;
  #complexity = -1;
  /**
   * Encoder with a started frame, and the payload's place; otherwise the payload's bytes.
   * @type {Encoder | null}
   */
  #begun = null;
  /** @type {Uint8Array} */
  #out = scratch;
  #at = 0;
  #bytes = 0;

  /**
   * @param {Encoder | null} encoder closed with this; null if `open` makes it with the first frame
   * @param {AudioFormat} format
   * @param {Reopening<Encoder>} [reopening]
   */
  constructor(encoder, { opusFrames, opusFrameSamples, channels }, reopening) {
    this.#slot = new CodecSlot(encoder, reopening);
    this.#opusFrames = opusFrames;
    this.#opusFrameValues = opusFrameSamples * channels;
    this.#isStereo = channels === 2;
    /** Delay of the codec, in samples; 0 while the encoder isn't open. @readonly */
    this.lookahead = encoder?.lookahead ?? 0;
  }

  /**
   * @param {Float32Array} pcm one frame of the grid, [-1, 1]
   * @param {Uint8Array} out
   * @param {number} at
   * @param {number} [complexity] 0 to 10; unchanged by default
   * @returns {number} the payload's bytes; 0 when it failed or doesn't fit
   */
  encode(pcm, out, at, complexity = this.#complexity) {
    const encoder = this.#slot.get();
    return encoder === null ? 0 : this.#encode(encoder, pcm, out, at, complexity, true);
  }

  /**
   * @param {Encoder} encoder
   * @param {Float32Array} pcm
   * @param {Uint8Array} out
   * @param {number} at
   * @param {number} complexity
   * @param {boolean} predicts
   */
  #encode(encoder, pcm, out, at, complexity, predicts) {
    try {
      this.#set(encoder, pcm, complexity, predicts);
      if (this.#opusFrames === 1) return encoder.encode(pcm, out, at);
      return this.#encodeFrames(encoder, pcm, out, at);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /**
   * Starts what encode() does, on another thread if the codec has some. end() must follow.
   * @param {Float32Array} pcm one frame of the grid; may be reused at once
   * @param {Uint8Array} out
   * @param {number} at
   * @param {number} [complexity]
   * @param {boolean} [predicts] false for the first frame after unencoded ones. It is coded
   *   independently, and sounds the same from a decoder that had silence or loss instead
   */
  begin(pcm, out, at, complexity = this.#complexity, predicts = true) {
    this.#bytes = 0;
    this.#begun = null;
    const encoder = this.#slot.get();
    if (encoder === null) return;
    if (!encoder.begin || this.#opusFrames > 1) {
      this.#bytes = this.#encode(encoder, pcm, out, at, complexity, predicts);
      return;
    }
    try {
      this.#set(encoder, pcm, complexity, predicts);
      if (!encoder.begin(pcm, out.length - at)) return;
      this.#begun = encoder;
      this.#out = out;
      this.#at = at;
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @returns {number} result of encode() for the last started frame */
  end() {
    const encoder = this.#begun;
    if (encoder === null) return this.#bytes;
    this.#begun = null;
    try {
      return encoder.end?.(this.#out, this.#at) ?? 0;
    } catch (error) {
      return this.#failed(error);
    }
  }

  /**
   * @param {Encoder} encoder
   * @param {Float32Array} pcm
   * @param {number} complexity
   * @param {boolean} predicts
   */
  #set(encoder, pcm, complexity, predicts) {
    if (complexity !== this.#complexity) encoder.setComplexity((this.#complexity = complexity));
    if (predicts !== this.#predicts) encoder.setPrediction((this.#predicts = predicts));
    if (this.#isStereo) this.#follow(encoder, hasSameSides(pcm));
  }

  /** @param {unknown} error @returns {0} */
  #failed(error) {
    this.#complexity = -1;
    this.#isMono = false;
    this.#predicts = true;
    this.#slot.fail(error);
    return 0;
  }

  /**
   * @param {Encoder} encoder
   * @param {Float32Array} pcm
   * @param {Uint8Array} out
   * @param {number} at
   */
  #encodeFrames(encoder, pcm, out, at) {
    const last = this.#opusFrames - 1;
    let end = at;
    for (let i = 0; i <= last; i++) {
      const opusFrame = pcm.subarray(i * this.#opusFrameValues, (i + 1) * this.#opusFrameValues);
      // Each frame gets its share of the remaining room, so that the last one has some.
      const share = Math.floor((out.length - end) / (last + 1 - i)) - 2;
      const room = Math.max(0, Math.min(share, MAX_OPUS_FRAME_BYTES));
      const view = (views[room] ??= scratch.subarray(0, room));
      const bytes = encoder.encode(opusFrame, view, 0);
      if (bytes === 0) return 0;
      if (i < last) end = writeLength(out, end, bytes);
      for (let b = 0; b < bytes; b++) out[end + b] = scratch[b];
      end += bytes;
    }
    return end - at;
  }

  /**
   * Updates the stereo state. Each Opus frame overlaps with the one before, so only the second
   * frame with equal sides is wholly mono.
   * @param {Encoder} encoder
   * @param {boolean} hasSame
   */
  #follow(encoder, hasSame) {
    const isMono = hasSame && this.#hadSameSides;
    this.#hadSameSides = hasSame;
    if (isMono !== this.#isMono) encoder.setMono(isMono);
    this.#isMono = isMono;
  }

  close() {
    this.#begun = null;
    this.#slot.close();
  }
}

/** Decodes payloads to frames of the grid. */
export class PayloadDecoder {
  #slot;
  #opusFrames;
  #opusFrameSamples;
  #opusFrameValues;
  #starts;
  #lengths;
  #fade;

  /**
   * @param {Decoder | null} decoder closed with this; null if `open` makes it with the first frame
   * @param {AudioFormat} format
   * @param {Reopening<Decoder>} [reopening]
   */
  constructor(decoder, format, reopening) {
    const { opusFrames, opusFrameSamples, channels } = format;
    this.#slot = new CodecSlot(decoder, reopening);
    this.#opusFrames = opusFrames;
    this.#opusFrameSamples = opusFrameSamples;
    this.#opusFrameValues = opusFrameSamples * channels;
    this.#starts = new Uint32Array(opusFrames);
    this.#lengths = new Uint16Array(opusFrames);
    this.#fade = new ConcealmentFade(format);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start where the payload starts
   * @param {number} length its bytes
   * @param {Float32Array} out
   * @param {number} at where the frame goes
   * @returns {boolean} false for garbage, which is concealed, or a failed decoder, which gives
   *   silence
   */
  decode(bytes, start, length, out, at) {
    if (isPcm(bytes, start, length)) {
      this.#fade.reset();
      return readPcm(bytes, start, length, out, at, this.#opusFrames * this.#opusFrameValues);
    }
    const decoder = this.#slot.get();
    if (decoder === null) return this.#silence(out, at);
    try {
      if (!readOpusFrames(bytes, start, length, this.#opusFrames, this.#starts, this.#lengths)) {
        this.#concealAll(decoder, out, at);
        return false;
      }
      let good = true;
      for (let i = 0; i < this.#opusFrames; i++) {
        const to = at + i * this.#opusFrameValues;
        if (decoder.decode(bytes, this.#starts[i], this.#lengths[i], out, to)) this.#fade.reset();
        else good = this.#concealOne(decoder, out, to);
      }
      return good;
    } catch (error) {
      this.#slot.fail(error);
      return this.#silence(out, at);
    }
  }

  /**
   * Starts decoding a payload on another thread if the codec has some. end() must follow.
   * @param {Uint8Array} bytes may be reused at once
   * @param {number} start
   * @param {number} length
   * @returns {boolean} false when it didn't start: then decode() must be called
   */
  begin(bytes, start, length) {
    const decoder = this.#slot.current;
    if (!decoder?.begin || isPcm(bytes, start, length) || this.#opusFrames > 1) return false;
    try {
      return decoder.begin(bytes, start, length);
    } catch (error) {
      this.#slot.fail(error);
      return false;
    }
  }

  /**
   * Waits for the started payload.
   * @param {Float32Array} out
   * @param {number} at place of the frame
   * @returns {boolean} as decode()
   */
  end(out, at) {
    const decoder = this.#slot.get();
    if (!decoder?.end) return this.#silence(out, at);
    try {
      const good = decoder.end(out, at);
      if (good) this.#fade.reset();
      return good || this.#concealOne(decoder, out, at);
    } catch (error) {
      this.#slot.fail(error);
      return this.#silence(out, at);
    }
  }

  /**
   * Conceals one lost frame of the grid. A longer gap fades to silence.
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    const decoder = this.#slot.get();
    if (decoder === null) return void this.#silence(out, at);
    try {
      this.#concealAll(decoder, out, at);
    } catch (error) {
      this.#slot.fail(error);
      this.#silence(out, at);
    }
  }

  /**
   * @param {Decoder} decoder
   * @param {Float32Array} out
   * @param {number} at
   */
  #concealAll(decoder, out, at) {
    for (let i = 0; i < this.#opusFrames; i++)
      this.#concealOne(decoder, out, at + i * this.#opusFrameValues);
  }

  /**
   * @param {Decoder} decoder
   * @param {Float32Array} out
   * @param {number} at where the Opus frame goes
   * @returns {false}
   */
  #concealOne(decoder, out, at) {
    if (this.#fade.isOver) out.fill(0, at, at + this.#opusFrameValues);
    else decoder.conceal(out, at);
    this.#fade.apply(out, at, this.#opusFrameSamples);
    return false;
  }

  /**
   * @param {Float32Array} out
   * @param {number} at
   * @returns {false}
   */
  #silence(out, at) {
    out.fill(0, at, at + this.#opusFrames * this.#opusFrameValues);
    return false;
  }

  close() {
    this.#slot.close();
  }
}

/** @param {Float32Array} pcm interleaved */
function hasSameSides(pcm) {
  for (let i = 0; i < pcm.length; i += 2) if (pcm[i] !== pcm[i + 1]) return false;
  return true;
}
