/** Open parts of a server. */
export class OpenParts {
  /** @type {{ close: () => unknown }[]} */
  #parts = [];
  #atOnce;

  /**
   * @param {{ atOnce?: boolean }} [options]  atOnce: true to close all at the same time, so that
   *   waits for absent peers don't add up; by default the last opened first
   */
  constructor({ atOnce = false } = {}) {
    this.#atOnce = atOnce;
  }

  /** @template {{ close: () => unknown }} Part @param {Part} part @returns {Part} */
  add(part) {
    this.#parts.push(part);
    return part;
  }

  /**
   * Closes all of them, even if one fails. Idempotent.
   * @throws the first failure, after all have closed
   */
  async close() {
    /** @type {unknown[]} */
    const failures = [];
    const close = async (/** @type {{ close: () => unknown }} */ part) => {
      try {
        await part.close();
      } catch (error) {
        failures.push(error);
      }
    };
    if (this.#atOnce) await Promise.all(this.#parts.splice(0).map(close));
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) await close(part);
    if (failures.length > 0) throw failures[0];
  }
}
