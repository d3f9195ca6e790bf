import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beatsWithin, MetronomePlayer } from '../../../../public/client/playout/metronome.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

const RATE = 48_000;

describe('the beats of a metronome', () => {
  const beat = { bpm: 120, beats: 3, from: 1000 };

  it('are as far apart as its tempo says, and the first of each bar is marked', () => {
    const found = beatsWithin(beat, RATE, 0, 4 * RATE);
    expect(found.map(({ sample }) => sample)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => 1000 + 24_000 * i),
    );
    expect(found.map(({ isFirst }) => isFirst)).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('are each in one of the spans that follow each other, an hour on too', () => {
    const start = 3600 * RATE;
    const whole = beatsWithin({ ...beat, bpm: 133 }, RATE, start, start + 10 * RATE);
    const parts = Array.from({ length: 100 }, (_, i) =>
      beatsWithin({ ...beat, bpm: 133 }, RATE, start + i * 4800, start + (i + 1) * 4800),
    ).flat();
    expect(parts).toEqual(whole);
    expect(whole).toHaveLength(23);
  });

  it('are none before the first', () => expect(beatsWithin(beat, RATE, 0, 1000)).toEqual([]));

  it.each([1e5, 301, 19, 0, NaN, -60, Infinity])('are none at %d a minute', (bpm) =>
    expect(beatsWithin({ ...beat, bpm }, RATE, 0, 30 * RATE)).toEqual([]),
  );

  it.each([NaN, -1e300, -Infinity])('are none from sample %d on', (from) =>
    expect(beatsWithin({ ...beat, from }, RATE, 0, 4 * RATE)).toEqual([]),
  );
});

describe("a metronome's player", () => {
  /** @type {{ when: number, isFirst: boolean, stopped: boolean }[]} */
  let clicks = [];
  /** @type {FakeClock} */
  let clock;
  /**
   * The context's time is 7 s ahead of the page's clock, and is reported up to a burst of 10 ms too
   * late.
   */
  const context = {
    sampleRate: RATE,
    state: 'running',
    burst: 0,
    stoodStillMs: 0,
    get currentTime() {
      return (clock.now() - context.stoodStillMs) / 1000 + 7.01;
    },
    getOutputTimestamp: () => {
      const lateMs = (context.burst = (context.burst + 3) % 10);
      const performanceTime = clock.now() - lateMs + (lateMs > 7 ? 10 : 0);
      return {
        contextTime: (clock.now() - lateMs - context.stoodStillMs) / 1000 + 7,
        performanceTime,
      };
    },
  };

  beforeEach(() => {
    clicks = [];
    context.stoodStillMs = 0;
    clock = new FakeClock();
    clock.advance(50);
    class Node {
      gain = { value: 1 };
      connect() {}
      disconnect() {}
    }
    vi.stubGlobal('GainNode', Node);
    vi.stubGlobal(
      'AudioBuffer',
      class {
        /** @param {{ length: number }} options */
        constructor({ length }) {
          this.length = length;
        }
        /** @param {Float32Array} samples */
        copyToChannel(samples) {
          this.samples = samples.slice();
        }
      },
    );
    vi.stubGlobal(
      'AudioBufferSourceNode',
      class extends Node {
        click = { when: NaN, isFirst: false, stopped: false };
        /** @param {unknown} _context @param {{ buffer: { samples: Float32Array } }} options */
        constructor(_context, { buffer: { samples } }) {
          super();
          // The first of a bar is higher: it is back at zero sooner.
          this.click.isFirst = samples.findIndex((x, i) => i > 2 && x <= 0) < 20;
        }
        addEventListener() {}
        /** @param {number} when */
        start(when) {
          this.click.when = when;
          clicks.push(this.click);
        }
        stop() {
          this.click.stopped = true;
        }
      },
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  const newPlayer = () => new MetronomePlayer(/** @type {any} */ ({ context }), RATE, clock);

  it('plays each beat once, when the sample clock reaches it, however bursty the output', () => {
    const player = newPlayer();
    player.follow({ sample: 96_000, atMs: 50 });
    for (let i = 0; i < 20; i++) clock.advance(250);
    player.play({ bpm: 150, beats: 2, from: 96_000 + 6 * RATE });
    for (let i = 0; i < 20; i++) clock.advance(250);
    // The first is 6 s after 50 ms of the page's clock, which are 7.05 s of the context's.
    const expected = Array.from({ length: clicks.length }, (_, i) => 13.05 + 0.4 * i);
    expect(clicks.length).toBe(17);
    for (const [i, { when }] of clicks.entries())
      expect(Math.abs(when - expected[i])).toBeLessThan(0.0005);
    expect(clicks.map(({ isFirst }) => isFirst)).toEqual(clicks.map((_, i) => i % 2 === 0));
    player.close();
    expect(clock.waiting).toBe(0);
  });

  it('cancels scheduled beats when stopped or reset, and plays nothing without the clock', () => {
    const player = newPlayer();
    player.play({ bpm: 60, beats: 4, from: 0 });
    clock.advance(1000);
    expect(clicks).toEqual([]);
    player.follow({ sample: 0, atMs: clock.now() });
    clock.advance(250);
    const before = clicks.length;
    expect(before).toBeGreaterThan(1);
    player.play(null);
    expect(clicks.every(({ stopped }) => stopped)).toBe(true);
    clock.advance(5000);
    expect(clicks.length).toBe(before);
  });

  it('is back on the beat within a second where the output has stood still', () => {
    const player = newPlayer();
    player.follow({ sample: 0, atMs: clock.now() });
    player.play({ bpm: 120, beats: 4, from: 0 });
    clock.advance(3000);
    context.stoodStillMs = 160;
    clock.advance(1000);
    const from = context.currentTime;
    clock.advance(3000);
    const heard = clicks.filter(
      ({ when, stopped }) => !stopped && when > from && when < context.currentTime,
    );
    expect(heard.length).toBe(6);
    // Sample 0 was at 50 ms of the page's clock.
    for (const { when } of heard)
      expect(Math.abs(((when - 7 - 0.05 + 0.16) * 2) % 1)).toBeCloseTo(0, 2);
    player.close();
  });

  it('leaves out what is over, after the page has slept', () => {
    const player = newPlayer();
    player.follow({ sample: 0, atMs: clock.now() });
    player.play({ bpm: 60, beats: 4, from: 0 });
    clock.stall(60_000);
    clock.advance(300);
    const late = clicks.filter(({ when }) => when > 10 && when < 60);
    expect(late).toEqual([]);
    expect(clicks.at(-1)?.when).toBeGreaterThan(67);
  });
});
