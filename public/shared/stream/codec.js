/**
 * The interface of an Opus codec, whichever library does the work, in the browser and on the
 * server; and the parts that all of them share: the settings that they take and the payloads that
 * they refuse.
 *
 * @typedef {'audio' | 'voip' | 'low-delay'} Application
 *   what the encoder favours: faithful sound, intelligible speech, or the least delay
 *
 * @typedef {object} EncoderSettings
 * @property {number} sampleRate    Hz; one of SAMPLE_RATES
 * @property {number} frameSamples  samples in one Opus frame: 2.5, 5, 10, 20, 40 or 60 ms
 * @property {number} [channels]    1 (default), or 2: left and right interleaved
 * @property {number} [bitrate]     b/s of all channels, 500 to 512 000 (RFC 6716, section 2.1.1)
 * @property {number} [complexity]  0 (fastest) to 10
 * @property {Application} [application]
 * @property {boolean} [isConstant] whether each payload has the bit rate's bytes; by default
 *   payloads have them on average
 *
 * @typedef {object} DecoderSettings
 * @property {number} sampleRate    Hz; one of SAMPLE_RATES
 * @property {number} frameSamples  samples in one Opus frame: 2.5, 5, 10, 20, 40 or 60 ms
 * @property {number} [channels] of what comes out, whatever the payloads have: 1 (default), or 2,
 *   interleaved
 *
 * @typedef {object} Encoder
 * @property {number} lookahead  samples by which the decoded sound lies behind the encoded
 * @property {(pcm: Float32Array, out: Uint8Array, at: number) => number} encode encodes one frame;
 *   returns the bytes written at `at`, 0 when it failed or the encoder is closed. Samples outside
 *   -1 to 1 are clipped, those that are not numbers are silence. Throws a RangeError when `pcm`
 *   isn't one frame
 * @property {(pcm: Float32Array, most: number) => boolean} [begin] begins to encode one frame,
 *   whose payload may have `most` bytes, on another thread; false when it isn't begun. `pcm` may be
 *   used again at once. Where a codec has it there is `end` too
 * @property {(out: Uint8Array, at: number) => number} [end]
 *   ends what was begun, and waits for it: returns as encode() does. Nothing else is encoded before
 * @property {(complexity: number) => void} setComplexity  0 to 10, from the next frame on
 * @property {(mono: boolean) => void} setMono of an encoder of two channels, from the next frame
 *   on: whether both are the same and go out as one
 * @property {(predicts: boolean) => void} setPrediction from the next frame on: whether frames are
 *   coded against the one before, as they are at first. The others sound the same from a decoder
 *   that had something else before them
 * @property {() => void} close  idempotent
 *
 * @typedef {object} Decoder
 * @property {(bytes: Uint8Array, start: number, length: number, out: Float32Array, at: number) =>
 *   boolean} decode decodes the payload in `length` bytes from `start` into the frame from `at`, of
 *   frameSamples × channels numbers. False, and `out` untouched, when it is no Opus, or not of one
 *   frame's duration, or when the decoder is closed; whoever calls then conceals. Throws a
 *   RangeError when `out` has no room for a frame
 * @property {(bytes: Uint8Array, start: number, length: number) => boolean} [begin] begins to
 *   decode a payload on another thread; false when it isn't begun, as decode() is false. `bytes`
 *   may be used again at once. Where a codec has it there is `end` too
 * @property {(out: Float32Array, at: number) => boolean} [end]
 *   ends what was begun, and waits for it: returns as decode() does. Nothing else is decoded before
 * @property {(out: Float32Array, at: number) => void} conceal
 *   fills one frame in place of a payload that is missing; silence when the decoder is closed
 * @property {() => void} close  idempotent
 *
 * @typedef {object} Codec
 * @property {string} name           as in `--codec`
 * @property {boolean} conceals      whether it conceals loss by Opus's own means
 * @property {number} maxInstances how many encoders and decoders together may be open in a process
 * @property {number} maxFrameValues how many numbers one Opus frame may have, those of all channels
 * @property {(settings: EncoderSettings) => Encoder} createEncoder
 *   throws a RangeError for settings that Opus doesn't have, and an error of code 'codec-instances'
 *   beyond maxInstances
 * @property {(settings: DecoderSettings) => Decoder} createDecoder  likewise
 */

import { CHANNELS, OPUS_FRAME_MS, SAMPLE_RATES } from '../sound/audio-format.js';

/**
 * The longest Opus frame, in bytes (RFC 6716, section 3.2.1), and the longest payload taken here.
 */
export const MAX_OPUS_BYTES = 1275;

/** Opus's highest bit rate, in bits a second of all channels (RFC 6716, section 2.1.1). */
export const MAX_BITRATE = 512_000;

/** The longest Opus frame: 60 ms at 48 kHz. */
export const MAX_FRAME_SAMPLES = 2880;

/** Numbers in it, where it is stereo. */
export const MAX_FRAME_VALUES = 2 * MAX_FRAME_SAMPLES;

/** The numbers by which libopus knows the applications. */
export const APPLICATIONS = Object.freeze({ voip: 2048, audio: 2049, 'low-delay': 2051 });

/** An encoder's default settings; docs/codec.md says why. */
export const defaultEncoderSettings = Object.freeze({
  channels: 1,
  bitrate: 48000,
  complexity: 8,
  application: /** @type {Application} */ ('low-delay'),
  isConstant: false,
});

/** @typedef {Required<EncoderSettings>} FullEncoderSettings */

/**
 * @param {EncoderSettings} settings
 * @returns {FullEncoderSettings} with the defaults filled in
 * @throws {RangeError} when Opus has no such setting; the message says what is allowed
 */
export function checkEncoderSettings(settings) {
  checkDecoderSettings(settings);
  const { sampleRate, frameSamples } = settings;
  const { channels, bitrate, complexity, application, isConstant } = {
    ...defaultEncoderSettings,
    ...definedOf(settings),
  };
  if (!Number.isInteger(bitrate) || bitrate < 500 || bitrate > MAX_BITRATE) {
    throw new RangeError(`bit rate ${bitrate}: allowed are 500 to ${MAX_BITRATE} b/s`);
  }
  if (!Number.isInteger(complexity) || complexity < 0 || complexity > 10) {
    throw new RangeError(`complexity ${complexity}: allowed are 0 to 10`);
  }
  if (!Object.hasOwn(APPLICATIONS, application)) {
    throw new RangeError(
      `application ${application}: allowed are ${Object.keys(APPLICATIONS).join(', ')}`,
    );
  }
  return { sampleRate, frameSamples, channels, bitrate, complexity, application, isConstant };
}

/**
 * @param {EncoderSettings} settings
 * @returns {Partial<EncoderSettings>} without those that are undefined, so that defaults show
 *   through
 */
function definedOf(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/**
 * @param {DecoderSettings} settings
 * @throws {RangeError} when Opus has no such rate, frame length or number of channels
 */
export function checkDecoderSettings({ sampleRate, frameSamples, channels = 1 }) {
  if (!SAMPLE_RATES.includes(sampleRate)) {
    throw new RangeError(`sample rate ${sampleRate}: allowed are ${SAMPLE_RATES.join(', ')} Hz`);
  }
  if (!CHANNELS.includes(channels))
    throw new RangeError(`${channels} channels: allowed are ${CHANNELS.join(' and ')}`);
  if (!OPUS_FRAME_MS.includes((frameSamples * 1000) / sampleRate)) {
    const allowed = OPUS_FRAME_MS.map((ms) => (ms * sampleRate) / 1000).join(', ');
    throw new RangeError(
      `an Opus frame of ${frameSamples} samples at ${sampleRate} Hz: allowed are ${allowed}`,
    );
  }
}

/**
 * The samples that a payload says it holds, from its first byte or two (RFC 6716, sections 3.1 and
 * 3.2).
 * @param {Uint8Array} bytes
 * @param {number} start where the payload starts
 * @param {number} length its bytes
 * @param {number} sampleRate Hz
 * @returns {number} 0 when it is empty, too long, cut short or not within `bytes`
 */
export function payloadSamples(bytes, start, length, sampleRate) {
  if (!(length > 0 && length <= MAX_OPUS_BYTES && start >= 0 && start + length <= bytes.length))
    return 0;
  const toc = bytes[start];
  const frameSamples = tocSamples(toc >> 3, sampleRate);
  switch (toc & 3) {
    case 0:
      return frameSamples;
    case 3:
      return length < 2 ? 0 : frameSamples * (bytes[start + 1] & 0x3f);
    default:
      return frameSamples * 2;
  }
}

/**
 * @param {number} config 0 to 31 (RFC 6716, table 2)
 * @param {number} sampleRate Hz
 */
function tocSamples(config, sampleRate) {
  if (config >= 16) return (sampleRate / 400) << (config & 3);
  if (config >= 12) return (sampleRate / 100) << (config & 1);
  return (config & 3) === 3 ? (sampleRate * 3) / 50 : (sampleRate / 100) << (config & 3);
}

/**
 * @param {number} sample
 * @returns {number} from -1 to 1; 0 when it is not a number
 */
export function clipSample(sample) {
  if (sample >= -1 && sample <= 1) return sample;
  return sample > 1 ? 1 : sample < -1 ? -1 : 0;
}

/**
 * @param {Float32Array} samples
 * @param {number} at
 * @param {number} frameValues
 * @throws {RangeError} when a frame doesn't fit there
 */
export function checkRoom(samples, at, frameValues) {
  if (!(at >= 0 && at + frameValues <= samples.length)) {
    throw new RangeError(`a frame of ${frameValues} samples at ${at} of ${samples.length}`);
  }
}

/**
 * @param {string} name the codec's
 * @param {number} maxInstances
 * @returns {Error & { code: string }}
 */
export function instancesError(name, maxInstances) {
  const message =
    `the codec ${name} holds no more than ${maxInstances} encoders and decoders ` + 'in a process';
  return Object.assign(new Error(message), { code: 'codec-instances' });
}

/**
 * A codec of a library that has room for a limited number of encoders and decoders.
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.maxInstances
 * @param {number} [options.maxFrameValues]
 * @param {() => number} options.open  how many there are
 * @param {(settings: FullEncoderSettings) => Encoder} options.encoder
 * @param {(settings: DecoderSettings) => Decoder} options.decoder
 * @returns {Codec}
 */
export function boundedCodec({
  name,
  maxInstances,
  maxFrameValues = MAX_FRAME_VALUES,
  open,
  encoder,
  decoder,
}) {
  const checkFrame = (/** @type {DecoderSettings} */ { frameSamples, channels = 1 }) => {
    if (frameSamples * channels <= maxFrameValues) return;
    const most = maxFrameValues / channels;
    throw new RangeError(
      `a frame of ${frameSamples} samples in ${channels} channels: ${name} allows at most ${most}`,
    );
  };
  const checkCount = () => {
    if (open() >= maxInstances) throw instancesError(name, maxInstances);
  };
  return {
    name,
    conceals: true,
    maxInstances,
    maxFrameValues,
    createEncoder: (settings) => {
      const full = checkEncoderSettings(settings);
      checkFrame(full);
      checkCount();
      return encoder(full);
    },
    createDecoder: (settings) => {
      checkDecoderSettings(settings);
      checkFrame(settings);
      checkCount();
      return decoder(settings);
    },
  };
}
