import { describe, expect, it } from 'vitest';
import { Bursts } from '../../../worklets/bursts.js';
import { Playback } from '../../../worklets/playback.js';
import { Capture } from '../../../worklets/capture.js';
import { SampleRing } from '../../../worklets/sample-ring.js';

const block = (/** @type {number} */ value, length = 128) => new Float32Array(length).fill(value);

describe('Capture', () => {
  it('takes one channel as it is, and the mean of several', () => {
    const ring = SampleRing.create(1024);
    const capture = new Capture(ring, 48_000);
    capture.process([block(0.25)]);
    capture.process([block(1), block(0.5), block(0)]);
    const out = new Float32Array(256);
    expect(ring.read(out)).toBe(256);
    expect(out.subarray(0, 128).every((sample) => sample === 0.25)).toBe(true);
    expect(out.subarray(128).every((sample) => sample === 0.5)).toBe(true);
  });

  it('gives silence while nothing is connected, so that time goes on', () => {
    const ring = SampleRing.create(1024);
    const capture = new Capture(ring, 48_000);
    capture.process([block(1), block(1)]);
    capture.process([]);
    const out = new Float32Array(256);
    expect(ring.read(out)).toBe(256);
    expect(out.subarray(128).every((sample) => sample === 0)).toBe(true);
  });

  it('wakes the worker when a frame is complete, and not for each block', () => {
    const ring = SampleRing.create(4096);
    const capture = new Capture(ring, 48_000);
    ring.arm(960);
    const wakes = [];
    for (let i = 1; i <= 16; i++) if (capture.process([block(0)])) wakes.push(i);
    expect(wakes).toEqual([8]);
  });

  it('tells how many samples a sound card gives at once, though a late thread joins some', () => {
    const ring = SampleRing.create(4096);
    const time = { ms: 0 };
    const capture = new Capture(ring, 48_000, () => time.ms);
    for (let burst = 0; burst < 100; burst++) {
      time.ms = (7 * 128 * burst) / 48 + (burst % 10 === 0 ? 18 : 0);
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
  const blockMs = 128 / 48;

  /**
   * @param {number[]} sizes of bursts in blocks
   * @param {number} gapMs
   * @param {number} times
   * @param {(burst: number) => number} [lateMs] later than the sound card's own time
   */
  const run = (sizes, gapMs, times, lateMs = () => 0) => {
    const time = { ms: 0 };
    const bursts = new Bursts(() => Math.floor(time.ms), blockMs);
    for (let i = 0; i < times; i++) {
      time.ms = Math.max(time.ms, 1e12 + i * gapMs + lateMs(i));
      for (let k = 0; k < sizes[i % sizes.length]; k++) bursts.next();
    }
    return bursts;
  };

  it.each([
    // Chromium where the sound card takes 480 samples; a card of one block; one of 2048.
    [[4, 4, 4, 3], 10, 4],
    [[1], blockMs, 1],
    [[16], 16 * blockMs, 16],
  ])(
    'finds how many blocks are taken at once (%j), and when the next are',
    (sizes, gap, blocks) => {
      const { usualBlocks, needMs, gapMs } = run(sizes, gap, 200);
      expect(usualBlocks).toBe(blocks);
      expect(needMs).toBeGreaterThanOrEqual(blocks * blockMs);
      expect(needMs).toBeLessThanOrEqual(blocks * blockMs + 2);
      expect(Math.abs(gapMs - gap)).toBeLessThanOrEqual(blockMs + 1);
    },
  );

  it('knows nothing at first, and takes one stall for nothing', () => {
    expect(run([4], 4 * blockMs, 60)).toMatchObject({ usualBlocks: 0, needMs: 0, gapMs: 0 });
    const { needMs, gapMs } = run([4], 4 * blockMs, 150, (i) => (i === 100 ? 40 : 0));
    expect(needMs).toBeCloseTo(4 * blockMs);
    expect(Math.abs(gapMs - 4 * blockMs)).toBeLessThanOrEqual(1);
  });

  it('expects the next burst in time after a late one, and not two at once from then on', () => {
    const late = (/** @type {number} */ i) => (i % 5 === 4 ? 8 : 0);
    const { needMs, gapMs } = run([4], 4 * blockMs, 200, late);
    // The last one was late by 8 ms.
    expect(needMs).toBeLessThanOrEqual(4 * blockMs + 1);
    expect(Math.abs(gapMs - (4 * blockMs - 8))).toBeLessThanOrEqual(1.5);
  });

  it('measures again when the clock was set', () => {
    const time = { ms: 1e12 };
    const bursts = new Bursts(() => Math.floor(time.ms), blockMs);
    for (let i = 0; i < 300; i++) {
      for (let k = 0; k < 4; k++) bursts.next();
      time.ms += 4 * blockMs + (i === 100 ? 5000 : 0);
    }
    expect(bursts.needMs).toBeCloseTo(4 * blockMs);
    expect(Math.abs(bursts.gapMs - 4 * blockMs)).toBeLessThanOrEqual(1);
  });
});
