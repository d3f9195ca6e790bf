import { describe, expect, it } from 'vitest';
import {
  constant,
  exponential,
  inTurn,
  leastFixedMs,
  lognormal,
  simulate,
  stalling,
} from '../../../testkit/delay-simulation.js';
import { DelayControl } from '../../../server/clock/delay-control.js';
import { Lateness } from '../../../server/source/lateness.js';
import { random } from '../../fakes/random.js';

/** @import { Tick } from '../../../testkit/delay-simulation.js' */

/** @param {Tick[]} ticks @param {number} [speaker] */
const receivedPercent = (ticks, speaker = 0) =>
  (100 * ticks.filter((tick) => tick.inTime[speaker]).length) / ticks.length;

/** @param {Tick[]} ticks @param {number} seconds */
const delayAt = (ticks, seconds) => ticks[seconds * 50 - 1].delayMs;

const newLateness = (options = {}) =>
  new Lateness({ frameMs: 20, maxMs: 400, targetPercent: 99.5, ...options });

describe('lateness', () => {
  it('needs the delay that leaves no more than the target allows beyond it', () => {
    const lateness = newLateness({ targetPercent: 90 });
    // 1 to 100 ms, ten times, in an order that says nothing of a step.
    for (let i = 0; i < 1000; i++) lateness.add(((i * 37) % 100) + 0.5, i * 20);
    // Three quarters of a tenth are planned to be late.
    expect(lateness.needMs).toBeGreaterThanOrEqual(92);
    expect(lateness.needMs).toBeLessThanOrEqual(94);
    expect(lateness.quantile(0.5)).toBe(50);
    expect(lateness.quantile(0.99)).toBe(99);
    expect(lateness.histogram([0, 10, 50])).toEqual([0, 100, 400, 500]);
  });

  it('counts a whole millisecond as covering itself, and an early packet as no need', () => {
    const lateness = newLateness();
    for (let i = 0; i < 100; i++) lateness.add(30, i * 20);
    expect(lateness.needMs).toBe(30);
    const early = newLateness();
    for (let i = 0; i < 100; i++) early.add(-15, i * 20);
    expect(early.needMs).toBe(0);
  });

  it('is exact to a quarter of a millisecond up to 16 ms, and to one beyond', () => {
    const allAt = (/** @type {number} */ latenessMs, maxMs = 400) => {
      const lateness = newLateness({ maxMs });
      for (let i = 0; i < 100; i++) lateness.add(latenessMs, i * 20);
      return lateness;
    };
    const needs = [0.1, 5.1, 5.25, 5.3, 15.9, 16, 16.1, 40.5].map((ms) => allAt(ms).needMs);
    expect(needs).toEqual([0.25, 5.25, 5.25, 5.5, 16, 16, 17, 41]);
    // Statistics have whole milliseconds.
    expect([5.1, 15.9, 40.5].map((ms) => allAt(ms).quantile(0.5))).toEqual([6, 16, 41]);
    expect(allAt(5.1).histogram([5, 10])).toEqual([0, 100, 0]);
    const [within, beyond] = [allAt(9.9, 10), allAt(10.1, 10)];
    expect([within.needMs, within.quantile(0.5)]).toEqual([10, 10]);
    expect([beyond.needMs, beyond.quantile(0.5)]).toEqual([0, 11]);
  });

  it('forgets after 20 s, even if nothing comes, and long waits once they have no reason', () => {
    const lateness = newLateness();
    for (let i = 0; i < 100; i++) lateness.add(90, i * 20);
    for (let i = 100; i < 200; i++) lateness.add(10, i * 20);
    expect(lateness.needMs).toBe(90);
    for (let i = 200; i < 900; i++) lateness.add(10, i * 20);
    expect(lateness.needMs).toBe(60);
    // The control remembers more than it needs: one late packet is enough.
    lateness.add(61, 18_000);
    lateness.add(10, 18_000);
    expect(lateness.needMs).toBe(90);
    for (let i = 900; i < 1300; i++) lateness.add(10, i * 20);
    expect(lateness.needMs).toBe(10);
    lateness.review(100_000, null);
    expect(lateness.count).toBe(0);
    expect(lateness.needMs).toBe(0);
    expect(lateness.quantile(0.5)).toBeNull();
  });

  it('keeps what is long where it came again after a while in which nothing did', () => {
    const stalled = (/** @type {number[]} */ ...atSeconds) => {
      const lateness = newLateness();
      for (let i = 0; i < 900; i++)
        lateness.add(atSeconds.includes(Math.floor(i / 50)) && i % 5 === 0 ? 120 : 10, i * 20);
      return lateness.needMs;
    };
    expect(stalled(4, 5, 6)).toBe(60);
    expect(stalled(4, 12)).toBe(120);
  });

  it('takes three late packets in a row for a longer way, but not a stall that drains', () => {
    const steady = newLateness();
    const stalled = newLateness();
    for (let i = 0; i < 500; i++) for (const each of [steady, stalled]) each.add(10, i * 20);
    for (let i = 0; i < 3; i++) steady.add(60, 10_000 + i * 20);
    for (let i = 0; i < 3; i++) stalled.add(60 - 20 * i, 10_000);
    expect(steady.needMs).toBe(60);
    expect(stalled.needMs).toBeLessThan(60);
  });

  it('counts a long stall as one late packet, despite other late ones, until it recurs', () => {
    const lateness = newLateness();
    const say = (/** @type {number} */ fromSecond, /** @type {number} */ toSecond) => {
      for (let i = fromSecond * 50; i < toSecond * 50; i++)
        lateness.add(i % 400 === 0 ? 30 : 5, i * 20);
    };
    /**
     * All packets of 300 ms come at once, each later by a frame than the one after it.
     * @param {number} atMs
     */
    const stall = (atMs) => {
      for (let lateMs = 300; lateMs > 5; lateMs -= 20) lateness.add(lateMs, atMs);
      return lateness.needMs;
    };
    say(0, 30);
    expect(stall(30_000)).toBe(5);
    say(30, 40);
    expect(stall(40_000)).toBeGreaterThan(200);
  });

  it('survives any figures and a flood', () => {
    const lateness = newLateness();
    for (const value of [NaN, Infinity, -Infinity, 1e308, -1e308]) lateness.add(value, 0);
    for (let i = 0; i < 200_000; i++) lateness.add(5, 1);
    expect(lateness.count).toBeLessThanOrEqual(65_535 + 5);
    expect(lateness.needMs).toBeLessThanOrEqual(400);
    lateness.review(1e9, null);
    expect(lateness.count).toBe(0);
  });

  it('excludes who is beyond the cap, and who takes longer than its own round trip', () => {
    const far = newLateness();
    const liar = newLateness();
    const slow = newLateness();
    for (let i = 0; i < 100; i++) {
      far.add(401, i * 20);
      liar.add(300, i * 20);
      slow.add(300, i * 20);
    }
    far.review(2000, null);
    liar.review(2000, 20);
    slow.review(2000, 280);
    expect([far.excluded, liar.excluded, slow.excluded]).toEqual([true, true, false]);
    // A clock that is put right is believed again once the wrong is forgotten.
    for (let i = 0; i < 1300; i++) liar.add(12, 2000 + i * 20);
    liar.review(28_000, 20);
    expect(liar.excluded).toBe(false);
  });
});

describe('the delay that tunes itself', () => {
  it.each([
    ['constant', () => constant(33), 33],
    ['exponential', () => exponential(10, 2), null],
    ['lognormal', () => lognormal(12), null],
    ['stalling', () => stalling(lognormal(12), { perSecond: 0.6, minMs: 20, maxMs: 66 }), null],
  ])('finds the smallest that reaches the target: %s', (_name, trace, exact) => {
    const { ticks, lateness } = simulate({ traces: [trace()], seconds: 300, seed: 5 });
    expect(receivedPercent(ticks)).toBeGreaterThanOrEqual(99.5);
    const late = ticks.slice(3000);
    const mean = late.reduce((sum, tick) => sum + tick.delayMs, 0) / late.length;
    const best = leastFixedMs(lateness[0], 99.5);
    expect(Math.abs(mean - best)).toBeLessThan(6);
    if (exact !== null) expect(new Set(late.map((tick) => tick.delayMs))).toEqual(new Set([exact]));
  });

  it('is at most 8 ms on loopback', () => {
    const { ticks } = simulate({ traces: [exponential(0.3, 0.5)], seconds: 60 });
    expect(delayAt(ticks, 30)).toBeLessThanOrEqual(8);
  });

  it('rises within a few frames of a step, and is back half a minute later', () => {
    const trace = inTurn([
      [0, constant(10)],
      [30_000, constant(90)],
      [60_000, constant(10)],
    ]);
    const { ticks } = simulate({ traces: [trace], seconds: 120 });
    expect(delayAt(ticks, 30)).toBe(10);
    const late = ticks.filter((tick) => tick.frame >= 1500 && !tick.inTime[0]);
    // Four don't come at all in the first 80 ms; three tell; the rest is the rise by half a frame a
    // frame.
    expect(late.length).toBeLessThanOrEqual(16);
    expect(late.at(-1)?.frame).toBeLessThan(1520);
    expect(delayAt(ticks, 60)).toBe(90);
    expect(delayAt(ticks, 62)).toBe(90);
    expect(delayAt(ticks, 70)).toBe(60);
    expect(delayAt(ticks, 90)).toBeLessThan(30);
    expect(delayAt(ticks, 100)).toBe(10);
  });

  it('falls faster when nobody speaks', () => {
    const trace = inTurn([
      [0, constant(60)],
      [20_000, constant(10)],
    ]);
    const back = (/** @type {boolean} */ speaking) => {
      const { ticks } = simulate({ traces: [trace], seconds: 100, speaking: () => speaking });
      return ticks.findIndex((tick) => tick.frame > 1000 && tick.delayMs <= 11) / 50 - 20;
    };
    expect(back(false)).toBeLessThan(24);
    expect(back(true)).toBeGreaterThan(back(false) + 3);
    expect(back(true)).toBeLessThan(40);
  });

  it('changes per frame by at most half a frame up and 2 ms down; ticks keep their order', () => {
    const chance = random(3);
    const trace = (/** @type {number} */ end) =>
      20 + 300 * Math.abs(Math.sin(end / 20_000)) + 5 * chance();
    const { ticks } = simulate({ traces: [trace], seconds: 200 });
    const changes = ticks.slice(1).map(({ delayMs }, i) => delayMs - ticks[i].delayMs);
    expect(Math.max(...changes)).toBeLessThanOrEqual(10.03);
    expect(Math.min(...changes)).toBeGreaterThanOrEqual(-2.03);
    expect(ticks.every(({ dueMs }, i) => i === 0 || dueMs > ticks[i - 1].dueMs)).toBe(true);
  });

  it('is as large as the slowest of many speakers needs, and falls when that one has gone', () => {
    const traces = Array.from({ length: 30 }, (_, i) => constant(i + 1));
    const { ticks, control, speakers } = simulate({ traces, seconds: 30 });
    expect(delayAt(ticks, 30)).toBe(30);
    for (let i = 0; i < 30; i++) expect(receivedPercent(ticks.slice(100), i)).toBe(100);
    control.review(speakers.slice(0, 10));
    expect(control.wantedMs).toBe(10);
  });

  it('is not moved by who is beyond the cap, whose clock is wrong, or who sends nothing', () => {
    const base = simulate({ traces: [constant(10)], seconds: 30 });
    for (const [lateMs, roundTripMs] of [
      [900, null],
      [300, 20],
      [401, 500],
      [1e6, 20],
    ]) {
      const traces = [constant(10), constant(Number(lateMs))];
      const { ticks, speakers } = simulate({
        traces,
        seconds: 30,
        roundTripsMs: [20, roundTripMs],
      });
      // Nothing of the last speaker arrives in that time.
      expect(speakers[1].excluded).toBe(lateMs !== 1e6);
      expect(ticks.map((tick) => tick.delayMs)).toEqual(base.ticks.map((tick) => tick.delayMs));
    }
  });

  it('never goes beyond the cap', () => {
    const trace = inTurn([
      [0, constant(10)],
      [10_000, constant(95)],
      [20_000, constant(105)],
    ]);
    const { ticks } = simulate({ traces: [trace], seconds: 60, maxMs: 100 });
    expect(Math.max(...ticks.map((tick) => tick.delayMs))).toBe(95);
  });

  it.each([
    [0.01, 99.8, 57],
    [0.05, 99.95, 66],
    [0.1, 99.6, 66],
  ])(
    'waits for what redundancy mends: with a loss of %d the share present is %d %%',
    (loss, percent, mostMs) => {
      for (const seed of [1, 2, 3]) {
        const { ticks } = simulate({ traces: [lognormal(12)], seconds: 300, seed, loss });
        // The first seconds tell the sender, and D.
        expect(receivedPercent(ticks.slice(500))).toBeGreaterThanOrEqual(percent);
        expect(Math.max(...ticks.slice(500).map((tick) => tick.delayMs))).toBeLessThanOrEqual(
          mostMs,
        );
      }
    },
  );

  it('does not wait for repeats when nothing is lost, nor for what is never repeated', () => {
    const traces = [lognormal(12)];
    const delays = (/** @type {object} */ link) =>
      simulate({ traces, seconds: 60, seed: 2, ...link })
        .ticks.slice(500)
        .map((tick) => tick.delayMs);
    const clean = Math.max(...delays({}));
    expect(Math.max(...delays({ redundancy: 2 }))).toBe(clean);
    expect(Math.max(...delays({ redundancy: 0, loss: 0.1 }))).toBeLessThanOrEqual(clean + 1);
  });
});

describe('a delay that is a number', () => {
  it('is that, to the sample, whatever comes', () => {
    const { ticks } = simulate({ traces: [exponential(100, 50)], seconds: 10, setting: 67.3 });
    expect(new Set(ticks.map((tick) => tick.delayMs))).toEqual(
      new Set([Math.round(67.3 * 48) / 48]),
    );
  });

  it('is reached in steps, and left again for auto', () => {
    const control = new DelayControl({ frameMs: 20, sampleRate: 48000, setting: 60 });
    control.set(200);
    const frames = (/** @type {number} */ wanted) => {
      for (let i = 0; i < 1000; i++) {
        if (control.delayMs === wanted) return i;
        control.advance(1, true);
      }
      return Infinity;
    };
    expect(frames(200)).toBe(14);
    control.set(0);
    expect(frames(0)).toBe(100);
    expect(control.delaySamples).toBe(0);
    control.set('auto');
    expect(control.describe()).toMatchObject({ mode: 'auto', maxMs: 400 });
  });

  it('of more than the cap comes down to the cap with auto', () => {
    const control = new DelayControl({ frameMs: 20, sampleRate: 48000, setting: 1500 });
    control.set('auto');
    for (let i = 0; i < 5000; i++) control.advance(1, false);
    expect(control.delayMs).toBe(400);
  });
});

describe('the delay of answers', () => {
  it('is whole frames with auto, as many as cover D, and a number as it is', () => {
    const control = new DelayControl({ frameMs: 20, sampleRate: 48000, setting: 'auto' });
    const lateness = newLateness();
    for (let k = 0; k < 100; k++) {
      lateness.add(33, k * 20);
      control.observe(lateness, k * 20, () => null);
      control.advance(1, true);
    }
    expect(control.delayMs).toBe(33);
    expect(control.replyDelayMs).toBe(40);
    control.set(33);
    expect(control.replyDelaySamples).toBe(33 * 48);
  });

  it('falls in a pause or after 10 s without one, with a quarter frame of hysteresis', () => {
    const control = new DelayControl({ frameMs: 20, sampleRate: 48000, setting: 'auto' });
    control.wantedMs = 50;
    const pass = (/** @type {number} */ frames, /** @type {boolean} */ speaking) => {
      for (let i = 0; i < frames; i++) control.advance(1, speaking);
    };
    pass(100, true);
    expect(control.replyDelayMs).toBe(60);
    control.wantedMs = 38;
    pass(1000, false);
    expect(control.replyDelayMs).toBe(60);
    control.wantedMs = 34;
    pass(450, true);
    expect(control.replyDelayMs).toBe(60);
    pass(150, true);
    expect(control.replyDelayMs).toBe(40);
    control.wantedMs = 10;
    pass(100, false);
    expect(control.replyDelayMs).toBe(20);
  });
});
