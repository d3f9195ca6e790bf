import { downmix } from '../../programs/sound/convert.js';
import { payloadSamples } from '../../public/shared/stream/codec.js';
import { TokenBucket } from '../token-bucket.js';
import { RtpPacket, readRtp } from './rtp.js';

/** Rate of Opus's timestamps, in Hz (RFC 7587, section 4.1). */
const CLOCK_RATE = 48_000;

/** Longest packet, in samples of CLOCK_RATE: 120 ms. */
const MAX_PACKET_SAMPLES = (CLOCK_RATE * 120) / 1000;

/** Longest loss that is concealed, and longest gap that becomes silence, in samples. */
const MAX_CONCEALED = (CLOCK_RATE * 80) / 1000;
const MAX_GAP = CLOCK_RATE;

/**
 * Rate of decoded and concealed sound, in samples of CLOCK_RATE. A sender's clock is less than 1 %
 * fast; after a stall of the path more comes at once than the feed keeps.
 */
const SOUND = Object.freeze({ atOnce: 5 * CLOCK_RATE, perSecond: 1.1 * CLOCK_RATE });

/** Most packets by which one may be late; beyond it the sender has begun again (RFC 3550, A.1). */
const MAX_LATE = 100;

/** Unit of concealment, in samples of CLOCK_RATE: 2.5 ms. */
const LEAST_SAMPLES = 120;

/**
 * Sound of a peer's RTP packets, in the order of their coming. Lost ones are concealed for 80 ms;
 * late and repeated ones are dropped.
 */
export class ReceivedSound {
  #decoder;
  #payloadType;
  #mix;
  #rate;
  #channels;
  #packet = new RtpPacket();
  /** Timestamp and number that follow; -1 before the first packet. */
  #nextTimestamp = -1;
  #nextSequence = -1;
  /** Number that follows the last one of a sender that seems to have begun again; -1: none. */
  #nextOfRestart = -1;

  #allowance = new TokenBucket(SOUND);

  /** Counters of packets that brought no sound. Excess: more sound than time had passed for. */
  counters = { foreign: 0, late: 0, lost: 0, garbage: 0, excess: 0 };

  /**
   * @param {import('libopus-wasm').OpusDecoderHandle} decoder  closed with this
   * @param {number} payloadType
   * @param {{ sampleRate: number, channels: number }} format
   */
  constructor(decoder, payloadType, { sampleRate, channels }) {
    this.#decoder = decoder;
    this.#payloadType = payloadType;
    this.#rate = sampleRate / CLOCK_RATE;
    this.#channels = channels;
    this.#mix = downmix(2, channels);
  }

  /**
   * @param {number} payloadType  of Opus
   * @param {{ sampleRate: number, channels: number }} format  of the sound
   */
  static async open(payloadType, format) {
    const sampleRate = /** @type {48000} */ (format.sampleRate);
    const maxFrameSize = (MAX_PACKET_SAMPLES * sampleRate) / CLOCK_RATE;
    // Loaded with the first peer: most servers have none.
    const { createDecoder } = await import('libopus-wasm');
    const decoder = await createDecoder({ sampleRate, channels: 2, maxFrameSize });
    return new ReceivedSound(decoder, payloadType, format);
  }

  /**
   * @param {Uint8Array} bytes  of a packet
   * @param {number} nowMs  on the monotonic clock
   * @returns {Float32Array[]} sound that it brings: what is missing before it, and its own
   */
  take(bytes, nowMs) {
    const packet = this.#packet;
    if (!readRtp(bytes, packet) || packet.payloadType !== this.#payloadType) {
      this.counters.foreign += 1;
      return [];
    }
    const { sequence, timestamp, start, end } = packet;
    const ahead = this.#nextSequence < 0 ? 0 : ((sequence - this.#nextSequence) << 16) >> 16;
    if (ahead < 0 && !this.#isRestart(sequence, ahead)) {
      this.counters.late += 1;
      return [];
    }
    const passed = this.#nextTimestamp < 0 ? 0 : (timestamp - this.#nextTimestamp) | 0;
    const gap = passed > 0 && passed <= MAX_GAP ? passed : 0;
    this.counters.lost += Math.max(0, ahead);
    this.#nextSequence = (sequence + 1) & 0xffff;
    // The first two bytes tell the length. The decoder refuses packets that are too long.
    const told = payloadSamples(bytes, start, Math.min(2, end - start), CLOCK_RATE);
    if (!this.#mayMake(gap + Math.min(told, MAX_PACKET_SAMPLES), nowMs)) {
      this.counters.excess += 1;
      this.#nextTimestamp = (timestamp + told) >>> 0;
      return [];
    }
    const sound = gap > 0 ? this.#fill(gap, ahead > 0) : [];
    const own = this.#decode(bytes.subarray(start, end));
    if (own !== null) sound.push(this.#mix(own));
    const samples = own === null ? 0 : own.length / 2 / this.#rate;
    this.#nextTimestamp = (timestamp + samples) >>> 0;
    return sound;
  }

  /**
   * @param {number} samples  of CLOCK_RATE
   * @param {number} nowMs
   * @returns {boolean} false beyond the rate
   */
  #mayMake(samples, nowMs) {
    if (this.#allowance.take(nowMs) > 0) return false;
    this.#allowance.add(1 - samples, nowMs);
    return true;
  }

  /**
   * True for the second packet in order of a sender that counts from another number.
   * @param {number} sequence
   * @param {number} ahead
   */
  #isRestart(sequence, ahead) {
    const isSecond = ahead < -MAX_LATE && sequence === this.#nextOfRestart;
    this.#nextOfRestart = ahead < -MAX_LATE && !isSecond ? (sequence + 1) & 0xffff : -1;
    return isSecond;
  }

  /** @param {Uint8Array} payload */
  #decode(payload) {
    try {
      return this.#decoder.decodeFloat(payload);
    } catch {
      this.counters.garbage += 1;
      return null;
    }
  }

  /**
   * @param {number} gap  samples of CLOCK_RATE that are missing
   * @param {boolean} isLost  false for a pause of the sender
   * @returns {Float32Array[]}
   */
  #fill(gap, isLost) {
    const concealed = isLost ? Math.min(gap, MAX_CONCEALED) : 0;
    // Opus conceals multiples of 2.5 ms.
    const whole = Math.floor(concealed / LEAST_SAMPLES) * LEAST_SAMPLES * this.#rate;
    const sound = whole > 0 ? [this.#mix(this.#decoder.decodePacketLossFloat(whole))] : [];
    const rest = Math.round(gap * this.#rate) - whole;
    if (rest > 0) sound.push(new Float32Array(rest * this.#channels));
    return sound;
  }

  /** Idempotent. */
  close() {
    this.#decoder.free();
  }
}
