/** Arrivals within this time belong to one burst, in milliseconds. */
const TOGETHER_MS = 1.5;

/** Number of bursts that are remembered: a fifth of a second and more. */
const REMEMBERED = 32;

/** Share of regular bursts that may be longer or shorter: a late thread joins two of them. */
const UNUSUAL = 1 / 8;

/**
 * Share of bursts that are shorter than what counts as the period: a busy machine joins many, as
 * while a page starts, and divides few.
 */
const USUAL = 1 / 4;

/** Least number of bursts from which the period is known. */
const KNOWN_BURSTS = 3;

/** Difference below which two lengths count as equal, in milliseconds. */
const EQUAL_MS = 1e-3;

/**
 * Models how a microphone's sound arrives. Browsers hand out sound in pieces, and sound servers
 * give a browser several pieces at once: then nothing comes for as long as those last. The model
 * has such a burst's length, which is also the period of bursts. It has its phase too: how much
 * sound came since the last burst's end. All that waits for captured sound is planned by it: see
 * Uplink.
 */
export class BurstModel {
  #lengths = new Float64Array(REMEMBERED);
  #sorted = new Float64Array(REMEMBERED);
  #seen = 0;
  #lastMs = -Infinity;
  /** Length of the last piece, and how many in a row were as long. */
  #pieceMs = 0;
  #equalPieces = 0;
  #isByPiece = false;
  /** Sound of the burst that is coming in, in milliseconds; NaN before the first whole one. */
  #current = NaN;

  /** Usual length of a burst, in milliseconds; 0 while it is unknown. */
  periodMs = 0;
  /** True when all bursts but unusual ones are equally long, so that their phase stays. */
  isRegular = false;

  /**
   * Adds a piece of sound.
   * @param {number} nowMs its arrival
   * @param {number} pieceMs its length
   * @param {number} [burstMs] length of its burst, where the audio thread has measured it
   */
  add(nowMs, pieceMs, burstMs = 0) {
    const isNext = nowMs - this.#lastMs >= TOGETHER_MS;
    this.#lastMs = nowMs;
    this.#equalPieces = Math.abs(pieceMs - this.#pieceMs) < EQUAL_MS ? this.#equalPieces + 1 : 1;
    this.#pieceMs = pieceMs;
    if (burstMs > 0) {
      this.periodMs = burstMs;
      this.isRegular = false;
    } else if (isNext) this.#begin();
    this.#current += pieceMs;
  }

  /** Sound since the end of the last whole burst, in milliseconds; 0 while it is unknown. */
  get sinceMs() {
    if (this.#isByPiece) return this.#pieceMs;
    return Number.isNaN(this.#current) ? 0 : this.#current;
  }

  #begin() {
    if (this.#current > 0) {
      this.#lengths[this.#seen++ % REMEMBERED] = this.#current;
      this.#measure();
    }
    this.#current = 0;
  }

  #measure() {
    const count = Math.min(this.#seen, REMEMBERED);
    if (count < KNOWN_BURSTS) return;
    const sorted = this.#sorted;
    sorted.fill(Infinity);
    for (let i = 0; i < count; i++) sorted[i] = this.#lengths[i];
    sorted.sort();
    const unusual = Math.floor(count * UNUSUAL + UNUSUAL * KNOWN_BURSTS);
    this.periodMs = sorted[Math.floor(count * USUAL)];
    this.isRegular = sorted[count - 1 - unusual] - sorted[unusual] < EQUAL_MS;
    // Uneven arrivals of equal pieces are jitter, as long as most come alone.
    this.#isByPiece =
      !this.isRegular &&
      this.#equalPieces > KNOWN_BURSTS &&
      this.periodMs - this.#pieceMs < EQUAL_MS;
    this.isRegular ||= this.#isByPiece;
  }

  /** Forgets everything: it may be another device. */
  reset() {
    this.#seen = 0;
    this.#lastMs = -Infinity;
    this.#current = NaN;
    this.#equalPieces = 0;
    this.#isByPiece = false;
    this.periodMs = 0;
    this.isRegular = false;
  }
}
