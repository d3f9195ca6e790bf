/** Voice is so much louder than the noise behind it, in dB, */
const ABOVE_NOISE = 9;
/** and never softer than this, in -dBov. */
const SOFTEST_VOICE = 60;
/** The noise is never taken for softer than this, in -dBov, so that a muted minute isn't the measure; */
const SOFTEST_NOISE = 75;
/** what is assumed of it rises by so much a second, in dB, */
const NOISE_RISE = 6;
/** and a pause between words is voice too, in milliseconds. */
const HANGOVER_MS = 300;

/** Tells frames with voice from others by their level: loud against the softest of late. */
export class VoiceFlag {
  #frameMs;
  #noise = 0;
  #hangoverMs = 0;

  /** @param {number} frameMs */
  constructor(frameMs) {
    this.#frameMs = frameMs;
  }

  /**
   * @param {number} level the next frame's, in -dBov
   * @returns {boolean} whether there is voice in it
   */
  next(level) {
    const softer = this.#noise - (NOISE_RISE * this.#frameMs) / 1000;
    this.#noise = Math.max(Math.min(level, SOFTEST_NOISE), softer);
    if (level <= this.#noise - ABOVE_NOISE && level <= SOFTEST_VOICE) this.#hangoverMs = HANGOVER_MS;
    else this.#hangoverMs = Math.max(0, this.#hangoverMs - this.#frameMs);
    return this.#hangoverMs > 0;
  }
}
