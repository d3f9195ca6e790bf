/** @import { Connection } from '../../public/client/connection/connection.js' */

import { Packet, PacketType, readPacket, unwrapFrame } from '../../public/shared/wire/packet.js';
import { ClockExchange, ClockSync } from '../../public/client/clock/clock-sync.js';
import { systemClock } from '../../public/shared/clock.js';
import { Participant } from './participant.js';

/**
 * @typedef {object} TalkerNotes  times on performance.now(), in milliseconds
 * @property {{ frame: number, atMs: number, bytes: number }[]} sent
 * @property {{ frame: number, atMs: number, bytes: number, silent: boolean }[]} received
 */

/**
 * A participant that sends one packet for each frame at its end, independent of replies (an open
 * loop). It notes the packets in both directions.
 */
export class Talker extends Participant {
  #phaseMs;
  /** @type {ClockSync | null} */
  #sync = null;
  /** @type {ClockExchange | null} */
  #exchange = null;
  /** @type {Uint8Array[]} */
  #payloads = [];
  #startFrame = 0;
  #read = new Packet();
  #newest = 0;
  #noting = false;
  /** @type {TalkerNotes} */
  #notes = { sent: [], received: [] };

  /** The next frame to be sent; -1 before the join. */
  frame = -1;
  /** Packets since the join; `sounding` are those received that have a payload. */
  counters = { sent: 0, received: 0, sounding: 0 };

  /**
   * @param {object} options
   * @param {Connection} options.connection
   * @param {number} [options.phaseMs] delay from a frame's end to its sending
   * @param {import('./participant.js').Late | null} [options.late] rule to send frames later than
   *   that, if any
   */
  constructor({ connection, phaseMs = 0, late = null }) {
    super(connection, late);
    this.#phaseMs = phaseMs;
  }

  /** @param {{ room: string, name: string, delivery?: 'tick' | 'reply' }} join */
  async join(join) {
    await this.enter(join, (bytes, arrivalMs) => this.#receive(bytes, arrivalMs), systemClock);
    const { sampleRate, frameSamples } = this.format;
    const sync = new ClockSync(sampleRate);
    this.#sync = sync;
    this.#exchange = new ClockExchange({
      clock: systemClock,
      sync,
      send: (bytes) => this.sendPacket(bytes),
    });
    await this.#exchange.start();
    this.frame = Math.floor(sync.sampleClockAt(performance.now()) / frameSamples) + 1;
    this.#newest = this.frame;
  }

  /**
   * Speaks from now on; until then it sends silence.
   * @param {Uint8Array[]} payloads one for each frame, repeated
   * @param {number} [startFrame]   index of frame 0's payload
   */
  speak(payloads, startFrame = 0) {
    this.#payloads = payloads;
    this.#startFrame = startFrame;
  }

  /** Time to send the next frame, on performance.now(); never before the join. */
  get dueMs() {
    return (
      (this.#sync?.msAt((this.frame + 1) * this.format.frameSamples) ?? Infinity) + this.#phaseMs
    );
  }

  /** Starts noting packets, with empty notes. */
  note() {
    this.#notes = { sent: [], received: [] };
    this.#noting = true;
  }

  /** Stops noting packets. @returns {TalkerNotes} the notes since note() */
  takeNotes() {
    this.#noting = false;
    return this.#notes;
  }

  /** Sends the next frame. */
  send() {
    const speech = this.#payloads;
    const payload =
      speech.length > 0 ? speech[(this.frame + this.#startFrame) % speech.length] : null;
    // Taken before the sending, which is part of the time that is measured.
    const atMs = this.#noting ? performance.now() : 0;
    const bytes = this.sendFrame(this.frame, payload);
    this.counters.sent += 1;
    if (this.#noting) this.#notes.sent.push({ frame: this.frame, atMs, bytes });
    this.frame += 1;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  #receive(bytes, arrivalMs) {
    const packet = this.#read;
    if (readPacket(bytes, packet) !== null) return;
    if (packet.type === PacketType.clockReply)
      this.#exchange?.reply(packet.id, packet.clock, arrivalMs);
    if (packet.type !== PacketType.audio) return;
    const silent = packet.payloadBytes[0] === 0;
    this.counters.received += 1;
    if (!silent) this.counters.sounding += 1;
    if (!this.#noting) return;
    this.#newest = unwrapFrame(packet.frame, this.#newest);
    this.#notes.received.push({
      frame: this.#newest,
      atMs: arrivalMs,
      bytes: bytes.length,
      silent,
    });
  }

  /** Leaves. Idempotent. */
  close() {
    this.#exchange?.close();
    this.leave();
  }
}
