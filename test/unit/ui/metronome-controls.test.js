import { describe, expect, it } from 'vitest';
import { tempoOf } from '../../../public/ui/sound/metronome-controls.js';

describe('the tempo of taps', () => {
  it.each([
    [[0, 500], 120],
    [[100, 600, 1100, 1600], 120],
    [[0, 480, 1020, 1500], 120],
    [[0, 333, 667, 1000], 180],
    [[0, 3000], 20],
    [[0, 4000], 20],
    [[0, 100], 300],
    [[0, 0], 300],
  ])('of %j ms is %i beats a minute', (taps, bpm) => {
    expect(tempoOf(taps)).toBe(bpm);
  });

  it('is unknown after the first', () => {
    expect(tempoOf([])).toBe(null);
    expect(tempoOf([1000])).toBe(null);
  });
});
