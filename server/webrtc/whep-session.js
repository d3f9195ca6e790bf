/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { ControlMessage, Session, SessionOptions } from '../session/session.js'
 * @import { Peer } from './peer.js'
 */

import { randomInt } from 'node:crypto';
import { MAX_OPUS_FRAMES } from '../../public/shared/sound/audio-format.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { errorOfClose } from '../../public/shared/errors.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { MAX_OPUS_BYTES } from '../../public/shared/stream/codec.js';
import {
  CLOCK_REQUEST_BYTES,
  Packet,
  PacketType,
  readOpusFrames,
  readPacket,
  unwrapFrame,
  writeClockRequest,
} from '../../public/shared/wire/packet.js';
import { BaseSession, prepareControl } from '../session/session.js';
import { RTP_HEADER_BYTES, writeRtpHeader } from './rtp.js';

/** Rate of Opus's timestamps, in Hz. */
const CLOCK_RATE = 48_000;

/** Name that moderators of the room see. */
const LISTENER_NAME = 'Player';

/** Shared by all sessions: a packet is read and sent before the next. */
const rtp = Buffer.alloc(RTP_HEADER_BYTES + MAX_OPUS_BYTES);
const starts = new Uint16Array(MAX_OPUS_FRAMES);
const lengths = new Uint16Array(MAX_OPUS_FRAMES);
const packet = new Packet();
const alive = new Uint8Array(CLOCK_REQUEST_BYTES);
writeClockRequest(alive, 0);

/**
 * Reads a packet for take().
 * @param {Uint8Array} bytes
 * @returns {boolean} true for sound
 */
export const isAudio = (bytes) =>
  readPacket(bytes, packet) === null && packet.type === PacketType.audio;

/**
 * Listener over WebRTC: one of the audience, who is sent the shared stream's frames as RTP.
 * @implements {Session}
 */
export class WhepSession extends BaseSession {
  #clock;
  #onEnd;
  /** @type {Peer | null} */
  #peer = null;
  #payloadType = 0;
  /** @type {AudioFormat | null} */
  #format = null;
  #next = -1;
  #sequence = randomInt(2 ** 16);
  #ssrc = randomInt(2 ** 32);
  #isFirst = true;
  /** @type {() => void} */
  #admit = () => {};

  /** Node that has the room, when the session was sent there. @type {NodeAddress | null} */
  movedTo = null;
  /** Resolves when the room has admitted the listener. @type {Promise<void>} */
  admitted = new Promise((resolve) => (this.#admit = resolve));

  /**
   * @param {Omit<SessionOptions, 'onEnd'> & { room: string, clock: Clock, onEnd: (code: ErrorCode |
   *   null) => void }} options
   */
  constructor({ room, clock, onEnd, ...options }) {
    super({ ...options, now: clock.now(), onEnd: () => {} });
    this.room = room;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** @param {string} [token] */
  join(token) {
    const { room } = this;
    const wish = { version: CONTROL_VERSION, room, name: LISTENER_NAME, listen: true };
    this.receiveControl(
      { type: 'join', ...wish, ...(token !== undefined && { token }) },
      this.#clock.now(),
    );
  }

  /** @param {Peer} peer @param {number} payloadType */
  sendTo(peer, payloadType) {
    this.#peer = peer;
    this.#payloadType = payloadType;
  }

  /** Shows the room that the listener is there. */
  keepAlive() {
    this.receive(alive, this.#clock.now());
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    const told = /** @type {ServerMessage} */ (prepareControl(message).message);
    if (this.ended) return;
    if (told.type === 'welcome') {
      this.#format = createAudioFormat(told.format);
      queueMicrotask(this.#admit);
    } else if (told.type === 'moved') this.movedTo = told.node;
    else if (told.type === 'lobby') this.closeWith('turned-away');
  }

  /**
   * A worker's room sends so to one listener; to many it sends by the transport.
   * @param {Uint8Array} bytes
   */
  send(bytes) {
    if (!isAudio(bytes)) return true;
    const before = this.droppedOut;
    this.take(bytes);
    return this.droppedOut === before;
  }

  /**
   * Sends the frames that are new in the packet that isAudio() has read last.
   * @param {Uint8Array} bytes  of the packet
   */
  take(bytes) {
    const [peer, format] = [this.#peer, this.#format];
    if (this.ended || peer === null || format === null) return;
    const frame = this.#next < 0 ? packet.frame : unwrapFrame(packet.frame, this.#next);
    const first = frame - packet.redundancy;
    try {
      for (let k = Math.max(first, this.#next); k <= frame; k++)
        this.#put(peer, format, { k, repeat: frame - k }, bytes);
    } catch (error) {
      // A fault of one session must not end the room.
      return this.fail(error);
    }
    if (frame >= this.#next) this.#next = frame + 1;
  }

  /**
   * @param {Peer} peer
   * @param {AudioFormat} format
   * @param {{ k: number, repeat: number }} which  frame, and index among the packet's payloads
   * @param {Uint8Array} bytes
   */
  #put(peer, { opusFrames, opusFrameSamples, sampleRate }, { k, repeat }, bytes) {
    const [start, length] = [packet.payloadStart[repeat], packet.payloadBytes[repeat]];
    if (length === 0 || !readOpusFrames(bytes, start, length, opusFrames, starts, lengths)) {
      this.#isFirst = true;
      return;
    }
    const samples = (opusFrameSamples * CLOCK_RATE) / sampleRate;
    for (let i = 0; i < opusFrames; i++) {
      const [from, count] = [starts[i], lengths[i]];
      if (count > MAX_OPUS_BYTES) return;
      writeRtpHeader(rtp, {
        payloadType: this.#payloadType,
        sequence: this.#sequence,
        timestamp: ((k * opusFrames + i) * samples) >>> 0,
        ssrc: this.#ssrc,
        isFirst: this.#isFirst,
      });
      for (let b = 0; b < count; b++) rtp[RTP_HEADER_BYTES + b] = bytes[from + b];
      if (!peer.send(rtp.subarray(0, RTP_HEADER_BYTES + count))) this.droppedOut += 1;
      this.#sequence = (this.#sequence + 1) & 0xffff;
      this.#isFirst = false;
    }
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    this.#peer?.close();
    this.#onEnd(errorOfClose(code));
  }

  /** @override */
  stats() {
    return { ...super.stats(), rttMs: this.#peer?.rttMs ?? null };
  }
}
