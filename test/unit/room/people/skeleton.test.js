import { describe, expect, it } from 'vitest';
import { skeleton } from '../../../../server/room/people/labels.js';

describe('the skeleton of a name', () => {
  it.each([
    ['Anna', '\u0410nna', 'a Cyrillic letter'],
    ['Anna', 'An\u200bna', 'a zero-width space'],
    ['Anna', 'An\u200dna', 'a joiner'],
    ['Anna', '\u{1d400}\u{1d427}\u{1d427}\u{1d41a}', 'mathematical letters'],
    ['Alan', 'AIan', 'an I for an l'],
    ['Tom', 'Torn', 'r and n for an m'],
    ['O. K', '0. \u212a', 'a digit, and the sign of kelvin'],
    ['Ren\u00e9', 'Rene\u0301', 'a mark of its own'],
    ['Ann Lee', 'Ann\u00a0 Lee', 'spaces of another kind'],
    ['Ann Lee', 'Ann\u2800Lee', 'a blank of Braille'],
    ['Ann', 'Ann\ufe0f', 'a variation selector'],
  ])('of %j is that of %j: %s', (name, other) => {
    expect(skeleton(other)).toBe(skeleton(name));
  });

  it.each([
    ['Anna', 'Anne'],
    ['Anna', 'anna'],
    ['Ren\u00e9', 'Rene'],
    ['\u0418\u0432\u0430\u043d', '\u0418\u043d\u043d\u0430'],
    ['\u738b', '\u7389'],
  ])('of %j is another than that of %j', (name, other) => {
    expect(skeleton(other)).not.toBe(skeleton(name));
  });
});
