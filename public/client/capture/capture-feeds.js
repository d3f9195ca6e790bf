/**
 * @import { SampleRing } from '../../../worklets/sample-ring.js'
 *
 * The call, as a feed needs it: see ReconnectingClient.
 * @typedef {object} Sink
 * @property {(samples: Float32Array, count: number, rate?: number) => void} capture
 * @property {number} samplesToFrame
 */

import { interleave } from '../../../worklets/capture.js';

/** The most that is taken from the capture ring at once, in values of all channels. */
const CHUNK_VALUES = 4096;

/** Empties the ring that the capture worklet fills, frame by frame. */
export class CaptureFeed {
  #ring;
  #sink;
  #chunk = new Float32Array(CHUNK_VALUES);

  /**
   * @param {SampleRing} ring at the room's rate
   * @param {Sink} sink
   */
  constructor(ring, sink) {
    this.#ring = ring;
    this.#sink = sink;
  }

  /** Called when the worklet says that a frame is complete. */
  wake() {
    do {
      let count;
      while ((count = this.#ring.read(this.#chunk)) > 0) this.#sink.capture(this.#chunk, count);
      this.#ring.arm(this.#sink.samplesToFrame);
      // Sound that came between reading and arming has woken nobody.
    } while (this.#ring.reached());
  }
}

/**
 * Takes a microphone's sound as the browser hands it out, in the place of the capture worklet and
 * its ring.
 */
export class TrackFeed {
  #reader;
  #sink;
  #channels;
  /** One for each of the microphone's channels. @type {Float32Array<ArrayBuffer>[]} */
  #planes = [];
  #samples = new Float32Array(0);

  /**
   * @param {ReadableStream<AudioData>} readable read until it ends, or close() is called
   * @param {Pick<Sink, 'capture'>} sink
   * @param {number} channels the room's
   * @param {(error: unknown) => void} onFault the sink threw; nothing more is read
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
        // A track that can't be read has ended: the page hears of that from the track itself.
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
      // Its memory is the browser's until then.
      data.close();
      interleave(this.#planes, this.#channels, this.#samples);
      this.#sink.capture(this.#samples, numberOfFrames, sampleRate);
    }
  }

  /** Idempotent. */
  close() {
    // Whether the browser could let go of a track that is over changes nothing here.
    this.#reader.cancel().catch(() => {});
  }
}
