/**
 * An AudioWorklet that hands on what it hears, in pieces, each with the number of its first sample.
 */

const PIECE_SAMPLES = 1024;

const worklet = /** @type {any} */ (globalThis);

class Recorder extends worklet.AudioWorkletProcessor {
  #piece = new Float32Array(PIECE_SAMPLES);
  #filled = 0;
  #open = true;

  constructor() {
    super();
    this.port.onmessage = () => void (this.#open = false);
  }

  /** @param {Float32Array[][]} inputs */
  process([[channel]]) {
    const { currentFrame } = worklet;
    // Without a channel nothing is connected, and that is silence.
    if (channel) this.#piece.set(channel, this.#filled);
    this.#filled += channel?.length ?? 128;
    if (this.#filled === PIECE_SAMPLES) {
      const piece = this.#piece;
      const frame = currentFrame + (channel?.length ?? 128) - PIECE_SAMPLES;
      this.port.postMessage({ frame, samples: piece }, [piece.buffer]);
      this.#piece = new Float32Array(PIECE_SAMPLES);
      this.#filled = 0;
    }
    return this.#open;
  }
}

worklet.registerProcessor('aloud-lab-recorder', Recorder);
