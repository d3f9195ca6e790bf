/**
 * Seeded chance, so that a run can be repeated: the generator xoshiro128** (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021), its state filled by SplitMix32.
 *
 * @param {number} seed an integer; its lower 32 bits count
 * @returns {() => number} numbers in [0, 1) with 32 random bits
 */
export function seededRandom(seed) {
  const split = splitMix(seed);
  let [a, b, c, d] = [split(), split(), split(), split()];
  return () => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return scrambled / 2 ** 32;
  };
}

/**
 * @param {() => number} random numbers in [0, 1)
 * @returns {number} normally distributed, mean 0, standard deviation 1 (Box and Muller, 1958)
 */
export function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** @param {number} seed */
function splitMix(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}

/**
 * @param {number} word 32 bits
 * @param {number} by
 */
const rotate = (word, by) => (word << by) | (word >>> (32 - by));
