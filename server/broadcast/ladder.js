/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 *
 * @typedef {object} Form form in which one listener is sent the frames of a rate
 * @property {number} stride frames from one packet to the next
 * @property {number} repeats earlier frames in a packet
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { leastBitrate, mostBitrate } from '../../public/shared/stream/bitrate.js';
import { RATES } from '../../public/shared/sound/audio-format.js';

/**
 * Bytes of a packet beside its payloads. IP and UDP have 28, QUIC's header, tag and frame at most
 * 31, the audio header 9, one listed speaker 4.
 */
const PACKET_OVERHEAD_BYTES = 72;

/**
 * Least and most share of a rate's bits that a form must send to show that the path carries the
 * rate.
 *
 * On a narrow path the smallest step is a half more. A higher least share would leave no form to
 * try 32 kb/s (38.4 of 41.6 kb/s). Neither would it for 96 kb/s in packets of one frame (110.4 of
 * 124.8 kb/s). A form far above the rate fails on a path that carries the rate. With
 * `--listener-bitrate 128000/1`, a path of 200 kb/s stays at 96 (`npm run bench -- adapt --most
 * 128000`).
 */
const SHOWN = 0.88;
const MOST_SHOWN = 1.3;

/**
 * Rate of a narrow path, in bits a second, and longest time that a packet of several frames may
 * occupy it, in milliseconds. Three frames of 32 kb/s fit.
 */
const NARROW_BPS = 40_000;
const MOST_PACKET_MS = 65;

/**
 * Bit rates of a room's listeners, with the load of each on the path, and the forms that send more
 * bits of a rate.
 */
export class Ladder {
  /**
   * Rates in bits a second, rising; with short frames the first ones may be alike.
   * @type {ReadonlyArray<number>}
   */
  rates;
  /** Bits a second of each rate on the wire. @type {ReadonlyArray<number>} */
  wire;
  /** Usual form of each rate. @type {ReadonlyArray<Form>} */
  usual;
  /** Most frames in a packet. */
  stride;
  /** True if packets of higher rates have fewer frames: see strideAt. */
  byRate;
  /** Forms with more repeats, the cheapest first. @type {ReadonlyArray<Form>} */
  #probes;
  /** Length of a frame, in milliseconds. */
  frameMs;

  /**
   * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
   * @param {number} mostBps most that a listener may have, in bits a second; the lowest rate always
   *   exists
   * @param {number} stride most frames in a packet
   * @param {boolean} [byRate] true if packets of higher rates have fewer frames
   */
  constructor(format, mostBps, stride, byRate = false) {
    const most = Math.min(mostBps, mostBitrate(format));
    const least = leastBitrate({ ...format, channels: 1 });
    this.rates = RATES.filter((rate, index) => index === 0 || rate <= most).map((rate) =>
      Math.max(rate, least),
    );
    this.frameMs = format.frameMs;
    this.stride = stride;
    this.byRate = byRate;
    const strides = this.rates.map((rate) => (byRate ? this.#strideAt(rate) : stride));
    this.usual = strides.map((each) => ({ stride: each, repeats: each - 1 }));
    this.wire = this.rates.map((rate, index) => this.#wireOf(rate, this.usual[index]));
    const forms = [
      { stride: 2, repeats: 2 },
      { stride: 1, repeats: 1 },
      { stride: 1, repeats: MAX_REDUNDANCY },
    ];
    this.#probes = forms.filter(
      (form) => form.stride < stride || (stride === 1 && form.stride === 1),
    );
  }

  /**
   * @param {number} rate
   * @param {Form} form in which each frame is held by (repeats + 1) ÷ stride packets
   */
  #wireOf(rate, { stride, repeats }) {
    const packets = 1000 / (this.frameMs * stride);
    return (rate * (repeats + 1)) / stride + packets * PACKET_OVERHEAD_BYTES * 8;
  }

  /**
   * Finds the most frames in a packet that occupies a narrow path for no more than MOST_PACKET_MS.
   * When a wide path becomes narrow, sent packets can't be taken back, and each is late by that
   * time.
   * @param {number} rate
   */
  #strideAt(rate) {
    const packetMs = (/** @type {number} */ stride) =>
      (this.frameMs * stride * this.#wireOf(rate, { stride, repeats: stride - 1 })) / NARROW_BPS;
    let { stride } = this;
    while (stride > 1 && packetMs(stride) > MOST_PACKET_MS) stride -= 1;
    return stride;
  }

  /**
   * @param {number} bps of the payloads
   * @returns {number} index of the highest rate not above it, or of the lowest
   */
  indexOf(bps) {
    return this.#highest((rate) => rate <= bps, this.rates);
  }

  /**
   * @param {number} bps of the path
   * @returns {number} index of the highest rate that fits it, or of the lowest
   */
  carriedBy(bps) {
    return this.#highest((wire) => wire <= bps, this.wire);
  }

  /** @param {(value: number) => boolean} fits @param {ReadonlyArray<number>} values */
  #highest(fits, values) {
    let index = 0;
    while (index + 1 < values.length && fits(values[index + 1])) index += 1;
    return index;
  }

  /**
   * Finds the form of a rate's frames that shows whether the path carries a higher rate.
   * @param {number} index
   * @param {number} goal index of the higher rate
   * @returns {Form | null} null if repeats make fewer bits than that rate, or far more
   */
  probeOf(index, goal) {
    const share = (/** @type {Form} */ form) =>
      this.#wireOf(this.rates[index], form) / this.wire[goal];
    const form = this.#probes.find((one) => share(one) >= SHOWN) ?? null;
    return form !== null && share(form) <= MOST_SHOWN ? form : null;
  }
}
