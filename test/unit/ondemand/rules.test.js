import { describe, expect, it } from 'vitest';
import { RATES } from '../../../public/shared/sound/audio-format.js';
import { ClientBuffer } from '../../../server/ondemand/reader.js';
import { RULES } from '../../../server/ondemand/rules.js';

const usual = {
  rates: RATES,
  wanted: 4,
  current: -1,
  throughput: /** @type {number | null} */ (null),
  level: 0,
  underway: 0,
  min: 3,
  max: 10,
};

describe('the rules for a segment’s rate', () => {
  it('of Nys (2024), table 4.4, are as it has them', () => {
    // Basic: the client's rate; as fast as possible below the least buffer, else a segment's
    // duration each.
    expect(RULES.basic({ ...usual, wanted: 2, throughput: 1000, level: 2.9 })).toEqual({
      rate: 2,
      waitSeconds: 0,
    });
    expect(RULES.basic({ ...usual, wanted: 2, level: 3 })).toEqual({ rate: 2, waitSeconds: 1 });
    // Simple: the highest by the throughput, not above the client's; waits where the most would be
    // exceeded.
    expect(RULES.simple({ ...usual, throughput: 70_000, level: 9 })).toEqual({
      rate: 2,
      waitSeconds: 0,
    });
    expect(RULES.simple({ ...usual, throughput: 1e9, wanted: 3, level: 9.1 })).toEqual({
      rate: 3,
      waitSeconds: 1,
    });
    expect(RULES.simple({ ...usual, throughput: 1 }).rate).toBe(0);
    expect(RULES.simple(usual).rate).toBe(0);
    // StaticSimple: the same, without switching.
    expect(RULES.static({ ...usual, wanted: 1, throughput: 1e9, level: 9.1 })).toEqual({
      rate: 1,
      waitSeconds: 1,
    });
  });

  it('of our own start low, climb by one, use the buffer in dips, and fall before it ends', () => {
    const { careful } = RULES;
    expect(careful(usual).rate).toBe(0);
    expect(careful({ ...usual, current: 0, throughput: 1e6, level: 0 }).rate).toBe(0);
    expect(careful({ ...usual, current: 0, throughput: 1e6, level: 2 }).rate).toBe(1);
    expect(careful({ ...usual, current: 3, throughput: 100_000, level: 8 }).rate).toBe(3);
    expect(careful({ ...usual, current: 3, throughput: 100_000, level: 2 }).rate).toBe(2);
    expect(careful({ ...usual, current: 3, throughput: 30_000, level: 8 }).rate).toBe(0);
    expect(careful({ ...usual, current: 4, wanted: 1, throughput: 1e9, level: 8 }).rate).toBe(1);
    expect(careful({ ...usual, current: 0, throughput: 1e6, level: 9.25 }).waitSeconds).toBe(0.25);
  });

  it.each([[[2e5]], [[2e5, 4e4, 2e5]], [[6e4, 9e4, 5e4, 8e4, 5e4]], [[1.5e6, 3e4, 1.5e6, 1e5]]])(
    'of our own plays over links of %j b/s without a stall, at over half of simple’s rate',
    (link) => {
      const [simple, careful] = [simulate('simple', link), simulate('careful', link)];
      expect(careful.stalledSeconds).toBe(0);
      expect(careful.changes).toBeLessThanOrEqual(4 * link.length);
      expect(careful.meanRate).toBeGreaterThan(0.5 * simple.meanRate);
    },
  );
});

/**
 * Plays over a link whose rate changes, with the throughput known as it is measured: that of the
 * last segment.
 * @param {'simple' | 'careful'} rule
 * @param {number[]} link  bits a second, for 20 s each
 */
function simulate(rule, link) {
  const buffer = new ClientBuffer(0);
  let [now, current, changes, sum, segments, stalledSeconds] = [0, -1, 0, 0, 0, 0];
  /** @type {number | null} */
  let throughput = null;
  while (now < link.length * 20_000) {
    const { rate, waitSeconds } = RULES[rule]({
      ...usual,
      current,
      throughput,
      level: buffer.level(now),
    });
    if (waitSeconds > 0) {
      now += Math.max(1, waitSeconds * 1000);
      continue;
    }
    let bits = RATES[rate];
    const began = now;
    while (bits > 0) {
      bits -= link[Math.min(link.length - 1, Math.floor(now / 20_000))] / 100;
      now += 10;
      if (segments > 0 && buffer.level(now) === 0) stalledSeconds += 0.01;
    }
    throughput = (RATES[rate] * 1000) / (now - began);
    buffer.arrived(1, now);
    if (current >= 0 && rate !== current) changes += 1;
    current = rate;
    sum += RATES[rate];
    segments += 1;
  }
  return { changes, stalledSeconds, meanRate: sum / segments };
}

describe('the estimate of a client’s buffer', () => {
  it('falls as it plays, by its speed, not while it is paused, and never below nothing', () => {
    const buffer = new ClientBuffer(0);
    buffer.arrived(5, 1000);
    expect(buffer.level(3000)).toBe(3);
    buffer.pace(2, false, 3000);
    expect([buffer.level(3500), buffer.msOf(1)]).toEqual([2, 500]);
    buffer.pace(1, true, 3500);
    expect([buffer.level(99_000), buffer.msOf(1)]).toEqual([2, null]);
    buffer.pace(1, false, 99_000);
    expect(buffer.level(200_000)).toBe(0);
    buffer.arrived(1, 200_500);
    expect(buffer.level(201_000)).toBe(0.5);
    buffer.empty(201_000);
    expect(buffer.level(201_000)).toBe(0);
  });
});
