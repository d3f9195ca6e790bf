import { describe, expect, it } from 'vitest';
import { estoi } from '../../stats/estoi.js';
import { resample } from '../../stats/resample.js';
import {
  SAMPLE_RATE,
  clipped,
  delayedInPause,
  fixtureSpeech,
  joined,
  narrowband,
  silence,
  withLoss,
  withNoise,
} from '../degraded-speech.js';

const speech = await fixtureSpeech('speech-high', 2);
const options = { sampleRate: SAMPLE_RATE };
const markOf = (/** @type {Float32Array} */ degraded) => estoi(speech, degraded, options);

/** Degraded speech, by name. */
const conditions = {
  'noise, 30 dB': withNoise(speech, 30),
  'noise, 5 dB': withNoise(speech, 5),
  'noise, -5 dB': withNoise(speech, -5),
  'clipped at a tenth': clipped(speech, 0.1),
  '5 % lost': withLoss(speech, 0.05),
  '20 % lost': withLoss(speech, 0.2),
  narrowband: narrowband(speech),
  'delay moved by 100 ms': delayedInPause(speech, 100).slice(0, speech.length),
};

describe('ESTOI', () => {
  it('gives equal signals 1', () => {
    expect(markOf(speech)).toBeCloseTo(1, 12);
  });

  // Marks of pystoi 0.4.1 (PyPI) for the samples of `speech` and `conditions`, read as 32-bit
  // floats: stoi(speech, condition, 16000, extended=True). At 16 kHz the two differ by 0.000007 at
  // most, because of other resampling filters. For sound resampled to 10 kHz beforehand they agree
  // to 1e-13.
  it.each([
    ['noise, 30 dB', 0.99179],
    ['noise, 5 dB', 0.718321],
    ['noise, -5 dB', 0.400125],
    ['clipped at a tenth', 0.645111],
    ['5 % lost', 0.95004],
    ['20 % lost', 0.861936],
    ['narrowband', 0.928037],
    ['delay moved by 100 ms', 0.781292],
  ])('gives %s the mark of the reference implementation', (name, mark) => {
    expect(
      Math.abs(markOf(conditions[/** @type {keyof typeof conditions} */ (name)]) - mark),
    ).toBeLessThan(0.00002);
  });

  it('ignores the position of speech in a longer recording, its level and its sample rate', () => {
    const noisy = conditions['noise, 5 dB'];
    const expected = markOf(noisy);
    const later = joined(
      silence(900),
      noisy.map((sample) => sample / 2),
      silence(400),
    );
    expect(markOf(later)).toBeCloseTo(expected, 4);
    expect(markOf(noisy.subarray(160))).toBeCloseTo(expected, 1);
    const [original, wide] = [speech, noisy].map((samples) =>
      resample(samples, SAMPLE_RATE, 48000),
    );
    expect(estoi(original, wide, { sampleRate: 48000 })).toBeCloseTo(expected, 3);
  });

  it('counts what is missing at the end as silence, and gives silence and nothing at all 0', () => {
    expect(markOf(speech.subarray(0, speech.length / 2))).toBeLessThan(0.6);
    expect(markOf(new Float32Array(speech.length))).toBe(0);
    expect(markOf(new Float32Array(0))).toBe(0);
  });

  it('refuses a reference with too little speech, and a sample rate that is none', () => {
    const short = speech.subarray(0, 0.4 * SAMPLE_RATE);
    expect(() => estoi(short, speech, options)).toThrow(RangeError);
    expect(() => estoi(joined(short, silence(2000)), speech, options)).toThrow(RangeError);
    expect(() => estoi(new Float32Array(SAMPLE_RATE), speech, options)).toThrow(RangeError);
    expect(() => estoi(speech, speech, { sampleRate: 0 })).toThrow(RangeError);
  });
});
