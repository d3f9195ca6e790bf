/**
 * Opus by the package `libopus-wasm`: the same WebAssembly in Node.js and in browsers.
 */

import {
  APPLICATIONS,
  MAX_OPUS_BYTES,
  checkDecoderSettings,
  checkEncoderSettings,
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
 * @typedef {Pick<typeof import('libopus-wasm'), 'createEncoder' | 'createDecoder'>} LibopusModule
 * @typedef {import('libopus-wasm').SampleRate} SampleRate
 */

/**
 * The library's one memory ends at 2 GiB, which held 37 084 pairs of an encoder and a decoder; the
 * figure leaves room for the longest frames' buffers.
 */
const MAX_INSTANCES = 60000;

/** libopus's code for memory that it can't have. */
const ALLOCATION_FAILED = -7;

/**
 * @param {LibopusModule} module the namespace of `libopus-wasm`
 * @param {{ maxInstances?: number }} [options]
 * @returns {Codec} which counts its own instances: make one for each module
 */
export function createLibopusCodec(module, { maxInstances = MAX_INSTANCES } = {}) {
  const name = 'libopus-wasm';
  let open = 0;

  /**
   * @template T
   * @param {() => Promise<T>} create
   * @returns {Promise<T>}
   */
  async function counted(create) {
    if (open >= maxInstances) throw instancesError(name, open);
    open++;
    try {
      return await create();
    } catch (error) {
      open--;
      const { code } = /** @type {{ code?: unknown }} */ (error);
      throw code === ALLOCATION_FAILED ? instancesError(name, open) : error;
    }
  }

  const onClose = () => {
    open--;
  };

  return {
    name,
    conceals: true,
    maxInstances,
    createEncoder: async (settings) => {
      const full = checkEncoderSettings(settings);
      return counted(() => openEncoder(module, full, onClose));
    },
    createDecoder: async (settings) => {
      checkDecoderSettings(settings);
      return counted(() => openDecoder(module, settings, onClose));
    },
  };
}

/**
 * @param {LibopusModule} module
 * @param {FullEncoderSettings} settings
 * @param {() => void} onClose
 */
async function openEncoder(module, { sampleRate, frameSamples, bitrate, complexity, application }, onClose) {
  const handle = await module.createEncoder({
    sampleRate: /** @type {SampleRate} */ (sampleRate),
    channels: 1,
    frameSize: frameSamples,
    bitrate,
    complexity,
    application: APPLICATIONS[application],
  });
  return new LibopusEncoder(handle, frameSamples, onClose);
}

/**
 * @param {LibopusModule} module
 * @param {DecoderSettings} settings
 * @param {() => void} onClose
 */
async function openDecoder(module, { sampleRate, frameSamples }, onClose) {
  const handle = await module.createDecoder({
    sampleRate: /** @type {SampleRate} */ (sampleRate),
    channels: 1,
    maxFrameSize: frameSamples,
  });
  return new LibopusDecoder(handle, frameSamples, onClose);
}

/** @implements {Encoder} */
class LibopusEncoder {
  #handle;
  #pcm;
  #onClose;
  #closed = false;
  #options = { maxPacketBytes: 0 };

  /**
   * @param {import('libopus-wasm').OpusEncoderHandle} handle
   * @param {number} frameSamples
   * @param {() => void} onClose
   */
  constructor(handle, frameSamples, onClose) {
    this.#handle = handle;
    this.#pcm = new Float32Array(frameSamples);
    this.#onClose = onClose;
    this.lookahead = handle.getLookahead();
  }

  /**
   * @param {Float32Array} pcm
   * @param {Uint8Array} out
   * @param {number} at
   */
  encode(pcm, out, at) {
    const clipped = this.#pcm;
    if (pcm.length !== clipped.length) {
      throw new RangeError(`${pcm.length} samples to encode: a frame has ${clipped.length}`);
    }
    const room = Math.min(MAX_OPUS_BYTES, out.length - at);
    if (this.#closed || !(room > 1)) return 0;
    for (let i = 0; i < clipped.length; i++) clipped[i] = clipSample(pcm[i]);
    this.#options.maxPacketBytes = room;
    try {
      const bytes = this.#handle.encodeFloat(clipped, this.#options);
      out.set(bytes, at);
      return bytes.length;
    } catch {
      return 0;
    }
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#handle.free();
    this.#onClose();
  }
}

const noOptions = Object.freeze({});

/** @implements {Decoder} */
class LibopusDecoder {
  #handle;
  #frameSamples;
  #sampleRate;
  #onClose;
  #closed = false;
  #concealment;

  /**
   * @param {import('libopus-wasm').OpusDecoderHandle} handle
   * @param {number} frameSamples
   * @param {() => void} onClose
   */
  constructor(handle, frameSamples, onClose) {
    this.#handle = handle;
    this.#frameSamples = frameSamples;
    this.#sampleRate = handle.sampleRate;
    this.#onClose = onClose;
    this.#concealment = Object.freeze({ frameSize: frameSamples });
  }

  /**
   * @param {Uint8Array} bytes
   * @param {Float32Array} out
   * @param {number} at
   */
  decode(bytes, out, at) {
    checkRoom(out, at, this.#frameSamples);
    if (this.#closed || payloadSamples(bytes, this.#sampleRate) !== this.#frameSamples) return false;
    return this.#fill(bytes, noOptions, out, at);
  }

  /**
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    checkRoom(out, at, this.#frameSamples);
    if (this.#closed || !this.#fill(null, this.#concealment, out, at)) {
      out.fill(0, at, at + this.#frameSamples);
    }
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#handle.free();
    this.#onClose();
  }

  /**
   * @param {Uint8Array | null} bytes
   * @param {import('libopus-wasm').DecodeOptions} options
   * @param {Float32Array} out
   * @param {number} at
   */
  #fill(bytes, options, out, at) {
    let pcm;
    try {
      pcm = this.#handle.decodeFloat(bytes, options);
    } catch {
      return false;
    }
    if (pcm.length !== this.#frameSamples) return false;
    for (let i = 0; i < pcm.length; i++) out[at + i] = clipSample(pcm[i]);
    return true;
  }
}
