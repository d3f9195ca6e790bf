/** @import { NativeEndpoint } from './binding.js' */

/** How often the two clocks are compared. */
const TRIES = 16;

/**
 * What performance.now() said when the endpoint's clock was zero: of several tries the one between
 * whose readings the least time passed.
 * @param {NativeEndpoint} native
 * @returns {number} milliseconds
 */
export function clockOffset(native) {
  let offset = 0;
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    const before = performance.now();
    const raw = native.clock();
    const after = performance.now();
    if (after - before >= least) continue;
    least = after - before;
    offset = (before + after) / 2 - raw;
  }
  return offset;
}
