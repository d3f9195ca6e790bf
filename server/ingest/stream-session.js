/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { ServerMessage, ServerMessages } from '../../public/shared/messages/server-messages.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { ControlMessage, Session, SessionOptions } from '../session/session.js'
 */

import { ClockExchange, ClockSync } from '../../public/client/clock/clock-sync.js';
import { Uplink } from '../../public/client/capture/uplink.js';
import { errorOfClose } from '../../public/shared/errors.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { streamBitrate } from '../../public/shared/stream/bitrate.js';
import { PayloadEncoder } from '../../public/shared/stream/payload.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { Packet, PacketType, readPacket } from '../../public/shared/wire/packet.js';
import { repeat } from '../timers.js';
import { BaseSession, prepareControl } from '../session/session.js';
import { SoundFeed } from './sound-feed.js';

/** Interval at which sound is passed on, in milliseconds. */
const PERIOD_MS = 10;

/** Least bit rate of a stream for each channel, in bits a second: it is mostly music. */
const LEAST_BITRATE = 64_000;

/** Silence after the last sound, in milliseconds, so that its last frame is whole. */
const REST_MS = 150;

/** Longest title that is sent, in UTF-16 units. */
const MOST_TITLE = 1000;

/** Shared by all sessions: a packet is handled before the next. */
const packet = new Packet();

/**
 * Session of a program that sends a stream by other means than packets, such as Icecast's. It is a
 * participant as any client is, with the client's own uplink: its sound gets the room's clock,
 * format and packets here.
 * @implements {Session}
 */
export class StreamSession extends BaseSession {
  #clock;
  #codec;
  #marginMs;
  #onEnd;
  /** @type {SoundFeed | null} */
  #feed = null;
  /** @type {Uplink | null} */
  #uplink = null;
  /** @type {ClockExchange | null} */
  #exchange = null;
  #stopTicks = () => {};
  #tickedMs = 0;
  /** Part of a sample that the last reading left. */
  #fraction = 0;
  #out = new Float32Array(0);
  #title = '';
  /** @type {(format: AudioFormat) => void} */
  #admit = () => {};

  /** Node that has the room, when the session was sent there. @type {NodeAddress | null} */
  movedTo = null;
  /** Resolves when the room has admitted the program. @type {Promise<AudioFormat>} */
  admitted = new Promise((resolve) => (this.#admit = resolve));

  /**
   * @param {Omit<SessionOptions, 'onEnd'> & { room: string, clock: Clock, codec: Codec, marginMs:
   *   number, onEnd: (code: ErrorCode | null) => void }} options marginMs: of the sound's feed;
   *   code: null when the program has left
   */
  constructor({ room, clock, codec, marginMs, onEnd, ...options }) {
    super({ ...options, now: clock.now(), onEnd: () => {} });
    this.room = room;
    this.#clock = clock;
    this.#codec = codec;
    this.#marginMs = marginMs;
    this.#onEnd = onEnd;
  }

  /**
   * Asks to join.
   * @param {string} name
   * @param {string} streamKey
   */
  join(name, streamKey) {
    const { room } = this;
    this.receiveControl(
      { type: 'join', version: CONTROL_VERSION, room, name, streamKey },
      this.#clock.now(),
    );
  }

  /** @param {string} title  of the present sound */
  tellTitle(title) {
    this.#title = title.slice(0, MOST_TITLE);
    if (this.#uplink !== null)
      this.receiveControl({ type: 'title', title: this.#title }, this.#clock.now());
  }

  /** @param {Uint8Array} bytes  sound isn't sent to a program that only speaks */
  send(bytes) {
    if (readPacket(bytes, packet) === null && packet.type === PacketType.clockReply)
      this.#exchange?.reply(packet.id, packet.clock, this.#clock.now());
    return true;
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    const told = /** @type {ServerMessage} */ (prepareControl(message).message);
    if (this.ended) return;
    if (told.type === 'welcome' && this.#uplink === null) this.#begin(told);
    else if (told.type === 'moved') this.movedTo = told.node;
  }

  /** @param {ServerMessages['welcome']} welcome */
  #begin(welcome) {
    const format = createAudioFormat(welcome.format);
    const { sampleRate, channels } = format;
    const clock = this.#clock;
    const send = (/** @type {Uint8Array} */ bytes) => {
      this.receive(bytes, clock.now());
      return true;
    };
    const bitrate = Math.max(LEAST_BITRATE, welcome.bitrate / channels);
    const encoder = this.#codec.createEncoder({
      ...{ sampleRate, channels, frameSamples: format.opusFrameSamples },
      bitrate: streamBitrate(bitrate, format),
    });
    const sync = new ClockSync(sampleRate);
    this.#exchange = new ClockExchange({ clock, sync, send });
    this.#feed = new SoundFeed(format, this.#marginMs);
    this.#uplink = new Uplink({
      ...{ format, clockSync: sync, clock, send },
      encoder: new PayloadEncoder(encoder, format),
    });
    this.#out = new Float32Array(this.#feed.most * channels);
    this.#tickedMs = clock.now();
    this.#stopTicks = repeat(clock, PERIOD_MS, () => {
      try {
        this.#tick();
      } catch (error) {
        // A fault of one stream must not end the server.
        this.fail(error);
      }
    });
    // The room has the session once this message is sent.
    queueMicrotask(() => {
      if (this.ended) return;
      this.#exchange?.start().catch((error) => this.ended || this.fail(error));
      if (this.#title !== '') this.tellTitle(this.#title);
      this.#admit(format);
    });
  }

  #tick() {
    const [feed, uplink] = [this.#feed, this.#uplink];
    if (this.ended || feed === null || uplink === null) return;
    const now = this.#clock.now();
    const passed = ((now - this.#tickedMs) * feed.rate) / 1000 + this.#fraction;
    // After a stall the uplink finds the sound's place again.
    const count = Math.min(Math.floor(passed), feed.most);
    this.#tickedMs = now;
    this.#fraction = passed - Math.floor(passed);
    const out = this.#out.subarray(0, count * feed.channels);
    feed.read(out, count, now);
    uplink.capture(out, count, now);
  }

  /**
   * @param {Float32Array} samples  in the room's format
   * @returns {Promise<void>} resolves once there is room for more
   */
  add(samples) {
    return this.#feed?.add(samples, this.#clock.now()) ?? Promise.resolve();
  }

  /** False while as much sound waits as may. */
  get hasRoom() {
    return this.#feed?.hasRoom ?? false;
  }

  /** Plays the rest, and leaves. */
  async finish() {
    await this.#feed?.empty();
    if (this.ended) return;
    await new Promise((resolve) => this.#clock.setTimeout(() => resolve(null), REST_MS));
    this.close(0, 'left');
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    this.#stopTicks();
    this.#exchange?.close();
    this.#feed?.close();
    this.#uplink?.close();
    this.#onEnd(errorOfClose(code));
  }

  /** Figures of the sound on its way into the room. */
  get figures() {
    const { counters, ppm = 0, waitingMs = 0 } = this.#feed ?? {};
    return { ...counters, ppm, waitingMs };
  }
}
