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

it('has enough where the timer is a little late', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 20_000, lateMs: 4 });
  expect(time.lateShare).toBeCloseTo(0.04, 2);
  expect(time).toMatchObject({ isShort: false, complexity: 8 });
});

it('is short of time once the timer has been late for some seconds, and has enough again some seconds after', () => {
  const time = new ProcessorTime();
  look(time, { fromMs: 0, toMs: 10_000, lateMs: 0 });
  look(time, { fromMs: 10_100, toMs: 11_000, lateMs: 40 });
  expect(time.isShort).toBe(false);
  look(time, { fromMs: 11_100, toMs: 14_000, lateMs: 40 });
  expect(time).toMatchObject({ isShort: true, complexity: 0 });
  look(time, { fromMs: 14_100, toMs: 16_000, lateMs: 0 });
  expect(time.isShort).toBe(true);
  look(time, { fromMs: 16_100, toMs: 22_000, lateMs: 0 });
  expect(time).toMatchObject({ isShort: false, complexity: 8 });
});

it('says nothing of the first seconds, in which a page opens', () => {
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
