/** @import { Sound } from './sound.js' */

import { downmix } from './downmix.js';
import { RateConverter } from './rate-converter.js';

/**
 * Brings sound to a rate and a number of channels.
 * @param {Pick<Sound, 'sampleRate' | 'channels' | 'speakers' | 'pieces'>} sound
 * @param {{ sampleRate: number, channels: number, gain?: number }} wanted gain: a factor of
 *   amplitude
 * @returns {AsyncGenerator<Float32Array>}
 */
export async function* convert(
  { sampleRate, channels, speakers, pieces },
  { sampleRate: rate, channels: count, gain = 1 },
) {
  const converter = sampleRate === rate ? null : new RateConverter(sampleRate, rate, count);
  const mix = downmix(channels, count, speakers);
  for await (const piece of pieces) {
    const mixed = mix(piece);
    if (gain !== 1) for (let i = 0; i < mixed.length; i++) mixed[i] *= gain;
    yield converter ? converter.push(mixed) : mixed;
  }
  if (converter) yield converter.end();
}
