/** What a room's ticks and replies cost, and what is known of those in it: where ticks are late, the lightest goes first. */
export class TickLoad {
  #usedMs = 0;
  #baseMs = 0;

  /** The time that it and its people have taken lately, in milliseconds. */
  get weight() {
    return this.#usedMs + this.#baseMs;
  }

  /** @param {number} ms  that a tick or a reply took */
  add(ms) {
    this.#usedMs += ms;
  }

  /** @returns {number} the milliseconds used since it was asked last */
  take() {
    const used = this.#usedMs;
    this.#usedMs = 0;
    return used;
  }

  /** @param {number} ms  what counts besides: what it and its people took before */
  set base(ms) {
    this.#baseMs = ms;
  }
}
