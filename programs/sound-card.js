/**
 * @import { AudioFormat } from '../public/shared/sound/audio-format.js'
 * @import { Client } from '../public/client/call/client.js'
 * @import { ReconnectingClient } from '../public/client/call/reconnecting-client.js'
 */

/**
 * A sound card that is a timer: each period it takes the samples that are due from a client, and gives it as many. The
 * arrays that it hands out are used again.
 */
export class SoundCard {
  #client;
  #periodMs;
  #capture;
  #play;
  #samples = 0;
  #perMs = 0;
  #channels = 1;
  #chunk = new Float32Array(0);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** When the first sample was captured and played, on performance.now(). */
  startMs = 0;

  /**
   * @param {object} options
   * @param {Pick<Client | ReconnectingClient, 'capture' | 'render'>} options.client
   * @param {number} options.periodMs
   * @param {((chunk: Float32Array, sample: number) => void) | null} options.capture  fills a chunk with what is said, from a
   *   sample's number on; null where nothing is said
   * @param {((chunk: Float32Array) => void) | null} options.play  takes what is heard; null where nobody hears it
   */
  constructor({ client, periodMs, capture, play }) {
    this.#client = client;
    this.#periodMs = periodMs;
    this.#capture = capture;
    this.#play = play;
  }

  /** @param {AudioFormat} format  the room's */
  start({ sampleRate, channels }) {
    this.#perMs = sampleRate / 1000;
    this.#channels = channels;
    this.startMs = performance.now();
    this.#run();
  }

  #run() {
    const due = Math.floor((performance.now() - this.startMs) * this.#perMs);
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
    this.#timer = setTimeout(() => this.#run(), this.#periodMs);
  }

  /** Idempotent. */
  stop() {
    clearTimeout(this.#timer);
  }
}
