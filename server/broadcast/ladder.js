/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 *
 * @typedef {object} Form  how one listener is sent the frames of a rate
 * @property {number} stride   every how many frames there is a packet
 * @property {number} repeats  how many earlier frames it holds
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { leastBitrate, mostBitrate } from '../../public/shared/stream/bitrate.js';
import { RATES } from '../../public/shared/sound/rates.js';

/**
 * What a packet takes beside its payloads, in bytes: IP and UDP (28), QUIC's header, tag and frame
 * (31 at most), the audio header (9) and one listed speaker (4).
 */
const PACKET_OVERHEAD_BYTES = 72;

/**
 * The share of a rate's bits that a form must send to show that the way carries the rate, and the
 * most: the rule of a narrow way, whose smallest step is a half more, would else have nothing to
 * try 32 kb/s with (38.4 of 41.6 kb/s), or 96 kb/s in packets of one frame (110.4 of 124.8 kb/s).
 * What sends far more than the rate fails on a way that carries the rate: with
 * `--listener-stride 1` and without the most, one of 200 kb/s stays at 96
 * (`npm run bench -- adapt --most 128000`).
 */
const SHOWN = 0.88;
const MOST_SHOWN = 1.3;

/**
 * The rate of a narrow way, in bits a second, and the longest that a packet of more than one frame
 * is to take of it, in milliseconds: three frames of 32 kb/s do.
 */
const NARROW_BPS = 40_000;
const MOST_PACKET_MS = 65;

/** The bit rates that Opus has, in bits a second (RFC 6716, section 2.1.1). */
export const LEAST_BITRATE = 6000;
export const MOST_BITRATE = 510_000;

/**
 * The rates of a room's listeners, with what each takes of the way, and the forms in which more
 * than a rate is sent of it.
 */
export class Ladder {
  /**
   * In bits a second, from the least to the most: of short frames the first may be alike.
   * @type {ReadonlyArray<number>}
   */
  rates;
  /** What each takes of the way, in bits a second. @type {ReadonlyArray<number>} */
  wire;
  /** The form in which listeners are sent each. @type {ReadonlyArray<Form>} */
  usual;
  /** The most frames that a packet has. */
  stride;
  /** Whether packets of higher rates have fewer: see strideAt. */
  byRate;
  /** The forms that repeat more, those that take least first. @type {ReadonlyArray<Form>} */
  #probes;
  /** The length of a frame, in milliseconds. */
  frameMs;

  /**
   * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
   * @param {number} mostBps the most that a listener may have, in bits a second; the least rate is
   *   there always
   * @param {number} stride  the most frames that a packet has
   * @param {boolean} [byRate]  whether packets of higher rates have fewer
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
   * The most frames to a packet that takes no more than MOST_PACKET_MS on a narrow way: where a
   * wide way becomes narrow, what was sent can't be taken back, and each packet is late by what it
   * takes.
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
   * @param {number} bps payloads'
   * @returns {number} the index of the highest rate not above it; the least at least
   */
  indexOf(bps) {
    return this.#highest((rate) => rate <= bps, this.rates);
  }

  /**
   * @param {number} bps of the way
   * @returns {number} the index of the highest rate that fits it; the least at least
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
   * The form in which a rate's frames show whether the way carries a higher one.
   * @param {number} index
   * @param {number} goal  the index of the higher rate
   * @returns {Form | null} null where repeats make fewer bits than that, or far more
   */
  probeOf(index, goal) {
    const share = (/** @type {Form} */ form) =>
      this.#wireOf(this.rates[index], form) / this.wire[goal];
    const form = this.#probes.find((one) => share(one) >= SHOWN) ?? null;
    return form !== null && share(form) <= MOST_SHOWN ? form : null;
  }
}
