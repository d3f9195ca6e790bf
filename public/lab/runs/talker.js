/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Scope, ServerConfig } from '../../client/connection/choose.js'
 * @import { Connection, TransportName } from '../../client/connection/connection.js'
 * @import { Listener } from './listener.js'
 */

import { CONTROL_VERSION } from '../../shared/control.js';
import { createAudioFormat } from '../../shared/audio-format.js';
import { MAX_PACKET_BYTES, Packet, PacketType, readPacket, unwrapFrame, writeAudioHeader } from '../../shared/packet.js';
import { ClockExchange, ClockSync } from '../../client/clock/clock-sync.js';
import { connect } from '../../client/connection/choose.js';
import { ConnectionError } from '../../client/connection/connection.js';

/** A packet that isn't answered by then is lost, in milliseconds. */
const LOST_MS = 2000;

/** Who sends later than this has slept, and goes on with the frame of the day, in milliseconds. */
const MAX_BEHIND_MS = 1000;

/** The level that is told of the known signal, in -dBov. */
const SPOKEN_LEVEL = 20;

/**
 * @typedef {object} Place  where sessions lead
 * @property {string} origin
 * @property {ServerConfig} config
 * @property {Clock} clock
 * @property {Scope} [scope]
 *
 * @typedef {object} Answer
 * @property {number} frame
 * @property {number} sentMs              on the client's clock
 * @property {number | null} roundTripMs  null when there was none
 */

/**
 * A participant that sends one packet for each frame when the frame ends, whatever comes back and however
 * late (an open loop), and notes when each was answered. The server answers each at once with the packet
 * of the same frame index (delivery `reply`).
 */
export class Talker {
  #protocol;
  #place;
  #phaseMs;
  #onControl;
  #onEnded;
  /** @type {Connection | null} */
  #connection = null;
  #sync = new ClockSync(48000);
  /** @type {ClockExchange | null} */
  #exchange = null;
  /** @type {Uint8Array[]} */
  #payloads = [];
  #startFrame = 0;
  #sequence = 0;
  #noteFrom = Infinity;
  /** When each frame was sent that is not answered yet. @type {Map<number, number>} */
  #waiting = new Map();
  /** @type {Answer[]} */
  #answers = [];
  #packet = new Packet();
  #read = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  #closed = false;

  /** The next frame to be sent; -1 before the first. */
  frame = -1;
  /** @type {AudioFormat} */
  format = createAudioFormat();
  /** The server's welcome. @type {Record<string, any>} */
  welcome = {};
  /** Who listens to the answers. @type {Listener | null} */
  listener = null;

  /**
   * @param {object} options
   * @param {TransportName} options.protocol
   * @param {Place} options.place
   * @param {number} [options.phase]  where in the frame after it a frame is sent, 0 to 1
   * @param {(message: Record<string, any>) => void} [options.onControl]
   * @param {(reason: string) => void} [options.onEnded]  the server or the network has ended it
   */
  constructor({ protocol, place, phase = 0, onControl = () => {}, onEnded = () => {} }) {
    this.#protocol = protocol;
    this.#place = place;
    this.#phaseMs = phase;
    this.#onControl = onControl;
    this.#onEnded = onEnded;
  }

  /**
   * @param {{ room: string, name: string, serverDelayMs?: number }} options
   * @returns {Promise<void>} rejects with a ConnectionError
   */
  async join({ room, name, serverDelayMs }) {
    const { origin, config, clock, scope } = this.#place;
    this.#stopIfClosed();
    const { connection } = await connect({
      transport: this.#protocol,
      origin,
      config,
      clock,
      scope,
      message: { type: 'join', version: CONTROL_VERSION, room, name, delivery: 'reply', serverDelayMs },
      handler: {
        onPacket: (bytes, arrivalMs) => this.#receive(bytes, arrivalMs),
        onControl: (message) => this.#control(/** @type {any} */ (message)),
        onClosed: (_code, reason) => {
          if (this.#connection && !this.#closed) this.#onEnded(reason);
        },
      },
      asks: () => !this.#closed,
      prove: (candidate) => this.#measureClock(candidate),
    });
    this.#connection = connection;
    this.#phaseMs *= this.format.frameMs;
    if (this.#closed) this.#release();
    this.#stopIfClosed();
  }

  #stopIfClosed() {
    if (this.#closed) throw new ConnectionError('closed', 'The measurement was stopped.', true);
  }

  /** @param {Connection} connection */
  async #measureClock(connection) {
    this.#sync = new ClockSync(this.format.sampleRate);
    this.#exchange = new ClockExchange({
      clock: this.#place.clock,
      sync: this.#sync,
      send: (bytes) => connection.send(bytes),
    });
    try {
      if (!this.#closed) await this.#exchange.start();
    } finally {
      // No other transport takes up the place of one who has stopped: it is left.
      this.#stopIfClosed();
    }
  }

  /** @param {Record<string, any> | null} message */
  #control(message) {
    if (message?.type === 'welcome') {
      this.welcome = message;
      // Speech is mono: packets say so, and decoders of one channel take any.
      this.format = createAudioFormat({ ...message.format, channels: 1 });
    } else if (message) {
      this.#onControl(message);
    }
  }

  /**
   * @param {Uint8Array[]} payloads one for each frame, again and again
   * @param {number} [startFrame]   where in them frame 0 is
   */
  speak(payloads, startFrame = 0) {
    this.#payloads = payloads;
    this.#startFrame = startFrame;
  }

  /**
   * Begins to send, or begins again.
   * @param {number} warmUpFrames so many are sent before answers are noted
   */
  resume(warmUpFrames) {
    const now = this.#place.clock.now();
    const current = Math.floor(this.#sync.sampleClockAt(now) / this.format.frameSamples);
    this.frame = Math.max(this.frame, current + 1);
    this.#noteFrom = this.frame + warmUpFrames;
    this.listener?.reset();
  }

  /** When the next frame is to be sent, on the client's clock, in milliseconds. */
  get dueMs() {
    return this.msAt(this.frame + 1) + this.#phaseMs;
  }

  /**
   * @param {number} frame
   * @returns {number} when its first sample goes in, on the client's clock, in milliseconds
   */
  msAt(frame) {
    return this.#sync.msAt(frame * this.format.frameSamples);
  }

  /** Sends the next frame. */
  send() {
    const now = this.#place.clock.now();
    if (now - this.dueMs > MAX_BEHIND_MS) this.resume(0);
    const packet = this.#packet;
    const speech = this.#payloads;
    const payload = speech.length > 0 ? speech[(this.frame + this.#startFrame) % speech.length] : null;
    packet.frame = this.frame;
    packet.sequence = this.#sequence++ & 0xffff;
    if (payload) packet.level = SPOKEN_LEVEL;
    packet.voice = payload !== null;
    const header = writeAudioHeader(this.#bytes, packet);
    if (payload) this.#bytes.set(payload, header);
    const bytes = this.#bytes.subarray(0, header + (payload?.length ?? 0));
    if (this.frame >= this.#noteFrom) this.#waiting.set(this.frame, now);
    this.#connection?.send(bytes);
    this.frame += 1;
  }

  /** @param {object} message */
  sendControl(message) {
    this.#connection?.sendControl(message);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #receive(bytes, arrivalMs) {
    const packet = this.#read;
    if (readPacket(bytes, packet) !== null) return;
    if (packet.type === PacketType.clockReply) this.#exchange?.reply(packet.id, packet.clock, arrivalMs);
    if (packet.type !== PacketType.audio || this.frame < 0) return;
    const frame = unwrapFrame(packet.frame, this.frame);
    const sentMs = this.#waiting.get(frame);
    if (sentMs === undefined) return;
    this.#waiting.delete(frame);
    this.#answers.push({ frame, sentMs, roundTripMs: arrivalMs - sentMs });
    this.listener?.receive(frame, arrivalMs, bytes, packet.payloadStart[0], packet.payloadBytes[0]);
  }

  /** How many packets are not answered and not lost yet. */
  get outstanding() {
    return this.#waiting.size;
  }

  /** @returns {Answer[]} those since the last call, and those that won't come any more */
  takeAnswers() {
    const answers = this.#answers;
    const oldest = this.#place.clock.now() - LOST_MS;
    for (const [frame, sentMs] of this.#waiting) {
      // They were sent in order, and a Map keeps it.
      if (sentMs > oldest) break;
      this.#waiting.delete(frame);
      answers.push({ frame, sentMs, roundTripMs: null });
    }
    this.#answers = [];
    return answers;
  }

  /** Where a page that goes away can say so by a beacon; empty where that isn't needed. */
  get leaveUrl() {
    return this.#connection?.leaveUrl ?? '';
  }

  /** Leaves. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }

  #release() {
    this.#exchange?.close();
    this.#connection?.sendControl({ type: 'leave' });
    this.#connection?.close();
    this.listener?.close();
  }
}
