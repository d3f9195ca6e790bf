import { expect, it } from 'vitest';
import { RecentMix } from '../../../server/mix/recent-mix.js';

it('the recent mix keeps copies of the newest packets, and finds those since a frame', () => {
  const recent = new RecentMix();
  expect([recent.size, recent.since(0)]).toEqual([0, 0]);
  const bytes = new Uint8Array(1200);
  for (let i = 0; i < 100; i++) {
    bytes[0] = i;
    recent.put(3 * i, bytes.subarray(0, 1 + (i % 5)));
  }
  expect(recent.size).toBe(34);
  expect([recent.frame(0), recent.frame(33)]).toEqual([297, 198]);
  expect([...recent.packet(1)]).toEqual([98, 0, 0, 0]);
  expect([...recent.framed(1)]).toEqual([0, 4, 98, 0, 0, 0]);
  expect([298, 297, 290, 0].map((frame) => recent.since(frame))).toEqual([0, 1, 3, 34]);
  recent.clear();
  expect(recent.since(0)).toBe(0);
});
