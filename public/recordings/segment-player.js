/** @import { Player, PlayerEvents } from './http-player.js' */

import { SampleRing } from '../../worklets/sample-ring.js';
import { SEGMENT_RATE } from '../shared/wire/segment.js';
import { recordingPageTexts as texts } from '../texts/pages.js';

/** Time for the server's answer, in milliseconds; after it the recording plays over HTTP. */
const OPEN_MS = 4000;

/** Size of the ring, in samples. */
const RING_SAMPLES = SEGMENT_RATE / 2;

/**
 * @typedef {{ seconds: number, rate: number, waiting: boolean, ended: boolean, on: boolean }} State
 */

/**
 * Plays a recording over WebTransport, segment by segment, at a rate that the path can carry.
 * @implements {Player}
 */
export class SegmentPlayer {
  #worker = new Worker(new URL('./segment-worker.js', import.meta.url), { type: 'module' });
  #events;
  /** @type {AudioContext | null} */
  #context = null;
  #channels = 1;
  #speed = 1;
  /** @type {State} */
  #state = { seconds: 0, rate: 0, waiting: false, ended: false, on: false };
  /** Requested position, until it is reached. @type {number | null} */
  #target = null;
  playing = false;

  /** True when the browser has all that is needed. */
  static get playable() {
    return (
      typeof WebTransport === 'function' &&
      typeof AudioWorkletNode === 'function' &&
      globalThis.crossOriginIsolated === true
    );
  }

  /**
   * @param {{ url: string, hashes: string[], rule?: string }} way hashes: of the server's
   *   certificate, none if it is trusted
   * @param {PlayerEvents} events
   * @returns {Promise<SegmentPlayer>}
   * @throws {unknown} when the server doesn't answer
   */
  static async open({ url, hashes, rule }, events) {
    const player = new SegmentPlayer(events);
    const certificate = hashes.map((hash) => ({
      algorithm: 'sha-256',
      value: Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)),
    }));
    const options = {
      congestionControl: 'throughput',
      ...(certificate.length > 0 && { serverCertificateHashes: certificate }),
    };
    try {
      await player.#opened({ url, options, rule });
      return player;
    } catch (error) {
      player.close();
      throw error;
    }
  }

  /** @param {PlayerEvents} events */
  constructor(events) {
    this.#events = events;
  }

  /** @param {object} way @returns {Promise<void>} */
  #opened(way) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("the server doesn't answer over WebTransport")),
        OPEN_MS,
      );
      this.#worker.onerror = (event) => reject(new Error(event.message));
      this.#worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        if (data.failed !== undefined) return void reject(new Error(data.failed));
        if (!data.opened) return;
        this.#channels = data.opened.channels;
        this.#worker.onmessage = (message) => this.#onMessage(message.data);
        this.#worker.onerror = (event) => this.#failed(event.message);
        resolve();
      };
      this.#worker.postMessage({ open: way });
    });
  }

  /** @param {{ state: State, failed?: string }} data */
  #onMessage({ state, failed }) {
    if (failed !== undefined) return this.#failed(failed);
    const { waiting, rate } = this.#state;
    this.#state = state;
    if (this.#target !== null && Math.abs(state.seconds - this.#target) < 1 && !state.waiting)
      this.#target = null;
    if (state.ended && this.playing) this.pause();
    if (waiting !== state.waiting || rate !== state.rate) this.#events.changed();
  }

  /** @param {string} why */
  #failed(why) {
    // Told first: whether this is playing decides whether another player goes on.
    this.#events.failed(new Error(why));
    this.pause();
  }

  get waiting() {
    return this.playing && this.#state.waiting;
  }

  get seconds() {
    return this.#target ?? this.#state.seconds;
  }

  get via() {
    return texts.overWebTransport(this.#state.rate);
  }

  /** Creates the audio context at the first press: only then browsers allow sound. */
  async #start() {
    const context = (this.#context = new AudioContext({
      sampleRate: SEGMENT_RATE,
      latencyHint: 'playback',
    }));
    await context.audioWorklet.addModule(
      new URL('../../worklets/playback-processor.js', import.meta.url),
    );
    const { memory } = SampleRing.create(RING_SAMPLES, true, this.#channels);
    const node = new AudioWorkletNode(context, 'aloud-playback', {
      numberOfInputs: 0,
      outputChannelCount: [2],
      processorOptions: { memory },
    });
    node.connect(context.destination);
    const { port1, port2 } = new MessageChannel();
    node.port.postMessage({ port: port1 }, [port1]);
    this.#worker.postMessage({ start: { memory, port: port2 } }, [port2]);
    this.#worker.postMessage({ speed: this.#speed });
    this.#worker.postMessage({ seek: this.#target ?? 0 });
  }

  async play() {
    this.playing = true;
    this.#events.changed();
    if (!this.#context) await this.#start();
    // Pause may have been pressed in the meantime.
    if (!this.playing) return;
    this.#worker.postMessage({ paused: false });
    await this.#context?.resume();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    void this.#context?.suspend();
    this.#worker.postMessage({ paused: true });
    this.#events.changed();
  }

  /** @param {number} seconds */
  seek(seconds) {
    this.#target = seconds;
    if (this.#context) this.#worker.postMessage({ seek: seconds });
    this.#events.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#speed = speed;
    this.#worker.postMessage({ speed });
  }

  grown() {
    // The server reports it.
  }

  close() {
    this.#worker.terminate();
    void this.#context?.close();
    this.#context = null;
  }
}
