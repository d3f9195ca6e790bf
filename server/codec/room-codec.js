/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Codec } from './codec.js'
 * @import { Log } from '../log.js'
 *
 * @typedef {object} RoomCodecSettings
 * @property {AudioFormat} format
 * @property {number} bitrate  of an encoder, b/s of all channels
 * @property {number} complexity  of an encoder when it is opened, 0 to 10
 * @property {'audio' | 'voip' | 'low-delay'} application  of an encoder
 */

import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { stackOf } from '../log.js';
import { mixMath } from './mix-math.js';

/**
 * Number of instances in the process below which a codec opens them at once. Then a participant
 * beyond the limit is refused, rather than admitted without sound.
 */
const FEW_INSTANCES = 1000;

/** Most faults to log in a room's life; all are counted. */
const MAX_LOGGED = 20;

/**
 * Makes a room's encoders and decoders, one for each stream. Each is opened with its first sound,
 * because a silent participant needs none, and replaced when it throws.
 */
export class RoomCodec {
  #codec;
  #settings;
  #log;
  #faults = 0;

  /** @param {Codec} codec @param {RoomCodecSettings} settings @param {Pick<Log, 'error'>} log */
  constructor(codec, settings, log) {
    this.#codec = codec;
    this.#settings = settings;
    this.#log = log;
  }

  /** Arithmetic of its mixes. */
  get math() {
    return this.#codec.math ?? mixMath;
  }

  /** Number of instances that threw, and were replaced. */
  get faults() {
    return this.#faults;
  }

  /**
   * @param {string} stream for the log
   * @param {{ bitrate?: number, isConstant?: boolean }} [options] bitrate: overrides the room's;
   *   isConstant: for each payload, not only on average
   * @returns {PayloadEncoder}
   * @throws {Error} with code 'codec-instances'
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
    const onFault = (/** @type {unknown} */ error) => this.#failed('encoder', stream, error);
    return new PayloadEncoder(this.#atOnce ? open() : null, format, { open, onFault });
  }

  /**
   * @param {string} stream  for the log
   * @returns {PayloadDecoder}
   * @throws {Error} with code 'codec-instances'
   */
  newDecoder(stream) {
    const { format } = this.#settings;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const open = () => this.#codec.createDecoder({ sampleRate, frameSamples, channels });
    const onFault = (/** @type {unknown} */ error) => this.#failed('decoder', stream, error);
    return new PayloadDecoder(this.#atOnce ? open() : null, format, { open, onFault });
  }

  get #atOnce() {
    return this.#codec.maxInstances < FEW_INSTANCES;
  }

  /** @param {'encoder' | 'decoder'} part @param {string} stream @param {unknown} error */
  #failed(part, stream, error) {
    this.#faults += 1;
    if (this.#faults > MAX_LOGGED) return;
    this.#log.error(
      { event: 'codec-failed', codec: this.#codec.name, part, stream, error: stackOf(error) },
      'codec failed and is replaced',
    );
  }
}
