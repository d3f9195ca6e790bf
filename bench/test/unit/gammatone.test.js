import { describe, expect, it } from 'vitest';
import { gammatoneFilters, gammatoneSpectrogram } from '../../stats/gammatone.js';

const sampleRate = 16000;
const filters = gammatoneFilters({ bands: 21, lowest: 50, highest: 8000, sampleRate });
const frequencies = filters.map(({ frequency }) => frequency);

/** Half a second of a sine of amplitude 1. @param {number} frequency */
const tone = (frequency) =>
  Float32Array.from({ length: 8000 }, (_, i) =>
    Math.sin((2 * Math.PI * frequency * i) / sampleRate),
  );

/** The levels of a tone's last frame in dB, long after its start. @param {number} frequency */
function response(frequency) {
  const window = new Float64Array(8000).fill(1);
  const { values } = gammatoneSpectrogram(tone(frequency), filters, window, 1);
  return Array.from(values, (value) => 20 * Math.log10(value * Math.SQRT2));
}

describe('the gammatone filters', () => {
  it('rise from the lowest frequency at even distances of bandwidth', () => {
    expect(frequencies[0]).toBeCloseTo(50, 6);
    const bandwidths = frequencies.map((frequency) => 24.7 + frequency / 9.26449);
    const ratios = bandwidths.slice(1).map((bandwidth, band) => bandwidth / bandwidths[band]);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(ratios[0], 6);
    expect((frequencies[20] + 228.83) * ratios[0]).toBeCloseTo(8228.83, 1);
  });

  it.each([0, 7, 14, 20])(
    'filter %i passes its own frequency as it is, and others less',
    (band) => {
      const levels = response(frequencies[band]);
      expect(levels[band]).toBeCloseTo(0, 0);
      expect(levels.indexOf(Math.max(...levels))).toBe(band);
      for (const [other, level] of levels.entries())
        if (Math.abs(other - band) > 2) expect(level).toBeLessThan(-20);
    },
  );

  it('is 3 dB down half of its bandwidth of 0.89 equivalent rectangular ones away', () => {
    const frequency = frequencies[14];
    const half = (0.887 / 2) * (24.7 + frequency / 9.26449);
    expect(response(frequency + half)[14]).toBeCloseTo(-3, 0);
    expect(response(frequency - half)[14]).toBeCloseTo(-3, 0);
  });
});

describe('the spectrogram', () => {
  it('has a frame for each window that lies in the signal', () => {
    const window = new Float64Array(1280).fill(1);
    const frames = (/** @type {number} */ length) =>
      gammatoneSpectrogram(new Float32Array(length), filters, window, 320).frames;
    expect([0, 1279, 1280, 1599, 1600].map(frames)).toEqual([0, 0, 1, 1, 2]);
  });

  it('puts a sound into the frames in which it is', () => {
    const sound = new Float32Array(6400);
    sound.set(tone(frequencies[10]).subarray(0, 1280), 2560);
    const { bands, values } = gammatoneSpectrogram(
      sound,
      filters,
      new Float64Array(1280).fill(1),
      1280,
    );
    const levels = [0, 1, 2, 3, 4].map((frame) => values[frame * bands + 10]);
    expect(levels[2]).toBeGreaterThan(0.6);
    expect(levels.filter((_, frame) => frame !== 2)).toEqual([0, 0, 0, 0]);
  });
});
