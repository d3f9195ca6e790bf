import { expect, it } from 'vitest';
import { mixMath } from '../../../server/codec/mix-math.js';
import { random } from '../../fakes/random.js';
import { opusOrNull } from '../../../testkit/native.js';
import { canBuildOpus, requireOrSkip } from '../../../testkit/skip.js';

const SEED = 6464;

/** @type {import('../../../server/codec/mix-math.js').MixMath | null} */
const math = opusOrNull();
const native = requireOrSkip(math, 'the native Opus codec is not built', canBuildOpus);
const addon = /** @type {NonNullable<typeof math>} */ (math);

const ODD = [0, -0, 1e-40, NaN, Infinity, -Infinity, 0.95, 3e38];

/**
 * @param {() => number} next
 * @param {number} values
 * @param {{ loudness?: number, isOdd?: boolean }} [options] isOdd: some values are no sound
 */
function sound(next, values, { loudness = 1, isOdd = false } = {}) {
  return Float32Array.from({ length: values }, () =>
    isOdd && next() < 0.01 ? ODD[Math.floor(next() * ODD.length)] : loudness * (2 * next() - 1),
  );
}

/** @param {Float32Array} pcm @returns {Buffer} its bits, so that NaN equals NaN */
const bits = (pcm) => Buffer.from(pcm.map((value) => (Number.isNaN(value) ? NaN : value)).buffer);

const SHAPES = /** @type {const} */ ([
  [8000, 1, 20],
  [16000, 1, 320],
  [48000, 1, 120],
  [48000, 1, 960],
  [48000, 2, 480],
  [48000, 2, 5760],
]);

native.describe('the native arithmetic of mixes', () => {
  it.each(SHAPES)(
    'limits as JavaScript does: %i Hz, %i channels, %i values',
    (rate, channels, n) => {
      const next = random(SEED + n);
      const here = new mixMath.MixLimiter(rate, channels);
      const there = new addon.MixLimiter(rate, channels);
      for (let frame = 0; frame < 200; frame++) {
        const options = { loudness: 3 * next() ** 2, isOdd: frame % 10 === 9 };
        const full = sound(next, n, options);
        const own = sound(next, n, options);
        const [expected, out] = [new Float32Array(n), new Float32Array(n)];
        if (frame % 2 === 0) {
          const level = here.limitLess(expected, full, own);
          expect(Math.abs(there.limitLess(out, full, own) - level)).toBeLessThanOrEqual(1);
        } else {
          expected.set(full);
          out.set(full);
          const level = here.limit(expected);
          expect(Math.abs(there.limit(out) - level)).toBeLessThanOrEqual(1);
        }
        expect(bits(out).equals(bits(expected))).toBe(true);
      }
    },
  );

  it.each([0, 1, 2, 50])('adds %i sounds as JavaScript does', (count) => {
    const next = random(SEED);
    for (const values of [20, 960, 5760]) {
      const sounds = Array.from({ length: count }, () => sound(next, values, { isOdd: true }));
      const [expected, out] = [sound(next, values), sound(next, values)];
      mixMath.sumSounds(expected, sounds);
      addon.sumSounds(out, sounds);
      expect(bits(out).equals(bits(expected))).toBe(true);
    }
  });

  it('measures levels as JavaScript does, within the rounding', () => {
    const next = random(SEED);
    for (let round = 0; round < 1000; round++) {
      const pcm = sound(next, 1000, { loudness: 10 ** (-4 * next()), isOdd: round % 10 === 9 });
      const [at, samples] = [Math.floor(next() * 500), Math.floor(next() * 500)];
      const expected = mixMath.levelOf(pcm, at, samples);
      expect(Math.abs(addon.levelOf(pcm, at, samples) - expected)).toBeLessThanOrEqual(1);
    }
  });

  it('refuses sound of another length, outside of its array, or in the same memory', () => {
    const limiter = new addon.MixLimiter(48000, 1);
    const [a, b, short] = [960, 960, 959].map((values) => new Float32Array(values));
    expect(() => limiter.limitLess(a, b, short)).toThrow('another length');
    expect(() => limiter.limitLess(a, short, b)).toThrow('another length');
    expect(() => limiter.limitLess(a, a, b)).toThrow('same memory');
    expect(() => addon.sumSounds(a, [b, short])).toThrow('another length');
    expect(() => addon.sumSounds(a, [b, a])).toThrow('same memory');
    expect(() => addon.levelOf(a, 1, 960)).toThrow('outside');
    expect(() => addon.levelOf(a, 2 ** 32 - 1, 2)).toThrow('outside');
    expect(() => new addon.MixLimiter(0, 1)).toThrow('limiter');
    expect(() => new addon.MixLimiter(48000, 3)).toThrow('limiter');
  });
});
