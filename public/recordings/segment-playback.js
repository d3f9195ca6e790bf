/**
 * @import { Codec, Decoder } from '../shared/stream/codec.js'
 * @import { SampleRing } from '../../worklets/sample-ring.js'
 */

import { LEAD_PACKETS, PACKET_SAMPLES, readSegment, SEGMENT_RATE } from '../shared/wire/segment.js';
import { PlaybackSpeed } from './playback-speed.js';

/** Most segments kept, from the next on: more than the server sends ahead. */
const MAX_SEGMENTS = 70;

/** Plays a recording's segments, in order, into the ring that the playback worklet empties. */
export class SegmentPlayback {
  #codec;
  #ring;
  #channels;
  #stretch;
  /** Encoded segments by number. @type {Map<number, { rate: number, segment: Uint8Array }>} */
  #segments = new Map();
  /** @type {Decoder | null} */
  #decoder = null;
  /** Rate of the present segment, and number of the next. */
  #rate = 0;
  #next = 0;
  /** Decoded sound of the present segment, and samples used of it. */
  #pcm = new Float32Array(0);
  #taken = 0;
  /** Moment of the first sample in the stretch, in samples. */
  #base = 0;
  #count = 0;
  #whole = false;
  #silence = new Float32Array(4096);

  /** @param {Codec} codec @param {SampleRing} ring */
  constructor(codec, ring) {
    this.#codec = codec;
    this.#ring = ring;
    this.#channels = ring.channels;
    this.#stretch = this.#newStretch();
  }

  #newStretch(speed = 1) {
    const stretch = new PlaybackSpeed({ sampleRate: SEGMENT_RATE, channels: this.#channels });
    stretch.speed = speed;
    return stretch;
  }

  /** Moment being heard, in seconds. */
  get seconds() {
    const ahead = Math.max(0, this.#ring.available) * this.#stretch.speed;
    return Math.max(0, (this.#base + this.#stretch.position - ahead) / SEGMENT_RATE);
  }

  /** Rate of the present sound, in bits a second; 0 before the first. */
  get rate() {
    return this.#rate;
  }

  /** First missing segment. */
  get missing() {
    let number = this.#next;
    while (this.#segments.has(number)) number += 1;
    return number;
  }

  /** True when the next sound is missing. */
  get waiting() {
    return this.#taken >= this.#pcm.length && !this.#segments.has(this.#next) && !this.ended;
  }

  /** True when everything was played. */
  get ended() {
    return this.#whole && this.#next >= this.#count && this.#taken >= this.#pcm.length;
  }

  /** @param {number} speed 0.5 to 2 */
  set speed(speed) {
    this.#stretch.speed = speed;
  }

  /**
   * @param {number} count of segments in the recording
   * @param {boolean} whole true when the recording is complete
   */
  known(count, whole) {
    this.#count = count;
    this.#whole = whole;
  }

  /** Goes to a moment. @param {number} seconds */
  seek(seconds) {
    const samples = Math.round(seconds * SEGMENT_RATE);
    this.#next = Math.floor(samples / SEGMENT_RATE);
    for (const number of this.#segments.keys())
      if (!this.#isNear(number)) this.#segments.delete(number);
    this.#stretch = this.#newStretch(this.#stretch.speed);
    this.#base = samples;
    this.#pcm = new Float32Array(0);
    // The segment's part before the moment is skipped.
    this.#taken = (samples % SEGMENT_RATE) * this.#channels;
    this.#closeDecoder();
  }

  /**
   * Keeps a segment until its turn.
   * @param {{ number: number, rate: number, segment: Uint8Array }} one
   */
  take({ number, rate, segment }) {
    if (this.#isNear(number)) this.#segments.set(number, { rate, segment });
  }

  /** True when a segment is within the kept range. @param {number} number */
  #isNear(number) {
    return number >= this.#next && number < this.#next + MAX_SEGMENTS;
  }

  /** True when a segment has come and isn't played yet. @param {number} number */
  has(number) {
    return this.#segments.has(number);
  }

  /** Fills the ring with the available sound. @param {number} samples wanted in it */
  fill(samples) {
    // The ring's reader ran ahead without sound: samples for that time are never heard.
    while (this.#ring.available < 0)
      this.#ring.write(
        this.#silence,
        Math.min(-this.#ring.available, this.#silence.length / this.#channels),
      );
    while (this.#ring.available < samples) {
      if (!this.#stretch.needsInput) this.#ring.write(this.#stretch.pull());
      else if (!this.#feed()) break;
    }
  }

  /** Feeds the stretch with sound. @returns {boolean} false when there was none */
  #feed() {
    if (this.#taken >= this.#pcm.length && !this.#decode()) {
      const rest = this.ended ? this.#stretch.rest() : new Float32Array(0);
      this.#ring.write(rest);
      return rest.length > 0;
    }
    const values = Math.min(this.#pcm.length - this.#taken, PACKET_SAMPLES * this.#channels);
    if (values > 0) this.#stretch.push(this.#pcm.subarray(this.#taken, this.#taken + values));
    this.#taken += Math.max(0, values);
    return true;
  }

  /** Decodes the next segment. @returns {boolean} true when it is there */
  #decode() {
    const found = this.#segments.get(this.#next);
    if (!found) return false;
    this.#segments.delete(this.#next++);
    const skipped = this.#pcm.length === 0 ? this.#taken : 0;
    const isNext = this.#decoder !== null && found.rate === this.#rate;
    if (!isNext) this.#closeDecoder();
    this.#decoder ??= this.#codec.createDecoder({
      sampleRate: SEGMENT_RATE,
      frameSamples: PACKET_SAMPLES,
      channels: this.#channels,
    });
    this.#rate = found.rate;
    this.#pcm = decodeSegment(this.#decoder, found.segment, this.#channels, isNext);
    this.#taken = skipped;
    return true;
  }

  #closeDecoder() {
    this.#decoder?.close();
    this.#decoder = null;
  }

  close() {
    this.#closeDecoder();
    this.#segments.clear();
  }
}

/**
 * @param {Decoder} decoder
 * @param {Uint8Array} segment
 * @param {number} channels
 * @param {boolean} isNext true when the decoder has decoded the previous segment at the same rate
 * @returns {Float32Array<ArrayBuffer>} its own sound, interleaved
 */
function decodeSegment(decoder, segment, channels, isNext) {
  const values = PACKET_SAMPLES * channels;
  const pcm = new Float32Array((SEGMENT_RATE / PACKET_SAMPLES) * values);
  const lead = new Float32Array(values);
  let packet = 0;
  readSegment(segment, (start, length) => {
    const isLead = packet < LEAD_PACKETS;
    const [out, at] = isLead ? [lead, 0] : [pcm, (packet - LEAD_PACKETS) * values];
    packet += 1;
    if (isLead && isNext) return;
    if (!decoder.decode(segment, start, length, out, at)) decoder.conceal(out, at);
  });
  return pcm;
}
