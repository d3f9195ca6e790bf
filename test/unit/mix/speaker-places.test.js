import { expect, it } from 'vitest';
import { SpeakerPlaces } from '../../../server/room/sound/sound.js';

/** @param {SpeakerPlaces} places @param {number} frames @param {number} latenessMs */
const pass = (places, frames, latenessMs) => {
  for (let i = 0; i < frames; i++) places.note(latenessMs);
  return places.now;
};

it('late mixes reduce a room’s places to four at least, and mixes in time restore them all', () => {
  const places = new SpeakerPlaces(20);
  expect([0, 1, 2, 3].map(() => pass(places, 8, 90))).toEqual([10, 5, 4, 4]);
  expect(places.reduced).toBe(true);
  expect(pass(places, 249, 1)).toBe(4);
  expect([250, 250, 250].map((frames) => pass(places, frames, 1))).toEqual([8, 16, 20]);
  expect(places.reduced).toBe(false);
});

it('a stall takes no place away, and neither do mixes that are a little late', () => {
  const places = new SpeakerPlaces(20);
  for (let i = 0; i < 20; i++) {
    pass(places, 7, 200);
    pass(places, 18, 30);
  }
  expect(places.now).toBe(20);
});

it('a room of fewer places than that keeps them', () => {
  expect(pass(new SpeakerPlaces(2), 100, 90)).toBe(2);
});
