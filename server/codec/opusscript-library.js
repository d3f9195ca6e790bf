/**
 * The WebAssembly of the package `opusscript` (libopus 1.4), without the package's own class on top of it.
 *
 * That class keeps views of the library's memory, which are dead once the memory has grown, and takes
 * an address in bytes for one in 16-bit cells, so that it writes at twice the address of the buffer
 * that it allocated: from the 80th instance on beyond the memory's end ("offset is out of bounds"),
 * before that into whatever lies there. Driven directly, the library has neither limit.
 */

import { createRequire } from 'node:module';
import { MAX_FRAME_VALUES } from '../../public/shared/codec.js';

/**
 * The library's C++ class as embind shows it: an encoder and a decoder that share nothing. PCM goes
 * in and out as bytes, low byte first, each in a 16-bit cell.
 *
 * @typedef {object} Handler
 * @property {(pcm: number, bytes: number, out: number, samples: number) => number} _encode
 * @property {(bytes: number, length: number, pcm: number) => number} _decode
 * @property {(request: number, value: number) => number} _encoder_ctl
 * @property {(request: number, value: number) => number} _decoder_ctl
 *
 * @typedef {object} Library
 * @property {Uint8Array} HEAPU8    another one after the memory has grown, and so are the rest
 * @property {Uint16Array} HEAPU16
 * @property {Int32Array} HEAP32
 * @property {(bytes: number) => number} _malloc
 * @property {(new (sampleRate: number, channels: number, application: number) => Handler) &
 *   { destroy_handler: (handler: Handler) => void }} OpusScriptHandler
 *
 * @typedef {'encoder' | 'decoder'} Half
 */

/** Requests of libopus's opus_encoder_ctl and opus_decoder_ctl. */
export const CTL = Object.freeze({
  setApplication: 4000,
  setBitrate: 4002,
  setComplexity: 4010,
  forceChannels: 4022,
  getLookahead: 4027,
  resetState: 4028,
});

/** The size that the library assumes of the buffer into which it encodes. */
const MAX_ENCODED_BYTES = 3828;

const CELL_BYTES = 2;
const SAMPLE_CELLS = 2;

/** One library with one pair of buffers, which all encoders and decoders use in turn. */
export class OpusscriptLibrary {
  /** @type {Library} */
  #library;
  /** @type {Record<Half, Map<number, Set<Handler>>>} handlers by their kind, of which this half is free */
  #free = { encoder: new Map(), decoder: new Map() };

  constructor() {
    /** How many halves are in use; one of two channels takes the room of two. */
    this.taken = 0;
    this.#library = createRequire(import.meta.url)('opusscript/build/opusscript_native_wasm.js')();
    this.pcm = this.#library._malloc(MAX_FRAME_VALUES * SAMPLE_CELLS * CELL_BYTES);
    this.payload = this.#library._malloc(MAX_ENCODED_BYTES);
  }

  /** The library's memory. */
  get bytes() {
    return this.#library.HEAPU8;
  }

  /** The library's memory as 16-bit cells. */
  get cells() {
    return this.#library.HEAPU16;
  }

  /**
   * @param {Half} half which of a handler's halves is wanted
   * @param {number} sampleRate Hz
   * @param {number} channels
   * @param {number} application one of APPLICATIONS
   * @returns {Handler} whose other half may be somebody else's
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
   * @param {Handler} handler as taken; not to be used any more
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

  /**
   * @param {Handler} handler
   * @returns {number} the encoder's lookahead, in samples
   */
  lookahead(handler) {
    handler._encoder_ctl(CTL.getLookahead, this.payload);
    return this.#library.HEAP32[this.payload >> 2];
  }

  /**
   * @param {Half} half
   * @param {number} kind
   */
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
 * A handler can be taken in place of another of the same sample rate and channels.
 * @param {number} sampleRate Hz
 * @param {number} channels
 */
const kindOf = (sampleRate, channels) => sampleRate * 10 + channels;

/**
 * @param {Half} half
 * @returns {Half}
 */
function otherHalf(half) {
  return half === 'encoder' ? 'decoder' : 'encoder';
}
