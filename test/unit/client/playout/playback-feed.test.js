import { describe, expect, it } from 'vitest';
import { PlaybackFeed } from '../../../../public/client/playout/playback-feed.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

describe('PlaybackFeed', () => {
  const perMs = 48;

  /**
   * A sound card that takes so much at once, a worker, and frames that come or don't.
   * @param {number} [blockMs]
   * @param {number} [burst] measurement of the worklet, in samples
   */
  function setUp(blockMs = 10, burst = 0) {
    const clock = new FakeClock();
    const ring = SampleRing.create(48_000);
    const source = {
      output: { waitMs: 0, gaps: 0, gapMs: 0 },
      observeOutput: (
        /** @type {number} */ waitMs,
        /** @type {number} */ gaps,
        /** @type {number} */ gapMs,
      ) => void (source.output = { waitMs, gaps, gapMs }),
      frames: 0,
      madeUp: 0,
      /** @type {number[]} */
      waits: [],
      get ready() {
        return source.frames > 0;
      },
      look: (/** @type {number} */ waitMs) => void source.waits.push(waitMs),
      pull(/** @type {Float32Array} */ out) {
        if (source.frames === 0) {
          source.madeUp += 1;
          return 5 * perMs;
        }
        source.frames -= 1;
        return out.length;
      },
    };
    ring.setBurst(burst, 0);
    const feed = new PlaybackFeed(ring, source, {
      sampleRate: 48_000,
      pullSamples: 960,
      blockMs,
      clock,
    });
    const taken = new Float32Array(blockMs * perMs);
    /** The sound card takes a burst. */
    const take = () => {
      if (ring.read(taken) < taken.length) ring.countUnderrun();
      if (ring.fellBelow()) feed.wake();
    };
    return { clock, ring, source, feed, take };
  }

  it('gives what has come at once, and no more than half a second', () => {
    const { ring, source, feed } = setUp();
    source.frames = 2;
    feed.arrived();
    expect(source.frames).toBe(0);
    expect(ring.available).toBeGreaterThan(960);
    source.frames = 100;
    feed.arrived();
    expect(ring.available).toBeGreaterThanOrEqual(500 * perMs);
    expect(ring.available).toBeLessThanOrEqual(520 * perMs);
  });

  it('makes up what has not come shortly before it is needed, and just enough', () => {
    const { clock, ring, source, take } = setUp();
    ring.arm(ring.capacity);
    take();
    clock.advance(5);
    expect(source.madeUp).toBe(0);
    clock.advance(1);
    expect(source.madeUp).toBe(2);
    expect(ring.available).toBe(10 * perMs);
    const { underruns } = ring;
    for (let i = 0; i < 100; i++) {
      clock.advance(4);
      take();
      clock.advance(6);
    }
    expect(ring.underruns).toBe(underruns);
    expect(source.madeUp).toBe(202);
    expect(source.output.waitMs).toBe(14);
  });

  it('plays what came while it stood still before making sound up, and reports the gap', () => {
    const { clock, ring, source, feed } = setUp();
    feed.wake();
    ring.play(new Float32Array(30 * perMs));
    ring.countUnderrun();
    ring.countMissed(30 * perMs);
    feed.wake();
    source.frames = 3;
    feed.arrived();
    clock.advance(1);
    expect(source.madeUp).toBe(0);
    expect(ring.available).toBe((60 - 30) * perMs);
    expect(source.output).toMatchObject({ gaps: 1, gapMs: 30 });
  });

  it('makes up what it can where nothing came while it stood still', () => {
    const { clock, ring, source, feed } = setUp();
    feed.wake();
    ring.play(new Float32Array(30 * perMs));
    feed.wake();
    clock.advance(1);
    expect(source.madeUp).toBe(8);
    expect(ring.available).toBe(10 * perMs);
  });

  it('takes nothing for a sound card that is gone', () => {
    const { clock, ring, source, feed, take } = setUp();
    ring.arm(ring.capacity);
    take();
    feed.close();
    feed.close();
    clock.advance(100);
    expect(source.madeUp).toBe(0);
  });

  it('gives what comes while it waits, and makes up nothing', () => {
    const { clock, ring, source, feed, take } = setUp();
    ring.arm(ring.capacity);
    take();
    clock.advance(3);
    source.frames = 3;
    feed.arrived();
    clock.advance(20);
    expect(source.madeUp).toBe(0);
    expect(ring.available).toBeGreaterThan(40 * perMs);
  });

  it('keeps more than one burst where they are short, and goes by what was measured', () => {
    const short = setUp(10, 128);
    short.ring.arm(short.ring.capacity);
    short.take();
    short.clock.advance(1);
    expect(short.ring.available).toBeGreaterThanOrEqual(256);
    expect(short.source.output.waitMs).toBeCloseTo(128 / perMs + 4);
    const long = setUp(0, 2048);
    long.ring.arm(long.ring.capacity);
    long.take();
    long.clock.advance(40);
    expect(long.ring.available).toBeGreaterThanOrEqual(2048);
  });

  it('looks where the sound card is, even where it has enough all the time', () => {
    const { clock, source, feed, take } = setUp();
    feed.wake();
    for (let i = 0; i < 200; i++) {
      source.frames += 1;
      feed.arrived();
      clock.advance(10);
      take();
      clock.advance(10);
      take();
    }
    expect(source.madeUp).toBeLessThan(4);
    expect(source.waits.length).toBeGreaterThan(10);
  });
});
