import { describe, expect, it } from 'vitest';
import { DriftMeter } from '../../../../public/client/clock/drift-meter.js';
import { Resampler } from '../../../../public/client/clock/resampler.js';
import { random as randomOf } from '../../../fakes/random.js';

/** @param {number} frequency as a part of half the sample rate */
const toneOf = (frequency) => (/** @type {number} */ at) => Math.sin(Math.PI * frequency * at);

/**
 * Resamples a tone, piece by piece.
 * @param {number} frequency @param {number} step @param {number} samples
 */
function resample(frequency, step, samples) {
  const tone = toneOf(frequency);
  const resampler = new Resampler(300);
  resampler.step = step;
  const piece = new Float32Array(300);
  const out = new Float32Array(samples);
  let [written, read] = [0, 0];
  while (read < samples) {
    const count = Math.min(100, resampler.room);
    for (let i = 0; i < count; i++) piece[i] = tone(written++);
    resampler.write(piece, 0, count);
    read += resampler.read(out, read, samples - read);
  }
  return out;
}

describe('Resampler', () => {
  it('gives back what it was given when the rates are one', () => {
    const tone = toneOf(0.73);
    const out = resample(0.73, 1, 5000);
    out.forEach((sample, i) => expect(sample).toBe(Math.fround(tone(i))));
  });

  it.each([0.01, 0.2, 0.5, 0.7, 0.8])(
    'keeps a tone of %f of half the sample rate clean by 80 dB',
    (frequency) => {
      for (const ppm of [300, -300, 500, -7]) {
        const step = 1 + ppm * 1e-6;
        const out = resample(frequency, step, 20_000);
        const tone = toneOf(frequency);
        let [signal, noise] = [0, 0];
        for (let i = 100; i < out.length; i++) {
          const ideal = tone(i * step);
          signal += ideal ** 2;
          noise += (out[i] - ideal) ** 2;
        }
        expect(10 * Math.log10(signal / noise)).toBeGreaterThan(80);
      }
    },
  );

  it('knows how much it lacks and how much it holds', () => {
    const resampler = new Resampler(64);
    const out = new Float32Array(64);
    resampler.step = 1.25;
    expect(resampler.missing(10)).toBe(28);
    resampler.write(new Float32Array(28), 0, 28);
    expect(resampler.missing(10)).toBe(0);
    expect(resampler.missing(11)).toBe(1);
    expect(resampler.read(out, 0, 64)).toBe(10);
    expect(resampler.pending).toBe(28 - 12.5);
    resampler.reset();
    expect(resampler.pending).toBe(0);
    expect(resampler.room).toBeGreaterThanOrEqual(64);
  });
});

describe('DriftMeter', () => {
  it.each([100, -250])('finds %i ppm behind jitter and beyond steps', (ppm) => {
    const random = randomOf(4);
    const meter = new DriftMeter();
    for (let ms = 0; ms < 120_000; ms += 20) {
      const step = ms > 50_000 ? 40 : 0;
      meter.add(ms, 7 + step + ms * ppm * 1e-6 + random() * 8);
    }
    // The window in which the step was may be off by as much as a step must be at least.
    expect(Math.abs(meter.ppm - ppm)).toBeLessThan(15);
    // A sleep, and all is elsewhere: how fast it changes is still believed.
    meter.add(8e6, 5000);
    expect(Math.abs(meter.ppm - ppm)).toBeLessThan(15);
  });
});
