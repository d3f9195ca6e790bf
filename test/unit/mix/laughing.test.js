import { describe, expect, it } from 'vitest';
import { Limiter } from '../../../public/shared/sound/limiter.js';
import { Conference } from '../../fakes/conference.js';

const FRAMES = 100;

/**
 * Laughter: bursts of 120 ms, 200 ms from one to the next, that begin sharply and fade.
 * @param {number} at in seconds
 * @param {number} hz
 */
const laughter = (at, hz) => Math.exp(-(at % 0.2) / 0.04) * Math.sin(2 * Math.PI * hz * at);

describe('twenty people who laugh at once, loud and alike', () => {
  it("don't clip, and the gain neither jumps nor pumps from frame to frame", () => {
    const limiter = new Limiter(48000);
    const gains = [];
    let peak = 0;
    for (let frame = 0; frame < FRAMES; frame++) {
      const pcm = new Float32Array(960);
      for (let i = 0; i < 960; i++) {
        const at = (frame * 960 + i) / 48000;
        for (let person = 0; person < 20; person++) pcm[i] += 0.5 * laughter(at, 240 + person);
      }
      const before = pcm.slice();
      limiter.process(pcm);
      for (let i = 0; i < 960; i++) {
        peak = Math.max(peak, Math.abs(pcm[i]));
        gains.push(Math.abs(before[i]) > 0.01 ? pcm[i] / before[i] : NaN);
      }
    }
    expect(peak).toBeLessThanOrEqual(0.9501);
    let up = 0;
    let fall = 0;
    for (let i = 1; i < gains.length; i++) {
      if (Number.isNaN(gains[i]) || Number.isNaN(gains[i - 1])) continue;
      up = Math.max(up, gains[i] - gains[i - 1]);
      fall = Math.max(fall, gains[i - 1] - gains[i]);
    }
    // The gain rises by at most a thousandth a sample, and falls, ahead of a burst, over a segment
    // of 32 samples.
    expect(up).toBeLessThan(0.001);
    expect(fall).toBeLessThan(1 / 32 + 0.001);
  });

  it('are all heard by a listener, within full scale', async () => {
    const conference = new Conference({ maxParticipants: 30 });
    const ear = await conference.join('Ear');
    const people = [];
    for (let i = 0; i < 20; i++) people.push(await conference.join(`P${i}`));
    for (let frame = 0; frame < 10; frame++) {
      conference.pass(1);
      for (const person of people)
        await person.speak(frame, frame % 2 ? 0.4 : -0.4, { level: 8, voice: true });
    }
    conference.pass(5);
    const [atEar, atOne] = [await ear.heard(), await people[0].heard()];
    for (const heard of [atEar, atOne]) {
      for (let frame = 0; frame < 10; frame++) {
        const pcm = heard.get(frame) ?? new Float32Array(0);
        expect(pcm.length).toBe(960);
        expect(Math.max(...pcm.map(Math.abs))).toBeLessThanOrEqual(0.951);
      }
    }
  });
});
