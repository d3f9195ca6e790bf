import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';

describe('the rooms of a server', () => {
  it('mix at moments apart, each on a clock of its own', async () => {
    const conference = new Conference();
    const names = Array.from({ length: 10 }, (_, i) => `room-${i}`);
    for (const room of names) await conference.join('Ada', { room });
    const phases = names
      .map((name) => conference.rooms.get(name)?.sampleClock.now() ?? NaN)
      .map(
        (clock) =>
          ((conference.sampleClock.now() - clock) / conference.format.frameSamples + 1) % 1,
      )
      .sort((a, b) => a - b);
    const gaps = phases.map((phase, i) => (i > 0 ? phase - phases[i - 1] : phase + 1 - phases[9]));
    expect(Math.min(...gaps)).toBeGreaterThan(0.3 / names.length);
    expect(Math.max(...gaps)).toBeLessThan(2 / names.length);
    conference.rooms.close();
  });
});
