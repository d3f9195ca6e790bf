import { describe, expect, it } from 'vitest';
import { barkDistance, preEcho, segmentalSnr, weightedSnr } from '../../codec/quality.js';
import { readWav } from '../../../testkit/sound/wav.js';

const speech = (
  await readWav(new URL('../../../testkit/speech/speech-high.wav', import.meta.url))
).channels[0].subarray(0, 96000);

/** @param {number} level */
function noisy(level) {
  let state = 1;
  return speech.map((sample) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return sample + level * (state / 2 ** 31 - 1);
  });
}

describe('the quality of decoded speech', () => {
  it('is perfect for the original', () => {
    expect(barkDistance(speech, speech)).toBe(0);
    expect(segmentalSnr(speech, speech)).toBeGreaterThan(34);
    expect(preEcho(speech, speech)).toBe(0);
    expect(weightedSnr(speech, speech)).toBeCloseTo(35, 1);
  });

  it('falls as noise rises', () => {
    const [little, much] = [noisy(0.001), noisy(0.02)];
    expect(barkDistance(speech, little)).toBeGreaterThan(0);
    expect(barkDistance(speech, much)).toBeGreaterThan(2 * barkDistance(speech, little));
    expect(segmentalSnr(speech, much)).toBeLessThan(segmentalSnr(speech, little) - 10);
    expect(weightedSnr(speech, much)).toBeLessThan(weightedSnr(speech, little) - 5);
  });

  it('measures a change of level as what it is, and no phase', () => {
    expect(
      barkDistance(
        speech,
        speech.map((sample) => sample * 2),
      ),
    ).toBeGreaterThan(4);
    expect(
      barkDistance(
        speech,
        speech.map((sample) => sample * 2),
      ),
    ).toBeLessThan(6.03);
    expect(
      barkDistance(
        speech,
        speech.map((sample) => -sample),
      ),
    ).toBe(0);
  });

  it('weighs a gap in the speech, and no phase', () => {
    const gap = speech.slice().fill(0, 40000, 45000);
    expect(weightedSnr(speech, gap)).toBeLessThan(weightedSnr(speech, speech) - 0.5);
    expect(
      weightedSnr(
        speech,
        speech.map((sample) => -sample),
      ),
    ).toBeCloseTo(35, 1);
  });

  it('hears what comes before an attack', () => {
    const click = new Float32Array(48000);
    click.fill(0.5, 24000, 24480);
    const early = click.slice();
    early.fill(0.001, 23520, 24000);
    expect(preEcho(click, early)).toBeGreaterThan(10);
    const late = click.slice();
    late.fill(0.001, 24600, 25080);
    expect(preEcho(click, late)).toBe(0);
  });
});
