/**
 * Opus by the WebAssembly of the package `opusscript` (libopus 1.4): 16-bit, without FEC or DTX.
 *
 * The package's own class isn't used, because of two faults. It keeps views of the library's
 * memory, which are invalid once the memory has grown. It also uses a byte address as the address
 * of a 16-bit cell, so it writes at twice the address of its buffer. That hits other data, and from
 * the 80th instance on the memory's end ("offset is out of bounds"). Used directly, the library has
 * neither limit.
 */

import { createRequire } from 'node:module';
import { OPUS_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import {
  APPLICATIONS,
  MAX_FRAME_SAMPLES,
  MAX_FRAME_VALUES,
  MAX_OPUS_BYTES,
  boundedCodec,
  checkRoom,
  clipSample,
  payloadSamples,
} from '../../public/shared/stream/codec.js';

/**
 * @typedef {import('../../public/shared/stream/codec.js').Codec} Codec
 * @typedef {import('../../public/shared/stream/codec.js').Encoder} Encoder
 * @typedef {import('../../public/shared/stream/codec.js').Decoder} Decoder
 * @typedef {import('../../public/shared/stream/codec.js').DecoderSettings} DecoderSettings
 * @typedef {import('../../public/shared/stream/codec.js').FullEncoderSettings} FullEncoderSettings
 */

/** Value of a request that leaves the choice to the library. */
const AUTO = -1000;

/**
 * Most instances in the library's memory of 2 GiB. An encoder and a decoder of one rate share 85
 * kB; an encoder or a decoder without its counterpart takes as much.
 */
const MAX_INSTANCES = 24000;

/**
 * Number of values of all channels in the library's own buffer: in stereo a frame of 40 or 60 ms
 * doesn't fit.
 */
const MAX_VALUES = MAX_FRAME_SAMPLES;

/**
 * @param {{ maxInstances?: number }} [options]
 * @returns {Codec} has its own library, and so its own memory
 */
export function createOpusscriptCodec({ maxInstances = MAX_INSTANCES } = {}) {
  const library = new OpusscriptLibrary();
  return boundedCodec({
    name: 'opusscript',
    maxInstances,
    maxFrameValues: MAX_VALUES,
    open: () => library.taken,
    encoder: (settings) => new OpusscriptEncoder(library, settings),
    decoder: (settings) => new OpusscriptDecoder(library, settings),
  });
}

/** @implements {Encoder} */
class OpusscriptEncoder {
  #library;
  #sampleRate;
  #channels;
  #frameSamples;
  #frameValues;
  #handler;
  #closed = false;

  /** @param {OpusscriptLibrary} opusscript @param {FullEncoderSettings} settings */
  constructor(
    opusscript,
    { sampleRate, frameSamples, channels, bitrate, complexity, application, isConstant },
  ) {
    this.#library = opusscript;
    this.#sampleRate = sampleRate;
    this.#channels = channels;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameSamples * channels;
    const handler = opusscript.take('encoder', sampleRate, channels, APPLICATIONS[application]);
    handler._encoder_ctl(CTL.resetState, 0);
    handler._encoder_ctl(CTL.setApplication, APPLICATIONS[application]);
    handler._encoder_ctl(
      CTL.setBitrate,
      Math.min(bitrate, longestBitrate(sampleRate, frameSamples)),
    );
    handler._encoder_ctl(CTL.setVbr, isConstant ? 0 : 1);
    handler._encoder_ctl(CTL.setComplexity, complexity);
    handler._encoder_ctl(CTL.forceChannels, AUTO);
    handler._encoder_ctl(CTL.disablePrediction, 0);
    this.#handler = handler;
    this.lookahead = opusscript.lookahead(handler);
  }

  /** @param {Float32Array} pcm @param {Uint8Array} out @param {number} at */
  encode(pcm, out, at) {
    const values = this.#frameValues;
    if (pcm.length !== values)
      throw new RangeError(`${pcm.length} samples to encode: a frame has ${values}`);
    if (this.#closed) return 0;
    const { cells, pcm: address, payload } = this.#library;
    let cell = address >> 1;
    for (let i = 0; i < values; i++) {
      const sample = Math.round(clipSample(pcm[i]) * 32767);
      cells[cell++] = sample & 0xff;
      cells[cell++] = (sample >> 8) & 0xff;
    }
    const room = Math.min(MAX_OPUS_BYTES, out.length - at);
    let length = this.#handler._encode(address, values * 2, payload, this.#frameSamples);
    if (length > room && room > 1) {
      this.#fill(room);
      length = this.#handler._encode(address, values * 2, payload, this.#frameSamples);
    }
    if (!(length > 0 && length <= room)) return 0;
    const { bytes } = this.#library;
    for (let i = 0; i < length; i++) out[at + i] = bytes[payload + i];
    return length;
  }

  /**
   * Sets the size of all payloads from now on: this library has no setting for the largest.
   * @param {number} bytes
   */
  #fill(bytes) {
    const bitrate = Math.floor((bytes * 8 * this.#sampleRate) / this.#frameSamples);
    this.#handler._encoder_ctl(CTL.setBitrate, bitrate);
    this.#handler._encoder_ctl(CTL.setVbr, 0);
  }

  /** @param {number} complexity */
  setComplexity(complexity) {
    if (!this.#closed) this.#handler._encoder_ctl(CTL.setComplexity, complexity);
  }

  /** @param {boolean} mono */
  setMono(mono) {
    if (!this.#closed) this.#handler._encoder_ctl(CTL.forceChannels, mono ? 1 : AUTO);
  }

  /** @param {boolean} predicts */
  setPrediction(predicts) {
    if (!this.#closed) this.#handler._encoder_ctl(CTL.disablePrediction, predicts ? 0 : 1);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#library.giveBack('encoder', this.#sampleRate, this.#channels, this.#handler);
  }
}

/** @implements {Decoder} */
class OpusscriptDecoder {
  #library;
  #sampleRate;
  #channels;
  #frameSamples;
  #frameValues;
  #missing;
  #handler;
  #closed = false;

  /** @param {OpusscriptLibrary} opusscript @param {DecoderSettings} settings */
  constructor(opusscript, { sampleRate, frameSamples, channels = 1 }) {
    this.#library = opusscript;
    this.#sampleRate = sampleRate;
    this.#channels = channels;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameSamples * channels;
    this.#missing = missingPayload(sampleRate, frameSamples);
    this.#handler = opusscript.take('decoder', sampleRate, channels, APPLICATIONS.audio);
    this.#handler._decoder_ctl(CTL.resetState, 0);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length
   * @param {Float32Array} out
   * @param {number} at
   */
  decode(bytes, start, length, out, at) {
    checkRoom(out, at, this.#frameValues);
    if (
      this.#closed ||
      payloadSamples(bytes, start, length, this.#sampleRate) !== this.#frameSamples
    )
      return false;
    return this.#fill(bytes, start, length, out, at);
  }

  /** @param {Float32Array} out @param {number} at */
  conceal(out, at) {
    checkRoom(out, at, this.#frameValues);
    if (this.#closed || !this.#fill(this.#missing, 0, 1, out, at))
      out.fill(0, at, at + this.#frameValues);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#library.giveBack('decoder', this.#sampleRate, this.#channels, this.#handler);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length
   * @param {Float32Array} out
   * @param {number} at
   */
  #fill(bytes, start, length, out, at) {
    const { bytes: memory, pcm: address, payload } = this.#library;
    for (let i = 0; i < length; i++) memory[payload + i] = bytes[start + i];
    if (this.#handler._decode(payload, length, address) !== this.#frameSamples) return false;
    const { cells } = this.#library;
    let cell = address >> 1;
    for (let i = 0; i < this.#frameValues; i++) {
      const sample = (((cells[cell] & 0xff) | (cells[cell + 1] << 8)) << 16) >> 16;
      out[at + i] = sample / 32768;
      cell += 2;
    }
    return true;
  }
}

/**
 * Computes the bit rate at which a frame fills the longest payload: the library has no other limit.
 * @param {number} sampleRate Hz
 * @param {number} frameSamples
 */
function longestBitrate(sampleRate, frameSamples) {
  return Math.floor((MAX_OPUS_BYTES * 8 * sampleRate) / frameSamples);
}

/**
 * Makes a payload with nothing behind its first byte: a decoder conceals its duration, as for a
 * lost frame (RFC 6716, sections 3.2.1 and 4.4). The library has no other request for that.
 * @param {number} sampleRate Hz
 * @param {number} frameSamples
 */
function missingPayload(sampleRate, frameSamples) {
  const index = OPUS_FRAME_MS.indexOf((frameSamples * 1000) / sampleRate);
  // CELT has configurations for the first four lengths (28 to 31), SILK for the last two (10 and
  // 11)
  const config = index < 4 ? 28 + index : 6 + index;
  return Uint8Array.of(config << 3);
}

/**
 * C++ class of the library as embind exposes it: an independent encoder and decoder. PCM goes in
 * and out as bytes, low byte first, each in a 16-bit cell.
 *
 * @typedef {object} Handler
 * @property {(pcm: number, bytes: number, out: number, samples: number) => number} _encode
 * @property {(bytes: number, length: number, pcm: number) => number} _decode
 * @property {(request: number, value: number) => number} _encoder_ctl
 * @property {(request: number, value: number) => number} _decoder_ctl
 *
 * @typedef {object} Library
 * @property {Uint8Array} HEAPU8 replaced when the memory grows, like the other views
 * @property {Uint16Array} HEAPU16
 * @property {Int32Array} HEAP32
 * @property {(bytes: number) => number} _malloc
 * @property {(new (sampleRate: number, channels: number, application: number) => Handler) & {
 *   destroy_handler: (handler: Handler) => void }} OpusScriptHandler
 *
 * @typedef {'encoder' | 'decoder'} Half
 */

/** Requests of libopus's opus_encoder_ctl and opus_decoder_ctl. */
const CTL = Object.freeze({
  setApplication: 4000,
  setBitrate: 4002,
  setVbr: 4006,
  setComplexity: 4010,
  forceChannels: 4022,
  getLookahead: 4027,
  resetState: 4028,
  disablePrediction: 4042,
});

/** Size that the library assumes for the output buffer of its encoder. */
const MAX_ENCODED_BYTES = 3828;

const CELL_BYTES = 2;
const SAMPLE_CELLS = 2;

/** One library with one pair of buffers, shared by all encoders and decoders in turn. */
class OpusscriptLibrary {
  /** @type {Library} */
  #library;
  /**
   * @type {Record<Half, Map<number, Set<Handler>>>} handlers by their kind, of which this half is
   *   free
   */
  #free = { encoder: new Map(), decoder: new Map() };

  constructor() {
    /** Number of halves in use; a stereo one counts twice. */
    this.taken = 0;
    this.#library = createRequire(import.meta.url)('opusscript/build/opusscript_native_wasm.js')();
    this.pcm = this.#library._malloc(MAX_FRAME_VALUES * SAMPLE_CELLS * CELL_BYTES);
    this.payload = this.#library._malloc(MAX_ENCODED_BYTES);
  }

  get bytes() {
    return this.#library.HEAPU8;
  }

  /** Memory of the library as 16-bit cells. */
  get cells() {
    return this.#library.HEAPU16;
  }

  /**
   * @param {Half} half wanted half of a handler
   * @param {number} sampleRate Hz
   * @param {number} channels
   * @param {number} application one of APPLICATIONS
   * @returns {Handler} may be shared: another user may have its other half
   */
  take(half, sampleRate, channels, application) {
    this.taken += channels;
    const free = this.#freeHalves(half, kindOf(sampleRate, channels));
    for (const handler of free) {
      free.delete(handler);
      return handler;
    }
    const handler = new this.#library.OpusScriptHandler(sampleRate, channels, application);
    this.#freeHalves(otherHalf(half), kindOf(sampleRate, channels)).add(handler);
    return handler;
  }

  /**
   * @param {Half} half
   * @param {number} sampleRate Hz
   * @param {number} channels
   * @param {Handler} handler as taken; unusable afterwards
   */
  giveBack(half, sampleRate, channels, handler) {
    this.taken -= channels;
    const kind = kindOf(sampleRate, channels);
    if (this.#freeHalves(otherHalf(half), kind).delete(handler)) {
      this.#library.OpusScriptHandler.destroy_handler(handler);
    } else {
      this.#freeHalves(half, kind).add(handler);
    }
  }

  /** @param {Handler} handler @returns {number} lookahead of the encoder, in samples */
  lookahead(handler) {
    handler._encoder_ctl(CTL.getLookahead, this.payload);
    return this.#library.HEAP32[this.payload >> 2];
  }

  /** @param {Half} half @param {number} kind */
  #freeHalves(half, kind) {
    let handlers = this.#free[half].get(kind);
    if (!handlers) {
      handlers = new Set();
      this.#free[half].set(kind, handlers);
    }
    return handlers;
  }
}

/**
 * Key of a handler's sample rate and channels: handlers of one kind are interchangeable.
 * @param {number} sampleRate Hz
 * @param {number} channels
 */
const kindOf = (sampleRate, channels) => sampleRate * 10 + channels;

/** @param {Half} half @returns {Half} */
function otherHalf(half) {
  return half === 'encoder' ? 'decoder' : 'encoder';
}
