import { Capture } from './capture.js';
import { SampleRing } from './sample-ring.js';

/**
 * Most blocks that wait for a late worker: a second at 48 kHz, as much as a ring holds. Later ones
 * are lost.
 */
const MOST_BLOCKS = 375;

/**
 * Replaces the ring on pages without shared memory: each block goes to the worker as a message,
 * which it answers.
 */
class BlockSender {
  /** @type {AudioWorkletPort | null} */
  #port = null;
  #waiting = 0;

  /** @param {number} channels */
  constructor(channels) {
    this.channels = channels;
  }

  /** @param {AudioWorkletPort} port the worker's */
  sendTo(port) {
    this.#port = port;
    port.onmessage = () => void (this.#waiting -= 1);
  }

  /** @param {Float32Array} block */
  write(block) {
    if (this.#port === null || this.#waiting >= MOST_BLOCKS) return;
    this.#waiting += 1;
    this.#port.postMessage(block);
  }

  /** The worker sees bursts by when messages come. */
  setBurst() {}

  /** A message wakes the worker automatically. */
  reached() {
    return false;
  }
}

/**
 * AudioWorklet shell of Capture. Options: `memory`, the ring's, or `channels` without shared
 * memory. A message `{ port }` brings the port for waking the worker or sending blocks; `{ close:
 * true }` ends the processor.
 */
class CaptureProcessor extends AudioWorkletProcessor {
  #capture;
  #open = true;
  /** @type {AudioWorkletPort | null} */
  #worker = null;

  /** @param {AudioWorkletProcessorOptions} options */
  constructor(options) {
    super(options);
    const { memory, channels } = options.processorOptions;
    const blocks = memory ? null : new BlockSender(channels);
    this.#capture = new Capture(blocks ?? new SampleRing(memory), sampleRate);
    this.port.onmessage = ({ data }) => {
      if (data.port) {
        this.#worker = data.port;
        blocks?.sendTo(data.port);
        // From now on the worker arms the ring, since it can be woken.
        if (!blocks) data.port.postMessage(0);
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
