/** @import { Sink } from './ring-feeds.js' */

import { Capture } from '../../../worklets/capture.js';
import { SampleRing } from '../../../worklets/sample-ring.js';
import { Resampler } from '../clock/resampler.js';
import { CaptureFeed } from './ring-feeds.js';

/** Samples that are resampled at once. */
const CHUNK_SAMPLES = 1024;

/** Takes a microphone's sound as the browser hands it out, in the place of the capture worklet and its ring. */
export class TrackFeed {
  #reader;
  #sink;
  #format;
  #rate = 0;
  /** @type {Capture} */
  #capture;
  /** @type {CaptureFeed} */
  #feed;
  /** One for each of the microphone's channels. @type {Float32Array<ArrayBuffer>[]} */
  #planes = [];

  /**
   * @param {ReadableStream<AudioData>} readable read until it ends, or close() is called
   * @param {Sink} sink
   * @param {{ sampleRate: number, channels: number }} format the room's; the sound's rate is the same, or lower
   */
  constructor(readable, sink, format) {
    this.#reader = readable.getReader();
    this.#sink = sink;
    this.#format = format;
    [this.#capture, this.#feed] = this.#begin(format.sampleRate);
    void this.#read();
  }

  /**
   * @param {number} rate the sound's, in Hz
   * @returns {[Capture, CaptureFeed]}
   */
  #begin(rate) {
    this.#rate = rate;
    const { sampleRate, channels } = this.#format;
    const ring = SampleRing.create(rate, false, channels);
    const feed = new CaptureFeed(ring, rate === sampleRate ? this.#sink : new RateSink(this.#sink, rate, this.#format));
    feed.wake();
    return [new Capture(ring), feed];
  }

  async #read() {
    try {
      for (let next = await this.#reader.read(); !next.done; next = await this.#reader.read()) this.#take(next.value);
    } catch {
      // A track that can't be read has ended: the page hears of that from the track itself.
    }
  }

  /** @param {AudioData} data */
  #take(data) {
    const { numberOfFrames, numberOfChannels, sampleRate } = data;
    if (sampleRate !== this.#rate) [this.#capture, this.#feed] = this.#begin(sampleRate);
    if (this.#planes.length !== numberOfChannels || this.#planes[0].length !== numberOfFrames) {
      this.#planes = Array.from({ length: numberOfChannels }, () => new Float32Array(numberOfFrames));
    }
    for (let planeIndex = 0; planeIndex < numberOfChannels; planeIndex++) {
      data.copyTo(this.#planes[planeIndex], { planeIndex, format: 'f32-planar' });
    }
    // The browser has few of these.
    data.close();
    if (this.#capture.process(this.#planes)) this.#feed.wake();
  }

  /** Idempotent. */
  close() {
    this.#reader.cancel().catch(() => {});
  }
}

/** Brings sound to the room's rate on its way. @implements {Sink} */
class RateSink {
  #sink;
  #resampler;
  #out;

  /**
   * @param {Sink} sink
   * @param {number} rate the sound's, in Hz
   * @param {{ sampleRate: number, channels: number }} format
   */
  constructor(sink, rate, { sampleRate, channels }) {
    this.#sink = sink;
    this.#resampler = new Resampler(CHUNK_SAMPLES, channels);
    this.#resampler.step = rate / sampleRate;
    this.#out = new Float32Array(CHUNK_SAMPLES * channels);
  }

  get samplesToFrame() {
    return Math.max(1, this.#resampler.missing(this.#sink.samplesToFrame));
  }

  /**
   * @param {Float32Array} samples
   * @param {number} count
   */
  capture(samples, count) {
    for (let at = 0; at < count; ) {
      const taken = Math.min(count - at, this.#resampler.room);
      this.#resampler.write(samples, at, taken);
      at += taken;
      let given;
      while ((given = this.#resampler.read(this.#out, 0, CHUNK_SAMPLES)) > 0) this.#sink.capture(this.#out, given);
    }
  }
}
