import { describe, expect, it } from 'vitest';
import { SoundFeed } from '../../../server/ingest/sound-feed.js';

/** In Hz: low, so that minutes pass quickly. */
const RATE = 8000;
const MARGIN_MS = 100;

/**
 * A program that sends pages of a sine by its own clock, into a feed that is read each 10 ms.
 * @param {{ seconds: number, pageMs: number, ppm?: number, lateMs?: (page: number) => number }} how
 *   ppm: by which the program's clock is fast; lateMs: delay of each page on its way
 */
async function run({ seconds, pageMs, ppm = 0, lateMs = () => 0 }) {
  const feed = new SoundFeed({ sampleRate: RATE, channels: 1 }, MARGIN_MS);
  const out = new Float32Array(RATE / 100);
  const page = (pageMs * RATE) / 1000;
  const heard = [];
  const waiting = [];
  let [sent, pages] = [0, 0];
  for (let now = 0; now < seconds * 1000; now += 10) {
    while ((pages * pageMs) / (1 + ppm * 1e-6) + lateMs(pages) <= now) {
      const samples = new Float32Array(page).map(
        (_, i) => 0.5 * Math.sin((2 * Math.PI * 1000 * (sent + i)) / RATE),
      );
      void feed.add(samples, now);
      sent += page;
      pages += 1;
    }
    feed.read(out, RATE / 100, now);
    heard.push(...out);
    waiting.push(feed.waitingMs);
  }
  return { feed, heard, waiting };
}

/** @param {number[]} samples */
const silent = (samples) => samples.filter((sample) => sample === 0).length;

describe('the feed of a program’s sound', () => {
  it('begins a margin after the first page, and has no gap for pages of a second', async () => {
    const { feed, heard, waiting } = await run({ seconds: 30, pageMs: 1000 });
    expect(heard.findIndex((sample) => sample !== 0) / 8).toBeCloseTo(MARGIN_MS, -1);
    expect(feed.counters.underruns).toBe(0);
    expect(Math.min(...waiting.slice(20))).toBeGreaterThan(MARGIN_MS - 30);
  });

  for (const ppm of [-200, 200])
    it(`follows a clock that is off by ${ppm} ppm for ten minutes`, async () => {
      const { feed, waiting } = await run({ seconds: 600, pageMs: 20, ppm });
      expect(feed.counters).toEqual({ underruns: 0, droppedMs: 0 });
      expect(feed.ppm).toBeGreaterThan(ppm - 50);
      expect(feed.ppm).toBeLessThan(ppm + 50);
      // Unsteered, 120 ms would be missing or too much by then.
      expect(Math.min(...waiting.slice(-1000))).toBeGreaterThan(MARGIN_MS - 70);
      expect(Math.max(...waiting)).toBeLessThan(MARGIN_MS + 90);
    });

  it('is silent while a program stalls, then waits for longer', async () => {
    const stall = (/** @type {number} */ page) =>
      page >= 500 && page < 525 ? 500 - (page - 500) * 20 : 0;
    const { feed, heard } = await run({ seconds: 30, pageMs: 20, lateMs: stall });
    expect(feed.counters.underruns).toBe(1);
    const gap = silent(heard.slice(11 * RATE, 29 * RATE));
    expect(gap).toBeLessThan(RATE);
    expect(silent(heard.slice(15 * RATE, 29 * RATE))).toBeLessThan(RATE / 100);
  });

  it('drops what a burst has left beyond the margin', async () => {
    const burst = (/** @type {number} */ page) => (page < 100 ? -page * 20 : -2000);
    const { feed, waiting } = await run({ seconds: 40, pageMs: 20, lateMs: burst });
    expect(feed.counters.droppedMs).toBeGreaterThan(1700);
    expect(waiting.at(-1)).toBeLessThan(MARGIN_MS + 50);
  });

  it('is as soon as before, a while after a live program’s connection has stalled', async () => {
    const feed = new SoundFeed({ sampleRate: RATE, channels: 1 }, MARGIN_MS);
    const out = new Float32Array(RATE / 100);
    const page = new Float32Array(RATE / 5).fill(0.1);
    const [stallMs, stallEndMs] = [20_000, 27_000];
    // Pages on their way, as far as the feed doesn't read.
    let underWay = 0;
    for (let now = 0; now < 120_000; now += 10) {
      if (now % 200 === 0) underWay += 1;
      const isStalled = now >= stallMs && now < stallEndMs;
      if (!isStalled) for (; underWay > 0 && feed.hasRoom; underWay--) void feed.add(page, now);
      feed.read(out, RATE / 100, now);
      if (now === stallEndMs + 1000) expect(feed.waitingMs).toBeGreaterThan(2900);
    }
    expect(underWay).toBe(0);
    expect(feed.waitingMs).toBeLessThan(2 * MARGIN_MS + 250);
    // No more is left out than was missing.
    expect(feed.counters.underruns).toBe(1);
    expect(feed.counters.droppedMs).toBeLessThanOrEqual(stallEndMs - stallMs);
  });

  it('leaves out no more of a file than its connection has stalled', async () => {
    const feed = new SoundFeed({ sampleRate: RATE, channels: 1 }, MARGIN_MS);
    const out = new Float32Array(RATE / 100);
    const page = new Float32Array(RATE / 5).fill(0.1);
    for (let now = 0; now < 120_000; now += 10) {
      const isStalled = now >= 20_000 && now < 25_000;
      if (!isStalled) while (feed.hasRoom) void feed.add(page, now);
      feed.read(out, RATE / 100, now);
    }
    expect(feed.counters.underruns).toBe(1);
    expect(feed.counters.droppedMs).toBeLessThan(2200);
    expect(feed.waitingMs).toBeGreaterThan(2900);
  });

  it('keeps a program that is faster than time waiting, and doesn’t steer for it', async () => {
    const feed = new SoundFeed({ sampleRate: RATE, channels: 2 }, MARGIN_MS);
    const out = new Float32Array(RATE / 50);
    let [added, now, most] = [0, 0, 0];
    const push = async () => {
      for (; added < 5000; added++) await feed.add(new Float32Array(RATE / 25).fill(0.1), now);
    };
    const pushed = push();
    for (; now < 30_000; now += 10) {
      await null;
      await null;
      feed.read(out, RATE / 100, now);
      most = Math.max(most, feed.waitingMs);
    }
    expect(most).toBeLessThanOrEqual(3020);
    expect(added * 20).toBeLessThan(33_100);
    expect([feed.ppm, feed.counters]).toEqual([0, { underruns: 0, droppedMs: 0 }]);
    feed.close();
    await pushed;
  });
});
