/**
 * The interface of an Opus codec for all libraries, in the browser and on the server. It includes
 * their shared checks of settings and payloads.
 *
 * @typedef {'audio' | 'voip' | 'low-delay'} Application goal of the encoder: faithful sound,
 *   intelligible speech, or the least delay
 *
 * @typedef {object} EncoderSettings
 * @property {number} sampleRate    Hz; one of SAMPLE_RATES
 * @property {number} frameSamples  samples in one Opus frame: 2.5, 5, 10, 20, 40 or 60 ms
 * @property {number} [channels]    1 (default), or 2: left and right interleaved
 * @property {number} [bitrate]     b/s of all channels, 500 to 512 000 (RFC 6716, section 2.1.1)
 * @property {number} [complexity]  0 (fastest) to 10
 * @property {Application} [application]
 * @property {boolean} [isConstant] true for a constant bit rate; the default is variable
 *
 * @typedef {object} DecoderSettings
 * @property {number} sampleRate    Hz; one of SAMPLE_RATES
 * @property {number} frameSamples  samples in one Opus frame: 2.5, 5, 10, 20, 40 or 60 ms
 * @property {number} [channels] of the output, independent of the payloads: 1 (default), or 2,
 *   interleaved
 *
 * @typedef {object} Encoder
 * @property {number} lookahead  samples of delay between encoded and decoded sound
 * @property {(pcm: Float32Array, out: Uint8Array, at: number) => number} encode encodes one frame;
 *   returns the bytes written at `at`, 0 when it failed or the encoder is closed. Samples outside
 *   -1 to 1 are clipped, NaN becomes silence. Throws a RangeError when `pcm` isn't one frame
 * @property {(pcm: Float32Array, most: number) => boolean} [begin] starts encoding one frame, with
 *   at most `most` bytes, on another thread; false when it didn't start. `pcm` may be reused at
 *   once. Comes with `end`
 * @property {(out: Uint8Array, at: number) => number} [end] waits for the started frame; returns as
 *   encode() does. Nothing else may be encoded before
 * @property {(complexity: number) => void} setComplexity  0 to 10, from the next frame on
 * @property {(mono: boolean) => void} setMono for an encoder of two channels, from the next frame
 *   on: true when both are equal and are sent as one
 * @property {(predicts: boolean) => void} setPrediction from the next frame on: true (the initial
 *   state) codes frames against the previous one; false makes them independent of the decoder's
 *   past
 * @property {() => void} close  idempotent
 *
 * @typedef {object} Decoder
 * @property {(bytes: Uint8Array, start: number, length: number, out: Float32Array, at: number) =>
 *   boolean} decode decodes the payload in `length` bytes from `start` into the frame from `at`, of
 *   frameSamples × channels numbers. False, and `out` untouched, when it is no Opus, or not of one
 *   frame's duration, or when the decoder is closed; then the caller conceals. Throws a RangeError
 *   when `out` has no room for a frame
 * @property {(bytes: Uint8Array, start: number, length: number) => boolean} [begin] starts decoding
 *   a payload on another thread; false when it didn't start, as in decode(). `bytes` may be reused
 *   at once. Comes with `end`
 * @property {(out: Float32Array, at: number) => boolean} [end] waits for the started payload;
 *   returns as decode() does. Nothing else may be decoded before
 * @property {(out: Float32Array, at: number) => void} conceal fills one frame for a missing
 *   payload; silence when the decoder is closed
 * @property {() => void} close  idempotent
 *
 * @typedef {object} Codec
 * @property {string} name           as in `--codec`
 * @property {boolean} conceals      true when it conceals loss by Opus's own method
 * @property {number} maxInstances most encoders and decoders, together, open in a process
 * @property {number} maxFrameValues most values of an Opus frame, of all channels
 * @property {(settings: EncoderSettings) => Encoder} createEncoder throws a RangeError for settings
 *   that Opus doesn't have, and an error of code 'codec-instances' beyond maxInstances
 * @property {(settings: DecoderSettings) => Decoder} createDecoder  likewise
 */

import { CHANNELS, OPUS_FRAME_MS, SAMPLE_RATES } from '../sound/audio-format.js';

/** Longest Opus frame, in bytes (RFC 6716, section 3.2.1), and longest payload accepted here. */
export const MAX_OPUS_BYTES = 1275;

/** Highest bit rate of Opus, in bits a second of all channels (RFC 6716, section 2.1.1). */
export const MAX_BITRATE = 512_000;

/** Longest Opus frame: 60 ms at 48 kHz. */
export const MAX_FRAME_SAMPLES = 2880;

/** Values of the longest frame in stereo. */
export const MAX_FRAME_VALUES = 2 * MAX_FRAME_SAMPLES;

/** Numbers of the applications in libopus. */
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
 * @returns {Partial<EncoderSettings>} without undefined ones, so that defaults apply
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
 * Reads the number of samples from a payload's first byte or two (RFC 6716, sections 3.1 and 3.2).
 * @param {Uint8Array} bytes
 * @param {number} start of the payload
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

/** @param {number} config 0 to 31 (RFC 6716, table 2) @param {number} sampleRate Hz */
function tocSamples(config, sampleRate) {
  if (config >= 16) return (sampleRate / 400) << (config & 3);
  if (config >= 12) return (sampleRate / 100) << (config & 1);
  return (config & 3) === 3 ? (sampleRate * 3) / 50 : (sampleRate / 100) << (config & 3);
}

/** @param {number} sample @returns {number} from -1 to 1; 0 when it is not a number */
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
 * Wraps a library that has room for a limited number of encoders and decoders as a codec.
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.maxInstances
 * @param {number} [options.maxFrameValues]
 * @param {() => number} options.open number of open ones
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
