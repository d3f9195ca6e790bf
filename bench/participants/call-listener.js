/**
 * A participant in a browser's page: the page's own call, with a microphone that says known speech
 * and a recorder at the call's output.
 * @import { TransportName } from '../../public/client/connection/connection.js'
 * @import { Listener, Recording } from '../../testkit/participants/participants.js'
 */

import { Call } from '../../public/call.js';
import { Loops, Microphone, MICROPHONE_RATE, SoundRecorder } from './page-sound.js';

/** Interval at which a joining call is checked for its output, in milliseconds. */
const LOOK_MS = 2;

const pass = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @implements {Listener} */
export class CallListener {
  #processor;
  #recordSeconds;
  #speech;
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {Call | null} */
  #call = null;
  /** @type {SoundRecorder | null} */
  #recorder = null;
  #loops = new Loops();
  #device;
  #loopCount;
  /** @type {object | null} */
  #stats = null;

  /**
   * @param {object} options
   * @param {number} options.recordSeconds  longest recording
   * @param {number} options.sampleRate     the room's
   * @param {string} options.processor      the text of recorder-processor.js
   * @param {Float32Array<ArrayBuffer> | null} options.speech  at 48 kHz; null: only listens
   * @param {boolean} [options.device]  speaks with the browser's own microphone instead
   * @param {number} [options.loops] number of recordings of that microphone as the browser plays
   *   it on its own
   */
  constructor({ recordSeconds, sampleRate, processor, speech, device = false, loops = 0 }) {
    this.#loopCount = loops;
    this.#device = device;
    this.#recordSeconds = recordSeconds;
    this.#processor = processor;
    // As long as the speech is at the room's rate.
    this.#speech =
      speech?.subarray(0, speech.length - (speech.length % (MICROPHONE_RATE / sampleRate))) ?? null;
  }

  /** @param {{ room: string, name: string, transport: TransportName }} options */
  async join({ room, name, transport }) {
    const speech = this.#speech;
    if (speech) {
      const microphone = new Microphone();
      this.#microphone = microphone;
      navigator.mediaDevices.getUserMedia = () => microphone.open(speech);
    }
    if (this.#device) this.#tapDevice();
    const call = new Call({
      join: { room, name },
      transport,
      processing: false,
      microphoneId: speech || this.#device ? '' : null,
    });
    this.#call = call;
    call.store.subscribe(['stats'], ({ stats }) => void (this.#stats = stats));
    const joined = call.join();
    const recording = this.#record(call);
    await joined;
    await recording;
    if (call.state !== 'joined')
      throw new Error(`the call is ${call.state}: ${call.store.value.end?.message}`);
  }

  /**
   * The browser alone also plays the microphone that the call opens: into a context, and out
   * of it.
   */
  #tapDevice() {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (wish) => {
      const stream = await open(wish);
      await this.#loops.begin(stream, {
        count: this.#loopCount,
        recordSeconds: this.#recordSeconds,
        processor: this.#processor,
      });
      return stream;
    };
  }

  /**
   * Begins to record as soon as there is something to be recorded, which is before the call is
   * joined.
   * @param {Call} call
   */
  async #record(call) {
    while (call.state === 'connecting' && !call.output) await pass(LOOK_MS);
    const { output } = call;
    if (!output) return;
    this.#recorder = new SoundRecorder(
      /** @type {AudioContext} */ (output.context),
      this.#recordSeconds,
    );
    await this.#recorder.start(output, this.#processor);
  }

  get stats() {
    return this.#stats;
  }

  /** @returns {Recording} */
  recording() {
    if (!this.#recorder) throw new Error('the call has not been joined');
    return {
      ...this.#recorder.take(this.#microphone?.startMs),
      stats: this.#stats,
      loops: this.#loops.take(),
    };
  }

  /** Leaves. Idempotent. */
  async close() {
    this.#recorder?.stop();
    // The page may be another listener's next, whose microphone is the browser's own again.
    delete (/** @type {any} */ (navigator.mediaDevices).getUserMedia);
    await this.#loops.close();
    await this.#call?.leave();
    const microphone = this.#microphone;
    this.#microphone = null;
    await microphone?.close();
  }
}
