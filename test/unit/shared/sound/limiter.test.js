import { describe, expect, it } from 'vitest';
import { Limiter } from '../../../../public/shared/sound/limiter.js';
import { random } from '../../../fakes/random.js';
import { levelOf } from '../../../../public/shared/sound/level.js';

/** @param {number} amplitude @param {number} frame @param {number} [hz] */
function tone(amplitude, frame, hz = 300) {
  return Float32Array.from(
    { length: 960 },
    (_, i) => amplitude * Math.sin((2 * Math.PI * hz * (frame * 960 + i)) / 48000),
  );
}

const peak = (/** @type {Float32Array} */ pcm) =>
  pcm.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

describe('the limiter', () => {
  it("leaves alone what doesn't clip", () => {
    const limiter = new Limiter(48000);
    for (let frame = 0; frame < 5; frame++) {
      const pcm = tone(0.94, frame);
      limiter.process(pcm);
      expect(pcm).toEqual(tone(0.94, frame));
    }
  });

  it.each([1, 3, 20])(
    'keeps a tone of amplitude %i below the ceiling, and its shape',
    (amplitude) => {
      const limiter = new Limiter(48000);
      for (let frame = 0; frame < 20; frame++) {
        const pcm = tone(amplitude, frame);
        limiter.process(pcm);
        expect(peak(pcm)).toBeLessThanOrEqual(0.9501);
        if (frame < 5) continue;
        expect(peak(pcm)).toBeGreaterThan(0.8);
        const steepest = (2 * Math.PI * 300) / 48000;
        expect(
          Math.max(...pcm.subarray(1).map((sample, i) => Math.abs(sample - pcm[i]))),
        ).toBeLessThan(1.2 * steepest);
      }
    },
  );

  it('never lets noise of any loudness through above the ceiling', () => {
    const next = random(11);
    const limiter = new Limiter(48000);
    for (let frame = 0; frame < 200; frame++) {
      const loudness = 10 ** (4 * next() - 2);
      const pcm = Float32Array.from({ length: 960 }, () => loudness * (2 * next() - 1));
      limiter.process(pcm);
      expect(peak(pcm)).toBeLessThanOrEqual(0.9501);
    }
  });

  it('lets go after a burst, smoothly', () => {
    const limiter = new Limiter(48000);
    limiter.process(tone(4, 0));
    let last = 0;
    for (let frame = 1; frame <= 60; frame++) {
      const pcm = tone(0.5, frame);
      limiter.process(pcm);
      expect(peak(pcm)).toBeGreaterThan(last * 0.999);
      last = peak(pcm);
    }
    expect(last).toBeCloseTo(0.5, 2);
  });
});

describe('the limiter of two channels', () => {
  it('does with each what it does with one', () => {
    const next = random(3);
    const [mono, stereo] = [new Limiter(48000), new Limiter(48000, 2)];
    for (let frame = 0; frame < 20; frame++) {
      const one = Float32Array.from({ length: 960 }, () => (frame < 3 ? 4 : 0.5) * (next() - 0.5));
      const two = Float32Array.from({ length: 1920 }, (_, i) => one[i >> 1]);
      mono.process(one);
      stereo.process(two);
      expect(two.filter((_, i) => i % 2 === 0)).toEqual(one);
      expect(two.filter((_, i) => i % 2 === 1)).toEqual(one);
    }
  });
});

it.each([
  ['silence', 0, 127],
  ['a square wave at full scale', 1, 0],
  ['a tenth of it', 0.1, 20],
  ['a hundredth of it', 0.01, 40],
  ['what is too soft for the scale', 1e-7, 127],
  ['what clips', 5, 0],
  ['what is no number', NaN, 127],
])('the level of %s (%d) is %i -dBov', (_, value, level) => {
  expect(levelOf(new Float32Array(960).fill(value))).toBe(level);
});
