/**
 * The normal distribution and Student's t. Of the packages checked, simple-statistics has no
 * Student quantile, and jstat has no types and more than a megabyte.
 */

/** Degrees of freedom above which t is normal to three digits. */
const MANY_DEGREES = 1000;

/**
 * @param {number} z
 * @returns {number} the share of a standard normal distribution below z, to 1e-7 (Abramowitz and
 *   Stegun, "Handbook of Mathematical Functions", 1964, 26.2.17)
 */
export function normalShare(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)) * series;
  return z > 0 ? 1 - tail : tail;
}

/**
 * @param {number} t
 * @param {number} degrees of freedom, a whole number from 1
 * @returns {number} the share of the distribution below t (Abramowitz and Stegun, 26.7.3 and
 *   26.7.4)
 */
export function studentShare(t, degrees) {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < degrees; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + Math.sign(t) * within) / 2;
}

/**
 * @param {number} share 0.5 to 1, exclusive
 * @returns {number} below which that share of a standard normal distribution lies
 */
export const normalQuantile = (share) => invert(normalShare, share);

/**
 * @param {number} share 0.5 to 1, exclusive
 * @param {number} degrees of freedom, a whole number from 1
 * @returns {number} below which that share of the distribution lies
 */
export function studentQuantile(share, degrees) {
  if (degrees > MANY_DEGREES) return normalQuantile(share);
  return invert((t) => studentShare(t, degrees), share);
}

/**
 * @param {(x: number) => number} shareBelow grows with x, and is 0.5 at 0
 * @param {number} share 0.5 to 1, exclusive
 */
function invert(shareBelow, share) {
  let low = 0;
  let high = 1;
  while (shareBelow(high) < share && high < 1e9) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (shareBelow(middle) < share) low = middle;
    else high = middle;
  }
  return high;
}
