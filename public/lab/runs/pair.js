/**
 * @import { Scope } from '../../client/connection/choose.js'
 * @import { AskPage, LabConfig, Protocol } from './protocol.js'
 * @import { Connection, TransportName } from '../../client/connection/connection.js'
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerMessage } from '../../shared/messages/server-messages.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Packet } from '../../shared/wire/packet.js'
 * @import { SoundWindow } from './listener.js'
 * @import { Pacer } from './pacer.js'
 *
 * @typedef {'A' | 'B'} ClientName
 * @typedef {(codec: Codec, format: AudioFormat, bitrate: number) => Uint8Array[]} Encode
 *
 * @typedef {object} Place  the server to connect to
 * @property {string} origin
 * @property {LabConfig} config
 * @property {Clock} clock
 * @property {Scope} [scope]
 * @property {AskPage} [askPage]
 *
 * @typedef {object} PairHandler
 * @property {(window: SoundWindow) => void} [onWindow]   called with B's sound of A
 * @property {(client: ClientName, message: ServerMessage) => void} [onControl]
 * @property {(leaveUrl: string) => void} [onJoined] called for each of the two: see TalkerEvents
 * @property {(reason: string) => void} onEnded called when the server or the network has ended one
 *   of the two
 *
 * @typedef {object} Answer
 * @property {number} frame
 * @property {number} sentMs              on the client's clock
 * @property {number | null} roundTripMs  null when there was no answer
 */

import { CONTROL_VERSION } from '../../shared/wire/control.js';
import { connect } from '../../client/connection/choose.js';
import { ConnectionError } from '../../shared/errors.js';
import { PayloadDecoder } from '../../shared/stream/payload.js';
import { AnswerDecoder } from './listener.js';
import { ProbeTalker } from './talker.js';
import { added } from './protocol.js';

/** Time after a pause without measuring, in milliseconds. */
const WARM_UP_MS = 300;

/** Time without an answer after which a packet is lost, in milliseconds. */
const LOST_MS = 2000;

/** Level in the packets of the known signal, in -dBov. */
const SPOKEN_LEVEL = 20;

/**
 * One client of a pair: a talker whose packets the server answers at once with the packet of the
 * same frame (delivery `reply`). It notes the time of each answer.
 */
class ProbeClient {
  #place;
  #protocol;
  #noteFrom = Infinity;
  /** Send times of frames without an answer. @type {Map<number, number>} */
  #waiting = new Map();
  /** @type {Answer[]} */
  #answers = [];
  /** Decodes the answers. @type {AnswerDecoder | null} */
  listener = null;
  talker;

  /**
   * @param {object} options
   * @param {Protocol} options.protocol
   * @param {Place} options.place
   * @param {(message: ServerMessage) => void} options.onControl
   * @param {(leaveUrl: string) => void} [options.onJoined]
   * @param {(reason: string) => void} options.onEnded
   */
  constructor({ protocol, place, onControl, onJoined, onEnded }) {
    this.#protocol = protocol;
    this.#place = place;
    this.talker = new ProbeTalker({
      clock: place.clock,
      level: SPOKEN_LEVEL,
      on: {
        onJoined,
        onStart: (frame) => this.#begin(frame),
        onSent: (frame, atMs) => {
          if (frame >= this.#noteFrom) this.#waiting.set(frame, atMs);
        },
        onAudio: (frame, arrivalMs, packet, bytes) =>
          this.#answered(frame, arrivalMs, packet, bytes),
        onControl,
        onClosed: (_code, reason) => onEnded(reason),
      },
    });
  }

  /**
   * @param {{ room: string, name: string, token?: string, serverDelayMs?: number }} request
   * @returns {Promise<void>} rejects with a ConnectionError
   */
  async join(request) {
    const { talker } = this;
    const stopIfClosed = () => {
      if (talker.closed) throw new ConnectionError('closed', 'The measurement was stopped.', true);
    };
    stopIfClosed();
    await talker.join(async (handler, prove) => {
      const options = {
        ...this.#place,
        message: { type: 'join', version: CONTROL_VERSION, delivery: 'reply', ...request },
        handler,
        asks: () => !talker.closed,
        // After a stop no other transport takes over the place: it is left.
        prove: (/** @type {Connection} */ candidate) => prove(candidate).finally(stopIfClosed),
      };
      const own = added.get(this.#protocol);
      if (own) return own.connect(options);
      const transport = /** @type {TransportName} */ (this.#protocol);
      return (await connect({ ...options, transport })).connection;
    });
    stopIfClosed();
  }

  /** @param {number} frame the first after a pause */
  #begin(frame) {
    this.#noteFrom = frame + Math.ceil(WARM_UP_MS / this.talker.format.frameMs);
    this.listener?.reset();
  }

  /**
   * @param {number} frame
   * @param {number} arrivalMs
   * @param {Packet} packet
   * @param {Uint8Array} bytes
   */
  #answered(frame, arrivalMs, packet, bytes) {
    const sentMs = this.#waiting.get(frame);
    if (sentMs === undefined) return;
    this.#waiting.delete(frame);
    this.#answers.push({ frame, sentMs, roundTripMs: arrivalMs - sentMs });
    this.listener?.receive(frame, arrivalMs, bytes, packet.payloadStart[0], packet.payloadBytes[0]);
  }

  /** Number of packets neither answered nor lost yet. */
  get outstanding() {
    return this.#waiting.size;
  }

  /** @returns {Answer[]} answers and losses since the last call */
  takeAnswers() {
    const answers = this.#answers;
    const oldest = this.#place.clock.now() - LOST_MS;
    for (const [frame, sentMs] of this.#waiting) {
      // A Map keeps the order of sending.
      if (sentMs > oldest) break;
      this.#waiting.delete(frame);
      answers.push({ frame, sentMs, roundTripMs: null });
    }
    this.#answers = [];
    return answers;
  }

  /** Leaves. Idempotent. */
  close() {
    if (this.talker.closed) return;
    this.talker.close();
    this.listener?.close();
  }
}

/** Two clients of one protocol, alone in their room, that talk at the same time. */
export class Pair {
  #pacer;
  #handler;
  #phase;
  #a;
  #b;

  /**
   * @param {object} options
   * @param {Protocol} options.protocol
   * @param {Place} options.place
   * @param {Pacer} options.pacer
   * @param {PairHandler} options.handler
   * @param {number} [options.phase] fraction of a frame by which B sends after A
   */
  constructor({ protocol, place, pacer, handler, phase = 0 }) {
    const { onControl = () => {}, onJoined, onEnded } = handler;
    this.protocol = protocol;
    this.#pacer = pacer;
    this.#handler = handler;
    this.#phase = phase;
    const shared = { protocol, place, onJoined, onEnded };
    this.#a = new ProbeClient({ ...shared, onControl: (message) => onControl('A', message) });
    this.#b = new ProbeClient({ ...shared, onControl: (message) => onControl('B', message) });
  }

  /** @returns {readonly [ClientName, ProbeClient][]} */
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
   * @param {string} [options.token] of an invitation to it
   * @param {Codec} options.codec
   * @param {Encode} options.encode gives the speech
   * @param {number} [options.serverDelayMs] default: the room's
   * @returns {Promise<void>} rejects with a ConnectionError; both have left then
   */
  async open({ room, token, codec, encode, serverDelayMs }) {
    try {
      for (const [name, client] of this.clients)
        await client.join({ room, name: `Lab ${name}`, token, serverDelayMs });
      const payloads = encode(codec, this.format, Number(this.welcome.bitrate));
      this.#a.talker.speak(payloads);
      this.#b.talker.speak(payloads, Math.floor(payloads.length / 2));
      if (this.#handler.onWindow) this.#listen(codec, this.#handler.onWindow);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @param {Codec} codec @param {(window: SoundWindow) => void} onWindow */
  #listen(codec, onWindow) {
    const { format } = this;
    const { sampleRate, opusFrameSamples: frameSamples } = format;
    this.#b.listener = new AnswerDecoder({
      format,
      decoder: new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples }), format),
      onWindow: (window) => onWindow({ ...window, startMs: this.#a.talker.msAt(window.frame) }),
    });
  }

  /** The server's welcome to A. */
  get welcome() {
    return this.#a.talker.welcome;
  }

  /** The room's format. */
  get format() {
    return this.#a.talker.format;
  }

  resume() {
    this.#a.talker.start();
    this.#b.talker.start(this.#phase * this.format.frameMs);
    for (const [, { talker }] of this.clients) this.#pacer.add(talker);
  }

  pause() {
    for (const [, { talker }] of this.clients) this.#pacer.remove(talker);
  }

  /** @param {number} serverDelayMs at which both clients hear from now on */
  delay(serverDelayMs) {
    for (const [, { talker }] of this.clients) talker.sendControl({ type: 'delay', serverDelayMs });
  }

  /** Both clients leave. Idempotent. */
  close() {
    this.pause();
    for (const [, client] of this.clients) client.close();
  }
}
