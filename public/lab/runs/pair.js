/**
 * @import { TransportName } from '../../client/connection/connection.js'
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Codec } from '../../shared/codec.js'
 * @import { SoundWindow } from './listener.js'
 * @import { Pacer } from './pacer.js'
 * @import { Place } from './talker.js'
 *
 * @typedef {'A' | 'B'} ClientName
 * @typedef {(codec: Codec, format: AudioFormat, bitrate: number) => Uint8Array[]} Encode
 *
 * @typedef {object} PairHandler
 * @property {(window: SoundWindow) => void} [onWindow]   what B heard of A
 * @property {(client: ClientName, message: Record<string, any>) => void} [onControl]
 * @property {(reason: string) => void} onEnded           the server or the network has ended one of the two
 */

import { PayloadDecoder } from '../../shared/payload.js';
import { Listener } from './listener.js';
import { Talker } from './talker.js';

/** So long after a pause nothing is noted yet, in milliseconds. */
const WARM_UP_MS = 300;

/** Two participants of one protocol, alone in a room of their own, who talk at the same time. */
export class Pair {
  #pacer;
  #handler;
  #listens;
  #a;
  #b;

  /**
   * @param {object} options
   * @param {TransportName} options.protocol
   * @param {Place} options.place
   * @param {Pacer} options.pacer
   * @param {PairHandler} options.handler
   * @param {number} [options.phase]  by how much of a frame B sends after A, 0 to 1
   */
  constructor({ protocol, place, pacer, handler, phase = 0 }) {
    const { onControl = () => {}, onEnded, onWindow } = handler;
    this.protocol = protocol;
    this.#pacer = pacer;
    this.#handler = handler;
    this.#listens = onWindow !== undefined;
    const common = { protocol, place, onEnded };
    this.#a = new Talker({ ...common, onControl: (message) => onControl('A', message) });
    this.#b = new Talker({ ...common, phase, onControl: (message) => onControl('B', message) });
  }

  /** @returns {readonly [ClientName, Talker][]} */
  get clients() {
    return [
      ['A', this.#a],
      ['B', this.#b],
    ];
  }

  /**
   * Joins a room, A first.
   * @param {object} options
   * @param {string} options.room
   * @param {Codec} options.codec
   * @param {Encode} options.encode  gives what they say
   * @param {number} [options.serverDelayMs]  the room's without
   * @returns {Promise<void>} rejects with a ConnectionError; both have left then
   */
  async open({ room, codec, encode, serverDelayMs }) {
    try {
      for (const [client, talker] of this.clients) {
        await talker.join({ room, name: `Lab ${client}`, serverDelayMs });
      }
      const payloads = encode(codec, this.#a.format, Number(this.#a.welcome.bitrate));
      this.#a.speak(payloads);
      this.#b.speak(payloads, Math.floor(payloads.length / 2));
      if (this.#listens) this.#listen(codec);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @param {Codec} codec */
  #listen(codec) {
    const { format } = this.#b;
    const { sampleRate, opusFrameSamples: frameSamples } = format;
    this.#b.listener = new Listener({
      format,
      decoder: new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples }), format),
      onWindow: (window) => this.#handler.onWindow?.({ ...window, startMs: this.#a.msAt(window.frame) }),
    });
  }

  /** The server's welcome to A. */
  get welcome() {
    return this.#a.welcome;
  }

  resume() {
    for (const [, talker] of this.clients) {
      talker.resume(Math.ceil(WARM_UP_MS / talker.format.frameMs));
      this.#pacer.add(talker);
    }
  }

  pause() {
    for (const [, talker] of this.clients) this.#pacer.remove(talker);
  }

  /** @param {number} serverDelayMs at which both read from now on */
  delay(serverDelayMs) {
    for (const [, talker] of this.clients) talker.sendControl({ type: 'delay', serverDelayMs });
  }

  /** Both leave. Idempotent. */
  close() {
    this.pause();
    for (const [, talker] of this.clients) talker.close();
  }
}
