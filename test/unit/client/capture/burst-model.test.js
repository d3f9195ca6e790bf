import { describe, expect, it } from 'vitest';
import { BurstModel } from '../../../../public/client/capture/burst-model.js';
import { burstsOf } from '../../../fakes/bursts.js';

const RATE = 48000;

/** @param {Parameters<typeof burstsOf>[0]} pattern @param {number} [seed] */
function modelOf(pattern, seed = 1) {
  const model = new BurstModel();
  for (const { atMs, samples } of burstsOf(pattern, { seconds: 2, seed }))
    model.add(atMs, (samples * 1000) / RATE);
  return model;
}

describe('BurstModel', () => {
  it.each(
    /** @type {const} */ ([
      ['fake', 10, true],
      ['pulseaudio', 20, true],
      ['pulseaudio-unprocessed', 1000 / 46.875, true],
      ['firefox', 18.666, true],
      ['quanta', 2.666, true],
    ]),
  )('finds the period of %s: %d ms', (pattern, periodMs, isRegular) => {
    for (let seed = 1; seed <= 20; seed++) {
      const model = modelOf(pattern, seed);
      expect(model.periodMs).toBeCloseTo(periodMs, 2);
      expect(model.isRegular).toBe(isRegular);
    }
  });

  it('takes no bursts that a busy machine has joined for longer ones', () => {
    const model = new BurstModel();
    for (let i = 1; i <= 45; i++) {
      // The worker learns of two pieces in five only with the next one.
      const isHeldUp = i % 5 === 1 || i % 5 === 3;
      model.add(isHeldUp ? 10 * (i + 1) : 10 * i, 10);
    }
    expect(model).toMatchObject({ periodMs: 10, isRegular: true, sinceMs: 10 });
  });
});
