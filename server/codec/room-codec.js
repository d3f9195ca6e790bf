/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Codec } from './codec.js'
 *
 * @typedef {object} RoomCodecSettings
 * @property {AudioFormat} format
 * @property {number} bitrate  of an encoder, b/s of all channels
 * @property {number} complexity  of an encoder when it is opened, 0 to 10
 * @property {'audio' | 'voip' | 'low-delay'} application  of an encoder
 */

import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { stackOf } from '../log.js';

/**
 * A codec that has fewer instances than this for the whole process opens them when they are made,
 * so that a participant who is one too many is refused, and not let in to be heard by nobody.
 */
const FEW_INSTANCES = 1000;

/** The most faults that are logged in a room's life; all are counted. */
const MAX_LOGGED = 20;

/**
 * Makes a room's encoders and decoders, one for each stream. Each is opened with its first sound,
 * since one who never speaks needs none, and replaced when it throws.
 */
export class RoomCodec {
  #codec;
  #settings;
  #log;
  #faults = 0;

  /**
   * @param {Codec} codec
   * @param {RoomCodecSettings} settings
   * @param {(line: string) => void} log  told of faults
   */
  constructor(codec, settings, log) {
    this.#codec = codec;
    this.#settings = settings;
    this.#log = log;
  }

  /** How many instances threw, and were replaced. */
  get faults() {
    return this.#faults;
  }

  /**
   * @param {string} stream  for the log
   * @param {{ bitrate?: number, isConstant?: boolean }} [options] bitrate: in place of the room's;
   *   isConstant: for each payload, and not only on average
   * @returns {PayloadEncoder}
   * @throws {Error} of code 'codec-instances'
   */
  newEncoder(stream, { bitrate = this.#settings.bitrate, isConstant = false } = {}) {
    const { format, complexity, application } = this.#settings;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const settings = {
      sampleRate,
      frameSamples,
      channels,
      bitrate,
      complexity,
      application,
      isConstant,
    };
    const open = () => this.#codec.createEncoder(settings);
    const onFault = (/** @type {unknown} */ error) =>
      this.#failed(`the encoder of ${stream}`, error);
    return new PayloadEncoder(this.#atOnce ? open() : null, format, { open, onFault });
  }

  /**
   * @param {string} stream  for the log
   * @returns {PayloadDecoder}
   * @throws {Error} of code 'codec-instances'
   */
  newDecoder(stream) {
    const { format } = this.#settings;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const open = () => this.#codec.createDecoder({ sampleRate, frameSamples, channels });
    const onFault = (/** @type {unknown} */ error) =>
      this.#failed(`the decoder of ${stream}`, error);
    return new PayloadDecoder(this.#atOnce ? open() : null, format, { open, onFault });
  }

  get #atOnce() {
    return this.#codec.maxInstances < FEW_INSTANCES;
  }

  /**
   * @param {string} which
   * @param {unknown} error
   */
  #failed(which, error) {
    this.#faults += 1;
    if (this.#faults > MAX_LOGGED) return;
    this.#log(`the codec ${this.#codec.name}: ${which} failed and is replaced: ${stackOf(error)}`);
  }
}
