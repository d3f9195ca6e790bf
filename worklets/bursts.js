/** Largest distance of blocks that belong to one burst, in milliseconds. */
const TOGETHER_MS = 1.5;

/** Number of bursts after which they are measured again. */
const WINDOW = 64;

/** Occurrences in a window that make a value count: after a stall a sound card may catch up. */
const OFTEN = 3;

/** Longest burst in blocks. */
const MOST = 255;

/** Values of a histogram, and of a millisecond; most are for bursts that are late. */
const VALUES = 1024;
const MIDDLE = 768;
const VALUES_A_MS = 4;

/** Resolution of the clock, in milliseconds. */
const CLOCK_MS = 1;

/**
 * Models the bursts of a sound card: it asks for several blocks at once, and then rests. A late
 * burst is longer, as the card catches up, and the next is due as if it had been in time. So bursts
 * are measured against the steady line of all taken sound. Measured are their usual length, how far
 * the earliest go beyond the line, and the earliest time of the next.
 */
export class Bursts {
  #now;
  #blockMs;
  #startMs = NaN;
  #lastMs = NaN;
  /** Blocks of this burst, of all bursts of this window, and number of bursts. */
  #size = 0;
  #taken = 0;
  #seen = 0;
  #sizes = new Uint16Array(MOST + 1);
  /** Taken sound minus time, before and after each burst, from the first one's on. */
  #before = new Uint16Array(VALUES);
  #after = new Uint16Array(VALUES);
  #originMs = NaN;
  /** The highest of the first that comes often, by the clock: the earliest request. */
  #earliestMs = NaN;

  /** Usual length of a burst, in blocks; 0 while it is unknown. */
  usualBlocks = 0;
  /** Sound that must be there for the next burst, in milliseconds; 0 while it is unknown. */
  needMs = 0;
  /** Time until the next burst, at the earliest, in milliseconds; 0 while it is unknown. */
  gapMs = 0;

  /**
   * @param {() => number} now milliseconds; whole ones suffice
   * @param {number} blockMs length of a block
   */
  constructor(now, blockMs) {
    this.#now = now;
    this.#blockMs = blockMs;
  }

  /** Called for each block. */
  next() {
    const now = this.#now();
    if (!(Math.abs(now - this.#lastMs) < TOGETHER_MS)) this.#begin(now);
    this.#size += 1;
    this.#taken += 1;
    this.#lastMs = now;
    if (this.needMs > 0) {
      const gapMs = this.#takenMs - now - this.#earliestMs;
      this.gapMs = Math.max(CLOCK_MS, Math.min(2 * this.needMs, gapMs));
    }
  }

  get #takenMs() {
    return this.#taken * this.#blockMs;
  }

  /** @param {number} now */
  #begin(now) {
    const after = this.#takenMs - this.#startMs;
    if (Number.isNaN(this.#originMs)) this.#originMs = after;
    const afterIndex = this.#indexOf(after);
    // The card or the clock stood still: what was measured before doesn't count.
    if (afterIndex < 0 || afterIndex >= VALUES) this.#restart(after);
    else if (this.#size > 0 && !Number.isNaN(this.#startMs)) this.#note(afterIndex, now);
    this.#size = 0;
    this.#startMs = now;
    if (this.#seen === WINDOW) this.#measure();
  }

  /** @param {number} afterIndex @param {number} now */
  #note(afterIndex, now) {
    const before = this.#indexOf(this.#takenMs - now);
    this.#sizes[Math.min(MOST, this.#size)] += 1;
    this.#after[afterIndex] += 1;
    this.#before[Math.max(0, Math.min(VALUES - 1, before))] += 1;
    this.#seen += 1;
  }

  /** @param {number} ms taken sound minus time @returns {number} its place in a histogram */
  #indexOf(ms) {
    return MIDDLE + Math.round((ms - this.#originMs) * VALUES_A_MS);
  }

  /** @param {number} originMs */
  #restart(originMs) {
    this.#originMs = originMs;
    this.#seen = 0;
    this.#sizes.fill(0);
    this.#before.fill(0);
    this.#after.fill(0);
  }

  #measure() {
    this.usualBlocks = valueAbove(this.#sizes, WINDOW / 2);
    const beyondMs =
      (valueAbove(this.#after, OFTEN) - valueAbove(this.#after, WINDOW / 2)) / VALUES_A_MS;
    this.needMs = this.usualBlocks * this.#blockMs + Math.max(0, beyondMs - CLOCK_MS);
    this.#earliestMs = this.#originMs + (valueAbove(this.#before, OFTEN) - MIDDLE) / VALUES_A_MS;
    this.#restart(NaN);
  }
}

/**
 * @param {Uint16Array} histogram
 * @param {number} count
 * @returns {number} highest value that `count` entries reach or exceed
 */
function valueAbove(histogram, count) {
  let value = histogram.length;
  for (let seen = 0; seen < count && value > 0;) seen += histogram[--value];
  return value;
}
