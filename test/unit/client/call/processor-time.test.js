import { expect, it } from 'vitest';
import { ProcessorTime } from '../../../../public/client/call/processor-time.js';

const LOOK_MS = 100;

/**
 * @param {ProcessorTime} time
 * @param {{ fromMs: number, toMs: number, lateMs: number }} of each look
 */
function look(time, { fromMs, toMs, lateMs }) {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += LOOK_MS) time.observe(lateMs, nowMs);
}

/**
 * Reads the counters regularly while sound runs out at the sound card.
 * @param {ProcessorTime} time
 * @param {{ fromMs: number, toMs: number, gaps: number, everyMs: number }} of  gaps: before it
 * @returns {number} the gaps by its end
 */
function runOut(time, { fromMs, toMs, gaps, everyMs }) {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += LOOK_MS) {
    if ((nowMs - fromMs) % everyMs === 0) gaps += 1;
    time.observe(0, nowMs, gaps);
  }
  return gaps;
}

it('a page has enough time where the timer is a little late', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 20_000, lateMs: 4 });
  expect(time.lateShare).toBeCloseTo(0.04, 2);
  expect(time).toMatchObject({ isShort: false, complexity: 8 });
});

it('a page is short of time after some seconds of a late timer, and then recovers', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 10_000, lateMs: 0 });
  look(time, { fromMs: 10_100, toMs: 11_000, lateMs: 40 });
  expect(time.isShort).toBe(false);
  look(time, { fromMs: 11_100, toMs: 14_000, lateMs: 40 });
  expect(time).toMatchObject({ isShort: true, complexity: 0, framesPerPacket: 2 });
  look(time, { fromMs: 14_100, toMs: 16_000, lateMs: 0 });
  expect(time.isShort).toBe(true);
  look(time, { fromMs: 16_100, toMs: 22_000, lateMs: 0 });
  expect(time).toMatchObject({ isShort: false, complexity: 8, framesPerPacket: 1 });
});

it('a page says nothing of the first seconds, in which a page opens', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 5000, lateMs: 90 });
  look(time, { fromMs: 5100, toMs: 20_000, lateMs: 0 });
  expect(time).toMatchObject({ isShort: false, lateShare: 0 });
});

it('isn’t short of time for a sleep', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 10_000, lateMs: 0 });
  time.observe(3_600_000, 3_610_000);
  look(time, { fromMs: 3_610_100, toMs: 3_612_000, lateMs: 0 });
  expect(time.lateShare).toBeGreaterThan(0);
  expect(time.isShort).toBe(false);
});

it('a page is short of time if sound keeps running out, and then recovers', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 10_000, lateMs: 0 });
  const gaps = runOut(time, { fromMs: 10_100, toMs: 12_000, gaps: 0, everyMs: 500 });
  expect(time.isShort).toBe(false);
  const all = runOut(time, { fromMs: 12_100, toMs: 14_000, gaps, everyMs: 500 });
  expect(time).toMatchObject({ isShort: true, complexity: 0, lateShare: 0 });
  for (let nowMs = 14_100; nowMs <= 22_000; nowMs += LOOK_MS) time.observe(0, nowMs, all);
  expect(time).toMatchObject({ isShort: false, complexity: 8 });
});

it('isn’t short of time for a rare gap, a gap at the start, or another sound card’s gaps', () => {
  const time = new ProcessorTime();
  const gaps = runOut(time, { fromMs: 0, toMs: 5000, gaps: 0, everyMs: 200 });
  for (let nowMs = 5100; nowMs <= 6000; nowMs += LOOK_MS) time.observe(0, nowMs, gaps);
  expect(time.isShort).toBe(false);
  let most = gaps;
  for (let nowMs = 6100; nowMs <= 40_000; nowMs += LOOK_MS) {
    if (nowMs % 4000 === 0) most += 5;
    // The counter of another sound card starts at zero.
    if (nowMs === 20_000) most = 0;
    time.observe(0, nowMs, most);
    expect(time.isShort).toBe(false);
  }
});
