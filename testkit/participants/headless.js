/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { ClientStats } from '../../public/client/call/call-stats.js'
 * @import { TransportName } from '../../public/client/connection/connection.js'
 */

import { CallClient } from '../../public/client/call/call-client.js';
import { systemClock } from '../../public/shared/clock.js';
import { openScope, primitives } from '../../programs/scope.js';
import { SoundCard } from '../../programs/sound-card.js';

/** Default period of the simulated sound card, in milliseconds. */
const PERIOD_MS = 5;

/**
 * A participant without a browser: the page's client in Node.js. Its sound card is a timer, its
 * microphone a piece of sound in a loop, and its output device a recording.
 */
export class Headless {
  #client;
  #transports;
  #card;
  #stereo;
  #recordSeconds;
  #gone = false;
  #notes;

  /** The room's audio format. @type {AudioFormat | null} */
  format = null;
  /**
   * The output device's sound since the start, at the format's rate, interleaved where it is
   * stereo.
   */
  recording = new Float32Array(0);
  /** The number of values in the recording. */
  recorded = 0;
  /** The transport of the connection. */
  transport = '';
  /**
   * The people in the room, oneself included.
   * @type {{ id: string, name: string, muted: boolean, away: boolean, you: boolean }[]}
   */
  people = [];
  /** The server's other control messages. @type {Record<string, any>[]} */
  controls = [];
  /** The client's notices about the call. @type {string[]} */
  notices = [];
  /**
   * Reason for the call's end, if it wasn't leave().
   * @type {{ code: string, message: string } | null}
   */
  ended = null;
  /** The states that a lasting call went through. @type {string[]} */
  states = [];

  /**
   * @param {object} options
   * @param {Codec} options.codec
   * @param {Float32Array} [options.speech] at the format's rate, of one channel, which is both
   *   sides in a stereo room; without it the participant only listens
   * @param {boolean} [options.stereo] true if the speech is interleaved stereo, for a stereo room
   * @param {number} [options.recordSeconds]  length of the recording at most, default 60
   * @param {number} [options.periodMs]       of the sound card
   * @param {import('../../programs/scope.js').Tap} [options.tap] sees what passes over
   *   WebTransport
   * @param {boolean} [options.lasting] true if the call reconnects on its own, as a page's does
   * @param {typeof globalThis.fetch} [options.fetch]
   * @param {typeof globalThis.WebSocket} [options.WebSocket]
   * @param {(inner: any) => any} [options.wrapWebTransport]  makes a class of sessions from the
   *   native client's
   * @param {{ reach: (step: 'welcomed' | 'packet' | 'heard') => void }} [options.notes]
   *   notified of the steps from the welcome on
   */
  constructor({
    codec,
    speech,
    stereo = false,
    recordSeconds = 60,
    periodMs = PERIOD_MS,
    tap,
    lasting = false,
    fetch,
    notes,
    ...options
  }) {
    this.#stereo = stereo;
    this.#recordSeconds = recordSeconds;
    this.#transports = openScope(tap);
    this.#notes = notes;
    const scope = {
      ...this.#transports.scope,
      ...(options.WebSocket && { WebSocket: options.WebSocket }),
      fetch,
    };
    if (scope.WebTransport && options.wrapWebTransport)
      scope.WebTransport = options.wrapWebTransport(scope.WebTransport);
    const on = {
      message: (/** @type {Record<string, any>} */ message) => {
        if (message.type === 'welcome') notes?.reach('welcomed');
        this.controls.push(message);
      },
      sound: () => notes?.reach('packet'),
      notice: (/** @type {string} */ code) => void this.notices.push(code),
    };
    const clock = {
      ...systemClock,
      setTimeout: (/** @type {() => void} */ run, /** @type {number} */ ms) =>
        systemClock.setTimeout(() => this.#gone || run(), ms),
    };
    this.#client = new CallClient({ codec, clock, scope, on, primitives, reconnects: lasting });
    this.#client.store.observe((now, before, { transport, people, state, joined, end }) => {
      if (transport) this.transport = transport.took;
      if (people) this.people = people;
      if (state || (joined && now.state === 'joined')) this.states.push(now.state);
      if (end && end.code !== 'left' && before.state !== 'connecting') this.ended = end;
    });
    const capture = speech
      ? (/** @type {Float32Array} */ chunk, /** @type {number} */ sample) =>
          this.#say(speech, chunk, sample)
      : null;
    this.#card = new SoundCard({
      client: this.#client,
      periodMs,
      capture,
      play: (chunk) => this.#record(chunk),
    });
  }

  /**
   * Joins, and begins to speak and to record.
   * @param {{ origin: string, room: string, name: string, transport?: 'auto' | TransportName,
   *   channels?: 1 | 2, silenceSuppression?: boolean, e2eKey?: string, listen?: boolean, nearness?:
   *   import('../../public/shared/nearness.js').Nearness, mode?: 'mix' | 'forward' | 'auto',
   *   config?: import('../../public/client/connection/choose.js').ServerConfig }} options
   */
  async join(options) {
    try {
      const { origin, transport, silenceSuppression, e2eKey, config, ...join } = options;
      const own = { origin, transport, silenceSuppression, e2eKey, config };
      const joined = await this.#client.join({ ...own, join });
      this.format = joined.format;
      this.recording = new Float32Array(
        joined.format.sampleRate * joined.format.channels * this.#recordSeconds,
      );
      this.#card.start(joined.format);
      return joined;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Times of the first captured and the first recorded sample, on performance.now(). */
  get startMs() {
    return this.#card.startMs;
  }

  /** @param {Float32Array} chunk of the sound that was heard */
  #record(chunk) {
    if (this.#notes && chunk.some((value) => value !== 0)) this.#notes.reach('heard');
    const kept = Math.min(chunk.length, this.recording.length - this.recorded);
    this.recording.set(chunk.subarray(0, kept), this.recorded);
    this.recorded += kept;
  }

  /**
   * @param {Float32Array} speech
   * @param {Float32Array} chunk filled
   * @param {number} sample  the number of its first
   */
  #say(speech, chunk, sample) {
    const { channels } = /** @type {AudioFormat} */ (this.format);
    const each = this.#stereo ? 1 : channels;
    const from = (sample * channels) / each;
    for (let i = 0; i < chunk.length; i++)
      chunk[i] = speech[(from + Math.floor(i / each)) % speech.length];
  }

  /** @param {boolean} muted */
  mute(muted) {
    this.#client.change({ muted });
  }

  /** @param {import('../../public/shared/nearness.js').Nearness} nearness */
  setNearness(nearness) {
    this.#client.change({ nearness });
  }

  /** @param {object} message to the server, such as one of the chat */
  sendControl(message) {
    this.#client.sendControl(
      /** @type {import('../../public/shared/messages/client-messages.js').ClientMessage} */ (
        message
      ),
    );
  }

  /** @returns {ClientStats | null} */
  stats() {
    return this.#client.stats();
  }

  /** Leaves, and ends the participant's threads. Idempotent. */
  async close() {
    this.#card.stop();
    this.#client.leave();
    await this.#transports.close();
  }

  /** Stops sending without leaving, as when the power fails. */
  vanish() {
    this.#card.stop();
    this.#gone = true;
  }
}
