/**
 * @import { AudioFormat } from '../public/shared/sound/audio-format.js'
 * @import { CallClient } from '../public/client/call/call-client.js'
 */

/**
 * Most sound that is passed on at once, in milliseconds. After a longer pause, as of a suspended
 * computer, the rest is left out, as a sound card does.
 */
const MAX_LATE_MS = 5000;

/**
 * A sound card made of a timer: each period it takes the due samples from a client, and gives it
 * equally many. A period is no longer than the room's frames, and a chunk has whole periods, so
 * that it ends with a frame. The arrays passed out are reused.
 */
export class SoundCard {
  #client;
  #periodMs;
  #capture;
  #play;
  #samples = 0;
  #perMs = 0;
  #periodSamples = 0;
  #channels = 1;
  #chunk = new Float32Array(0);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isStopped = false;

  /** Time of the first captured and played sample, on performance.now(); later after a pause. */
  startMs = 0;

  /**
   * @param {object} options
   * @param {Pick<CallClient, 'capture' | 'render'>} options.client
   * @param {number} options.periodMs  at most
   * @param {((chunk: Float32Array, sample: number) => void) | null} options.capture fills a chunk
   *   with speech, from a sample's number on; null without speech
   * @param {((chunk: Float32Array) => void) | null} options.play receives the heard sound; null
   *   without a listener
   */
  constructor({ client, periodMs, capture, play }) {
    this.#client = client;
    this.#periodMs = periodMs;
    this.#capture = capture;
    this.#play = play;
  }

  /** Starts, or goes on in another format. @param {AudioFormat} format the room's */
  start({ sampleRate, channels, frameMs }) {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#samples = 0;
    this.#perMs = sampleRate / 1000;
    this.#periodSamples = Math.min(this.#periodMs, frameMs) * this.#perMs;
    this.#channels = channels;
    this.startMs = performance.now();
    this.#run();
  }

  #run() {
    const lateMs = performance.now() - this.startMs - this.#samples / this.#perMs;
    if (lateMs > MAX_LATE_MS) this.startMs += lateMs - MAX_LATE_MS;
    const periods = Math.floor(
      ((performance.now() - this.startMs) * this.#perMs) / this.#periodSamples,
    );
    const due = periods * this.#periodSamples;
    if (due > this.#samples) this.#pass(due);
    // The receiver of the sound may have stopped it.
    if (this.#isStopped) return;
    const nextMs = this.startMs + (due + this.#periodSamples) / this.#perMs;
    this.#timer = setTimeout(() => this.#run(), Math.ceil(nextMs - performance.now()));
  }

  /** @param {number} due sample up to which sound is captured and played */
  #pass(due) {
    const count = (due - this.#samples) * this.#channels;
    if (this.#chunk.length < count) this.#chunk = new Float32Array(count);
    const chunk = this.#chunk.subarray(0, count);
    if (this.#capture) {
      this.#capture(chunk, this.#samples);
      this.#client.capture(chunk);
    }
    if (this.#play) {
      this.#client.render(chunk);
      this.#play(chunk);
    }
    this.#samples = due;
  }

  /** Idempotent. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
