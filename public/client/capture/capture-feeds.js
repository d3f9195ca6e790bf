/**
 * @import { SampleRing } from '../../../worklets/sample-ring.js'
 *
 * Part of the call that a feed uses: see CallClient.
 * @typedef {object} Sink
 * @property {(samples: Float32Array, count: number, rate?: number, burst?: number) => void} capture
 *   burst: samples that the sound card gives at once, if they were counted
 * @property {number} samplesToFrame
 */

import { interleave } from '../../../worklets/capture.js';

/** Most values read from the capture ring at once, of all channels. */
const CHUNK_VALUES = 4096;

/** Empties the ring that the capture worklet fills, frame by frame. */
export class CaptureFeed {
  #ring;
  #sink;
  #chunk = new Float32Array(CHUNK_VALUES);

  /** @param {SampleRing} ring at the room's rate @param {Sink} sink */
  constructor(ring, sink) {
    this.#ring = ring;
    this.#sink = sink;
  }

  /** Called when the worklet has completed a frame. */
  wake() {
    do {
      let count;
      while ((count = this.#ring.read(this.#chunk)) > 0)
        this.#sink.capture(this.#chunk, count, undefined, this.#ring.burst);
      this.#ring.arm(this.#sink.samplesToFrame);
      // Sound that came between reading and arming caused no wake-up.
    } while (this.#ring.reached());
  }
}

/** Reads a microphone's track directly, instead of the capture worklet and its ring. */
export class TrackFeed {
  #reader;
  #sink;
  #channels;
  /** One plane per microphone channel. @type {Float32Array<ArrayBuffer>[]} */
  #planes = [];
  #samples = new Float32Array(0);

  /**
   * @param {ReadableStream<AudioData>} readable read until it ends, or close() is called
   * @param {Pick<Sink, 'capture'>} sink
   * @param {number} channels the room's
   * @param {(error: unknown) => void} onFault called when the sink threw; nothing more is read
   */
  constructor(readable, sink, channels, onFault) {
    this.#reader = readable.getReader();
    this.#sink = sink;
    this.#channels = channels;
    this.#read().catch((error) => {
      this.close();
      onFault(error);
    });
  }

  async #read() {
    for (;;) {
      let next;
      try {
        next = await this.#reader.read();
      } catch {
        // A track that can't be read has ended: the page learns that from the track.
        return;
      }
      if (next.done) return;
      const data = next.value;
      const { numberOfFrames, numberOfChannels, sampleRate } = data;
      if (this.#planes.length !== numberOfChannels || this.#planes[0].length !== numberOfFrames) {
        this.#planes = Array.from(
          { length: numberOfChannels },
          () => new Float32Array(numberOfFrames),
        );
        this.#samples = new Float32Array(numberOfFrames * this.#channels);
      }
      for (let planeIndex = 0; planeIndex < numberOfChannels; planeIndex++) {
        data.copyTo(this.#planes[planeIndex], { planeIndex, format: 'f32-planar' });
      }
      // The browser holds the memory until then.
      data.close();
      interleave(this.#planes, this.#channels, this.#samples);
      this.#sink.capture(this.#samples, numberOfFrames, sampleRate);
    }
  }

  /** Idempotent. */
  close() {
    // An error changes nothing here: the track is over.
    this.#reader.cancel().catch(() => {});
  }
}
