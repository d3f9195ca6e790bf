/** @import { Clock } from '../shared/clock.js' */

import { systemClock } from '../shared/clock.js';

/** Most attempts in a row that bring no sound, and the pause before all but the first, in ms. */
const TRIES = 3;
const RETRY_MS = 700;

/**
 * A session that is opened again when it is needed and gone, by one attempt at a time.
 * @template {object} Session
 */
export class LastingSession {
  #options;
  #clock;
  #tries = 0;
  #isOpening = false;

  /** Null while there is none. @type {Session | null} */
  current = null;

  /**
   * @param {object} options
   * @param {(closed: (why: string) => void) => Promise<Session>} options.open  rejects if that
   *   fails; closed() is called when the session has ended
   * @param {(session: Session) => void} options.reopened
   * @param {(why: string) => void} options.closed
   * @param {(why: string) => void} options.failed  called when no further attempt is made
   * @param {Clock} [options.clock]
   */
  constructor({ clock = systemClock, ...options }) {
    this.#options = options;
    this.#clock = clock;
  }

  /** @returns {Promise<void>} rejects as `open` does */
  async open() {
    /** @type {Session | null} */
    let session = null;
    let ended = '';
    const opened = await this.#options.open((why) => {
      ended = why || 'the session has ended';
      if (session === null) return;
      this.current = null;
      this.#options.closed(why);
    });
    if (ended) throw new Error(ended);
    this.current = session = opened;
  }

  /**
   * Opens a session unless there is one, or one is being opened.
   * @param {string} why there is none
   */
  async reopen(why) {
    if (this.#isOpening) return;
    this.#isOpening = true;
    await this.#reopen(why);
    this.#isOpening = false;
  }

  /** @param {string} why */
  async #reopen(why) {
    while (this.current === null) {
      this.#tries += 1;
      if (this.#tries > TRIES) return this.#options.failed(why);
      if (this.#tries > 1)
        await new Promise((resolve) => this.#clock.setTimeout(() => resolve(undefined), RETRY_MS));
      try {
        await this.open();
      } catch (error) {
        why = String(error);
      }
      if (this.current !== null) this.#options.reopened(this.current);
    }
  }

  /** Takes failures for overcome: sound has come, or is asked for again. */
  forgive() {
    this.#tries = 0;
  }
}
