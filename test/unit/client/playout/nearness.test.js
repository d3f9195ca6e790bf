import { expect, it } from 'vitest';
import { playoutMsOf } from '../../../../public/client/playout/nearness.js';

it('keeps near listeners within 250 ms if other lateness allows, and steady ones at 1.5 s', () => {
  expect([30, 100, 180, 2000].map((otherMs) => playoutMsOf('near', otherMs))).toEqual([
    195, 125, 70, 70,
  ]);
  expect([30, 2000].map((otherMs) => playoutMsOf('steady', otherMs))).toEqual([1500, 1500]);
  expect(playoutMsOf('conversation', 30)).toBeNull();
});
