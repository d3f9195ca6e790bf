/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/codec.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 * @import { RoomState } from './room-state.js'
 * @import { JoinOptions, Output } from './types.js'
 */

import { MAX_PACKET_BYTES } from '../../shared/packet.js';
import { PayloadDecoder, PayloadEncoder, streamBitrate } from '../../shared/payload.js';
import { Uplink } from '../capture/uplink.js';
import { Playout, pullSamples } from '../playout/playout.js';
import { ProcessorTime } from './processor-time.js';

/** The interval at which captured sound is checked for, in milliseconds. */
const CAPTURE_LOOK_MS = 100;

/** The sound of a client that has joined: owns its uplink, its playout and their codecs. */
export class ClientAudio {
  #clock;
  #sync;
  #frameSamples;
  #room;
  #output;
  #reader;
  /** @type {unknown} */
  #paceTimer = null;
  #closed = false;

  /** What this thread gets of the processor. */
  processorTime = new ProcessorTime();

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {Codec} options.codec
   * @param {Clock} options.clock
   * @param {ClockSync} options.clockSync
   * @param {RoomState} options.room
   * @param {Partial<JoinOptions>} options.wish  how this one's own sound is to be
   * @param {(bytes: Uint8Array) => boolean} options.send  a packet, valid during the call
   * @param {Readonly<Output>} options.output
   */
  constructor({ format, codec, clock, clockSync, room, wish, send, output }) {
    const { bitrate, application, muted = false, silenceSuppression = true } = wish;
    const { redundancy } = room.welcome;
    this.#room = room;
    this.#output = output;
    this.#clock = clock;
    this.#sync = clockSync;
    this.#frameSamples = format.frameSamples;
    this.playout = new Playout(format, newDecoders(codec, format));
    const pull = (/** @type {Float32Array} */ out) => this.playout.pull(out, clock.now());
    this.#reader = new SampleReader(pull, pullSamples(format), format.channels);
    try {
      const encoder = newEncoder(codec, format, { bitrate, application }, room.welcome.bitrate);
      this.uplink = new Uplink({ format, clockSync, encoder, send, redundancy, clock, effort: this.processorTime });
    } catch (error) {
      this.playout.close();
      throw error;
    }
    this.uplink.mute(muted);
    this.suppressSilence(silenceSuppression);
  }

  /** Sends silence from now on, at each frame's end, while nothing is captured. */
  start() {
    const now = this.#clock.now();
    const isIdle = this.uplink.idle(now);
    const size = this.#frameSamples;
    const frameEnd = (Math.floor(this.#sync.sampleClockAt(now) / size) + 1) * size;
    const wait = isIdle ? Math.max(1, this.#sync.msAt(frameEnd) - now) : CAPTURE_LOOK_MS;
    const dueMs = now + wait;
    this.#paceTimer = this.#clock.setTimeout(() => {
      const nowMs = this.#clock.now();
      this.processorTime.observe(Math.max(0, nowMs - dueMs), nowMs, this.#output.gaps);
      this.start();
    }, wait);
  }

  /** @param {boolean} suppresses whether silence is left out, where the server allows it */
  suppressSilence(suppresses) {
    this.uplink.suppressSilence(suppresses && this.#room.allowsSilence);
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

/** Frames that are encoded and decoded for nobody before a call's first one. */
const WARM_UP_FRAMES = 12;
const WARM_UP_BITRATE = 48_000;

/** The server sends two streams, and an Opus decoder keeps state: each stream has a decoder. */
const STREAMS = 2;

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function newDecoders(codec, format) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  return Array.from(
    { length: STREAMS },
    () => new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples, channels }), format),
  );
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {{ bitrate?: number, application?: 'audio' | 'voip' | 'low-delay' }} encoding  bitrate of each channel
 * @param {number} roomBitrate the default, in bits a second of all channels
 */
export function newEncoder(codec, format, { bitrate, application }, roomBitrate) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const settings = { sampleRate, frameSamples, channels, application };
  const whole = bitrate === undefined ? roomBitrate : streamBitrate(bitrate, format);
  return new PayloadEncoder(codec.createEncoder({ ...settings, bitrate: whole }), format);
}

/**
 * Encodes and decodes sound for nobody. WebAssembly is compiled where it is first run, which takes tens of
 * milliseconds: that isn't to hold up the first word.
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function warmUpCodec(codec, format) {
  const encoder = newEncoder(codec, format, {}, WARM_UP_BITRATE);
  const decoders = newDecoders(codec, format);
  const pcm = new Float32Array(format.frameValues);
  const payload = new Uint8Array(MAX_PACKET_BYTES);
  for (let k = 0; k < WARM_UP_FRAMES; k++) {
    // Tones, noise, a beginning and an end each run through other code.
    for (let i = 0; i < pcm.length; i++) {
      const noise = ((i * 7919) % 1009) / 1009 - 0.5;
      const isOn = k % 3 < 2 || i > pcm.length / 2;
      pcm[i] = isOn ? 0.3 * Math.sin(i * (0.01 + 0.02 * k)) + 0.1 * (k % 4) * noise : 0;
    }
    const length = encoder.encode(pcm, payload, 0);
    for (const decoder of decoders) decoder.decode(payload, 0, length, pcm, 0);
  }
  for (const decoder of decoders) decoder.conceal(pcm, 0);
  for (const part of [encoder, ...decoders]) part.close();
}

/** Reads any number of samples from a source that gives pieces of its own length. */
export class SampleReader {
  #pull;
  #piece;
  #channels;
  #start = 0;
  #end = 0;

  /**
   * @param {(out: Float32Array) => number} pull fills a piece from its start, and returns its samples: never 0
   * @param {number} pieceSamples the longest piece
   * @param {number} [channels]
   */
  constructor(pull, pieceSamples, channels = 1) {
    this.#pull = pull;
    this.#piece = new Float32Array(pieceSamples * channels);
    this.#channels = channels;
  }

  /** @param {Float32Array} out filled */
  read(out) {
    for (let at = 0; at < out.length; ) {
      if (this.#start === this.#end) {
        this.#start = 0;
        this.#end = this.#pull(this.#piece) * this.#channels;
      }
      const count = Math.min(out.length - at, this.#end - this.#start);
      for (let i = 0; i < count; i++) out[at + i] = this.#piece[this.#start + i];
      at += count;
      this.#start += count;
    }
  }
}
