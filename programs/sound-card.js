/**
 * @import { AudioFormat } from '../public/shared/sound/audio-format.js'
 * @import { Client } from '../public/client/call/client.js'
 * @import { ReconnectingClient } from '../public/client/call/reconnecting-client.js'
 */

/**
 * A sound card that is a timer: each period it takes the samples that are due from a client, and
 * gives it as many. A period is no longer than the room's frames, and a chunk has whole periods, so
 * that it ends where a frame does. The arrays that the card hands out are used again.
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

  /** When the first sample was captured and played, on performance.now(). */
  startMs = 0;

  /**
   * @param {object} options
   * @param {Pick<Client | ReconnectingClient, 'capture' | 'render'>} options.client
   * @param {number} options.periodMs  at most
   * @param {((chunk: Float32Array, sample: number) => void) | null} options.capture fills a chunk
   *   with what is said, from a sample's number on; null where nothing is said
   * @param {((chunk: Float32Array) => void) | null} options.play takes what is heard; null where
   *   nobody hears it
   */
  constructor({ client, periodMs, capture, play }) {
    this.#client = client;
    this.#periodMs = periodMs;
    this.#capture = capture;
    this.#play = play;
  }

  /** @param {AudioFormat} format  the room's */
  start({ sampleRate, channels, frameMs }) {
    this.#perMs = sampleRate / 1000;
    this.#periodSamples = Math.min(this.#periodMs, frameMs) * this.#perMs;
    this.#channels = channels;
    this.startMs = performance.now();
    this.#run();
  }

  #run() {
    const periods = Math.floor(
      ((performance.now() - this.startMs) * this.#perMs) / this.#periodSamples,
    );
    const due = periods * this.#periodSamples;
    if (due > this.#samples) this.#pass(due);
    const nextMs = this.startMs + (due + this.#periodSamples) / this.#perMs;
    this.#timer = setTimeout(() => this.#run(), Math.ceil(nextMs - performance.now()));
  }

  /** @param {number} due  the sample up to which sound is captured and played */
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
    clearTimeout(this.#timer);
  }
}
