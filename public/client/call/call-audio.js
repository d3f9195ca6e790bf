/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 * @import { Connection } from '../connection/connection.js'
 * @import { Nearness } from '../../shared/nearness.js'
 * @import { VoicesOptions } from '../playout/bundle-decoder.js'
 * @import { CallState } from './call-state.js'
 * @import { Sealing } from './sealing.js'
 * @import { ClientOptions, Output } from './types.js'
 */

import { inTime, LOAD_MS } from '../../shared/clock.js';
import { MAX_PACKET_BYTES } from '../../shared/wire/packet.js';
import { streamBitrate } from '../../shared/stream/bitrate.js';
import { PayloadDecoder, PayloadEncoder } from '../../shared/stream/payload.js';
import { PcmEncoder, PcmOrOpus } from '../../shared/stream/pcm.js';
import { RATES } from '../../shared/sound/audio-format.js';
import { Uplink } from '../capture/uplink.js';
import { messageOf } from '../connection/connection.js';
import { ConnectionError } from '../../shared/errors.js';
import { pullSamples } from '../playout/playout.js';
import { RoomPlayout } from '../playout/room-playout.js';
import { playoutMsOf } from '../../shared/nearness.js';
import { SampleReader } from '../playout/voice-playouts.js';
import { VoiceGains } from '../playout/bundle-decoder.js';
import { ProcessorTime } from './processor-time.js';

/** Interval of checks for captured sound, in milliseconds. */
const CAPTURE_POLL_MS = 100;

/** The sound of a joined client: owns its uplink, its playout and their codecs. */
export class CallAudio {
  #clock;
  #sync;
  #frameSamples;
  #room;
  #format;
  #output;
  #callOptions;
  #reader;
  /** @type {unknown} */
  #paceTimer = null;
  #closed = false;

  /** This thread's share of the processor. */
  processorTime = new ProcessorTime();

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {Codec} options.codec
   * @param {Clock} options.clock
   * @param {ClockSync} options.clockSync
   * @param {CallState} options.room
   * @param {ClientOptions} options.callOptions  read again when it changes
   * @param {Pick<Connection, 'send' | 'limit'>} options.connection
   * @param {Readonly<Output>} options.output
   * @param {Sealing | null} [options.sealing]  null where nothing is encrypted end to end
   * @param {VoicesOptions['heard']} [options.heard]  receives voices that come separately
   * @param {() => number} [options.capturedTo]  as FrameGrid has it
   */
  constructor({
    format,
    codec,
    clock,
    clockSync,
    room,
    callOptions,
    connection,
    output,
    sealing = null,
    heard,
    capturedTo,
  }) {
    const { bitrate, application, muted = false } = callOptions;
    const { redundancy } = room;
    this.#room = room;
    this.#format = format;
    this.#output = output;
    this.#callOptions = callOptions;
    this.#clock = clock;
    this.#sync = clockSync;
    this.#frameSamples = format.frameSamples;
    /** This person's volumes of others, when voices come separately. */
    this.gains = new VoiceGains(format.channels);
    const { you, echo } = room.welcome;
    const own = echo ? -1 : numberOf(you);
    const openVoice = (/** @type {number} */ number) => {
      const decoder = newDecoder(codec, format);
      return sealing === null ? decoder : sealing.decoder(decoder, number);
    };
    this.playout = new RoomPlayout(
      [...newDecoders(codec, format), ...layerDecoders(codec, format)],
      { format, openVoice, gains: this.gains, own, heard },
    );
    const pull = (/** @type {Float32Array} */ out) => this.playout.pull(out, clock.now());
    this.#reader = new SampleReader(pull, pullSamples(format), format.channels);
    try {
      const plain = newEncoder(codec, format, { bitrate, application }, room.welcome.bitrate);
      /** Delay of one codec, in milliseconds. */
      this.lookaheadMs = (plain.lookahead * 1000) / format.sampleRate;
      const encoder = sealing === null ? this.#lossless(plain) : sealing.encoder(plain);
      const send = connection.send.bind(connection);
      const limit = () => connection.limit;
      const sending = { encoder, send, limit, redundancy, capturedTo };
      this.uplink = new Uplink({ format, clockSync, clock, effort: this, ...sending });
    } catch (error) {
      this.playout.close();
      throw error;
    }
    this.uplink.mute(muted);
    this.suppressSilence();
    this.followNearness();
  }

  /** @param {PayloadEncoder} opus */
  #lossless(opus) {
    const { pcm } = this.#room.welcome;
    if (pcm === undefined) return opus;
    const encoder = new PayloadEncoder(new PcmEncoder(pcm), this.#format);
    // Forwarded sound reaches people who haven't asked for PCM.
    return new PcmOrOpus(encoder, opus, () => this.#room.isMixed);
  }

  /** Codecs that sound passes, one to the server and one from it, as far as this client knows. */
  get codecs() {
    const { isForwarded, isMixed, welcome } = this.#room;
    if (this.playout.isDirect || isForwarded) return 1;
    return isMixed && welcome.pcm !== undefined ? 1 : 2;
  }

  /** The encoder's complexity, 0 to 10. */
  get complexity() {
    return this.processorTime.complexity;
  }

  /** Frames in a packet. A packet of two would delay forwarded sound for all listeners. */
  get framesPerPacket() {
    return this.#room.isMixed ? this.processorTime.framesPerPacket : 1;
  }

  /**
   * Nearness of this participant to the speakers: as they chose, while they only listen.
   * @returns {Nearness}
   */
  get nearness() {
    return (this.#room.isListener && this.#callOptions.join.nearness) || 'conversation';
  }

  /**
   * Sets the waiting time here by this participant's nearness, and by the waiting time elsewhere.
   * Called from time to time.
   */
  followNearness() {
    const { serverDelayMs, format } = this.#room.welcome;
    const otherMs = format.frameMs + serverDelayMs + this.#output.waitMs;
    this.playout.fixDelay(playoutMsOf(this.nearness, otherMs), this.#clock.now());
  }

  /** Sends silence at the end of each frame while nothing is captured. */
  start() {
    this.stop();
    const now = this.#clock.now();
    const isIdle = this.uplink.idle(now);
    const size = this.#frameSamples;
    const frameEnd = (Math.floor(this.#sync.sampleClockAt(now) / size) + 1) * size;
    const wait = isIdle ? Math.max(1, this.#sync.msAt(frameEnd) - now) : CAPTURE_POLL_MS;
    const dueMs = now + wait;
    this.#paceTimer = this.#clock.setTimeout(() => {
      const nowMs = this.#clock.now();
      this.processorTime.observe(Math.max(0, nowMs - dueMs), nowMs, this.#output.gaps);
      this.start();
    }, wait);
  }

  /** Sends nothing, until start(). Idempotent. */
  stop() {
    this.#clock.clearTimeout(this.#paceTimer);
    this.#paceTimer = null;
  }

  /** Leaves silence out if the options and the server allow it. */
  suppressSilence() {
    const { silenceSuppression = true } = this.#callOptions;
    this.uplink.suppressSilence(silenceSuppression && this.#room.allowsSilence);
  }

  /** @param {Float32Array} out of any length; filled */
  render(out) {
    this.#reader.read(out);
  }

  /** Frees the codecs. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.stop();
    this.uplink.close();
    this.playout.close();
  }
}

/** Frames that a call encodes and decodes as a warm-up, before its first real one. */
const WARM_UP_FRAMES = 12;
const WARM_UP_BITRATE = 48_000;

/**
 * A server that mixes sends two streams, and an Opus decoder keeps state: each stream has a
 * decoder.
 */
const STREAMS = 2;

/**
 * @param {string} id a participant's
 * @returns {number} id modulo 2^16, as in packets
 */
export const numberOf = (id) => Number(id) & 0xffff;

/**
 * @template T
 * @param {T | Promise<T>} part  of the client's code
 * @param {'codec' | 'encryption'} name
 * @param {Clock} clock
 * @returns {Promise<T>} rejects with a ConnectionError where it can't be loaded, or not in time
 */
export async function loaded(part, name, clock) {
  const late = () => new Error(`it took longer than ${LOAD_MS / 1000} s.`);
  try {
    return await inTime(Promise.resolve(part), LOAD_MS, late, clock);
  } catch (error) {
    throw new ConnectionError('no-worker', `The ${name} could not be loaded: ${messageOf(error)}`);
  }
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
function newDecoder(codec, format) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  return new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples, channels }), format);
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
const newDecoders = (codec, format) =>
  Array.from({ length: STREAMS }, () => newDecoder(codec, format));

/**
 * Decoders of a broadcast's bit rates, each opened on first use.
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
function layerDecoders(codec, format) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const open = () => codec.createDecoder({ sampleRate, frameSamples, channels });
  return RATES.map(() => new PayloadDecoder(null, format, { open }));
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {{ bitrate?: number, application?: 'audio' | 'voip' | 'low-delay' }} encoding bitrate of
 *   each channel
 * @param {number} roomBitrate the default, in bits a second of all channels
 */
function newEncoder(codec, format, { bitrate, application }, roomBitrate) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const settings = { sampleRate, frameSamples, channels, application };
  const whole = bitrate === undefined ? roomBitrate : streamBitrate(bitrate, format);
  return new PayloadEncoder(codec.createEncoder({ ...settings, bitrate: whole }), format);
}

/**
 * Encodes and decodes sound as a warm-up. WebAssembly is compiled when it first runs, which takes
 * tens of milliseconds and would delay the first word.
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export function warmUpCodec(codec, format) {
  const encoder = newEncoder(codec, format, {}, WARM_UP_BITRATE);
  const decoders = newDecoders(codec, format);
  const pcm = new Float32Array(format.frameValues);
  const payload = new Uint8Array(MAX_PACKET_BYTES);
  for (let k = 0; k < WARM_UP_FRAMES; k++) {
    // Tones, noise, a beginning and an end run through different code.
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
