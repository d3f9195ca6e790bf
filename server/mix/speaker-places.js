/** A frame that is mixed later than this is a late one, in milliseconds. */
const LATE_MS = 40;

/**
 * How many frames are looked at together, and how many of them are late before places are taken
 * away.
 */
const WINDOW_FRAMES = 25;
const MOST_LATE = 8;

/** How many windows in a row without a late frame give places back. */
const CALM_WINDOWS = 10;

/** Places that a room keeps however late it is: a conversation has no more speakers. */
const LEAST_PLACES = 4;

/**
 * How many speakers a room mixes: as many as it may, and half as many again and again while its
 * mixes are late, so that the others' load goes first and the loudest are heard in time.
 */
export class SpeakerPlaces {
  #most;
  #least;
  #frames = 0;
  #late = 0;
  #calm = 0;

  /** @param {number} most */
  constructor(most) {
    this.#most = most;
    this.#least = Math.min(most, LEAST_PLACES);
    /** How many there are now. */
    this.now = most;
  }

  /** Whether there are fewer than there may be. */
  get reduced() {
    return this.now < this.#most;
  }

  /**
   * @param {number} latenessMs  of a frame that is mixed now
   * @returns {boolean} whether the number of places has changed
   */
  note(latenessMs) {
    this.#frames += 1;
    if (latenessMs > LATE_MS) this.#late += 1;
    if (this.#late < MOST_LATE && this.#frames < WINDOW_FRAMES) return false;
    const before = this.now;
    if (this.#late >= MOST_LATE) this.now = Math.max(this.#least, this.now >> 1);
    this.#calm = this.#late === 0 ? this.#calm + 1 : 0;
    if (this.#calm >= CALM_WINDOWS) {
      this.now = Math.min(this.#most, 2 * this.now);
      this.#calm = 0;
    }
    this.#frames = this.#late = 0;
    return this.now !== before;
  }
}
