/**
 * People who speak all the time, and note what they send and receive: one has connections of
 * WebRTC, the other a session of aloud's server. A pacer sends their packets when their frames end.
 *
 * @import { Paced } from '../../public/lab/runs/pacer.js'
 * @import { Connection } from '../../public/client/connection/connection.js'
 *
 * @typedef {object} CallerNotes  times on performance.now()
 * @property {{ frame: number, atMs: number }[]} sent
 * @property {{ speaker?: string, frame: number, atMs: number }[]} received packets with sound,
 *   without a speaker where it is a mix
 *
 * @typedef {Paced & { begin: () => void, notes: CallerNotes, close: () => void | Promise<void> }}
 *   Caller begin: begins its notes again
 */

import { Talker } from '../../testkit/participants/talker.js';
import { readRtp, rtpPacket } from '../ways/rtp.js';
import { EVERY_MS } from '../ways/run.js';
import { MeshPeers } from './peers.js';

/** @implements {Caller} */
export class PeerCaller {
  #ssrc;
  #payloads;
  #startMs;
  #frame = 0;

  /** @type {CallerNotes} */
  notes = { sent: [], received: [] };
  peers = new MeshPeers((packet) => this.#receive(packet));

  /**
   * @param {{ name: string, payloads: readonly Uint8Array[], phaseMs: number }} options name: a
   *   number, which makes the SSRC; payloads: sent in a loop; phaseMs: time until the first packet
   */
  constructor({ name, payloads, phaseMs }) {
    this.#ssrc = Number(name);
    this.#payloads = payloads;
    this.#startMs = performance.now() + phaseMs;
  }

  get dueMs() {
    return this.#startMs + this.#frame * EVERY_MS;
  }

  send() {
    const frame = this.#frame++;
    this.notes.sent.push({ frame, atMs: performance.now() });
    this.peers.send(rtpPacket(this.#payloads[frame % this.#payloads.length], frame, this.#ssrc));
  }

  /** @param {Buffer} packet */
  #receive(packet) {
    const read = readRtp(packet);
    if (read)
      this.notes.received.push({
        speaker: String(read.ssrc),
        frame: read.sequence,
        atMs: performance.now(),
      });
  }

  begin() {
    this.notes = { sent: [], received: [] };
  }

  close() {
    return this.peers.close();
  }
}

/** @implements {Caller} */
export class SessionCaller {
  #talker;
  /** Notes taken from the talker. @type {CallerNotes} */
  #notes = { sent: [], received: [] };

  /** @param {Connection} connection */
  constructor(connection) {
    this.#talker = new Talker({ connection });
    this.begin();
  }

  /** @param {{ name: string, payloads: Uint8Array[] }} options  payloads: sent in a loop */
  async join({ name, payloads }) {
    await this.#talker.join({ room: 'call', name });
    this.#talker.speak(payloads);
  }

  get dueMs() {
    return this.#talker.dueMs;
  }

  send() {
    this.#talker.send();
  }

  begin() {
    this.#talker.note();
    this.#notes = { sent: [], received: [] };
  }

  get notes() {
    const { sent, received } = this.#talker.takeNotes();
    this.#talker.note();
    this.#notes.sent.push(...sent);
    this.#notes.received.push(...received.filter(({ silent }) => !silent));
    return this.#notes;
  }

  close() {
    this.#talker.close();
  }
}
