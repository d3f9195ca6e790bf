import { expect, it } from 'vitest';
import { PlayoutDelay } from '../../../../public/client/playout/playout-delay.js';
import { random as randomOf } from '../../../fakes/random.js';
import { playoutMsOf } from '../../../../public/shared/nearness.js';

/** Lateness of the delayed packets, and the time between two of them, in milliseconds. */
const LATE_MS = 30;
const EVERY_MS = 1000;

/**
 * The delay that is wanted at the end of a call of 20 s, some of whose last packets are late.
 * @param {number} frameMs
 * @param {number} late number of packets, each in another half second of the last ten
 */
function wantedAfter(frameMs, late) {
  const delay = new PlayoutDelay(frameMs);
  const frames = 20_000 / frameMs;
  for (let frame = 0; frame < frames; frame++) {
    const toEndMs = (frames - frame) * frameMs;
    const isLate = toEndMs % EVERY_MS === 0 && toEndMs <= late * EVERY_MS;
    delay.arrived(frame, frame * frameMs + (isLate ? LATE_MS : 0), false);
  }
  return delay.wantedMs;
}

it.each([
  [20, 1],
  [10, 2],
  [5, 4],
  [2.5, 8],
  [40, 1],
])(
  'the delay covers late packets with frames of %s ms, except %i in ten seconds',
  (frameMs, made) => {
    expect(wantedAfter(frameMs, made)).toBeLessThan(LATE_MS / 2);
    expect(wantedAfter(frameMs, made + 1)).toBeGreaterThanOrEqual(LATE_MS);
  },
);

/**
 * The delay that is wanted once 5 s have gone by after stalls of 300 ms each.
 * @param {number[]} stallsMs when they begin
 */
function wantedAfterStalls(stallsMs) {
  const delay = new PlayoutDelay(20);
  for (let frame = 0; frame < 1000; frame++) {
    const dueMs = frame * 20;
    const stallMs = stallsMs.find((ms) => dueMs >= ms && dueMs < ms + 300);
    const isLate = frame === 650;
    // The first frame is waited for, and all others with it.
    delay.arrived(
      frame,
      stallMs === undefined ? dueMs + (isLate ? LATE_MS : 0) : stallMs + 300,
      dueMs === stallMs,
    );
  }
  return delay.wantedMs;
}

it('the delay is no longer after a lone stall than before, and covers one that comes again', () => {
  expect(wantedAfterStalls([15_000])).toBe(wantedAfterStalls([]));
  expect(wantedAfterStalls([])).toBeLessThan(LATE_MS);
  expect(wantedAfterStalls([12_000, 15_000])).toBeGreaterThan(2 * LATE_MS);
});

/**
 * The surplus that is left after as much sound without a pause, in milliseconds.
 * @param {number} frameMs
 * @param {number} surplusMs  at first
 * @param {number} seconds
 */
function surplusAfter(frameMs, surplusMs, seconds) {
  const delay = new PlayoutDelay(frameMs);
  const frames = (seconds * 1000) / frameMs;
  let heardMs = 0;
  for (let frame = 0; frame < frames; frame++) {
    const arrivedMs = frame * frameMs;
    delay.arrived(frame, arrivedMs, false);
    if (frame === 0) heardMs = arrivedMs + delay.wantedMs + surplusMs;
    // The wanted delay stays.
    delay.wantedMs = 10;
    delay.pulled(frame, heardMs, 0, 0, frame * frameMs);
    heardMs += frameMs / delay.step;
  }
  return delay.surplusMs;
}

it.each([
  [20, 11, 11],
  [5, 11, 4],
  [10, 11, 4],
  [2.5, 11, 4],
  [2.5, 3.9, 3.9],
])(
  'the delay with frames of %s ms leaves of a surplus of %s ms at most %s',
  (frameMs, surplusMs, left) => {
    const after = surplusAfter(frameMs, surplusMs, 60);
    expect(after).toBeLessThanOrEqual(left + 0.1);
    if (left === surplusMs) expect(after).toBeGreaterThan(left - 0.1);
  },
);

/**
 * Wanted delay when the path becomes longer as a whole, as when the server-side delay is raised.
 * @param {number} frameMs
 * @param {number} longerMs
 * @returns {{ most: number, wantedMs: number }} `most`: latest time of hearing a sound, after the
 *   old path's quickest packet; `wantedMs`: the delay that is wanted half a minute later
 */
function wantedOnLongerPath(frameMs, longerMs) {
  const delay = new PlayoutDelay(frameMs);
  const random = randomOf(5);
  let [addedMs, most, arrivedMs] = [0, 0, 0];
  let quickest = Infinity;
  const frames = 50_000 / frameMs;
  for (let frame = 0; frame < frames; frame++) {
    // D rises by half a frame a frame.
    if (frame * frameMs > 15_000) addedMs = Math.min(longerMs, addedMs + frameMs / 2);
    arrivedMs = Math.max(arrivedMs, frame * frameMs + addedMs + 2 * random());
    const { wantedMs } = delay;
    delay.arrived(frame, arrivedMs, arrivedMs - frame * frameMs > quickest + wantedMs);
    // The quickest of five to ten seconds is what the delay is measured from.
    if (frame * frameMs < 20_000) quickest = Math.min(quickest, arrivedMs - frame * frameMs);
    else quickest = arrivedMs - frame * frameMs - delay.lateness(frame, arrivedMs);
    most = Math.max(most, quickest + delay.wantedMs);
  }
  return { most, wantedMs: delay.wantedMs };
}

it.each([2.5, 5, 10, 20])(
  'the delay does not add what a longer path covers, with frames of %s ms',
  (frameMs) => {
    const { most, wantedMs } = wantedOnLongerPath(frameMs, 295);
    expect(most).toBeGreaterThan(295);
    expect(most).toBeLessThan(295 + 25);
    expect(wantedMs).toBeLessThan(10);
  },
);

it('the delay keeps near listeners within 250 ms if it can, and steady ones at 1.5 s', () => {
  expect([30, 100, 180, 2000].map((otherMs) => playoutMsOf('near', otherMs))).toEqual([
    195, 125, 70, 70,
  ]);
  expect([30, 2000].map((otherMs) => playoutMsOf('steady', otherMs))).toEqual([1500, 1500]);
  expect(playoutMsOf('conversation', 30)).toBeNull();
});
