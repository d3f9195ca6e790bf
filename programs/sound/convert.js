/** @import { Sound } from './sound.js' */

import { RateConverter } from './rate-converter.js';

/**
 * Brings sound to a rate and a number of channels.
 * @param {Pick<Sound, 'sampleRate' | 'channels' | 'pieces'>} sound
 * @param {{ sampleRate: number, channels: number, gain?: number }} wanted  gain: a factor of amplitude
 * @returns {AsyncGenerator<Float32Array>}
 */
export async function* convert({ sampleRate, channels, pieces }, { sampleRate: rate, channels: count, gain = 1 }) {
  const converter = sampleRate === rate ? null : new RateConverter(sampleRate, rate, count);
  for await (const piece of pieces) {
    const mixed = mixTo(piece, channels, count);
    if (gain !== 1) for (let i = 0; i < mixed.length; i++) mixed[i] *= gain;
    yield converter ? converter.push(mixed) : mixed;
  }
  if (converter) yield converter.end();
}

/**
 * Mono goes to both sides; more channels than wanted become their mean, and those beyond stereo too.
 * @param {Float32Array} piece  interleaved
 * @param {number} from
 * @param {number} to  1 or 2
 * @returns {Float32Array} a new array
 */
export function mixTo(piece, from, to) {
  if (from === to) return piece.slice();
  const out = new Float32Array((piece.length / from) * to);
  for (let i = 0, at = 0; at < out.length; i += from, at += to) {
    let sum = 0;
    for (let c = 0; c < from; c++) sum += piece[i + c];
    for (let c = 0; c < to; c++) out[at + c] = sum / from;
  }
  return out;
}
