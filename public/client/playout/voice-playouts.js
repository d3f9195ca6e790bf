/**
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { VoicesOptions } from './bundle-decoder.js'
 */

import { addRamped } from '../../shared/sound/level.js';
import { Limiter } from '../../shared/sound/limiter.js';
import { MAX_VOICES } from '../../shared/wire/packet.js';
import { Playout, pullSamples } from './playout.js';

/** Time without a packet after which a voice's playout is closed, in milliseconds. */
const IDLE_MS = 2000;

/**
 * Plays voices that are forwarded packet by packet. Each has its own playout, with a delay by its
 * own jitter. They are summed when the sound card asks. There are never more than MAX_VOICES.
 */
export class VoicePlayouts {
  #options;
  #limiter;
  #mix;
  /** @type {VoicePlayout[]} */
  #voices = [];

  /** @param {VoicesOptions} options */
  constructor(options) {
    const { sampleRate, channels } = options.format;
    this.#options = options;
    this.#limiter = new Limiter(sampleRate, channels);
    this.#mix = new Float32Array(pullSamples(options.format) * channels);
  }

  get active() {
    return this.#voices.length > 0;
  }

  /** Longest delay of a voice, in milliseconds. */
  get delayMs() {
    return this.#voices.reduce((most, { playout }) => Math.max(most, playout.delayMs), 0);
  }

  get counters() {
    return this.#voices.map(({ playout }) => playout.counters);
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} the largest share of lost packets of a voice, in percent
   */
  lostPercent(nowMs) {
    const lost = this.#voices
      .map(({ playout }) => playout.lostPercent(nowMs))
      .filter((percent) => percent !== null);
    return lost.length === 0 ? null : Math.max(...lost);
  }

  /**
   * Receives a voice packet.
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    if (packet.number === this.#options.own) return;
    const voice = this.#voiceOf(packet, arrivalMs);
    if (voice === null) return;
    voice.heardMs = arrivalMs;
    voice.playout.receive(packet, bytes, arrivalMs);
  }

  /** @param {Packet} packet @param {number} nowMs */
  #voiceOf({ number, payloadBytes }, nowMs) {
    for (let i = 0; i < this.#voices.length; i++)
      if (this.#voices[i].number === number) return this.#voices[i];
    // Silence needs no place.
    if (payloadBytes[0] === 0) return null;
    if (this.#voices.length === MAX_VOICES) {
      let quietest = 0;
      for (let i = 1; i < this.#voices.length; i++)
        if (this.#voices[i].heardMs < this.#voices[quietest].heardMs) quietest = i;
      this.#drop(quietest);
    }
    const voice = new VoicePlayout(number, this.#options, nowMs);
    this.#voices.push(voice);
    return voice;
  }

  /** @param {number} i */
  #drop(i) {
    this.#voices[i].playout.close();
    this.#voices.splice(i, 1);
  }

  /**
   * Adds the voices to a piece of sound.
   * @param {Float32Array} out
   * @param {number} count of its samples
   * @param {number} nowMs
   * @param {number} waitMs see Playout.pull
   * @param {number} aheadMs
   */
  addTo(out, count, nowMs, waitMs, aheadMs) {
    for (let i = this.#voices.length - 1; i >= 0; i--) {
      if (nowMs - this.#voices[i].heardMs > IDLE_MS) this.#drop(i);
    }
    if (this.#voices.length === 0) return;
    const { channels } = this.#options.format;
    for (let i = 0; i < this.#voices.length; i++)
      this.#voices[i].addTo(out, this.#mix, count, nowMs, waitMs, aheadMs);
    this.#limiter.process(out, count * channels);
  }

  /** Idempotent. */
  close() {
    for (const { playout } of this.#voices) playout.close();
    this.#voices = [];
  }
}

/** A speaker's voice with its playout. */
class VoicePlayout {
  #gains;
  #channels;
  #heard;
  #reader;
  #pulled = { nowMs: 0, waitMs: 0, aheadMs: 0 };
  #left;
  #right;

  /** Time of the last packet. */
  heardMs;

  /** @param {number} number @param {VoicesOptions} options @param {number} nowMs */
  constructor(number, { format, openVoice, gains, heard }, nowMs) {
    this.number = number;
    this.#heard = heard;
    this.heardMs = nowMs;
    this.#gains = gains;
    this.#channels = format.channels;
    this.#left = gains.left(number);
    this.#right = gains.right(number);
    this.playout = new Playout(format, [openVoice(number)]);
    const pulled = this.#pulled;
    const pull = (/** @type {Float32Array} */ out) =>
      this.playout.pull(out, pulled.nowMs, pulled.waitMs, pulled.aheadMs);
    this.#reader = new SampleReader(pull, pullSamples(format), format.channels);
  }

  /**
   * @param {Float32Array} out added to
   * @param {Float32Array} scratch
   * @param {number} count
   * @param {number} nowMs
   * @param {number} waitMs
   * @param {number} aheadMs
   */
  addTo(out, scratch, count, nowMs, waitMs, aheadMs) {
    this.#pulled.nowMs = nowMs;
    this.#pulled.waitMs = waitMs;
    this.#pulled.aheadMs = aheadMs;
    this.#reader.read(scratch, count * this.#channels);
    this.#heard?.(this.number, scratch.subarray(0, count * this.#channels));
    const [left, right] = [this.#left, this.#right];
    this.#left = this.#gains.left(this.number);
    this.#right = this.#gains.right(this.number);
    addRamped(out, 0, scratch, 0, count, this.#channels, left, this.#left, right, this.#right);
  }
}

/** Reads any number of samples from a source of pieces with another length. */
export class SampleReader {
  #pull;
  #piece;
  #channels;
  #start = 0;
  #end = 0;

  /**
   * @param {(out: Float32Array) => number} pull fills a piece from its start and returns its sample
   *   count, never 0
   * @param {number} pieceSamples the longest piece
   * @param {number} [channels]
   */
  constructor(pull, pieceSamples, channels = 1) {
    this.#pull = pull;
    this.#piece = new Float32Array(pieceSamples * channels);
    this.#channels = channels;
  }

  /** @param {Float32Array} out filled @param {number} [length] number of values to fill */
  read(out, length = out.length) {
    for (let at = 0; at < length;) {
      if (this.#start === this.#end) {
        this.#start = 0;
        this.#end = this.#pull(this.#piece) * this.#channels;
      }
      const count = Math.min(length - at, this.#end - this.#start);
      for (let i = 0; i < count; i++) out[at + i] = this.#piece[this.#start + i];
      at += count;
      this.#start += count;
    }
  }
}
