/**
 * A seeded generator of numbers in [0, 1): Marsaglia's xorshift with 32 bits of state (Journal of
 * Statistical Software 8, 2003, page 4).
 * @param {number} seed
 * @returns {() => number}
 */
export function random(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
