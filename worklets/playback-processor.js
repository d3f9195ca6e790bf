import { Playback } from './playback.js';
import { SampleRing } from './sample-ring.js';

/**
 * AudioWorklet shell of Playback. Options: `memory`, the ring's. A message `{ port }` brings the
 * port for waking the worker; `{ close: true }` ends the processor.
 */
class PlaybackProcessor extends AudioWorkletProcessor {
  #playback;
  #open = true;
  /** @type {AudioWorkletPort | null} */
  #worker = null;

  /** @param {AudioWorkletProcessorOptions} options */
  constructor(options) {
    super(options);
    this.#playback = new Playback(new SampleRing(options.processorOptions.memory), sampleRate);
    this.port.onmessage = ({ data }) => {
      if (data.port) {
        this.#worker = data.port;
        // From now on the worker arms the ring, since it can be woken.
        data.port.postMessage(0);
      }
      if (data.close) this.#open = false;
    };
  }

  /** @param {Float32Array[][]} _inputs @param {Float32Array[][]} outputs */
  process(_inputs, outputs) {
    if (this.#playback.process(outputs[0])) this.#worker?.postMessage(0);
    return this.#open;
  }
}

registerProcessor('aloud-playback', PlaybackProcessor);
