/** Comparisons of the two clocks. */
const TRIES = 16;

/**
 * This thread's performance.now() when the machine's monotonic clock was 0: each thread has its own
 * zero.
 */
const zeroMs = measure();

function measure() {
  let zero = 0;
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    const before = performance.now();
    const machine = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= least) continue;
    least = after - before;
    zero = (before + after) / 2 - machine;
  }
  return zero;
}

/** A time that all threads understand. @param {number} nowMs  of this thread's performance.now() */
export const toShared = (nowMs) => nowMs - zeroMs;

/** @param {number} sharedMs @returns {number} on this thread's performance.now() */
export const fromShared = (sharedMs) => sharedMs + zeroMs;
