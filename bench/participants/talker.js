/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Connection } from '../../public/client/connection/connection.js'
 */

import { CONTROL_VERSION } from '../../public/shared/control.js';
import { createAudioFormat } from '../../public/shared/audio-format.js';
import { MAX_PACKET_BYTES, Packet, PacketType, readPacket, unwrapFrame, writeAudioHeader } from '../../public/shared/packet.js';
import { ClockExchange, ClockSync } from '../../public/client/clock/clock-sync.js';
import { systemClock } from '../../public/shared/clock.js';
import { join } from '../../public/client/connection/join.js';

/**
 * @typedef {object} TalkerNotes  times on performance.now(), in milliseconds
 * @property {{ frame: number, atMs: number, bytes: number }[]} sent
 * @property {{ frame: number, atMs: number, bytes: number, silent: boolean }[]} received
 */

/**
 * A participant that sends one packet for each frame when the frame ends, whatever comes back and however
 * late (an open loop), and notes what it sent and what arrived. Its speech is encoded beforehand.
 */
export class Talker {
  #connection;
  #exchange;
  #sync;
  /** @type {Uint8Array[]} */
  #payloads = [];
  #startFrame = 0;
  #phaseMs;
  #packet = new Packet();
  #read = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  #sequence = 0;
  #newest = 0;
  #noting = false;

  /** The next frame to be sent; -1 before the first. */
  frame = -1;
  /** @type {TalkerNotes} */
  notes = { sent: [], received: [] };
  /** Packets that were sent, and that came, since the talker joined. */
  counters = { sent: 0, received: 0, sounding: 0 };
  /** Why the session ended, when it did. @type {string | null} */
  ended = null;

  /**
   * @param {object} options
   * @param {Connection} options.connection
   * @param {number} [options.phaseMs] how long after a frame's end it is sent
   */
  constructor({ connection, phaseMs = 0 }) {
    this.#connection = connection;
    this.#phaseMs = phaseMs;
    this.#sync = new ClockSync(48000);
    this.#exchange = new ClockExchange({ clock: systemClock, sync: this.#sync, send: () => false });
    /** @type {AudioFormat} */
    this.format = createAudioFormat();
    /** @type {Record<string, any>} */
    this.welcome = {};
    /** What the server said last of this one's uplink. @type {Record<string, any> | null} */
    this.serverStats = null;
  }

  /** @param {{ room: string, name: string, delivery?: 'tick' | 'reply' }} options */
  async join({ room, name, delivery }) {
    const connection = this.#connection;
    const handler = {
      onPacket: (/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) => this.#receive(bytes, arrivalMs),
      onControl: (/** @type {any} */ message) => this.#control(message),
      onClosed: (/** @type {string} */ code, /** @type {string} */ reason) => void (this.ended = `${code}: ${reason}`),
    };
    await join(connection, { type: 'join', version: CONTROL_VERSION, room, name, delivery }, handler, systemClock);
    this.#sync = new ClockSync(this.format.sampleRate);
    this.#exchange = new ClockExchange({
      clock: systemClock,
      sync: this.#sync,
      send: (bytes) => connection.send(bytes),
    });
    await this.#exchange.start();
    this.frame = Math.floor(this.#sync.sampleClockAt(performance.now()) / this.format.frameSamples) + 1;
    this.#newest = this.frame;
  }

  /**
   * Speaks from now on; until then it sends silence.
   * @param {Uint8Array[]} payloads one for each frame, again and again
   * @param {number} [startFrame]   where in them frame 0 is
   */
  speak(payloads, startFrame = 0) {
    this.#payloads = payloads;
    this.#startFrame = startFrame;
  }

  /** @param {any} message */
  #control(message) {
    if (message?.type === 'welcome') {
      this.welcome = message;
      // Speech is mono: packets say so, and decoders of one channel take any.
      this.format = createAudioFormat({ ...message.format, channels: 1 });
    } else if (message?.type === 'stats') {
      this.serverStats = message;
    }
  }

  /** When the next frame is to be sent, on performance.now(). */
  get dueMs() {
    return this.#sync.msAt((this.frame + 1) * this.format.frameSamples) + this.#phaseMs;
  }

  /** From now on packets are noted. */
  note() {
    this.notes = { sent: [], received: [] };
    this.#noting = true;
  }

  /** @returns {TalkerNotes} what was noted; nothing is noted any more */
  takeNotes() {
    this.#noting = false;
    return this.notes;
  }

  /** Sends the next frame. */
  send() {
    const packet = this.#packet;
    const speech = this.#payloads;
    const payload = speech.length > 0 ? speech[(this.frame + this.#startFrame) % speech.length] : null;
    packet.frame = this.frame;
    packet.sequence = this.#sequence++ & 0xffff;
    packet.level = payload ? 25 : 127;
    packet.voice = payload !== null;
    const header = writeAudioHeader(this.#bytes, packet);
    if (payload) this.#bytes.set(payload, header);
    const bytes = header + (payload?.length ?? 0);
    // Taken before the sending, which is part of what is measured.
    const atMs = this.#noting ? performance.now() : 0;
    this.#connection.send(this.#bytes.subarray(0, bytes));
    this.counters.sent += 1;
    if (this.#noting) this.notes.sent.push({ frame: this.frame, atMs, bytes });
    this.frame += 1;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #receive(bytes, arrivalMs) {
    const packet = this.#read;
    if (readPacket(bytes, packet) !== null) return;
    if (packet.type === PacketType.clockReply) this.#exchange.reply(packet.id, packet.clock, arrivalMs);
    if (packet.type !== PacketType.audio) return;
    const silent = packet.payloadBytes[0] === 0;
    this.counters.received += 1;
    if (!silent) this.counters.sounding += 1;
    if (!this.#noting) return;
    this.#newest = unwrapFrame(packet.frame, this.#newest);
    this.notes.received.push({ frame: this.#newest, atMs: arrivalMs, bytes: bytes.length, silent });
  }

  /** @returns {import('../../public/client/connection/connection.js').ConnectionStats} */
  stats() {
    return this.#connection.stats();
  }

  /** Leaves. Idempotent. */
  close() {
    this.#exchange.close();
    this.#connection.sendControl({ type: 'leave' });
    this.#connection.close();
  }
}
