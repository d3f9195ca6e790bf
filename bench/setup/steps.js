/**
 * The steps of a setup, from the beginning of connecting to the first sound, and the parts of the
 * time between them.
 *
 * @typedef {'connected' | 'opened' | 'welcomed' | 'packet' | 'heard'} Step
 * @typedef {'connect' | 'session' | 'join' | 'firstPacket' | 'firstSample'} Part
 */

/**
 * The steps in their order, each with the part of the time that it ends.
 * @type {readonly { step: Step, part: Part }[]}
 */
const STEPS = Object.freeze([
  { step: 'connected', part: 'connect' },
  { step: 'opened', part: 'session' },
  { step: 'welcomed', part: 'join' },
  { step: 'packet', part: 'firstPacket' },
  { step: 'heard', part: 'firstSample' },
]);

/** The parts in their order. */
export const PARTS = Object.freeze(STEPS.map(({ part }) => part));

/** Notes when each step was first reached, on performance.now(). */
export class StepNotes {
  /** @type {Map<string, number>} */
  #atMs = new Map();
  /** @type {Map<string, () => void>} */
  #waiting = new Map();

  /** @param {Step} step @param {number} [atMs] */
  reach(step, atMs = performance.now()) {
    if (this.#atMs.has(step)) return;
    this.#atMs.set(step, atMs);
    this.#waiting.get(step)?.();
  }

  /** Waits until a step is reached. @param {Step} step @returns {Promise<void>} */
  wait(step) {
    return new Promise((resolve) => {
      if (this.#atMs.has(step)) resolve();
      else this.#waiting.set(step, resolve);
    });
  }

  /**
   * @param {number} startMs
   * @returns {Record<Part | 'total', number>} milliseconds; Infinity for what wasn't reached
   */
  parts(startMs) {
    const parts = /** @type {Record<Part | 'total', number>} */ ({});
    let beforeMs = startMs;
    for (const { step, part } of STEPS) {
      const atMs = this.#atMs.get(step) ?? Infinity;
      parts[part] = atMs === Infinity ? Infinity : atMs - beforeMs;
      beforeMs = atMs;
    }
    parts.total = beforeMs - startMs;
    return parts;
  }
}
