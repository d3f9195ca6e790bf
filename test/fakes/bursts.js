import { random as randomOf } from './random.js';

const RATE = 48000;

/**
 * Patterns of arrival as they were seen of sound systems. `pieces` gives the samples of each piece
 * of a burst, by the burst's number. A burst has jitter; stalls have a share and a length.
 * @type {Readonly<Record<string, { pieces: (burst: number) => number[], jitterMs: number,
 *   stallShare?: number, stallMs?: number }>>}
 */
const PATTERNS = Object.freeze({
  // Chromium's fake device.
  fake: { pieces: () => [480], jitterMs: 0.3 },
  // Chromium with PulseAudio: processed pieces, two at a time.
  pulseaudio: { pieces: () => [480, 480], jitterMs: 2, stallShare: 0.01, stallMs: 12 },
  // The same without processing.
  'pulseaudio-unprocessed': { pieces: () => [1024], jitterMs: 2, stallShare: 0.01, stallMs: 12 },
  // Firefox with PulseAudio: seven blocks of 128 samples, now and then eight.
  firefox: { pieces: (i) => [i % 28 === 0 ? 1024 : 896], jitterMs: 2.5 },
  // Blocks of an audio context on a device that asks for each.
  quanta: { pieces: () => [128], jitterMs: 0.3 },
});

/**
 * Pieces of a microphone's sound by their arrival.
 * @param {keyof typeof PATTERNS} pattern
 * @param {object} options
 * @param {number} options.seconds
 * @param {number} options.seed
 * @param {number} [options.startMs]  where the first burst begins
 * @returns {Generator<{ atMs: number, samples: number }>}
 */
export function* burstsOf(pattern, { seconds, seed, startMs = 0 }) {
  const { pieces, jitterMs, stallShare = 0, stallMs = 0 } = PATTERNS[pattern];
  const random = randomOf(seed);
  let [captured, lastMs] = [0, -Infinity];
  for (let burst = 0; captured < seconds * RATE; burst++) {
    const parts = pieces(burst);
    for (const samples of parts) captured += samples;
    const stall = random() < stallShare ? stallMs * random() : 0;
    // Small jitter is frequent, large jitter rare.
    const jitter = jitterMs * random() ** 3;
    let atMs = Math.max(lastMs, startMs + (captured * 1000) / RATE + jitter + stall);
    for (const samples of parts) {
      yield { atMs, samples };
      lastMs = atMs;
      atMs += 0.05;
    }
  }
}
