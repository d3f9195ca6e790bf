/**
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { VoicesOptions } from './bundle-decoder.js'
 */

import { addRamped } from '../../shared/sound/level.js';
import { Limiter } from '../../shared/sound/limiter.js';
import { MAX_VOICES } from '../../shared/wire/packet.js';
import { Playout, pullSamples } from './playout.js';
import { SampleReader } from './sample-reader.js';

/** After this long without a packet a voice's playout is given up, in milliseconds. */
const IDLE_MS = 2000;

/**
 * Voices that are forwarded packet by packet: each has a playout of its own, and so a delay by its
 * own jitter. They are added up as the sound card wants them. There are never more than MAX_VOICES.
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

  /** Whether there are any. */
  get active() {
    return this.#voices.length > 0;
  }

  /** The longest delay of a voice, in milliseconds. */
  get delayMs() {
    return this.#voices.reduce((most, { playout }) => Math.max(most, playout.delayMs), 0);
  }

  /** The playouts' counters. */
  get counters() {
    return this.#voices.map(({ playout }) => playout.counters);
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} the largest share of a voice's packets that never came, in percent
   */
  lostPercent(nowMs) {
    const lost = this.#voices
      .map(({ playout }) => playout.lostPercent(nowMs))
      .filter((percent) => percent !== null);
    return lost.length === 0 ? null : Math.max(...lost);
  }

  /**
   * Takes a voice packet as it comes.
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

  /**
   * @param {Packet} packet
   * @param {number} nowMs
   */
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

/** One speaker's voice, with its playout. */
class VoicePlayout {
  #gains;
  #channels;
  #reader;
  #pulled = { nowMs: 0, waitMs: 0, aheadMs: 0 };
  #left;
  #right;

  /** When a packet came last. */
  heardMs;

  /** @param {number} number @param {VoicesOptions} options @param {number} nowMs */
  constructor(number, { format, openVoice, gains }, nowMs) {
    this.number = number;
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
    const [left, right] = [this.#left, this.#right];
    this.#left = this.#gains.left(this.number);
    this.#right = this.#gains.right(this.number);
    addRamped(out, 0, scratch, 0, count, this.#channels, left, this.#left, right, this.#right);
  }
}
