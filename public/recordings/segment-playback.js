/**
 * @import { Codec, Decoder } from '../shared/stream/codec.js'
 * @import { SampleRing } from '../../worklets/sample-ring.js'
 */

import { LEAD_PACKETS, PACKET_SAMPLES, readSegment, SEGMENT_RATE } from '../shared/wire/segment.js';
import { PlaybackSpeed } from './playback-speed.js';

/** The segments that are kept at most, from the next on: more than the server sends ahead. */
const MAX_SEGMENTS = 70;

/** Plays a recording's segments, in order, into the ring that the playback worklet empties. */
export class SegmentPlayback {
  #codec;
  #ring;
  #channels;
  #stretch;
  /** By number, encoded. @type {Map<number, { rate: number, segment: Uint8Array }>} */
  #segments = new Map();
  /** @type {Decoder | null} */
  #decoder = null;
  /** The rate of the segment that is played, and the number of the next. */
  #rate = 0;
  #next = 0;
  /** Decoded sound of the segment that is played, and how much of it was taken. */
  #pcm = new Float32Array(0);
  #taken = 0;
  /** The moment of the first sample that went into the stretch, in samples. */
  #base = 0;
  #count = 0;
  #whole = false;
  #silence = new Float32Array(4096);

  /**
   * @param {Codec} codec
   * @param {SampleRing} ring
   */
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

  /** The moment that is heard now, in seconds. */
  get seconds() {
    const ahead = Math.max(0, this.#ring.available) * this.#stretch.speed;
    return Math.max(0, (this.#base + this.#stretch.position - ahead) / SEGMENT_RATE);
  }

  /** The rate of what is played, in bits a second; 0 before anything is. */
  get rate() {
    return this.#rate;
  }

  /** The first segment that is missing. */
  get missing() {
    let number = this.#next;
    while (this.#segments.has(number)) number += 1;
    return number;
  }

  /** Whether sound that is to come isn't there. */
  get waiting() {
    return this.#taken >= this.#pcm.length && !this.#segments.has(this.#next) && !this.ended;
  }

  /** Whether everything was played. */
  get ended() {
    return this.#whole && this.#next >= this.#count && this.#taken >= this.#pcm.length;
  }

  /** @param {number} speed  0.5 to 2 */
  set speed(speed) {
    this.#stretch.speed = speed;
  }

  /**
   * @param {number} count of segments that there are
   * @param {boolean} whole whether there will be no more
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
    // What of the segment is before the moment isn't heard.
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

  /** Whether a segment is kept. @param {number} number */
  #isNear(number) {
    return number >= this.#next && number < this.#next + MAX_SEGMENTS;
  }

  /** Whether a segment has come, and is still to be played. @param {number} number */
  has(number) {
    return this.#segments.has(number);
  }

  /**
   * Fills the ring, as far as there is sound.
   * @param {number} samples  that are to be in it
   */
  fill(samples) {
    // The ring's reader has run ahead while there was nothing: what is written for that time is
    // never heard.
    while (this.#ring.available < 0)
      this.#ring.write(
        this.#silence,
        Math.min(-this.#ring.available, this.#silence.length / this.#channels),
      );
    while (this.#ring.available < samples) {
      if (!this.#stretch.hungry) this.#ring.write(this.#stretch.pull());
      else if (!this.#feed()) break;
    }
  }

  /** Gives the stretch more of the sound. @returns {boolean} whether there was any */
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

  /** Decodes the next segment. @returns {boolean} whether it is there */
  #decode() {
    const found = this.#segments.get(this.#next);
    if (!found) return false;
    this.#segments.delete(this.#next++);
    const skipped = this.#pcm.length === 0 ? this.#taken : 0;
    const goesOn = this.#decoder !== null && found.rate === this.#rate;
    if (!goesOn) this.#closeDecoder();
    this.#decoder ??= this.#codec.createDecoder({
      sampleRate: SEGMENT_RATE,
      frameSamples: PACKET_SAMPLES,
      channels: this.#channels,
    });
    this.#rate = found.rate;
    this.#pcm = decodeSegment(this.#decoder, found.segment, this.#channels, goesOn);
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
 * @param {boolean} goesOn  whether the decoder has decoded the segment before, at the same rate
 * @returns {Float32Array<ArrayBuffer>} its own sound, interleaved
 */
function decodeSegment(decoder, segment, channels, goesOn) {
  const values = PACKET_SAMPLES * channels;
  const pcm = new Float32Array((SEGMENT_RATE / PACKET_SAMPLES) * values);
  const lead = new Float32Array(values);
  let packet = 0;
  readSegment(segment, (start, length) => {
    const isLead = packet < LEAD_PACKETS;
    const [out, at] = isLead ? [lead, 0] : [pcm, (packet - LEAD_PACKETS) * values];
    packet += 1;
    if (isLead && goesOn) return;
    if (!decoder.decode(segment, start, length, out, at)) decoder.conceal(out, at);
  });
  return pcm;
}
