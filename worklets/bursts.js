/** Largest distance of blocks that belong to one burst, in milliseconds. */
const TOGETHER_MS = 1.5;

/** Number of bursts after which their length is measured again. */
const WINDOW = 64;

/** Occurrences in a window that make a length count: after a stall a sound card may catch up. */
const OFTEN = 3;

/** Longest burst in blocks, and longest gap in milliseconds. */
const MOST = 255;

/** Measures the bursts of a sound card: it asks for several blocks at once, and then rests. */
export class Bursts {
  #now;
  #startMs = NaN;
  #lastMs = NaN;
  #size = 0;
  #seen = 0;
  #sizes = new Uint16Array(MOST + 1);
  #gaps = new Uint16Array(MOST + 1);

  /** Length of the longest bursts, and of usual ones, in blocks; 0 while it is unknown. */
  blocks = 0;
  usualBlocks = 0;
  /** Shortest time between bursts, in milliseconds; 0 while it is unknown. */
  gapMs = 0;

  /** @param {() => number} now milliseconds; whole ones suffice */
  constructor(now) {
    this.#now = now;
  }

  /** Called for each block. */
  next() {
    const now = this.#now();
    if (Math.abs(now - this.#lastMs) < TOGETHER_MS) this.#size += 1;
    else this.#begin(now);
    this.#lastMs = now;
  }

  /** @param {number} now */
  #begin(now) {
    const gap = Math.floor(now - this.#startMs);
    if (gap > 0) {
      this.#sizes[Math.min(MOST, this.#size)] += 1;
      this.#gaps[Math.min(MOST, gap)] += 1;
      this.#seen += 1;
    }
    this.#size = 1;
    this.#startMs = now;
    if (this.#seen === WINDOW) this.#measure();
  }

  #measure() {
    this.blocks = MOST;
    for (let seen = this.#sizes[MOST]; seen < OFTEN;) seen += this.#sizes[--this.blocks];
    this.usualBlocks = 0;
    for (let seen = 0; seen < WINDOW / 2;) seen += this.#sizes[++this.usualBlocks];
    this.gapMs = 0;
    for (let seen = 0; seen < OFTEN;) seen += this.#gaps[++this.gapMs];
    this.#sizes.fill(0);
    this.#gaps.fill(0);
    this.#seen = 0;
  }
}
