/**
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { PayloadDecoder } from '../../shared/stream/payload.js'
 * @import { VoicesOptions } from './bundle-decoder.js'
 */

import { PacketType, Stream } from '../../shared/wire/packet.js';
import { BundleDecoder } from './bundle-decoder.js';
import { Playout } from './playout.js';
import { VoicePlayouts } from './voice-playouts.js';

/**
 * Plays a room's sound in each form: as a mix, as bundles of voices, or as single voices. Mixes and
 * bundles are streams of one playout, which cross-fades between them; single voices are added to
 * it.
 */
export class RoomPlayout extends Playout {
  #voices;

  /**
   * @param {PayloadDecoder[]} decoders of the two streams of mixing, and of a broadcast's bit
   *   rates, in the order of Stream; closed with this
   * @param {VoicesOptions} options
   */
  constructor(decoders, options) {
    const { voices } = Stream;
    super(options.format, [
      ...decoders.slice(0, voices),
      new BundleDecoder(options),
      ...decoders.slice(voices),
    ]);
    this.#voices = new VoicePlayouts(options);
  }

  /** @override */
  get counters() {
    const sum = super.counters;
    for (const counters of this.#voices.counters) {
      for (const [name, count] of Object.entries(counters))
        sum[/** @type {keyof typeof sum} */ (name)] += count;
    }
    return sum;
  }

  /** @override */
  get delayMs() {
    return this.#voices.active ? this.#voices.delayMs : super.delayMs;
  }

  /** @override NaN while voices come one by one: each has its own origin. */
  get originMs() {
    return this.#voices.active ? NaN : super.originMs;
  }

  /** True when voices come one by one, as soon as the server has them. */
  get isDirect() {
    return this.#voices.active;
  }

  /** @override @param {number} nowMs */
  lostPercent(nowMs) {
    const lost = [super.lostPercent(nowMs), this.#voices.lostPercent(nowMs)].filter(
      (percent) => percent !== null,
    );
    return lost.length === 0 ? null : Math.max(...lost);
  }

  /** @override @param {Packet} packet @param {Uint8Array} bytes @param {number} arrivalMs */
  receive(packet, bytes, arrivalMs) {
    if (packet.type === PacketType.voice) this.#voices.receive(packet, bytes, arrivalMs);
    else super.receive(packet, bytes, arrivalMs);
  }

  /**
   * @override
   * @param {Float32Array} out
   * @param {number} nowMs
   * @param {number} [waitMs]
   * @param {number} [aheadMs]
   */
  pull(out, nowMs, waitMs = 0, aheadMs = waitMs) {
    const count = super.pull(out, nowMs, waitMs, aheadMs);
    this.#voices.addTo(out, count, nowMs, waitMs, aheadMs);
    return count;
  }

  /** @override Idempotent. */
  close() {
    super.close();
    this.#voices.close();
  }
}
