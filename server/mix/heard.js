/**
 * Received audio, as the thesis defines it (section 4.3), for one listener whose delivery is `reply`: of
 * the samples that the others sent, those that were there when the mix for this listener was made. What
 * nobody asked for, because the listener's own packet was lost, wasn't heard either.
 */
export class Heard {
  #pauseSamples;
  /** Where what was asked for ends; -1 before the first. */
  #end = -1;
  #sent = 0;
  #heard = 0;
  #spanSent = 0;
  #spanHeard = 0;
  #secondSent = 0;
  #secondHeard = 0;
  /** @type {number | null} */
  #secondPercent = null;

  /** @param {number} pauseSamples who asks for nothing for longer has paused, which is no loss */
  constructor(pauseSamples) {
    this.#pauseSamples = pauseSamples;
  }

  /**
   * A mix is made of these samples.
   * @param {number} start
   * @param {number} samples
   * @returns {number} by how many samples more this is than was asked for before, with what was skipped
   */
  ask(start, samples) {
    const end = start + samples;
    const isNew = this.#end < 0 || start - this.#end > this.#pauseSamples;
    const asked = isNew ? samples : Math.max(0, end - this.#end);
    if (isNew || end > this.#end) this.#end = end;
    return asked;
  }

  /**
   * Of one of those who are in the mix.
   * @param {number} sent   as ask() said
   * @param {number} heard  samples that were there
   */
  add(sent, heard) {
    this.#sent += sent;
    this.#heard += heard;
  }

  /** Ends a second. */
  endSecond() {
    this.#secondPercent = percentOf(this.#sent - this.#secondSent, this.#heard - this.#secondHeard);
    this.#secondSent = this.#sent;
    this.#secondHeard = this.#heard;
  }

  /**
   * Ends a span that had one delay: the next packet begins afresh.
   * @returns {{ sentSamples: number, heardSamples: number }} of the span
   */
  takeSpan() {
    const span = { sentSamples: this.#sent - this.#spanSent, heardSamples: this.#heard - this.#spanHeard };
    this.#spanSent = this.#sent;
    this.#spanHeard = this.#heard;
    this.#end = -1;
    return span;
  }

  snapshot() {
    return {
      heardPercent: percentOf(this.#sent, this.#heard),
      heardSecondPercent: this.#secondPercent,
      sentSamples: this.#sent,
      heardSamples: this.#heard,
    };
  }
}

/**
 * @param {number} sent
 * @param {number} heard
 * @returns {number | null} null when nothing was sent
 */
const percentOf = (sent, heard) => (sent > 0 ? Math.min(100, (100 * heard) / sent) : null);
