import { describe, expect, it } from 'vitest';
import { receivedAudio } from '../../stats/call-figures.js';
import { lagsBetween, presentPercent, soundLags } from '../../../testkit/sound/sound-lag.js';
import { seededRandom as random } from '../../../testkit/random.js';

describe('received audio from write clocks', () => {
  /**
   * A's packets come latenessA after each frame's end, and B's likewise.
   * @param {number} a
   * @param {number} b
   */
  const steady = (a, b) =>
    Array.from({ length: 40 }, (_, frame) => [
      { name: 'A', frame, atMs: (frame + 1) * 80 + a },
      { name: 'B', frame, atMs: (frame + 1) * 80 + b },
    ])
      .flat()
      .sort((one, other) => one.atMs - other.atMs);

  const share = (
    /** @type {any[]} */ arrivals,
    /** @type {string} */ listener,
    /** @type {number} */ delayMs,
  ) =>
    receivedAudio(arrivals, {
      listener,
      speaker: listener === 'A' ? 'B' : 'A',
      from: 2,
      to: 30,
      delayFrames: delayMs / 80,
    });

  it('is 100 % for the later participant and 0 % for the earlier one, without a delay', () => {
    const arrivals = steady(10, 30);
    expect(share(arrivals, 'A', 0)).toBe(0);
    expect(share(arrivals, 'B', 0)).toBe(100);
  });

  it('rises in step with the delay, up to a frame of it', () => {
    const arrivals = steady(10, 30);
    for (const [delayMs, percent] of [
      [8, 10],
      [20, 25],
      [40, 50],
      [72, 90],
      [80, 100],
      [100, 100],
      [200, 100],
    ]) {
      expect(share(arrivals, 'A', delayMs)).toBeCloseTo(percent, 9);
      expect(share(arrivals, 'B', delayMs)).toBeCloseTo(100, 9);
    }
  });

  it('takes as much longer as the other is later, in whole frames', () => {
    const arrivals = steady(0, 170);
    expect(share(arrivals, 'A', 160)).toBeCloseTo(0, 9);
    expect(share(arrivals, 'A', 200)).toBeCloseTo(50, 9);
    expect(share(arrivals, 'A', 240)).toBeCloseTo(100, 9);
  });

  it('agrees with the overlap of written and read audio, sample by sample, in any order', () => {
    const next = random(3);
    const size = 8;
    const arrivals = ['A', 'B']
      .flatMap((name) =>
        Array.from({ length: 30 }, (_, frame) => ({ name, frame, atMs: frame + 4 * next() })),
      )
      .sort((one, other) => one.atMs - other.atMs);
    for (let delay = 0; delay <= 40; delay++) {
      let heard = 0;
      arrivals.forEach((write, i) => {
        if (write.name !== 'B' || write.frame < 5 || write.frame >= 20) return;
        for (const read of arrivals.slice(i + 1)) {
          if (read.name !== 'A') continue;
          const start = read.frame * size - delay;
          const overlap =
            Math.min(start + size, (write.frame + 1) * size) - Math.max(start, write.frame * size);
          heard += Math.max(0, overlap);
        }
      });
      const options = { listener: 'A', speaker: 'B', from: 5, to: 20, delayFrames: delay / size };
      expect(receivedAudio(arrivals, options)).toBeCloseTo((100 * heard) / (15 * size), 9);
    }
  });
});

describe('the lag of sound', () => {
  it.each([0, 37.25, 412, 1300])('is found to a quarter of a millisecond: %d ms', (ms) => {
    const sampleRate = 8000;
    const next = random(9);
    // Noise whose loudness changes as speech does, with pauses.
    const speech = Float32Array.from(
      { length: 3 * sampleRate },
      (_, i) => Math.max(0, Math.sin((2 * Math.PI * 1.7 * i) / sampleRate)) * (next() - 0.5),
    );
    const delay = (ms * sampleRate) / 1000;
    const recording = Float32Array.from({ length: 6 * sampleRate }, (_, i) =>
      i < delay ? 0 : 0.5 * speech[(i - delay) % speech.length] + 0.01 * (next() - 0.5),
    );
    const lags = soundLags(recording, speech, { sampleRate });
    expect(lags.length).toBeGreaterThan(5);
    for (const { lagMs } of lags) expect(Math.abs(lagMs - ms)).toBeLessThanOrEqual(0.25);
  });

  it('is not made up where nothing was heard', () => {
    const next = random(10);
    const speech = Float32Array.from({ length: 8000 }, () => next() - 0.5);
    const noise = Float32Array.from({ length: 40_000 }, () => next() - 0.5);
    expect(soundLags(noise, speech, { sampleRate: 8000 })).toEqual([]);
    expect(soundLags(new Float32Array(40_000), speech, { sampleRate: 8000 })).toEqual([]);
  });
});

describe('how much later the same sound comes out elsewhere', () => {
  const sampleRate = 8000;
  /** Noise that is like speech in one thing: it pauses. @param {number} seconds */
  const noise = (seconds) => {
    const next = random(11);
    return Float32Array.from({ length: seconds * sampleRate }, (_, i) =>
      (i / sampleRate) % 4 < 3 ? next() - 0.5 : 0,
    );
  };

  it('is what it was, whenever the two began to record', () => {
    const sound = noise(12);
    for (const [ms, startMs] of [
      [0, 0],
      [47.5, 300],
      [180, -700.25],
      [499, 1000],
    ]) {
      const earlier = { samples: sound, startMs: 5000, sampleRate };
      // Sound at x in one recording is at x + ms in the other, which began at another time.
      const skipped = Math.round(((startMs - ms) * sampleRate) / 1000);
      const samples = Float32Array.from(
        { length: 8 * sampleRate },
        (_, i) => 0.7 * (sound[i + skipped] ?? 0),
      );
      const lags = lagsBetween(
        { samples, startMs: 5000 + (skipped * 1000) / sampleRate + ms, sampleRate },
        earlier,
      );
      expect(lags.length, `${ms} ms`).toBeGreaterThan(6);
      for (const { lagMs } of lags) expect(Math.abs(lagMs - ms), `${ms} ms`).toBeLessThan(0.13);
    }
  });

  it('is below nothing where the other is first, if that is looked for', () => {
    const sound = noise(12);
    const earlier = { samples: sound, startMs: 5000, sampleRate };
    const later = {
      samples: sound.slice(4 * sampleRate, 10 * sampleRate),
      startMs: 9000 - 60,
      sampleRate,
    };
    expect(lagsBetween(later, earlier)).toEqual([]);
    const lags = lagsBetween(later, earlier, { leastMs: -200 }).map(({ lagMs }) => lagMs);
    expect(lags.length).toBeGreaterThan(6);
    for (const lagMs of lags) expect(lagMs).toBeCloseTo(-60);
  });

  it('is not told of what is quiet, of other sound, or of what came out before it counts', () => {
    const earlier = { samples: noise(6), startMs: 0, sampleRate };
    const next = random(12);
    const other = {
      samples: Float32Array.from({ length: 6 * sampleRate }, () => next() - 0.5),
      startMs: 0,
      sampleRate,
    };
    expect(lagsBetween(other, earlier)).toEqual([]);
    expect(lagsBetween({ ...earlier, samples: new Float32Array(6 * sampleRate) }, earlier)).toEqual(
      [],
    );
    expect(lagsBetween(earlier, earlier, { fromMs: 6000 })).toEqual([]);
    expect(() => lagsBetween({ ...earlier, sampleRate: 48000 }, earlier)).toThrow(RangeError);
  });

  it('is present but for what is missing, wherever it wandered', () => {
    const said = { samples: noise(8), startMs: 1000, sampleRate };
    const samples = new Float32Array(9 * sampleRate);
    const wander = (/** @type {number} */ i) =>
      i < 5 * sampleRate ? 0 : Math.round(0.06 * sampleRate);
    for (let i = 0; i < said.samples.length; i++)
      samples[Math.round(0.25 * sampleRate) + i + wander(i)] = 0.4 * said.samples[i];
    // Half a second of the five that aren't quiet.
    samples.fill(0, Math.round(2.25 * sampleRate), Math.round(2.75 * sampleRate));
    const heard = { samples, startMs: 1100, sampleRate };
    const options = { fromMs: 2000, toMs: 8000, lagMs: 370 };
    expect(presentPercent(heard, said, options)).toBeCloseTo(90, 0);
    expect(presentPercent({ ...heard, samples: samples.fill(0) }, said, options)).toBe(0);
    expect(
      presentPercent(heard, { ...said, samples: new Float32Array(said.samples.length) }, options),
    ).toBeNaN();
  });
});
