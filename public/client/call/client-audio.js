/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/codec.js'
 * @import { Packet } from '../../shared/packet.js'
 * @import { JoinOptions } from './client-types.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 * @import { RoomState } from './room-state.js'
 */

import { newDecoders, newEncoder } from './client-codecs.js';
import { PULL_EXTRA, Playout } from '../playout/playout.js';
import { SampleReader } from '../capture/sample-reader.js';
import { Uplink } from '../capture/uplink.js';

/** How often it is looked whether captured sound still comes, in milliseconds. */
const CAPTURE_LOOK_MS = 100;

/** The sound of a client that has joined: what it captures goes up, and what has come down is pulled. */
export class ClientAudio {
  #clock;
  #sync;
  #frameSamples;
  #room;
  #reader;
  /** @type {unknown} */
  #paceTimer = null;
  #closed = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {Codec} options.codec
   * @param {Clock} options.clock
   * @param {ClockSync} options.clockSync
   * @param {RoomState} options.room
   * @param {Partial<JoinOptions>} options.wish  how this one's own sound is to be
   * @param {(bytes: Uint8Array) => boolean} options.send  a packet, valid during the call
   */
  constructor({ format, codec, clock, clockSync, room, wish, send }) {
    const { bitrate, application, muted = false, silenceSuppression = true } = wish;
    const { redundancy } = room.welcome;
    this.#room = room;
    this.#clock = clock;
    this.#sync = clockSync;
    this.#frameSamples = format.frameSamples;
    this.playout = new Playout(format, newDecoders(codec, format));
    const pull = (/** @type {Float32Array} */ out) => this.playout.pull(out, clock.now());
    this.#reader = new SampleReader(pull, format.frameSamples + PULL_EXTRA, format.channels);
    try {
      const encoder = newEncoder(codec, format, { bitrate, application }, room.welcome.bitrate);
      this.uplink = new Uplink({ format, clockSync, encoder, send, redundancy, clock });
    } catch (error) {
      this.playout.close();
      throw error;
    }
    this.uplink.mute(muted);
    this.suppressSilence(silenceSuppression);
  }

  /** Sends from now on: silence, at each frame's end, while nothing is captured. */
  start() {
    const now = this.#clock.now();
    const isIdle = this.uplink.idle(now);
    const size = this.#frameSamples;
    const frameEnd = (Math.floor(this.#sync.sampleClockAt(now) / size) + 1) * size;
    const wait = isIdle ? Math.max(1, this.#sync.msAt(frameEnd) - now) : CAPTURE_LOOK_MS;
    this.#paceTimer = this.#clock.setTimeout(() => this.start(), wait);
  }

  /** @param {boolean} suppresses whether silence is left out, where the server allows it */
  suppressSilence(suppresses) {
    this.uplink.suppressSilence(suppresses && this.#room.allowsSilence);
  }

  /**
   * @param {Packet} packet an audio packet as read
   * @param {Uint8Array} bytes it was read from
   * @param {number} arrivalMs
   */
  receive(packet, bytes, arrivalMs) {
    this.playout.receive(packet, bytes, arrivalMs);
  }

  /**
   * @param {Float32Array} samples interleaved, where the format is stereo
   * @param {number} count of them, those of both channels at once
   */
  capture(samples, count) {
    this.uplink.capture(samples, count, this.#clock.now());
  }

  /** @param {Float32Array} out of any length; filled */
  render(out) {
    this.#reader.read(out);
  }

  /** Frees the codecs. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.clearTimeout(this.#paceTimer);
    this.uplink.close();
    this.playout.close();
  }
}
