import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SoundCard } from '../../../programs/sound-card.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  [2.5, 2.5],
  [5, 5],
  [10, 10],
  [20, 10],
  [60, 10],
])(
  'gives pieces as soon as they end, in a room with frames of %d ms pieces of %d',
  (frameMs, pieceMs) => {
    const format = createAudioFormat({ frameMs });
    const perMs = format.sampleRate / 1000;
    let [samples, latest] = [0, 0];
    const lengths = /** @type {number[]} */ ([]);
    const capture = (/** @type {Float32Array} */ chunk) => {
      lengths.push(chunk.length);
      samples += chunk.length;
      latest = Math.max(latest, performance.now() - card.startMs - samples / perMs);
    };
    const card = new SoundCard({
      client: { capture, render: () => {} },
      periodMs: 10,
      capture: (chunk) => void chunk.fill(0.1),
      play: null,
    });
    card.start(format);
    for (let i = 0; i < 2000; i++) vi.advanceTimersByTime(1);
    expect(latest).toBeLessThan(1);
    expect(new Set(lengths)).toEqual(new Set([pieceMs * perMs]));
    expect(samples).toBe(2000 * perMs);
    card.stop();
  },
);
