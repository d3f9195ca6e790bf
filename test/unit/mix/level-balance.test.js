import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { levelOf } from '../../../public/shared/sound/level.js';
import { LevelBalance } from '../../../server/mix/level-balance.js';
import { Conference } from '../../fakes/conference.js';
import { random } from '../../fakes/random.js';

const format = createAudioFormat();
const noise = random(7);

/**
 * Something like speech: syllables of 200 ms at the given level, words of two seconds, pauses of
 * one with noise.
 * @param {number} frame
 * @param {number} level of the speech, in -dBov
 * @param {number} noiseLevel of the pauses
 */
function speech(frame, level, noiseLevel) {
  const pcm = new Float32Array(format.frameSamples);
  const voice = frame % 150 < 100;
  const size = 10 ** (-(voice ? level + 3 * Math.sin(frame * 0.6) : noiseLevel) / 20) * Math.SQRT2;
  for (let i = 0; i < pcm.length; i++) {
    const at = (frame * pcm.length + i) / format.sampleRate;
    pcm[i] = size * (voice ? Math.sin(2 * Math.PI * 200 * at) : (noise() - 0.5) * 2.4);
  }
  return { pcm, voice };
}

/** @param {number} level @param {number} noiseLevel */
function balanced(level, noiseLevel = 75, seconds = 30) {
  const balance = new LevelBalance(format);
  let spoken = 0;
  let paused = 0;
  let frames = 0;
  const gains = [];
  for (let frame = 0; frame < seconds * 50; frame++) {
    const { pcm, voice } = speech(frame, level, noiseLevel);
    const before = pcm.slice();
    balance.process(pcm, 0, levelOf(pcm), voice);
    const gainAt = (/** @type {number} */ i) =>
      Math.abs(before[i]) > 1e-6 ? pcm[i] / before[i] : NaN;
    gains.push(gainAt(1), gainAt(pcm.length - 2));
    if (frame < (seconds - 6) * 50) continue;
    if (voice) spoken += 10 ** (-levelOf(pcm) / 10);
    else if (frame % 150 > 120) paused = Math.max(paused, 10 ** (-levelOf(pcm) / 10));
    frames += voice ? 1 : 0;
  }
  return {
    level: -10 * Math.log10(spoken / frames),
    pauseLevel: -10 * Math.log10(paused),
    gains,
    balance,
  };
}

describe('the balance of levels', () => {
  it.each([
    [34, 14],
    [30, 12],
    [26, 20],
  ])('brings %d and %d dB below full scale within 3 dB', (soft, loud) => {
    const [one, other] = [balanced(soft), balanced(loud)];
    expect(Math.abs(one.level - other.level)).toBeLessThan(3);
    expect(Math.abs(one.level - 23)).toBeLessThan(2.5);
  });

  it('gives 12 dB at most', () => {
    expect(balanced(45).balance.gainDb).toBeCloseTo(12, 5);
    expect(balanced(3).balance.gainDb).toBeCloseTo(-12, 5);
  });

  it('lifts no noise in pauses, and learns nothing from it', () => {
    const { pauseLevel } = balanced(35, 60);
    expect(pauseLevel).toBeGreaterThan(58.5);
    const balance = new LevelBalance(format);
    for (let frame = 100; frame < 150; frame++) {
      const { pcm } = speech(frame, 30, 40);
      balance.process(pcm, 0, levelOf(pcm), false);
    }
    expect(balance.gainDb).toBe(0);
  });

  it('doesn’t take breaths between words, which are marked as voice, for soft speech', () => {
    const balance = new LevelBalance(format);
    for (let frame = 0; frame < 30 * 50; frame++) {
      const level = frame % 50 < 40 ? 23 : 45;
      const pcm = new Float32Array(format.frameSamples).fill(10 ** (-level / 20));
      balance.process(pcm, 0, level, true);
    }
    expect(Math.abs(balance.gainDb)).toBeLessThan(1);
  });

  it('moves without a step, within frames and from one to the next, and slowly', () => {
    const { gains } = balanced(34, 74, 12);
    const db = gains.map((gain) => 20 * Math.log10(gain));
    for (let i = 2; i < db.length; i += 2) expect(Math.abs(db[i] - db[i - 1])).toBeLessThan(0.1);
    // Three dB a second of speech at most, seen where the speech goes on.
    for (let frame = 10; frame < 90; frame++)
      expect(db[2 * frame + 1] - db[2 * frame]).toBeLessThan(0.07);
  });

  it('leaves a made-up frame at the gain that was', () => {
    const { balance } = balanced(34);
    const pcm = new Float32Array(format.frameSamples).fill(0.01);
    const spoken = speech(1490, 34, 75);
    balance.process(spoken.pcm, 0, 34, true);
    balance.hold(pcm, 0);
    expect(pcm[0]).toBeCloseTo(pcm[959], 6);
    expect(20 * Math.log10(pcm[0] / 0.01)).toBeCloseTo(balance.gainDb, 1);
  });

  it('is off unless it is asked for, and is heard by all alike when it is on', async () => {
    for (const levelBalance of [false, true]) {
      const conference = new Conference({ levelBalance });
      const [ann, bob, cid] = [
        await conference.join('Ann'),
        await conference.join('Bob'),
        await conference.join('Cid'),
      ];
      for (let frame = 0; frame < 200; frame++) {
        conference.pass(1);
        await ann.speak(frame, 0.02, { level: 34, voice: true });
        await bob.speak(frame, 0.3, { level: 10, voice: true });
      }
      conference.pass(4);
      const [atBob, atCid] = [(await bob.heard()).get(199), (await cid.heard()).get(199)];
      const ofAnn = atBob?.[0] ?? 0;
      if (levelBalance) expect(ofAnn).toBeGreaterThan(0.05);
      else expect(ofAnn).toBeCloseTo(0.02, 3);
      const ofBob = (await ann.heard()).get(199)?.[0] ?? 0;
      expect(atCid?.[0]).toBeCloseTo(ofAnn + ofBob, 3);
    }
  });
});
