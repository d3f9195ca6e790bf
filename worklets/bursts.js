/** Blocks that come closer together than this, in milliseconds, are taken at once. */
const TOGETHER_MS = 1.5;

/** After so many bursts it is looked again how long they are. */
const WINDOW = 64;

/** The longest of a window that came so often counts: after a stall a sound card may make up for it. */
const OFTEN = 3;

/** No burst is longer than so many blocks, and none comes later than so many milliseconds. */
const MOST = 255;

/** How much a sound card takes at once, and how often: it asks for one block after the other, and then rests. */
export class Bursts {
  #now;
  #startMs = NaN;
  #lastMs = NaN;
  #size = 0;
  #seen = 0;
  #sizes = new Uint16Array(MOST + 1);
  #gaps = new Uint16Array(MOST + 1);

  /** Blocks; 0 while that isn't known. */
  blocks = 0;
  /** From one to the next, the shortest, in milliseconds; 0 while that isn't known. */
  gapMs = 0;

  /** @param {() => number} now milliseconds; whole ones will do */
  constructor(now) {
    this.#now = now;
  }

  /** A block is taken. */
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
    if (this.#seen === WINDOW) this.#look();
  }

  #look() {
    this.blocks = MOST;
    for (let seen = this.#sizes[MOST]; seen < OFTEN; ) seen += this.#sizes[--this.blocks];
    this.gapMs = 0;
    for (let seen = 0; seen < OFTEN; ) seen += this.#gaps[++this.gapMs];
    this.#sizes.fill(0);
    this.#gaps.fill(0);
    this.#seen = 0;
  }
}
