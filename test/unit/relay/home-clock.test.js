import { describe, expect, it } from 'vitest';
import { HomeClock } from '../../../server/relay/home-clock.js';
import { random } from '../../fakes/random.js';

const RATE = 48_000;

/**
 * The owner's clock, which runs faster by a part, in samples.
 * @param {number} ms
 * @param {number} [ppm]
 */
const truth = (ms, ppm = 0) => (ms * (1 + ppm / 1e6) + 5000) * (RATE / 1000);

describe('the clock of a room whose home is another node', () => {
  it('is not set before the first answer', () => {
    const clock = new HomeClock(RATE);
    expect(clock.at(100)).toBeNaN();
  });

  it.each([0, 50, -50])(
    'is right within a millisecond over ways that take 1 to 40 ms, at a drift of %i ppm',
    (ppm) => {
      const clock = new HomeClock(RATE);
      const next = random(7);
      let [worst, before] = [0, -Infinity];
      for (let ms = 0; ms < 600_000; ms += 400) {
        // One way takes longer than the other, now and then by much.
        const [there, back] = [1 + 40 * next() ** 8, 1 + 40 * next() ** 8];
        clock.observe(ms, ms + there + back, truth(ms + there, ppm));
        for (let at = ms + 100; at < ms + 400; at += 100) {
          const read = clock.at(at);
          expect(read).toBeGreaterThan(before);
          before = read;
          if (ms > 10_000) worst = Math.max(worst, Math.abs(read - truth(at, ppm)));
        }
      }
      expect(worst / (RATE / 1000)).toBeLessThan(1);
    },
  );

  it('moves to a new offset by at most 1 ms per second, and at once if it is far off', () => {
    const clock = new HomeClock(RATE);
    clock.observe(0, 2, truth(1));
    const begin = clock.at(1000) - truth(1000);
    for (let i = 0; i < 16; i++) clock.observe(1000 + i, 1002 + i, truth(1001 + i) + 480);
    expect(clock.at(2000) - truth(2000) - begin).toBeLessThan(50);
    clock.observe(3000, 3001, truth(3000.5) + RATE);
    expect(clock.at(3001) - truth(3001)).toBeCloseTo(RATE, -1);
  });
});
