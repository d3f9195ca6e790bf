/**
 * One tab of a browser is in a room at a time: two of one device would hear each other, and echo. Another browser, or
 * a private window, is another device.
 */
export class OneTab {
  #name;
  #onTaken;
  /** @type {((none?: unknown) => void) | null} */
  #release = null;

  /**
   * @param {string} room
   * @param {() => void} onTaken another tab has taken the room over
   */
  constructor(room, onTaken) {
    this.#name = `aloud.room.${room}`;
    this.#onTaken = onTaken;
  }

  /**
   * @param {boolean} [takes] whether it is taken over from another tab
   * @returns {Promise<boolean>} false where another tab is in the room
   */
  enter(takes = false) {
    const locks = globalThis.navigator?.locks;
    // Browsers have no locks on pages that aren't secure, and those have no microphone.
    if (!locks || this.#release) return Promise.resolve(true);
    return new Promise((resolve) => {
      const held = locks.request(this.#name, takes ? { steal: true } : { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock && new Promise((release) => (this.#release = release));
      });
      held.catch(() => {
        // Where a browser gives no locks at all, nobody is kept from joining.
        resolve(true);
        if (this.#release) this.#onTaken();
        this.#release = null;
      });
    });
  }

  /** Idempotent. */
  leave() {
    this.#release?.();
    this.#release = null;
  }
}
