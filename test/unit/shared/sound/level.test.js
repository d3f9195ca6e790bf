import { expect, it } from 'vitest';
import { levelOf } from '../../../../public/shared/sound/level.js';

it.each([
  ['silence', 0, 127],
  ['a square wave at full scale', 1, 0],
  ['a tenth of it', 0.1, 20],
  ['a hundredth of it', 0.01, 40],
  ['what is too soft for the scale', 1e-7, 127],
  ['what clips', 5, 0],
  ['what is no number', NaN, 127],
])('the level of %s (%d) is %i -dBov', (_, value, level) => {
  expect(levelOf(new Float32Array(960).fill(value))).toBe(level);
});
