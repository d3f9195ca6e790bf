import { describe, expect, it } from 'vitest';
import { ClockSync } from '../../public/client/clock-sync.js';
import { random as randomOf } from '../fakes/random.js';

const RATE = 48000;
const ORIGIN = 123_456_789;

/**
 * One exchange with a server whose clock is at ORIGIN at the client's time 0.
 * @param {ClockSync} sync @param {number} sentMs @param {number} upMs @param {number} downMs
 */
function exchange(sync, sentMs, upMs, downMs) {
  return sync.add(sentMs, sentMs + upMs + downMs, ORIGIN + ((sentMs + upMs) * RATE) / 1000);
}

const errorMs = (/** @type {ClockSync} */ sync, /** @type {number} */ ms) =>
  ((sync.sampleClockAt(ms) - ORIGIN) * 1000) / RATE - ms;

describe('ClockSync', () => {
  it('knows nothing before the first exchange', () => {
    const sync = new ClockSync(RATE);
    expect(sync.sampleClockAt(5)).toBeNaN();
    expect(sync.msAt(5)).toBeNaN();
    expect(sync.roundTripMs).toBeNull();
    expect(sync.leastRoundTripMs).toBeNull();
    expect(sync.quality(0)).toBe(Infinity);
  });

  it('is exact where both ways take the same time', () => {
    const sync = new ClockSync(RATE);
    exchange(sync, 1000, 20, 20);
    expect(errorMs(sync, 2000)).toBeCloseTo(0, 6);
    expect(sync.msAt(sync.sampleClockAt(1234))).toBeCloseTo(1234, 6);
    expect(sync.roundTripMs).toBe(40);
  });

  it('believes the least round trip among jittered and one-sided ones', () => {
    const random = randomOf(7);
    const sync = new ClockSync(RATE);
    for (let i = 0; i < 8; i++) {
      const queued = i === 3 ? 0.4 : 30 + random() * 200;
      exchange(sync, i * 25, 10 + queued, 10 + random() * 3);
    }
    expect(Math.abs(errorMs(sync, 300))).toBeLessThan(2);
    expect(sync.leastRoundTripMs).toBeLessThan(25);
    expect(Math.abs(errorMs(sync, 300))).toBeLessThanOrEqual(sync.quality(300));
  });

  it('holds its own bound under any delays (100 seeds)', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = randomOf(seed);
      const sync = new ClockSync(RATE);
      for (let i = 0; i < 40; i++) {
        const at = i * 500;
        exchange(sync, at, random() ** 3 * 300, random() ** 3 * 300);
        expect(Math.abs(errorMs(sync, at))).toBeLessThanOrEqual(sync.quality(at) + 1e-6);
      }
    }
  });

  it('gives up an old exchange for a fresh one, when it may have drifted away', () => {
    const sync = new ClockSync(RATE);
    exchange(sync, 0, 1, 1);
    exchange(sync, 1000, 1.5, 1.5);
    expect(sync.leastRoundTripMs).toBe(2);
    exchange(sync, 20_000, 1.5, 1.5);
    expect(sync.leastRoundTripMs).toBe(3);
  });

  it('refuses what can’t be', () => {
    const sync = new ClockSync(RATE);
    expect(sync.add(10, 5, 100)).toBe(false);
    expect(sync.add(10, NaN, 100)).toBe(false);
    expect(sync.add(10, 20, Infinity)).toBe(false);
    expect(sync.exchanges).toBe(0);
  });
});
