/**
 * @import { ServerMessage, ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Connection, ConnectionHandler } from '../../client/connection/connection.js'
 */

import { createAudioFormat } from '../../shared/sound/audio-format.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  PacketType,
  readPacket,
  unwrapFrame,
  writeAudioHeader,
} from '../../shared/wire/packet.js';
import { ClockExchange, ClockSync } from '../../client/clock/clock-sync.js';

/**
 * Lateness that shows that a talker was suspended, in milliseconds: it continues with the current
 * frame.
 */
const MAX_BEHIND_MS = 1000;

/**
 * @typedef {object} TalkerEvents  times are on the talker's clock, in milliseconds
 * @property {(leaveUrl: string) => void} [onJoined] called with the URL of the beacon with which a
 *   closing page leaves; empty when none is needed
 * @property {(frame: number) => void} [onStart] called before the first frame, and after each pause
 * @property {(frame: number, atMs: number, bytes: number) => void} [onSent]
 * @property {(frame: number, arrivalMs: number, packet: Packet, bytes: Uint8Array) => void}
 *   [onAudio] packet: the header of `bytes`; both are reused for the next packet
 * @property {(message: ServerMessage) => void} [onControl] called with all messages but the
 *   welcome
 * @property {(code: string, reason: string) => void} [onClosed] called when the server or the
 *   network has ended it
 *
 * @typedef {(handler: ConnectionHandler, prove: (connection: Connection) => Promise<void>) =>
 *   Promise<Connection>} Join opens a connection, joins a room over it, and then passes it to
 *   `prove`
 */

/**
 * A synthetic participant that sends one packet at the end of each frame, independent of answers
 * and lateness (an open loop). Its speech is encoded in advance.
 */
export class ProbeTalker {
  #clock;
  #level;
  #on;
  /** @type {Connection | null} */
  #connection = null;
  #sync = new ClockSync(48000);
  /** @type {ClockExchange | null} */
  #exchange = null;
  /** @type {Uint8Array[]} */
  #payloads = [];
  #startFrame = 0;
  #phaseMs = 0;
  #sequence = 0;
  /** Next frame to send; -1 before start(). */
  #frame = -1;
  #packet = new Packet();
  #read = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  #closed = false;

  /** Format of the room, with one channel. @type {AudioFormat} */
  format = createAudioFormat();
  /** The server's welcome. */
  welcome = /** @type {ServerMessages['welcome']} */ ({});

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.level of the speech, in -dBov
   * @param {TalkerEvents} options.on
   */
  constructor({ clock, level, on }) {
    this.#clock = clock;
    this.#level = level;
    this.#on = on;
  }

  get closed() {
    return this.#closed;
  }

  /**
   * Joins a room and measures the server's clock.
   * @param {Join} open
   * @returns {Promise<void>} rejects as `open` does
   */
  async join(open) {
    const connection = await open(
      {
        onPacket: (bytes, arrivalMs) => this.#receive(bytes, arrivalMs),
        onControl: (message) => this.#control(/** @type {ServerMessage | null} */ (message)),
        onClosed: (code, reason) => {
          if (this.#connection && !this.#closed) this.#on.onClosed?.(code, reason);
        },
      },
      (candidate) => this.#measureClock(candidate),
    );
    this.#connection = connection;
    if (this.#closed) this.#release();
  }

  /** @param {Connection} connection */
  async #measureClock(connection) {
    this.#on.onJoined?.(connection.leaveUrl);
    this.#sync = new ClockSync(this.format.sampleRate);
    this.#exchange = new ClockExchange({
      clock: this.#clock,
      sync: this.#sync,
      send: (bytes) => connection.send(bytes),
    });
    if (!this.#closed) await this.#exchange.start();
  }

  /** @param {ServerMessage | null} message */
  #control(message) {
    if (message?.type === 'welcome') {
      this.welcome = message;
      // The packets are mono, and decoders of one channel accept any.
      this.format = createAudioFormat({ ...message.format, channels: 1 });
    } else if (message) {
      this.#on.onControl?.(message);
    }
  }

  /**
   * Speaks from now on; before, it sends silence.
   * @param {Uint8Array[]} payloads one for each frame, repeated forever
   * @param {number} [startFrame] the payload of frame 0
   */
  speak(payloads, startFrame = 0) {
    this.#payloads = payloads;
    this.#startFrame = startFrame;
  }

  /**
   * Starts or resumes sending with the next frame of the room's clock.
   * @param {number} [phaseMs] time between a frame's end and its sending
   */
  start(phaseMs = 0) {
    this.#phaseMs = phaseMs;
    const current = Math.floor(
      this.#sync.sampleClockAt(this.#clock.now()) / this.format.frameSamples,
    );
    this.#frame = Math.max(this.#frame, current + 1);
    this.#on.onStart?.(this.#frame);
  }

  /** Send time of the next frame, on the clock, in milliseconds. */
  get dueMs() {
    return this.msAt(this.#frame + 1) + this.#phaseMs;
  }

  /**
   * @param {number} frame
   * @returns {number} capture time of its first sample, on the clock, in milliseconds
   */
  msAt(frame) {
    return this.#sync.msAt(frame * this.format.frameSamples);
  }

  /** Sends the next frame. */
  send() {
    // Read before sending, whose time is part of the measurement.
    const atMs = this.#clock.now();
    if (atMs - this.dueMs > MAX_BEHIND_MS) this.start(this.#phaseMs);
    const frame = this.#frame++;
    const packet = this.#packet;
    const speech = this.#payloads;
    const payload = speech.length > 0 ? speech[(frame + this.#startFrame) % speech.length] : null;
    packet.frame = frame;
    packet.sequence = this.#sequence++ & 0xffff;
    packet.level = payload ? this.#level : 127;
    packet.voice = payload !== null;
    const header = writeAudioHeader(this.#bytes, packet);
    if (payload) this.#bytes.set(payload, header);
    const bytes = this.#bytes.subarray(0, header + (payload?.length ?? 0));
    this.#on.onSent?.(frame, atMs, bytes.length);
    this.#connection?.send(bytes);
  }

  /** @param {object} message */
  sendControl(message) {
    this.#connection?.sendControl(message);
  }

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  #receive(bytes, arrivalMs) {
    const packet = this.#read;
    if (readPacket(bytes, packet) !== null) return;
    if (packet.type === PacketType.clockReply)
      this.#exchange?.reply(packet.id, packet.clock, arrivalMs);
    if (packet.type !== PacketType.audio || this.#frame < 0) return;
    this.#on.onAudio?.(unwrapFrame(packet.frame, this.#frame), arrivalMs, packet, bytes);
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
  }
}
