/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Connection } from '../../public/client/connection/connection.js'
 */

import { systemClock } from '../../public/shared/clock.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  SILENT_LEVEL,
  writeAudioHeader,
} from '../../public/shared/wire/packet.js';
import { join } from '../../public/client/connection/join.js';

/** The level in the header of a packet with speech, in -dBov: about that of the fixture. */
const SPOKEN_LEVEL = 25;

/** Filled and sent at once, so all participants of a process share them. */
const packet = new Packet();
const buffer = new Uint8Array(MAX_PACKET_BYTES);

/**
 * The pattern of one who would make a whole room wait: now and then a frame comes late.
 * @type {Late}
 */
export const NOW_AND_THEN = Object.freeze({ everyFrames: 60, lateMs: 390 });

/**
 * Sends the packets of frames at once, except one in `every`, which it sends late.
 * @typedef {object} Late
 * @property {number} everyFrames  from one late frame to the next
 * @property {number} lateMs
 */
export class LateSender {
  #late;
  #send;
  #clock;
  #frames = 0;

  /** Number of packets that were sent late. */
  sentLate = 0;

  /**
   * @param {Late} late
   * @param {(bytes: Uint8Array) => unknown} send  gives false for one that wasn't sent
   * @param {Pick<Clock, 'setTimeout'>} [clock]
   */
  constructor(late, send, clock = systemClock) {
    this.#late = late;
    this.#send = send;
    this.#clock = clock;
  }

  /** @param {Uint8Array} bytes  valid during the call */
  send(bytes) {
    const { everyFrames, lateMs } = this.#late;
    this.#frames += 1;
    if (this.#frames % everyFrames > 0) return void this.#send(bytes);
    const kept = bytes.slice();
    this.#clock.setTimeout(
      () => void (this.sentLate += Number(this.#send(kept) !== false)),
      lateMs,
    );
  }
}

/**
 * A session without sound processing: it joins, sends payloads that were encoded beforehand, and
 * leaves. Talker and the members of a Crowd are built on it.
 */
export class Participant {
  #connection;
  /** Sends the packets of frames: the connection, or one that sends some of them late over it. */
  #frames;
  #sequence = 0;

  /** The room's audio format, but of one channel: the speech is mono, which every decoder takes. */
  format = createAudioFormat();
  /** The server's welcome. @type {Record<string, any>} */
  welcome = {};
  /** The server's last statistics of this participant. @type {Record<string, any> | null} */
  serverStats = null;
  /** Why the server or the network ended the session, if it did. @type {string | null} */
  ended = null;

  /**
   * @param {Connection} connection
   * @param {Late | null} [late] rule to send frames late, if any
   */
  constructor(connection, late = null) {
    this.#connection = connection;
    this.#frames = late ? new LateSender(late, (bytes) => connection.send(bytes)) : connection;
  }

  /**
   * @param {{ room: string, name: string, delivery?: 'tick' | 'reply', listen?: boolean }} request
   * @param {(bytes: Uint8Array, arrivalMs: number) => void} onPacket
   * @param {Clock} clock
   * @returns {Promise<void>} rejects with a ConnectionError
   */
  enter(request, onPacket, clock) {
    const handler = {
      onPacket,
      onControl: (/** @type {any} */ message) => this.#control(message),
      onClosed: (/** @type {string} */ code, /** @type {string} */ reason) =>
        void (this.ended = `${code}: ${reason}`),
    };
    return join(
      this.#connection,
      { type: 'join', version: CONTROL_VERSION, ...request },
      handler,
      clock,
    );
  }

  /** @param {any} message */
  #control(message) {
    if (message?.type === 'stats') this.serverStats = message;
    if (message?.type !== 'welcome') return;
    this.welcome = message;
    this.format = createAudioFormat({ ...message.format, channels: 1 });
  }

  /** @param {object} message  a control message */
  sendControl(message) {
    this.#connection.sendControl(message);
  }

  /** @param {Uint8Array} bytes a packet */
  sendPacket(bytes) {
    return this.#connection.send(bytes);
  }

  /**
   * @param {number} frame
   * @param {Uint8Array | null} payload null for silence
   * @returns {number} the packet's bytes
   */
  sendFrame(frame, payload) {
    packet.frame = frame;
    packet.sequence = this.#sequence++ & 0xffff;
    packet.level = payload ? SPOKEN_LEVEL : SILENT_LEVEL;
    packet.voice = payload !== null;
    const header = writeAudioHeader(buffer, packet);
    if (payload) buffer.set(payload, header);
    const bytes = header + (payload?.length ?? 0);
    this.#frames.send(buffer.subarray(0, bytes));
    return bytes;
  }

  /** @returns {import('../../public/client/connection/connection.js').ConnectionStats} */
  stats() {
    return this.#connection.stats();
  }

  /** Idempotent. @param {{ silently?: boolean }} [options] silently: without telling the server */
  leave({ silently = false } = {}) {
    if (!silently) this.#connection.sendControl({ type: 'leave' });
    this.#connection.close();
  }
}
