/* global AudioContext, AudioBufferSourceNode, AudioWorkletNode, MediaStreamAudioDestinationNode */
/**
 * Somebody in a browser's page who takes part by the page's own call, with a microphone that says known
 * speech, and a recorder at the call's output.
 * @import { TransportName } from '../../public/client/connection/connection.js'
 * @import { Listener, Recording } from './participants.js'
 */

import { Call } from '../../public/call.js';

/** The microphone's, in Hz; the browser brings it to the room's rate, as any microphone's. */
const MICROPHONE_RATE = 48000;

/** The microphone begins so long after it is opened, in seconds: a start that is late is at no known time. */
const START_SECONDS = 0.1;

/** How often a call that joins is looked at for its output, in milliseconds. */
const LOOK_MS = 2;

const pass = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * When a context's sound of time 0 reaches a device without latency of its own, on performance.now(): the
 * device is given a buffer of samples at once, and plays them one after the other from then on.
 * @param {AudioContext} context that runs
 */
function startOf(context) {
  const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
  return performanceTime - 1000 * (contextTime + context.outputLatency);
}

/** A microphone that says speech again and again. */
class Microphone {
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
   * When the speech began, on performance.now(). A microphone hands over a buffer when its last sample
   * was heard, where this one's is made at once: it was heard one buffer before.
   */
  get startMs() {
    return startOf(this.#context) + 1000 * (this.#startSeconds - this.#context.baseLatency);
  }

  close() {
    return this.#context.close();
  }
}

/** @implements {Listener} */
export class CallListener {
  #recorder;
  #recordSeconds;
  #speech;
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {Call | null} */
  #call = null;
  /** @type {AudioWorkletNode | null} */
  #node = null;
  /** @type {{ frame: number, samples: Float32Array }[]} */
  #pieces = [];
  /** @type {object | null} */
  #stats = null;

  /**
   * @param {object} options
   * @param {number} options.recordSeconds  so much is recorded at most
   * @param {number} options.sampleRate     the room's
   * @param {string} options.recorder       the text of recorder-processor.js
   * @param {Float32Array<ArrayBuffer> | null} options.speech  at 48 kHz; null: only listens
   */
  constructor({ recordSeconds, sampleRate, recorder, speech }) {
    this.#recordSeconds = recordSeconds;
    this.#recorder = recorder;
    // As long as the speech is at the room's rate.
    this.#speech = speech?.subarray(0, speech.length - (speech.length % (MICROPHONE_RATE / sampleRate))) ?? null;
  }

  /** @param {{ room: string, name: string, transport: TransportName }} options */
  async join({ room, name, transport }) {
    const speech = this.#speech;
    if (speech) {
      const microphone = new Microphone();
      this.#microphone = microphone;
      navigator.mediaDevices.getUserMedia = () => microphone.open(speech);
    }
    const call = new Call({ room, name, transport, processing: false, microphoneId: speech ? '' : null });
    this.#call = call;
    call.addEventListener('stats', ({ detail }) => void (this.#stats = detail));
    let failure = '';
    call.addEventListener('state', ({ detail }) => void (failure = detail.message ?? ''));
    const joined = call.join();
    const recording = this.#record(call);
    await joined;
    await recording;
    if (call.state !== 'joined') throw new Error(`the call is ${call.state}: ${failure}`);
  }

  /**
   * Begins to record as soon as there is something to be recorded, which is before the call is joined.
   * @param {Call} call
   */
  async #record(call) {
    while (call.state === 'connecting' && !call.output) await pass(LOOK_MS);
    const { output } = call;
    if (!output) return;
    const { context } = output;
    const url = URL.createObjectURL(new Blob([this.#recorder], { type: 'text/javascript' }));
    await context.audioWorklet.addModule(url);
    URL.revokeObjectURL(url);
    const options = { numberOfOutputs: 0, channelCount: 1, channelCountMode: /** @type {const} */ ('explicit') };
    this.#node = new AudioWorkletNode(context, 'aloud-lab-recorder', options);
    this.#node.port.onmessage = ({ data }) => {
      const most = (this.#pieces[0]?.frame ?? data.frame) + this.#recordSeconds * context.sampleRate;
      if (data.frame < most) this.#pieces.push(data);
    };
    output.connect(this.#node);
  }

  /** @returns {Recording} */
  recording() {
    const context = /** @type {AudioContext} */ (this.#call?.output?.context);
    const { sampleRate } = context;
    const [first] = this.#pieces;
    const stats = this.#stats;
    if (!first) return { samples: new Float32Array(0), startMs: performance.now(), sampleRate, stats };
    const heardMs = startOf(context) + (1000 * first.frame) / sampleRate;
    const startMs = this.#microphone?.startMs ?? heardMs;
    const origin = first.frame - Math.round(((heardMs - startMs) * sampleRate) / 1000);
    const last = this.#pieces[this.#pieces.length - 1];
    const samples = new Float32Array(Math.max(0, last.frame + last.samples.length - origin));
    for (const piece of this.#pieces) {
      const at = piece.frame - origin;
      if (at >= 0) samples.set(piece.samples, at);
    }
    return { samples, startMs, sampleRate, stats };
  }

  /** Leaves. Idempotent. */
  async close() {
    this.#node?.port.postMessage('close');
    await this.#call?.leave();
    const microphone = this.#microphone;
    this.#microphone = null;
    await microphone?.close();
  }
}
