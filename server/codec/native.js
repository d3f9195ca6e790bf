/** Opus by libopus in the native addon, compiled for this machine's kind of processor. */

import {
  APPLICATIONS,
  checkDecoderSettings,
  checkEncoderSettings,
  checkRoom,
  MAX_FRAME_VALUES,
} from '../../public/shared/stream/codec.js';

/**
 * @typedef {import('./codec.js').Codec} Codec
 * @typedef {import('../../public/shared/stream/codec.js').Encoder} Encoder
 * @typedef {import('../../public/shared/stream/codec.js').Decoder} Decoder
 * @typedef {import('../../native/binding.js').NativeOpus} NativeOpus
 */

/**
 * RESTRICTED_CELT, an application of libopus 1.6: it gives the packets of restricted low-delay, and
 * takes 38 to 50 % less memory (findings/opus-restricted-celt.sh).
 */
const RESTRICTED_CELT = 2053;

/** Code of the addon without memory; bad settings have another, and are checked before. */
const FAILED = 'GenericFailure';

/**
 * @param {Omit<NativeOpus, 'opusVersion'>} native
 * @returns {Codec} its encoders and decoders are limited only by the machine's memory
 */
export function createNativeCodec({ OpusEncoder, OpusDecoder, ...math }) {
  const hasCelt = canOpen(() => new OpusEncoder(48000, 960, 48000, 0, RESTRICTED_CELT));
  const numbers = { ...APPLICATIONS, ...(hasCelt && { 'low-delay': RESTRICTED_CELT }) };
  return {
    name: 'native',
    conceals: true,
    maxInstances: Infinity,
    maxFrameValues: MAX_FRAME_VALUES,
    math,
    createEncoder: (settings) => {
      const { sampleRate, frameSamples, channels, bitrate, complexity, application, isConstant } =
        checkEncoderSettings(settings);
      const number = numbers[application];
      const open = () =>
        new OpusEncoder(
          sampleRate,
          frameSamples,
          bitrate,
          complexity,
          number,
          channels,
          isConstant,
        );
      return new NativeEncoder(orNoMemory(open), frameSamples * channels);
    },
    createDecoder: (settings) => {
      checkDecoderSettings(settings);
      const { sampleRate, frameSamples, channels = 1 } = settings;
      const open = () => new OpusDecoder(sampleRate, frameSamples, channels);
      return new NativeDecoder(orNoMemory(open), frameSamples * channels);
    },
  };
}

/** @param {() => { close: () => void }} open an encoder @returns {boolean} false if it throws */
function canOpen(open) {
  try {
    open().close();
    return true;
  } catch {
    return false;
  }
}

/**
 * @template T
 * @param {() => T} open
 * @returns {T}
 */
function orNoMemory(open) {
  try {
    return open();
  } catch (error) {
    if (/** @type {{ code?: unknown }} */ (error).code !== FAILED) throw error;
    const message = 'there is no memory for another encoder or decoder of the codec native';
    throw Object.assign(new Error(message), { code: 'codec-instances' });
  }
}

/** @implements {Encoder} */
class NativeEncoder {
  #native;
  #frameValues;

  /** @param {InstanceType<NativeOpus['OpusEncoder']>} native @param {number} frameValues */
  constructor(native, frameValues) {
    this.#native = native;
    this.#frameValues = frameValues;
    this.lookahead = native.lookahead;
  }

  /** @param {Float32Array} pcm @param {Uint8Array} out @param {number} at */
  encode(pcm, out, at) {
    const values = this.#frameValues;
    if (pcm.length !== values)
      throw new RangeError(`${pcm.length} samples to encode: a frame has ${values}`);
    return this.#native.encode(pcm, out, at);
  }

  /** @param {Float32Array} pcm @param {number} most */
  begin(pcm, most) {
    const values = this.#frameValues;
    if (pcm.length !== values)
      throw new RangeError(`${pcm.length} samples to encode: a frame has ${values}`);
    return this.#native.begin(pcm, most);
  }

  /** @param {Uint8Array} out @param {number} at */
  end(out, at) {
    return this.#native.end(out, at);
  }

  /** @param {number} complexity */
  setComplexity(complexity) {
    this.#native.setComplexity(complexity);
  }

  /** @param {boolean} mono */
  setMono(mono) {
    this.#native.setMono(mono);
  }

  /** @param {boolean} predicts */
  setPrediction(predicts) {
    this.#native.setPrediction(predicts);
  }

  close() {
    this.#native.close();
  }
}

/** @implements {Decoder} */
class NativeDecoder {
  #native;
  #frameValues;

  /** @param {InstanceType<NativeOpus['OpusDecoder']>} native @param {number} frameValues */
  constructor(native, frameValues) {
    this.#native = native;
    this.#frameValues = frameValues;
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
    return this.#native.decode(bytes, start, length, out, at);
  }

  /** @param {Uint8Array} bytes @param {number} start @param {number} length */
  begin(bytes, start, length) {
    return this.#native.begin(bytes, start, length);
  }

  /** @param {Float32Array} out @param {number} at */
  end(out, at) {
    checkRoom(out, at, this.#frameValues);
    return this.#native.end(out, at);
  }

  /** @param {Float32Array} out @param {number} at */
  conceal(out, at) {
    checkRoom(out, at, this.#frameValues);
    if (!this.#native.conceal(out, at)) out.fill(0, at, at + this.#frameValues);
  }

  close() {
    this.#native.close();
  }
}
