/**
 * Makes the segments of a recording's mix at several rates, following the mix as it grows.
 *
 * @import { FileHandle } from 'node:fs/promises'
 * @import { Codec, Decoder, Encoder } from '../../public/shared/stream/codec.js'
 */

import { open } from 'node:fs/promises';
import { MAX_OPUS_BYTES, payloadSamples } from '../../public/shared/stream/codec.js';
import {
  joinPackets,
  LEAD_PACKETS,
  OWN_PACKETS,
  PACKET_SAMPLES,
  SEGMENT_PACKETS,
  SEGMENT_RATE,
} from '../../public/shared/wire/segment.js';
import { OggOpusReader } from '../recording/ogg-reader.js';
import { PLACE_BYTES, segmentPaths } from './segment-store.js';

/**
 * Effort of the encoder: a second of sound takes 31 ms of a core at five rates (bench/segments.js).
 */
const COMPLEXITY = 5;

/** Maximum length of a packet of a mix, in samples (RFC 6716, section 3.2.5). */
const MAX_MIX_SAMPLES = (SEGMENT_RATE * 120) / 1000;

export class SegmentEncoder {
  #codec;
  #reader;
  #channels;
  /** Samples still to be dropped from the pre-skip. */
  #skip;
  /** @type {Decoder | null} */
  #decoder = null;
  #decoded = new Float32Array(0);
  /** Decoded sound to encode, interleaved. */
  #pcm;
  #samples = 0;
  #frame;
  /** @type {RateFile[]} */
  #files;
  /** Number of encoded packets, including those before the first segment. */
  #packets = 0;
  #ended = false;

  /**
   * Opens a mix.
   * @param {Codec} codec
   * @param {string} mix  path of the mix
   * @param {string} directory  of the recording
   * @param {readonly number[]} rates  in bits per second
   * @returns {Promise<SegmentEncoder>}
   * @throws {import('../recording/ogg-reader.js').OggError} if it isn't Ogg Opus
   */
  static async open(codec, mix, directory, rates) {
    const reader = await OggOpusReader.open(mix);
    /** @type {RateFile[]} */
    const files = [];
    try {
      for (const rate of rates)
        files.push(await RateFile.open(codec, directory, rate, reader.head.channels));
      return new SegmentEncoder(codec, reader, files);
    } catch (error) {
      await Promise.all([reader.close(), ...files.map((file) => file.close())]);
      throw error;
    }
  }

  /**
   * @param {Codec} codec
   * @param {OggOpusReader} reader  closed with this
   * @param {RateFile[]} files  closed with this
   */
  constructor(codec, reader, files) {
    const { channels, preSkip } = reader.head;
    this.#codec = codec;
    this.#reader = reader;
    this.#files = files;
    this.#channels = channels;
    this.#skip = preSkip;
    this.#frame = new Float32Array(PACKET_SAMPLES * channels);
    // A packet of the mix may be longer than one of a segment. Silence precedes the beginning: the
    // encoders' packets are ahead by their lookahead, so that decoded sound keeps its place in the
    // mix.
    this.#pcm = new Float32Array((2 * MAX_MIX_SAMPLES + LEAD_PACKETS * PACKET_SAMPLES) * channels);
    this.#samples = LEAD_PACKETS * PACKET_SAMPLES - (files[0]?.lookahead ?? 0);
  }

  get channels() {
    return this.#channels;
  }

  /** Number of segments. */
  get count() {
    return Math.max(0, Math.floor((this.#packets - LEAD_PACKETS) / OWN_PACKETS));
  }

  /** True when the mix has ended and is completely in segments. */
  get ended() {
    return this.#ended;
  }

  /**
   * Makes up to `most` segments from the sound that is there.
   * @param {number} most
   * @param {boolean} isWhole  true if the mix grows no more, though its end isn't marked
   * @returns {Promise<number>} bytes written
   */
  async step(most, isWhole) {
    const [before, upTo] = [this.#bytes, this.count + most];
    while (!this.#ended && this.count < upTo) {
      const page = await this.#reader.next();
      if (page === null && !isWhole) break;
      for (const packet of page?.packets ?? []) this.#take(packet);
      if (page === null || page.ended) this.#end();
      for (const file of this.#files) await file.write();
    }
    return this.#bytes - before;
  }

  get #bytes() {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** @param {Uint8Array} packet  of the mix */
  #take(packet) {
    const samples = payloadSamples(packet, 0, packet.length, SEGMENT_RATE);
    if (samples === 0 || samples > MAX_MIX_SAMPLES) return;
    const values = samples * this.#channels;
    if (this.#decoded.length !== values) {
      this.#decoder?.close();
      this.#decoder = this.#codec.createDecoder({
        sampleRate: SEGMENT_RATE,
        frameSamples: samples,
        channels: this.#channels,
      });
      this.#decoded = new Float32Array(values);
    }
    if (!this.#decoder?.decode(packet, 0, packet.length, this.#decoded, 0))
      this.#decoder?.conceal(this.#decoded, 0);
    const dropped = Math.min(this.#skip, samples);
    this.#skip -= dropped;
    this.#add(this.#decoded.subarray(dropped * this.#channels), samples - dropped);
  }

  /** @param {Float32Array} pcm @param {number} samples */
  #add(pcm, samples) {
    const channels = this.#channels;
    this.#pcm.set(pcm, this.#samples * channels);
    this.#samples += samples;
    let from = 0;
    for (; this.#samples - from >= PACKET_SAMPLES; from += PACKET_SAMPLES) {
      this.#frame.set(this.#pcm.subarray(from * channels, (from + PACKET_SAMPLES) * channels));
      for (const file of this.#files) file.encode(this.#frame);
      this.#packets += 1;
    }
    this.#pcm.copyWithin(0, from * channels, this.#samples * channels);
    this.#samples -= from;
  }

  /** Fills the last segment with silence. */
  #end() {
    const silence = new Float32Array(PACKET_SAMPLES * this.#channels);
    while (this.#packets < SEGMENT_PACKETS || (this.#packets - LEAD_PACKETS) % OWN_PACKETS !== 0)
      this.#add(silence, PACKET_SAMPLES);
    this.#ended = true;
  }

  /** Idempotent. */
  async close() {
    this.#ended = true;
    this.#decoder?.close();
    await Promise.all([
      this.#reader.close().catch(() => {}),
      ...this.#files.splice(0).map((file) => file.close()),
    ]);
  }
}

class RateFile {
  #encoder;
  #sound;
  #places;
  #out = new Uint8Array(MAX_OPUS_BYTES);
  /** Packets of the current segment, including those before it. @type {Uint8Array[]} */
  #packets = [];
  /** @type {Uint8Array[]} */
  #whole = [];
  bytes = 0;
  #end = 0;

  /**
   * @param {Codec} codec
   * @param {string} directory
   * @param {number} rate
   * @param {number} channels
   */
  static async open(codec, directory, rate, channels) {
    const paths = segmentPaths(directory, rate);
    const sound = await open(paths.sound, 'w', 0o600);
    /** @type {FileHandle | null} */
    let places = null;
    try {
      places = await open(paths.places, 'w', 0o600);
      const encoder = codec.createEncoder({
        sampleRate: SEGMENT_RATE,
        frameSamples: PACKET_SAMPLES,
        channels,
        bitrate: rate,
        complexity: COMPLEXITY,
        application: 'audio',
      });
      return new RateFile(encoder, sound, places);
    } catch (error) {
      await Promise.all([sound.close(), places?.close()]);
      throw error;
    }
  }

  /**
   * @param {Encoder} encoder
   * @param {FileHandle} sound
   * @param {FileHandle} places
   */
  constructor(encoder, sound, places) {
    this.#encoder = encoder;
    this.#sound = sound;
    this.#places = places;
    this.lookahead = encoder.lookahead;
  }

  /** @param {Float32Array} pcm  of a packet */
  encode(pcm) {
    const length = this.#encoder.encode(pcm, this.#out, 0);
    this.#packets.push(this.#out.slice(0, length));
    if (this.#packets.length < SEGMENT_PACKETS) return;
    this.#whole.push(joinPackets(this.#packets));
    this.#packets.splice(0, OWN_PACKETS);
  }

  /** Writes complete segments: first their sound, then their places. */
  async write() {
    for (const segment of this.#whole.splice(0)) {
      await this.#sound.appendFile(segment);
      this.#end += segment.length;
      const place = Buffer.alloc(PLACE_BYTES);
      place.writeUInt32LE(this.#end);
      await this.#places.appendFile(place);
      this.bytes += segment.length + PLACE_BYTES;
    }
  }

  async close() {
    this.#encoder.close();
    await Promise.all([this.#sound.close(), this.#places.close()]);
  }
}
