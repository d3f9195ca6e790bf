import { describe, expect, it } from 'vitest';
import { correlation, OverlapSearch } from '../../../../public/shared/sound/overlap-search.js';
import { random as randomOf } from '../../../fakes/random.js';

describe.each([
  [48_000, 1],
  [48_000, 2],
  [16_000, 2],
  [8000, 1],
])('the search for similar sound, at %i Hz with %i channels', (sampleRate, channels) => {
  const random = randomOf(1);
  const ms = (/** @type {number} */ count) => Math.round((count * sampleRate) / 1000);
  /** Noise below 1 kHz, which repeats after 37.25 ms. */
  const period = Math.round(37.25 * (sampleRate / 1000));
  const waves = Array.from({ length: 20 }, (_, k) => ({ k: k + 1, phase: 2 * Math.PI * random() }));
  const pcm = Float32Array.from({ length: 4 * period * channels }, (_, i) => {
    const at = Math.floor(i / channels);
    const side = i % channels;
    return waves.reduce(
      (sum, { k, phase }) =>
        sum + 0.05 * Math.cos((2 * Math.PI * k * at) / period + phase + side * k),
      0,
    );
  });
  const search = new OverlapSearch({ sampleRate, channels }, 4 * period);

  it('finds the period of a sound to the sample, before it and behind it', () => {
    const at = 2 * period - ms(15);
    expect(search.find(pcm, at, ms(20), ms(50), ms(15))).toBe(period);
    expect(search.find(pcm, at, -ms(50), -ms(20), ms(15))).toBe(-period);
    expect(correlation(pcm, at, period, ms(15), channels)).toBeCloseTo(1, 4);
  });

  it('keeps within its bounds, also where they are one lag or not whole', () => {
    const at = 2 * period;
    expect(search.find(pcm, at, 7, 7, ms(15))).toBe(7);
    const lag = search.find(pcm, at, ms(5), ms(12) + 0.5, ms(7.5));
    expect(lag).toBeGreaterThanOrEqual(ms(5));
    expect(lag).toBeLessThanOrEqual(ms(12) + 0.5);
  });

  it('finds the least lag in silence', () => {
    const silence = new Float32Array(pcm.length);
    expect(search.find(silence, 2 * period, ms(5), ms(12), ms(7.5))).toBe(ms(5));
  });
});
