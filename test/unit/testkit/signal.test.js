import { describe, expect, it } from 'vitest';
import {
  SILENCE_DB,
  align,
  alignPieces,
  crossCorrelation,
  fft,
  findGaps,
  levelDb,
} from '../../../testkit/sound/signal.js';

/** Noise from a seed (mulberry32), -1 to 1. */
function noise(/** @type {number} */ length, seed = 1) {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  });
}

const tone = (/** @type {number} */ length, amplitude = 0.5) =>
  Float32Array.from({ length }, (_, i) => amplitude * Math.sin((2 * Math.PI * 1000 * i) / 48000));

const joined = (/** @type {Float32Array[]} */ ...parts) =>
  Float32Array.from(parts.flatMap((part) => [...part]));

describe('fft', () => {
  it('agrees with the definition of the transform', () => {
    const re = Float64Array.from(noise(16, 3));
    const im = Float64Array.from(noise(16, 4));
    const expected = Array.from({ length: 16 }, (_, k) => {
      let real = 0;
      let imaginary = 0;
      for (let i = 0; i < 16; i++) {
        const angle = (-2 * Math.PI * k * i) / 16;
        real += re[i] * Math.cos(angle) - im[i] * Math.sin(angle);
        imaginary += re[i] * Math.sin(angle) + im[i] * Math.cos(angle);
      }
      return [real, imaginary];
    });
    fft(re, im);
    for (let k = 0; k < 16; k++) {
      expect(re[k]).toBeCloseTo(expected[k][0], 10);
      expect(im[k]).toBeCloseTo(expected[k][1], 10);
    }
  });

  it('comes back through the inverse, N times as large', () => {
    const signal = noise(1024);
    const re = Float64Array.from(signal);
    const im = new Float64Array(1024);
    fft(re, im);
    fft(re, im, true);
    for (let i = 0; i < 1024; i++) expect(re[i] / 1024).toBeCloseTo(signal[i], 10);
  });

  it.each([
    [12, 12],
    [8, 4],
    [0, 0],
  ])('refuses %i real and %i imaginary parts', (real, imaginary) => {
    expect(() => fft(new Float64Array(real), new Float64Array(imaginary))).toThrow(RangeError);
  });
});

describe('crossCorrelation', () => {
  // Lengths of a power of two fill the whole transform.
  it.each([
    [37, 100],
    [37, 128],
    [128, 128],
    [1, 64],
    [1, 1],
  ])('of %i in %i samples is the sum of products at each lag', (few, many) => {
    const reference = noise(few, 5);
    const signal = noise(many, 6);
    const products = crossCorrelation(reference, signal);
    expect(products.length).toBe(many - few + 1);
    for (const [lag, product] of products.entries()) {
      let sum = 0;
      for (let i = 0; i < few; i++) sum += reference[i] * signal[i + lag];
      expect(product).toBeCloseTo(sum, 6);
    }
  });
});

describe('align', () => {
  it('finds a reference to the sample, at half the level and in noise', () => {
    const reference = noise(4800, 7);
    const signal = noise(20000, 8).map((value) => value * 0.05);
    for (let i = 0; i < 4800; i++) signal[1234 + i] += reference[i] / 2;
    const found = align(reference, signal);
    expect(found.lag).toBe(1234);
    expect(found.correlation).toBeGreaterThan(0.98);
    expect(found.gainDb).toBeCloseTo(-6, 0);
  });

  it('tells other sound from the reference', () => {
    expect(align(noise(4800, 7), noise(20000, 9)).correlation).toBeLessThan(0.1);
  });

  it('finds nothing in silence, and nothing for silence', () => {
    expect(align(noise(100), new Float32Array(500)).correlation).toBe(0);
    expect(align(new Float32Array(100), noise(500)).correlation).toBe(0);
  });

  it('looks only at the lags that it may', () => {
    const reference = noise(100, 2);
    const blurred = noise(100, 3).map((value, i) => value * 0.2 + reference[i]);
    const signal = joined(new Float32Array(50), reference, new Float32Array(350), blurred);
    expect(align(reference, signal).lag).toBe(50);
    expect(align(reference, signal, { from: 51 }).lag).toBe(500);
    expect(align(reference, signal, { to: 400 }).lag).toBe(50);
  });

  it.each([
    [0, 10],
    [11, 10],
  ])('refuses a reference of %i samples in a signal of %i', (reference, signal) => {
    expect(() => align(new Float32Array(reference), new Float32Array(signal))).toThrow(RangeError);
  });

  it('refuses lags that are not there', () => {
    expect(() => align(noise(10), noise(20), { from: 11 })).toThrow(RangeError);
  });
});

describe('alignPieces', () => {
  it('follows a delay that changes on the way, and leaves quiet pieces out', () => {
    const reference = joined(noise(1000, 1), new Float32Array(1000), noise(1000, 2));
    const signal = joined(
      new Float32Array(300),
      reference.subarray(0, 2000),
      new Float32Array(7),
      reference.subarray(2000),
    );
    const pieces = alignPieces(reference, signal, 300, { pieceSamples: 1000, searchSamples: 50 });
    expect(pieces.map(({ start, lag }) => [start, lag])).toEqual([
      [0, 300],
      [2000, 307],
    ]);
    for (const { correlation } of pieces) expect(correlation).toBeGreaterThan(0.999);
  });
});

describe('findGaps', () => {
  const reference = joined(tone(9600), new Float32Array(4800), tone(9600));

  it('finds what is missing in the signal alone', () => {
    const signal = joined(new Float32Array(100), reference);
    signal.fill(0, 100 + 2400, 100 + 2400 + 1920);
    expect(findGaps(reference, signal, 100, { longerThan: 1440 })).toEqual([
      { start: 2500, samples: 1920 },
    ]);
  });

  it('minds neither the silence of the reference nor short gaps', () => {
    const signal = reference.slice();
    signal.fill(0, 2400, 2400 + 1440);
    expect(findGaps(reference, signal, 0, { longerThan: 1440 })).toEqual([]);
  });

  it('counts a gap at the very end', () => {
    const signal = reference.slice();
    signal.fill(0, 21600);
    expect(findGaps(reference, signal, 0, { longerThan: 1440 })).toEqual([
      { start: 21600, samples: 2400 },
    ]);
  });
});

describe('levelDb', () => {
  it('is 0 for a full-scale square wave and -3 for a full-scale sine', () => {
    expect(levelDb(new Float32Array(48).fill(-1))).toBe(0);
    expect(levelDb(tone(4800, 1))).toBeCloseTo(-3.01, 2);
  });

  it('has a floor', () => {
    expect(levelDb(new Float32Array(10))).toBe(SILENCE_DB);
    expect(levelDb(new Float32Array(0))).toBe(SILENCE_DB);
  });
});
