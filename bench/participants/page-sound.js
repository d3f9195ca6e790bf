/* global AudioContext, AudioBufferSourceNode, AudioWorkletNode, GainNode */
/* global MediaStreamAudioDestinationNode, MediaStreamAudioSourceNode */
/** Sound that goes into a page and comes out of it, at known times. */

/**
 * The microphone's sample rate, in Hz; the browser converts it to the call's, as it does any
 * microphone's.
 */
export const MICROPHONE_RATE = 48000;

/**
 * Time from opening the microphone to its first sound, in seconds: the time of a late start is
 * unknown.
 */
const START_SECONDS = 0.1;

/**
 * Returns the time at which a context's sound of time 0 reaches a device without latency, on
 * performance.now(). The device gets a buffer of samples at once, and plays them one after the
 * other from then on.
 * @param {AudioContext} context that runs
 */
export function startOf(context) {
  const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
  return performanceTime - 1000 * (contextTime + context.outputLatency);
}

/** A microphone that says speech again and again. */
export class Microphone {
  #context = new AudioContext({ sampleRate: MICROPHONE_RATE, latencyHint: 'interactive' });
  #destination = new MediaStreamAudioDestinationNode(this.#context, { channelCount: 1 });
  #startSeconds = 0;

  /** @param {Float32Array<ArrayBuffer>} speech */
  async open(speech) {
    await this.#context.resume();
    const buffer = this.#context.createBuffer(1, speech.length, MICROPHONE_RATE);
    buffer.copyToChannel(speech, 0);
    const source = new AudioBufferSourceNode(this.#context, { buffer, loop: true });
    source.connect(this.#destination);
    this.#startSeconds = this.#context.currentTime + START_SECONDS;
    source.start(this.#startSeconds);
    return this.#destination.stream;
  }

  /**
   * Start of the speech, on performance.now(). A microphone hands over a buffer when its last
   * sample was heard, where this one's is made at once: it was heard one buffer before.
   */
  get startMs() {
    return startOf(this.#context) + 1000 * (this.#startSeconds - this.#context.baseLatency);
  }

  close() {
    return this.#context.close();
  }
}

/** Keeps what passes a node. */
export class SoundRecorder {
  #context;
  #most;
  /** @type {AudioWorkletNode | null} */
  #node = null;
  /** @type {{ frame: number, samples: Float32Array }[]} */
  #pieces = [];

  /**
   * @param {AudioContext} context
   * @param {number} seconds most that is kept
   */
  constructor(context, seconds) {
    this.#context = context;
    this.#most = seconds * context.sampleRate;
  }

  /**
   * @param {AudioNode} output   a node of the context
   * @param {string} processor   the text of recorder-processor.js
   */
  async start(output, processor) {
    const url = URL.createObjectURL(new Blob([processor], { type: 'text/javascript' }));
    await this.#context.audioWorklet.addModule(url);
    URL.revokeObjectURL(url);
    const options = {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: /** @type {const} */ ('explicit'),
    };
    this.#node = new AudioWorkletNode(this.#context, 'aloud-lab-recorder', options);
    this.#node.port.onmessage = ({ data }) => {
      if (data.frame < (this.#pieces[0]?.frame ?? data.frame) + this.#most) this.#pieces.push(data);
    };
    output.connect(this.#node);
  }

  /**
   * @param {number} [fromMs] where the recording is to begin, on performance.now(): with silence
   *   where that is earlier than it began
   * @returns {{ samples: Float32Array, startMs: number, sampleRate: number }}
   */
  take(fromMs) {
    const { sampleRate } = this.#context;
    const [first] = this.#pieces;
    const last = this.#pieces.at(-1);
    if (!first || !last)
      return { samples: new Float32Array(0), startMs: performance.now(), sampleRate };
    const heardMs = startOf(this.#context) + (1000 * first.frame) / sampleRate;
    const startMs = fromMs ?? heardMs;
    const origin = first.frame - Math.round(((heardMs - startMs) * sampleRate) / 1000);
    const samples = new Float32Array(Math.max(0, last.frame + last.samples.length - origin));
    for (const { frame, samples: piece } of this.#pieces) {
      if (frame >= origin) samples.set(piece, frame - origin);
    }
    return { samples, startMs, sampleRate };
  }

  stop() {
    this.#node?.port.postMessage('close');
  }
}

/**
 * Time between the starts of several contexts, in milliseconds. The browser plays a microphone with
 * a random extra delay of up to 10 ms, constant while a context lives. It depends on how the
 * context's buffers are aligned with the microphone's, so one context isn't enough.
 */
const LOOP_GAP_MS = 103;

/** The sound that the browser on its own plays of a microphone, recorded several times at once. */
export class Loops {
  /** @type {{ context: AudioContext, recorder: SoundRecorder }[]} */
  #loops = [];

  /**
   * @param {MediaStream} mediaStream
   * @param {{ count: number, recordSeconds: number, processor: string }} options  as SoundRecorder
   *   has them
   */
  async begin(mediaStream, { count, recordSeconds, processor }) {
    for (let i = 0; i < count; i++) {
      const context = new AudioContext({ sampleRate: MICROPHONE_RATE, latencyHint: 0 });
      await context.resume();
      const output = new GainNode(context);
      new MediaStreamAudioSourceNode(context, { mediaStream })
        .connect(output)
        .connect(context.destination);
      const recorder = new SoundRecorder(context, recordSeconds);
      this.#loops.push({ context, recorder });
      await recorder.start(output, processor);
      await new Promise((resolve) => void setTimeout(resolve, LOOP_GAP_MS));
    }
  }

  take() {
    return this.#loops.map(({ recorder }) => recorder.take());
  }

  /** Idempotent. */
  async close() {
    for (const { context, recorder } of this.#loops.splice(0)) {
      recorder.stop();
      await context.close();
    }
  }
}
