import { describe, expect, it } from 'vitest';
import { resample } from '../../stats/resample.js';
import { levelDb } from '../../../testkit/sound/signal.js';

/** A second of a sine of amplitude 0.5. */
const tone = (/** @type {number} */ frequency, /** @type {number} */ sampleRate) =>
  Float32Array.from(
    { length: sampleRate },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * frequency * i) / sampleRate),
  );

describe('resample', () => {
  it.each([
    [48000, 16000],
    [44100, 16000],
    [8000, 16000],
    [16160, 16000],
  ])('keeps a tone in place, from %i to %i Hz', (from, to) => {
    const result = resample(tone(1000, from), from, to);
    const expected = tone(1000, to);
    expect(result.length).toBe(to);
    const error = result.map((sample, i) => sample - expected[i]).subarray(100, -100);
    expect(levelDb(error)).toBeLessThan(-70);
  });

  it('takes out what the lower rate has no room for', () => {
    expect(levelDb(resample(tone(9000, 48000), 48000, 16000).subarray(100, -100))).toBeLessThan(
      -75,
    );
  });

  it('is the signal itself at an equal rate, and empty for none', () => {
    const signal = tone(100, 8000);
    expect(resample(signal, 8000, 8000)).toBe(signal);
    expect(resample(new Float32Array(0), 48000, 16000).length).toBe(0);
  });

  it.each([0, -8000, NaN, 44100.5, Infinity])('refuses a rate of %d Hz', (rate) => {
    expect(() => resample(tone(100, 8000), rate, 16000)).toThrow(RangeError);
    expect(() => resample(tone(100, 8000), 16000, rate)).toThrow(RangeError);
  });
});
