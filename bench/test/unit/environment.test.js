import { describe, expect, it } from 'vitest';
import { busyCores } from '../../report/environment.js';

describe('how many cores are at work', () => {
  /**
   * @param {{ user: number, sys: number, idle: number }[][]} readings of each core, one after the
   *   other
   */
  const machine = (readings) => {
    let at = 0;
    return {
      times: () => readings[Math.min(at, readings.length - 1)].map((times) => ({ times })),
      wait: async () => void (at += 1),
    };
  };

  it('is what all cores did beside idling, between the two looks', async () => {
    const before = [
      { user: 1000, sys: 50, idle: 9000 },
      { user: 5, sys: 5, idle: 10 },
    ];
    const after = [
      { user: 1700, sys: 150, idle: 9200 },
      { user: 5, sys: 5, idle: 1010 },
    ];
    expect(await busyCores(1000, machine([before, after]))).toBeCloseTo(0.8, 9);
  });

  it('is none where no time has passed', async () => {
    expect(await busyCores(0, machine([[{ user: 1, sys: 1, idle: 1 }]]))).toBe(0);
  });
});
