import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { framesToScale, TimeScale } from '../../../../public/shared/sound/time-scale.js';
import { random as randomOf } from '../../../fakes/random.js';

const RATE = 48_000;

/** A voice of harmonics. @param {number} hz @param {number} from @param {number} count */
const voice = (hz, from, count) =>
  Float32Array.from({ length: count }, (_, i) =>
    [1, 2, 3, 4].reduce(
      (sum, n) => sum + (0.2 / n) * Math.sin((2 * Math.PI * hz * n * (from + i)) / RATE),
      0,
    ),
  );

/**
 * Gives pieces of 20 ms for as long as asked for, each shortened where that can be.
 * @param {(from: number, count: number) => Float32Array} sound  by its first sample
 * @param {{ pieces?: number, most?: number, channels?: number }} [options]
 */
function shortened(sound, { pieces = 50, most = Infinity, channels = 1 } = {}) {
  const scale = new TimeScale({ sampleRate: RATE, channels });
  const heard = /** @type {number[]} */ ([]);
  for (let i = 0; i < pieces; i++) {
    const pcm = sound(i * 960, 960);
    const count = scale.shorten(pcm, 960, 960, most);
    heard.push(...pcm.subarray(0, count * channels));
  }
  return heard;
}

/** @param {ArrayLike<number>} pcm */
const steepest = (pcm) =>
  Array.from(pcm).reduce((most, x, i) => Math.max(most, i > 0 ? Math.abs(x - pcm[i - 1]) : 0), 0);

describe('sound that is made shorter', () => {
  it.each([82, 110, 156, 220, 330, 480])('by a fifth, a voice of %i Hz is the same voice', (hz) => {
    const heard = shortened((from, count) => voice(hz, from, count));
    expect(heard.length / (50 * 960)).toBeLessThan(0.84);
    expect(heard.length / (50 * 960)).toBeGreaterThanOrEqual(0.79);
    expect(steepest(heard)).toBeLessThan(1.05 * steepest(voice(hz, 0, 4800)));
    // One period on, it is nearly the same: no part of one is missing.
    const period = RATE / hz;
    let [product, energy] = [0, 0];
    for (let i = 2000; i < heard.length - 2 * period; i++) {
      product += heard[i] * heard[i + Math.round(period)];
      energy += heard[i] * heard[i];
    }
    expect(product / energy).toBeGreaterThan(0.97);
  });

  it('keeps its ends, and is no shorter than asked for', () => {
    const pcm = voice(200, 0, 960);
    const whole = pcm.slice();
    const count = new TimeScale({ sampleRate: RATE, channels: 1 }).shorten(pcm, 960, 4800, 300);
    expect(count).toBeLessThan(960);
    expect(count).toBeGreaterThanOrEqual(660);
    expect(pcm[0]).toBe(whole[0]);
    expect(pcm[count - 1]).toBeCloseTo(whole[959], 3);
  });

  it('is left as it is where it is too short, or nothing is asked for', () => {
    const scale = new TimeScale({ sampleRate: RATE, channels: 1 });
    const pcm = voice(200, 0, 960);
    const whole = pcm.slice();
    expect([scale.shorten(pcm, 480, 480, Infinity), scale.shorten(pcm, 960, 960, 0)]).toEqual([
      480, 960,
    ]);
    expect(pcm).toEqual(whole);
  });

  it('is played 0.3 % faster when nothing repeats, or when less than a period is asked for', () => {
    const random = randomOf(3);
    const noise = (/** @type {number} */ _, /** @type {number} */ count) =>
      Float32Array.from({ length: count }, () => random() - 0.5);
    expect(shortened(noise, { pieces: 100 }).length).toBe(100 * 960 - 285);
    expect(
      shortened((from, count) => voice(200, from, count), { pieces: 100, most: 100 }).length,
    ).toBe(100 * 960 - 285);
  });

  it.each([1, 2])(
    'is as loud and as smooth where it is played faster, and follows on: %i channels',
    (channels) => {
      /** Notes that have no period in common. @param {number} from @param {number} count */
      const chord = (from, count) =>
        Float32Array.from({ length: count * channels }, (_, i) =>
          [261.6, 329.6, 415.3, 554.4].reduce(
            (sum, hz) =>
              sum +
              0.1 *
                Math.sin(
                  (2 * Math.PI * hz * (from + Math.floor(i / channels))) / RATE + (i % channels),
                ),
            0,
          ),
        );
      const heard = shortened(chord, { pieces: 100, most: 200, channels });
      expect(heard.length / channels).toBe(100 * 960 - 285);
      for (let channel = 0; channel < channels; channel++) {
        const one = (/** @type {ArrayLike<number>} */ pcm) =>
          Array.from(pcm).filter((_, i) => i % channels === channel);
        expect(steepest(one(heard))).toBeLessThan(1.02 * steepest(one(chord(0, 100 * 960))));
        // Each place is that of one 0.3 % further in the chord.
        const said = one(chord(0, 100 * 960));
        const off = one(heard).map(
          (x, i) => x - said[Math.round((i * 100 * 960) / (100 * 960 - 285))],
        );
        expect(Math.hypot(...off) / Math.hypot(...said)).toBeLessThan(0.15);
      }
    },
  );

  it('is as much shorter in long pieces, each of whose parts is checked', () => {
    const pcm = voice(200, 0, 2880);
    const scale = new TimeScale({ sampleRate: RATE, channels: 1 });
    const heard = Array.from({ length: 20 }, (_, i) => {
      const piece = voice(200, i * 2880, 2880);
      return [...piece.subarray(0, scale.shorten(piece, 2880, 2880, Infinity))];
    }).flat();
    expect(heard.length / (20 * 2880)).toBeLessThan(0.82);
    expect(steepest(heard)).toBeLessThan(1.05 * steepest(pcm));
  });

  it('is the same in long pieces when some of the fresh sound has gone already', () => {
    const [pcm, other] = [voice(200, 0, 8640), voice(200, 0, 8640)];
    const count = new TimeScale({ sampleRate: RATE, channels: 1 }).shorten(
      pcm,
      2880,
      2880,
      Infinity,
    );
    const scale = new TimeScale({ sampleRate: RATE, channels: 1 });
    expect(scale.shorten(other, 2880, 4000, Infinity)).toBe(count);
    expect(other.subarray(0, count)).toEqual(pcm.subarray(0, count));
  });

  it('has its channels apart', () => {
    const both = (/** @type {number} */ from, /** @type {number} */ count) => {
      const left = voice(200, from, count);
      return Float32Array.from({ length: 2 * count }, (_, i) => (i % 2 === 0 ? left[i >> 1] : 0));
    };
    const heard = shortened(both, { channels: 2 });
    expect(heard.length / 2).toBeLessThan(0.84 * 50 * 960);
    expect(heard.filter((x, i) => i % 2 === 1 && x !== 0)).toEqual([]);
    expect(steepest(heard.filter((_, i) => i % 2 === 0))).toBeLessThan(
      1.05 * steepest(voice(200, 0, 4800)),
    );
  });

  it.each([
    [2.5, 8],
    [5, 4],
    [10, 2],
    [20, 1],
    [60, 1],
  ])('is checked in frames of %f ms, %i together', (frameMs, frames) => {
    expect(framesToScale(createAudioFormat({ frameMs }))).toBe(frames);
  });
});
