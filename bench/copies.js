/**
 * Prints the share of a mix that reaches a listener in time on the lab's `bad-wifi` link, by
 * sending scheme and playout delay. It models the downlink (bench/link/profiles.js), without
 * sockets and real time. It shows why a `near` listener's packets of 60 ms are sent three times, 60
 * ms apart.
 *
 *   node bench/copies.js
 */

import { linkProfile } from './link/profiles.js';
import { seededRandom } from '../testkit/random.js';

const FRAME_MS = 20;
const STRIDE = 3;
const HOURS = 4;
const WAITS_MS = [80, 120, 160, 180, 200];

const {
  jitterMs,
  jitterShape,
  jitterCapMs,
  jitterHoldMs,
  stallsPerSecond,
  stallMinMs,
  stallMaxMs,
  lossPercent,
  burstEnter,
  burstLeave,
  badLossPercent,
} = /** @type {Required<import('./link/settings.js').LinkSettings>} */ (
  linkProfile('bad-wifi').settings
);

/**
 * The frames of each packet that is sent when a frame is mixed.
 * @typedef {(frame: number) => number[][]} Sending
 */

/** @param {number} frame  the packet's last */
const strideTo = (frame) => [frame, frame - 1, frame - 2];

/** @param {number[]} offsets  in frames: when packets of 60 ms go again @returns {Sending} */
const copies = (offsets) => (frame) =>
  [0, ...offsets]
    .map((offset) => frame - offset)
    .filter((last) => last >= 0 && last % STRIDE === STRIDE - 1)
    .map(strideTo);

/** @type {Record<string, Sending>} */
const SENDINGS = {
  'packets of 20 ms': (frame) => [[frame]],
  'packets of 20 ms, each repeats two': (frame) => [strideTo(frame)],
  'packets of 60 ms': copies([]),
  'of 60 ms, again after 60 ms': copies([3]),
  'of 60 ms, again after 20 and 40 ms': copies([1, 2]),
  'of 60 ms, again after 40 and 80 ms': copies([2, 4]),
  'of 60 ms, again after 60 and 120 ms': copies([3, 6]),
  'of 60 ms, again after 80 and 160 ms': copies([4, 8]),
};

/**
 * When each frame is there first, after it was mixed, in milliseconds beyond the least way.
 * @param {Sending} sending
 */
function arrivals(sending) {
  const random = seededRandom(1);
  const exponential = (/** @type {number} */ mean) => -Math.log(1 - random()) * mean;
  const frames = (HOURS * 3_600_000) / FRAME_MS;
  const there = new Float64Array(frames).fill(Infinity);
  const stall = { nextMs: exponential(1000 / stallsPerSecond), endMs: 0 };
  const jitter = { ms: 0, untilMs: -1 };
  let isBad = false;
  let lastMs = 0;
  for (let frame = 0; frame < frames; frame++) {
    const nowMs = frame * FRAME_MS;
    for (; stall.nextMs < nowMs; stall.nextMs += exponential(1000 / stallsPerSecond))
      stall.endMs = stall.nextMs + stallMinMs + random() * (stallMaxMs - stallMinMs);
    for (const held of sending(frame)) {
      isBad = isBad ? random() >= burstLeave : random() < burstEnter;
      if (random() < lossPercent / 100 || (isBad && random() < badLossPercent / 100)) continue;
      if (nowMs >= jitter.untilMs) {
        jitter.ms = Math.min(
          jitterCapMs,
          jitterMs * (jitterShape - 1) * ((1 - random()) ** (-1 / jitterShape) - 1),
        );
        jitter.untilMs = nowMs + jitterHoldMs;
      }
      // Nothing overtakes.
      const atMs = Math.max(lastMs, stall.endMs, nowMs + jitter.ms);
      lastMs = atMs;
      for (const one of held)
        if (one >= 0) there[one] = Math.min(there[one], atMs - one * FRAME_MS);
    }
  }
  return there;
}

console.log(
  `Percent of the frames there in time on bad-wifi, in ${HOURS} hours, by how long sound waits:\n`,
);
console.log(`${''.padEnd(38)}${WAITS_MS.map((ms) => `${ms} ms`.padStart(9)).join('')}`);
for (const [name, sending] of Object.entries(SENDINGS)) {
  const there = arrivals(sending);
  const shares = WAITS_MS.map(
    (wait) => (100 * there.reduce((count, ms) => count + (ms <= wait ? 1 : 0), 0)) / there.length,
  );
  console.log(`${name.padEnd(38)}${shares.map((share) => share.toFixed(3).padStart(9)).join('')}`);
}
