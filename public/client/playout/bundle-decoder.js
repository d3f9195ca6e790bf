/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { OneStreamDecoder } from './stream-decoder.js'
 *
 * @typedef {object} VoicesOptions
 * @property {AudioFormat} format
 * @property {(number: number) => OneStreamDecoder} openVoice makes the decoder of the speaker with
 *   this number
 * @property {VoiceGains} gains
 * @property {number} own the listener's own number, whose voice is left out; -1 where they hear
 *   themselves
 * @property {(number: number, pcm: Float32Array) => void} [heard] receives each decoded piece of
 *   the speaker with this number, at the volume for everybody; valid during the call
 */

import { VoiceList } from '../../shared/wire/bundle.js';
import { addRamped, rampGain } from '../../shared/sound/level.js';
import { Limiter } from '../../shared/sound/limiter.js';
import { MAX_VOICES } from '../../shared/wire/packet.js';
import { mostConcealed } from '../../shared/stream/concealment.js';

/** Length of the fades of a voice that begins or ends in the middle, in milliseconds. */
const FADE_MS = 5;

/** Peak of a voice's last millisecond below which the voice counts as faded out: -60 dBFS. */
const ENDED = 0.001;

/**
 * Mixes the voices of a bundle into one sound, as if it were one stream. Each voice has its own
 * decoder, since an Opus decoder keeps state; all voices of a frame lie on the same samples. A
 * voice that isn't in a frame has ended; a voice whose payload is missing is concealed. There are
 * never more than MAX_VOICES decoders.
 */
export class BundleDecoder {
  #options;
  #frameValues;
  #limiter;
  #mix;
  #scratch;
  #list = new VoiceList();
  /** @type {Voice[]} */
  #voices = [];
  #turn = 0;
  #closed = false;

  /** @param {VoicesOptions} options */
  constructor(options) {
    const { sampleRate, channels, frameValues } = options.format;
    this.#options = options;
    this.#frameValues = frameValues;
    this.#limiter = new Limiter(sampleRate, channels);
    this.#mix = new Float32Array(frameValues);
    this.#scratch = new Float32Array(frameValues);
  }

  /**
   * Decodes and mixes the voices of a frame.
   * @param {Uint8Array} bytes
   * @param {number} start of the bundle's frame
   * @param {number} length
   * @param {Float32Array} out
   * @param {number} at where the frame goes
   * @returns {boolean} false when it held garbage, which is concealed
   */
  decode(bytes, start, length, out, at) {
    const list = this.#list;
    if (!list.read(bytes, start, length)) {
      this.conceal(out, at);
      return false;
    }
    const { own } = this.#options;
    const mix = this.#mix.fill(0);
    let good = true;
    this.#turn += 1;
    // A receiver of the voices may have left the call.
    for (let i = 0; i < list.count && !this.#closed; i++) {
      if (list.numbers[i] === own) continue;
      const voice = this.#voiceOf(list.numbers[i]);
      voice.turn = this.#turn;
      if (list.lengths[i] === 0) voice.conceal(this.#scratch, mix);
      else if (!voice.play(bytes, list.starts[i], list.lengths[i], this.#scratch, mix))
        good = false;
    }
    for (let i = 0; i < this.#voices.length; i++) {
      if (this.#voices[i].turn !== this.#turn) this.#voices[i].end(this.#scratch, mix);
    }
    this.#give(out, at);
    return good;
  }

  /**
   * Conceals a frame of all voices that go on.
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    this.#mix.fill(0);
    for (let i = 0; i < this.#voices.length; i++) this.#voices[i].conceal(this.#scratch, this.#mix);
    this.#give(out, at);
  }

  /** Ends all voices without a fade: the stream is not played any more. */
  rest() {
    for (let i = 0; i < this.#voices.length; i++) this.#voices[i].rest();
  }

  /** @param {Float32Array} out @param {number} at */
  #give(out, at) {
    this.#limiter.process(this.#mix);
    for (let i = 0; i < this.#frameValues; i++) out[at + i] = this.#mix[i];
  }

  /** @param {number} number */
  #voiceOf(number) {
    let oldest = this.#voices[0];
    for (let i = 0; i < this.#voices.length; i++) {
      if (this.#voices[i].number === number) return this.#voices[i];
      if (this.#voices[i].turn < oldest.turn) oldest = this.#voices[i];
    }
    const voice = new Voice(number, this.#options);
    if (this.#voices.length < MAX_VOICES) {
      this.#voices.push(voice);
    } else {
      // The oldest voice isn't in this frame: a frame has at most MAX_VOICES voices.
      oldest.end(this.#scratch, this.#mix);
      oldest.close();
      this.#voices[this.#voices.indexOf(oldest)] = voice;
    }
    return voice;
  }

  /** Idempotent. */
  close() {
    this.#closed = true;
    for (const voice of this.#voices) voice.close();
    this.#voices = [];
  }
}

/** A speaker's voice within the mix. */
class Voice {
  #decoder;
  #gains;
  #channels;
  #frameSamples;
  #fadeSamples;
  #perMs;
  #maxConceals;
  #sounding = false;
  /** False after a sound was broken off: then the decoder still holds some of it. */
  #clean = true;
  #conceals = 0;
  /** Peak of the last millisecond played. */
  #end = 0;
  #heard;
  #left;
  #right;

  /** Number of the last frame that had this voice, by the BundleDecoder's count. */
  turn = 0;

  /** @param {number} number @param {VoicesOptions} options */
  constructor(number, { format, openVoice, gains, heard }) {
    this.number = number;
    this.#heard = heard;
    this.#decoder = openVoice(number);
    this.#gains = gains;
    this.#channels = format.channels;
    this.#frameSamples = format.frameSamples;
    this.#perMs = Math.ceil(format.sampleRate / 1000);
    this.#fadeSamples = Math.min(
      format.frameSamples,
      Math.round((FADE_MS * format.sampleRate) / 1000),
    );
    this.#maxConceals = mostConcealed(format);
    this.#left = gains.left(number);
    this.#right = gains.right(number);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} length
   * @param {Float32Array} scratch one frame
   * @param {Float32Array} mix added to
   * @returns {boolean} false for garbage
   */
  play(bytes, start, length, scratch, mix) {
    const good = this.#decoder.decode(bytes, start, length, scratch, 0);
    if (!this.#sounding && !this.#clean)
      rampGain(scratch, 0, this.#fadeSamples, this.#channels, 0, 1);
    this.#sounding = this.#clean = true;
    this.#conceals = 0;
    this.#add(scratch, mix);
    return good;
  }

  /** @param {Float32Array} scratch @param {Float32Array} mix */
  conceal(scratch, mix) {
    if (!this.#sounding) return;
    if (this.#conceals === this.#maxConceals) return this.end(scratch, mix);
    this.#decoder.conceal(scratch, 0);
    this.#clean = false;
    this.#conceals += 1;
    this.#add(scratch, mix);
  }

  /**
   * Ends the voice: fades out its concealed continuation, unless it has faded out already.
   * @param {Float32Array} scratch
   * @param {Float32Array} mix
   */
  end(scratch, mix) {
    if (!this.#sounding) return;
    this.#sounding = false;
    if (this.#end <= ENDED) return;
    this.#clean = false;
    this.#decoder.conceal(scratch, 0);
    rampGain(scratch, 0, this.#fadeSamples, this.#channels, 1, 0);
    scratch.fill(0, this.#fadeSamples * this.#channels);
    this.#add(scratch, mix);
  }

  /** Ends the voice without a fade of its own: the whole mix was faded out. */
  rest() {
    if (this.#sounding && this.#end > ENDED) this.#clean = false;
    this.#sounding = false;
  }

  /** @param {Float32Array} scratch @param {Float32Array} mix */
  #add(scratch, mix) {
    this.#heard?.(this.number, scratch);
    const [left, right] = [this.#left, this.#right];
    this.#left = this.#gains.left(this.number);
    this.#right = this.#gains.right(this.number);
    addRamped(
      mix,
      0,
      scratch,
      0,
      this.#frameSamples,
      this.#channels,
      left,
      this.#left,
      right,
      this.#right,
    );
    this.#end = 0;
    for (let i = scratch.length - this.#perMs * this.#channels; i < scratch.length; i++)
      this.#end = Math.max(this.#end, Math.abs(scratch[i]));
  }

  close() {
    this.#decoder.close();
  }
}

/** Volume of each voice for this listener, and its position in a stereo room. */
export class VoiceGains {
  /** By the speaker's number. @type {Map<number, { left: number, right: number }>} */
  #gains = new Map();
  #isStereo;

  /** @param {number} channels of the room */
  constructor(channels) {
    this.#isStereo = channels === 2;
  }

  /**
   * @param {number} number the speaker's
   * @param {number} gain 0 or more; 1 is the volume for everybody
   * @param {number} pan -1 (left) to 1 (right); ignored in a mono room
   */
  set(number, gain, pan) {
    const place = this.#isStereo ? pan : 0;
    const [left, right] = [gain * Math.min(1, 1 - place), gain * Math.min(1, 1 + place)];
    if (left === 1 && right === 1) this.#gains.delete(number);
    else this.#gains.set(number, { left, right });
  }

  /** @param {number} number the speaker's @returns {number} gain of mono, or of the left side */
  left(number) {
    return this.#gains.get(number)?.left ?? 1;
  }

  /** @param {number} number the speaker's */
  right(number) {
    return this.#gains.get(number)?.right ?? 1;
  }
}
