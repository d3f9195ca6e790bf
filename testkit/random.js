/**
 * Seeded random numbers, so that a run can be repeated. They come from the Mersenne Twister
 * (Matsumoto and Nishimura, 1998).
 */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/**
 * @param {number} seed an integer; its lower 32 bits count
 * @returns {() => number} numbers in [0, 1)
 */
export function seededRandom(seed) {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

/**
 * @param {() => number} random numbers in [0, 1)
 * @returns {number} normally distributed, mean 0, standard deviation 1 (Box and Muller, 1958)
 */
export function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
