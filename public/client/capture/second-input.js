/**
 * @import { CallClient } from '../call/call-client.js'
 * @import { ClientOptions, Joined } from '../call/types.js'
 *
 * Messages to the page through its port.
 * @typedef {{ ready: true } | { joined: string } | { end: string }} FromSecondInput
 *   ready: captured sound may be split from now on. joined: the participant's id, after each join.
 *   end: the code of a sentence; `second-mono` when captured sound has one channel
 *
 * @typedef {Pick<ClientOptions, 'application'> & Pick<ClientOptions['join'], 'pcm'>} Encoding
 *
 * Receiver of the first input.
 * @typedef {object} FirstInput
 * @property {(samples: Float32Array, count: number, rate?: number, burst?: number,
 *   inputs?: Float32Array) => void} capture  inputs: both, interleaved
 * @property {number} samplesToFrame
 */

/** Bit rate of the second input, in b/s for each channel: Opus is transparent from here on. */
const BITRATE = 96_000;

/** Equal samples on both channels, silence left out, after which they count as one channel. */
const MOST_EQUAL = 24_000;

/**
 * A microphone's two channels as two inputs: the left one is the person's voice, and the right one
 * a shared sound of theirs. Both are captured in the same pieces. The second keeps to the first
 * one's place on the room's clock, so they stay together.
 */
export class SecondInput {
  #options;
  #port;
  #first;
  #firstCall;
  #encoding;
  #muted;
  #open;
  /** The second input's participant; null before captured sound has two channels. */
  #client = /** @type {CallClient | null} */ (null);
  /** Id of the person that it belongs to. */
  #owner = '';
  #ended = false;
  #left = new Float32Array(0);
  #right = new Float32Array(0);
  /** Equal samples so far; -1 when the channels are known to differ. */
  #equal = 0;

  /**
   * @param {object} options
   * @param {ClientOptions} options.options  of the second input, with the `join` of a shared sound
   * @param {Pick<MessagePort, 'postMessage' | 'close'>} options.port  the page's: FromSecondInput
   * @param {FirstInput} options.first
   * @param {Pick<CallClient, 'format' | 'capturedTo' | 'store'>} options.firstCall
   * @param {Encoding} options.encoding  of the first input: another one would delay more or less
   * @param {boolean} options.muted
   * @param {(capturedTo: () => number) => CallClient} options.open  makes the second one's client
   */
  constructor({ options, port, first, firstCall, encoding, muted, open }) {
    this.#options = options;
    this.#port = port;
    this.#first = first;
    this.#firstCall = firstCall;
    this.#encoding = encoding;
    this.#muted = muted;
    this.#open = open;
    this.#tell({ ready: true });
  }

  /** Captured sound begins, or comes from another device. @param {boolean} split */
  begin(split) {
    this.#equal = 0;
    if (!split) this.#end('second-mono');
    else if (this.#client === null && !this.#ended) this.#join();
  }

  #join() {
    const { joined } = this.#firstCall.store.value;
    this.#owner = joined?.you ?? '';
    const client = this.#open(() => this.#firstCall.capturedTo);
    this.#client = client;
    client.store.observe((_now, _before, changes) => {
      if (client !== this.#client) return;
      if (changes.joined) this.#tell({ joined: changes.joined.you });
      if (changes.end) this.#end(changes.end.code);
    });
    const { application, pcm } = this.#encoding;
    const join = { ...this.#options.join, pcm, ...(joined && { owner: joined.resume }) };
    const sound = { bitrate: BITRATE, application, muted: this.#muted };
    const options = { ...this.#options, ...sound, join };
    // The store tells of a failure.
    client.join({ ...options, silenceSuppression: false }).catch(() => {});
  }

  /** The person has joined, maybe at another place than before. @param {Joined} joined */
  ownerJoined({ you }) {
    if (this.#client === null || you === this.#owner) return;
    const before = this.#client;
    this.#client = null;
    before.leave();
    this.#join();
  }

  /**
   * @param {Float32Array} inputs  both, interleaved
   * @param {number} count
   * @param {number} [rate]
   * @param {number} [burst]
   */
  capture(inputs, count, rate, burst) {
    const channels = this.#firstCall.format?.channels ?? 1;
    if (this.#left.length < count * channels) {
      this.#left = new Float32Array(count * channels);
      this.#right = new Float32Array(count * channels);
    }
    for (let i = 0; i < count * channels; i++) {
      const at = 2 * Math.floor(i / channels);
      this.#left[i] = inputs[at];
      this.#right[i] = inputs[at + 1];
    }
    this.#first.capture(this.#left, count, rate, burst, inputs);
    this.#client?.capture(this.#right, count, rate, burst);
    if (this.#equal >= 0) this.#compare(inputs, count);
  }

  /**
   * Some systems give a microphone with one channel as two equal ones.
   * @param {Float32Array} inputs
   * @param {number} count
   */
  #compare(inputs, count) {
    for (let i = 0; i < 2 * count; i += 2) {
      if (inputs[i] !== inputs[i + 1]) {
        this.#equal = -1;
        return;
      }
      if (inputs[i] !== 0) this.#equal += 1;
    }
    if (this.#equal > MOST_EQUAL) this.#end('second-mono');
  }

  /** Number of captured samples that complete the next frame of either input. */
  get samplesToFrame() {
    const { samplesToFrame } = this.#first;
    return Math.min(samplesToFrame, this.#client?.samplesToFrame ?? samplesToFrame);
  }

  restartCapture() {
    this.#client?.restartCapture();
  }

  /** The network, the computer or the page may be back. */
  wake() {
    this.#client?.wake();
  }

  /** @param {boolean} muted */
  mute(muted) {
    this.#muted = muted;
    this.#client?.change({ muted });
  }

  /** @param {string} code */
  #end(code) {
    if (this.#ended) return;
    this.#tell({ end: code });
    this.#leave();
  }

  #leave() {
    this.#ended = true;
    const client = this.#client;
    this.#client = null;
    client?.leave();
  }

  /** @param {FromSecondInput} message */
  #tell(message) {
    this.#port.postMessage(message);
  }

  /** The first input goes on. Idempotent. */
  close() {
    this.#leave();
    this.#port.close();
  }
}
