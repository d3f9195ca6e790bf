import { describe, expect, it } from 'vitest';
import { Bursts } from '../../../worklets/bursts.js';
import { Playback } from '../../../worklets/playback.js';
import { Capture } from '../../../worklets/capture.js';
import { SampleRing } from '../../../worklets/sample-ring.js';

const block = (/** @type {number} */ value, length = 128) => new Float32Array(length).fill(value);

describe('Capture', () => {
  it('takes one channel as it is, and the mean of several', () => {
    const ring = SampleRing.create(1024);
    const capture = new Capture(ring);
    capture.process([block(0.25)]);
    capture.process([block(1), block(0.5), block(0)]);
    const out = new Float32Array(256);
    expect(ring.read(out)).toBe(256);
    expect(out.subarray(0, 128).every((sample) => sample === 0.25)).toBe(true);
    expect(out.subarray(128).every((sample) => sample === 0.5)).toBe(true);
  });

  it('gives silence while nothing is connected, so that time goes on', () => {
    const ring = SampleRing.create(1024);
    const capture = new Capture(ring);
    capture.process([block(1), block(1)]);
    capture.process([]);
    const out = new Float32Array(256);
    expect(ring.read(out)).toBe(256);
    expect(out.subarray(128).every((sample) => sample === 0)).toBe(true);
  });

  it('wakes the worker when a frame is complete, and not for each block', () => {
    const ring = SampleRing.create(4096);
    const capture = new Capture(ring);
    ring.arm(960);
    const wakes = [];
    for (let i = 1; i <= 16; i++) if (capture.process([block(0)])) wakes.push(i);
    expect(wakes).toEqual([8]);
  });

  it('tells how many samples a sound card gives at once, though a late thread joins some', () => {
    const ring = SampleRing.create(4096);
    const time = { ms: 0 };
    const capture = new Capture(ring, () => time.ms);
    for (let burst = 0; burst < 100; burst++) {
      time.ms += burst % 10 === 0 ? 1 : 19;
      for (let i = 0; i < 7; i++) capture.process([block(0)]);
    }
    expect(ring.burst).toBe(7 * 128);
  });
});

describe('Playback', () => {
  const rate = 48000;

  it('gives all channels the same', () => {
    const ring = SampleRing.create(1024);
    const playback = new Playback(ring, rate);
    ring.write(Float32Array.from({ length: 512 }, (_, i) => Math.sin(i / 10)));
    const left = block(0);
    const right = block(9);
    playback.process([left, right]);
    expect([...right]).toEqual([...left]);
    playback.process([left, right]);
    expect(left[5]).toBe(Math.fround(Math.sin(133 / 10)));
  });

  it('fades out and in again where sound runs out, without a click, and counts it once', () => {
    const ring = SampleRing.create(4096);
    const playback = new Playback(ring, rate);
    /** @type {number[]} */
    const heard = [];
    const play = () => {
      const out = block(NaN);
      playback.process([out, block(0)]);
      heard.push(...out);
    };
    // Its time begins with the first sound.
    play();
    expect({ underruns: ring.underruns, missed: ring.missed }).toEqual({ underruns: 0, missed: 0 });
    ring.write(block(0.8, 300));
    for (let i = 0; i < 8; i++) play();
    expect(ring.underruns).toBe(1);
    expect(heard.slice(-128).every((sample) => sample === 0)).toBe(true);
    // All that comes after its time isn't heard, and what follows it is.
    ring.write(block(0.5, 724));
    play();
    expect(heard.slice(-128).every((sample) => sample === 0)).toBe(true);
    ring.write(block(-0.8, 640));
    for (let i = 0; i < 4; i++) play();
    expect(heard.at(-1)).toBeCloseTo(-0.8);
    expect(ring.missed).toBe(724 + 128);
    expect(ring.underruns).toBe(1);
    let jump = 0;
    for (let i = 1; i < heard.length; i++) jump = Math.max(jump, Math.abs(heard[i] - heard[i - 1]));
    expect(jump).toBeLessThan(0.02);
  });

  it('counts no gap in silence', () => {
    const ring = SampleRing.create(4096);
    const playback = new Playback(ring, rate);
    ring.write(block(0, 200));
    for (let i = 0; i < 4; i++) playback.process([block(0)]);
    expect({ underruns: ring.underruns, missed: ring.missed }).toEqual({ underruns: 0, missed: 0 });
    expect(ring.available).toBe(200 - 512);
  });

  it('wakes the worker when little is left', () => {
    const ring = SampleRing.create(4096);
    const playback = new Playback(ring, rate);
    ring.write(block(0, 1024));
    ring.arm(512);
    const wakes = [];
    for (let i = 1; i <= 8; i++) if (playback.process([block(0)])) wakes.push(i);
    expect(wakes).toEqual([5]);
    expect(playback.process([])).toBe(false);
  });
});

describe('Bursts', () => {
  /** @param {number[]} sizes of bursts in blocks @param {number} gapMs @param {number} times */
  const run = (sizes, gapMs, times) => {
    const time = { ms: 1e12 };
    const bursts = new Bursts(() => Math.floor(time.ms));
    for (let i = 0; i < times; i++) {
      for (let k = 0; k < sizes[i % sizes.length]; k++) bursts.next();
      time.ms += gapMs;
    }
    return bursts;
  };

  it.each([
    // Chromium where the sound card takes 480 samples; a card of one block; one of 2048.
    [[4, 4, 4, 3], 10.02, 4, 10],
    [[1], 2.67, 1, 2],
    [[16], 42.7, 16, 42],
  ])('finds how many blocks are taken at once (%j), and how often', (sizes, gapMs, blocks, gap) => {
    expect(run(sizes, gapMs, 200)).toMatchObject({ blocks, gapMs: gap });
  });

  it('knows nothing at first, and takes one stall for nothing', () => {
    expect(run([4], 10, 60)).toMatchObject({ blocks: 0, gapMs: 0 });
    expect(run([...Array.from({ length: 50 }, () => 4), 40], 10, 100)).toMatchObject({
      blocks: 4,
      gapMs: 10,
    });
  });
});
