/**
 * Opus by the package `libopus-wasm`: the same WebAssembly in Node.js and in browsers. The
 * package's own classes aren't used, since they are made asynchronously and return a new array from
 * each call.
 */

import {
  APPLICATIONS,
  MAX_FRAME_VALUES,
  MAX_OPUS_BYTES,
  boundedCodec,
  checkRoom,
  clipSample,
  instancesError,
  payloadSamples,
} from './codec.js';

/**
 * @typedef {import('./codec.js').Codec} Codec
 * @typedef {import('./codec.js').Encoder} Encoder
 * @typedef {import('./codec.js').Decoder} Decoder
 * @typedef {import('./codec.js').DecoderSettings} DecoderSettings
 * @typedef {import('./codec.js').FullEncoderSettings} FullEncoderSettings
 *
 * @typedef {object} LibopusModule  the used part of the package's module, which comes without types
 * @property {Uint8Array} HEAPU8 the library's memory; growth replaces it, and the other views
 * @property {Float32Array} HEAPF32
 * @property {Int32Array} HEAP32
 * @property {(bytes: number) => number} _malloc
 * @property {(sampleRate: number, channels: number, application: number, error: number) => number}
 *   _oc_create_encoder
 * @property {(sampleRate: number, channels: number, error: number) => number} _oc_create_decoder
 * @property {(encoder: number) => void} _oc_destroy_encoder
 * @property {(decoder: number) => void} _oc_destroy_decoder
 * @property {(encoder: number, request: number, value: number) => number} _oc_encoder_ctl
 * @property {(encoder: number) => number} _oc_encoder_ctl_get_lookahead
 * @property {(encoder: number, pcm: number, samples: number, out: number, room: number) => number}
 *   _oc_encode_float
 * @property {(decoder: number, payload: number, bytes: number, pcm: number, samples: number, fec:
 *   number) => number} _oc_decode_float
 */

/**
 * Most encoders and decoders. The library's only memory ends at 2 GiB, which held 37,084 pairs of
 * both; the limit leaves room for the longest frames' buffers.
 */
const MAX_INSTANCES = 60000;

/** Error code of libopus for failed allocation. */
const ALLOCATION_FAILED = -7;

const CTL = Object.freeze({
  setBitrate: 4002,
  setVbr: 4006,
  setComplexity: 4010,
  forceChannels: 4022,
  disablePrediction: 4042,
});

/** Value of a request with which the library decides itself. */
const AUTO = -1000;

/**
 * @param {LibopusModule} module result of the package's `generated/libopus.generated.mjs`
 * @param {{ maxInstances?: number }} [options]
 * @returns {Codec} which counts its own instances: make one for each module
 */
export function createLibopusCodec(module, { maxInstances = MAX_INSTANCES } = {}) {
  const library = new Library(module);
  return boundedCodec({
    name: 'libopus-wasm',
    maxInstances,
    open: () => library.open,
    encoder: (settings) => new LibopusEncoder(library, settings),
    decoder: (settings) => new LibopusDecoder(library, settings),
  });
}

/** One module with one pair of buffers, shared by all encoders and decoders. */
class Library {
  #error;

  /** @param {LibopusModule} module */
  constructor(module) {
    this.module = module;
    this.open = 0;
    this.pcm = module._malloc(MAX_FRAME_VALUES * Float32Array.BYTES_PER_ELEMENT);
    this.payload = module._malloc(MAX_OPUS_BYTES);
    this.#error = module._malloc(Int32Array.BYTES_PER_ELEMENT);
  }

  /**
   * @param {number} sampleRate Hz
   * @param {number} channels
   * @param {number} application one of APPLICATIONS
   */
  createEncoder(sampleRate, channels, application) {
    return this.#created(
      this.module._oc_create_encoder(sampleRate, channels, application, this.#error),
    );
  }

  /** @param {number} sampleRate Hz @param {number} channels */
  createDecoder(sampleRate, channels) {
    return this.#created(this.module._oc_create_decoder(sampleRate, channels, this.#error));
  }

  /** @param {number} address */
  #created(address) {
    const error = this.module.HEAP32[this.#error >> 2];
    if (error === ALLOCATION_FAILED) throw instancesError('libopus-wasm', this.open);
    if (error !== 0 || address === 0) throw new Error(`libopus can't be opened (${error})`);
    this.open++;
    return address;
  }
}

/** @implements {Encoder} */
class LibopusEncoder {
  #library;
  #frameSamples;
  #frameValues;
  #address;
  #closed = false;

  /** @param {Library} library @param {FullEncoderSettings} settings */
  constructor(
    library,
    { sampleRate, frameSamples, channels, bitrate, complexity, application, isConstant },
  ) {
    const { module } = library;
    this.#library = library;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameSamples * channels;
    this.#address = library.createEncoder(sampleRate, channels, APPLICATIONS[application]);
    module._oc_encoder_ctl(this.#address, CTL.setBitrate, bitrate);
    module._oc_encoder_ctl(this.#address, CTL.setVbr, isConstant ? 0 : 1);
    module._oc_encoder_ctl(this.#address, CTL.setComplexity, complexity);
    this.lookahead = module._oc_encoder_ctl_get_lookahead(this.#address);
  }

  /**
   * @param {Float32Array} pcm
   * @param {Uint8Array} out
   * @param {number} at
   */
  encode(pcm, out, at) {
    const values = this.#frameValues;
    if (pcm.length !== values)
      throw new RangeError(`${pcm.length} samples to encode: a frame has ${values}`);
    const room = Math.min(MAX_OPUS_BYTES, out.length - at);
    if (this.#closed || !(room > 1)) return 0;
    const { module, payload, pcm: address } = this.#library;
    const cells = module.HEAPF32;
    const first = address >> 2;
    for (let i = 0; i < values; i++) cells[first + i] = clipSample(pcm[i]);
    const length = module._oc_encode_float(
      this.#address,
      address,
      this.#frameSamples,
      payload,
      room,
    );
    if (length <= 0) return 0;
    const bytes = module.HEAPU8;
    for (let i = 0; i < length; i++) out[at + i] = bytes[payload + i];
    return length;
  }

  /** @param {number} complexity */
  setComplexity(complexity) {
    if (!this.#closed)
      this.#library.module._oc_encoder_ctl(this.#address, CTL.setComplexity, complexity);
  }

  /** @param {boolean} mono */
  setMono(mono) {
    if (!this.#closed)
      this.#library.module._oc_encoder_ctl(this.#address, CTL.forceChannels, mono ? 1 : AUTO);
  }

  /** @param {boolean} predicts */
  setPrediction(predicts) {
    if (!this.#closed)
      this.#library.module._oc_encoder_ctl(this.#address, CTL.disablePrediction, predicts ? 0 : 1);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#library.module._oc_destroy_encoder(this.#address);
    this.#library.open--;
  }
}

/** @implements {Decoder} */
class LibopusDecoder {
  #library;
  #sampleRate;
  #frameSamples;
  #frameValues;
  #address;
  #closed = false;

  /** @param {Library} library @param {DecoderSettings} settings */
  constructor(library, { sampleRate, frameSamples, channels = 1 }) {
    this.#library = library;
    this.#sampleRate = sampleRate;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameSamples * channels;
    this.#address = library.createDecoder(sampleRate, channels);
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
    const { module, payload } = this.#library;
    const target = module.HEAPU8;
    for (let i = 0; i < length; i++) target[payload + i] = bytes[start + i];
    return this.#fill(payload, length, out, at);
  }

  /** @param {Float32Array} out @param {number} at */
  conceal(out, at) {
    checkRoom(out, at, this.#frameValues);
    if (this.#closed || !this.#fill(0, 0, out, at)) out.fill(0, at, at + this.#frameValues);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#library.module._oc_destroy_decoder(this.#address);
    this.#library.open--;
  }

  /**
   * @param {number} payload its address, 0 for a missing one
   * @param {number} length
   * @param {Float32Array} out
   * @param {number} at
   */
  #fill(payload, length, out, at) {
    const { module, pcm } = this.#library;
    const samples = this.#frameSamples;
    if (module._oc_decode_float(this.#address, payload, length, pcm, samples, 0) !== samples)
      return false;
    const cells = module.HEAPF32;
    const first = pcm >> 2;
    for (let i = 0; i < this.#frameValues; i++) out[at + i] = clipSample(cells[first + i]);
    return true;
  }
}
