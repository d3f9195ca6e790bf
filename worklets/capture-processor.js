import { Capture } from './capture.js';
import { SampleRing } from './sample-ring.js';

/**
 * The AudioWorklet shell of Capture. Options: `memory`, the ring's. A message `{ port }` gives the
 * port that wakes the worker; `{ close: true }` ends the processor.
 */
class CaptureProcessor extends AudioWorkletProcessor {
  #capture;
  #open = true;
  /** @type {AudioWorkletPort | null} */
  #worker = null;

  /** @param {AudioWorkletProcessorOptions} options */
  constructor(options) {
    super(options);
    this.#capture = new Capture(new SampleRing(options.processorOptions.memory));
    this.port.onmessage = ({ data }) => {
      if (data.port) {
        this.#worker = data.port;
        // The worker arms the ring from here on, when there is somebody to wake it.
        data.port.postMessage(0);
      }
      if (data.close) this.#open = false;
    };
  }

  /** @param {Float32Array[][]} inputs */
  process(inputs) {
    if (this.#capture.process(inputs[0])) this.#worker?.postMessage(0);
    return this.#open;
  }
}

registerProcessor('aloud-capture', CaptureProcessor);
