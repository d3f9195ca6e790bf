/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Codec } from '../../shared/codec.js'
 */

import { MAX_PACKET_BYTES } from '../../shared/packet.js';
import { PayloadEncoder } from '../../shared/payload.js';

/** After so long it begins again: longer than any delay that is looked for. */
const PERIOD_MS = 4800;

/** Below and above these there is little of it, in Hz: where speech is strong and codecs keep the waveform. */
const LOW_HZ = 120;
const HIGH_HZ = 900;

/** Its root mean square. */
const LEVEL = 0.1;

/** How fast its loudness moves, in turns a period, as syllables and words do. */
const SYLLABLES = Object.freeze([5, 19, 23]);

/**
 * A sound that is known and unlike itself at any other time: noise in the band of a voice, as loud and
 * as soft as talk, and never silent. The same for the same format.
 *
 * @param {AudioFormat} format
 * @returns {Float32Array} a whole number of frames, [-1, 1]
 */
export function createKnownSignal({ sampleRate, frameSamples, frameMs }) {
  const samples = new Float32Array(Math.ceil(PERIOD_MS / frameMs) * frameSamples);
  const low = 1 - Math.exp((-2 * Math.PI * HIGH_HZ) / sampleRate);
  const high = 1 - Math.exp((-2 * Math.PI * LOW_HZ) / sampleRate);
  const next = noise();
  let once = 0;
  let twice = 0;
  let slow = 0;
  let energy = 0;
  for (let i = 0; i < samples.length; i++) {
    once += low * (next() - once);
    twice += low * (once - twice);
    slow += high * (twice - slow);
    samples[i] = (twice - slow) * loudness(i / samples.length);
    energy += samples[i] ** 2;
  }
  const gain = LEVEL / Math.sqrt(energy / samples.length);
  return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
}

/** @param {number} at 0 to 1 of the period */
function loudness(at) {
  let sum = 0;
  for (const turns of SYLLABLES) sum += Math.sin(2 * Math.PI * turns * at);
  return 0.6 + (0.4 * sum) / SYLLABLES.length;
}

/** Marsaglia's xorshift with 32 bits of state (Journal of Statistical Software 8, 2003), from a fixed seed. */
function noise() {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
}

/**
 * The signal as payloads, one for each frame. It is encoded twice, and the second time taken, so that its
 * start follows its end as it will when it is sent again and again.
 *
 * @param {Codec} codec
 * @param {AudioFormat} format
 * @param {number} bitrate b/s
 * @returns {Uint8Array[]}
 */
function encodeKnownSignal(codec, format, bitrate) {
  const signal = createKnownSignal(format);
  const { sampleRate, opusFrameSamples: frameSamples, frameSamples: size } = format;
  const encoder = new PayloadEncoder(codec.createEncoder({ sampleRate, frameSamples, bitrate }), format);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const frames = signal.length / size;
  const payloads = [];
  for (let i = 0; i < 2 * frames; i++) {
    const at = (i % frames) * size;
    const bytes = encoder.encode(signal.subarray(at, at + size), out, 0);
    if (i >= frames) payloads.push(out.slice(0, bytes));
  }
  encoder.close();
  return payloads;
}

/** @returns {typeof encodeKnownSignal} which encodes once for each format */
export function createKnownSignalEncoder() {
  /** @type {Map<string, Uint8Array[]>} */
  const encoded = new Map();
  return (codec, format, bitrate) => {
    const key = JSON.stringify([format, bitrate]);
    let payloads = encoded.get(key);
    if (!payloads) encoded.set(key, (payloads = encodeKnownSignal(codec, format, bitrate)));
    return payloads;
  };
}
