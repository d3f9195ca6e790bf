import { ask } from '../kit/dialog.js';
import { texts } from '../../texts.js';

/**
 * @typedef {object} Place  what a call has in its room, for another tab that goes on with it
 * @property {string} resume   the place's token
 * @property {string} you      the participant's id
 * @property {boolean} muted
 * @property {[string, number][]} volumes  how loud others are made, by their ids
 */

/** A tab that stands still tells nothing of its call: it is asked for so long, in milliseconds. */
const ANSWER_MS = 500;

/**
 * One tab of a browser is in a room at a time: two of one device would hear each other, and echo. Another browser, or
 * a private window, is another device.
 */
export class OneTab {
  #name;
  #on;
  /** Through which another tab asks for the call. @type {BroadcastChannel | null} */
  #channel = null;
  /** @type {((none?: unknown) => void) | null} */
  #release = null;

  /**
   * @param {string} room
   * @param {object} on
   * @param {() => Place | null} on.asked  another tab wants the call: it may take up its place, where there is one
   * @param {() => void} on.taken          another tab has the room now
   */
  constructor(room, on) {
    this.#name = `aloud.room.${room}`;
    this.#on = on;
  }

  /**
   * Before a call: where another tab is in the room, asks whether the call is to be moved here.
   * @returns {Promise<Partial<Place> | null>} the place that is to be taken up, empty where there is none; null where the
   *   call stays in the other tab
   */
  async enter() {
    if (await this.#lock({ ifAvailable: true })) return {};
    const moves = await new Promise((resolve) => void ask(texts.otherTab, resolve));
    if (!moves) return null;
    const place = await this.#askForPlace();
    // A tab that tells nothing of its call is made to leave; one that does goes on until its place is taken up.
    if (place === null) await this.#lock({ steal: true });
    return place ?? {};
  }

  /** The call is in this tab now. Idempotent. */
  hold() {
    void this.#lock({ steal: true });
  }

  /**
   * @param {LockOptions} options
   * @returns {Promise<boolean>} false where another tab is in the room
   */
  #lock(options) {
    const locks = globalThis.navigator?.locks;
    // Browsers have no locks on pages that aren't secure, and those have no microphone.
    if (!locks || this.#release) return Promise.resolve(true);
    return new Promise((resolve) => {
      const held = locks.request(this.#name, options, (lock) => {
        resolve(lock !== null);
        return lock && new Promise((release) => this.#hold(release));
      });
      held.catch(() => {
        // Where a browser gives no locks at all, nobody is kept from joining.
        resolve(true);
        if (this.#release) this.#on.taken();
        this.leave();
      });
    });
  }

  /** @param {(none?: unknown) => void} release */
  #hold(release) {
    this.#release = release;
    const channel = new BroadcastChannel(this.#name);
    channel.onmessage = ({ data }) => {
      if (data.type === 'ask') channel.postMessage({ type: 'place', place: this.#on.asked() });
    };
    this.#channel = channel;
  }

  /** @returns {Promise<Place | null>} null where the other tab doesn't answer, or has none just now */
  async #askForPlace() {
    const channel = new BroadcastChannel(this.#name);
    /** @type {Place | null} */
    const place = await new Promise((resolve) => {
      channel.onmessage = ({ data }) => data.type === 'place' && resolve(data.place);
      setTimeout(() => resolve(null), ANSWER_MS);
      channel.postMessage({ type: 'ask' });
    });
    channel.close();
    return place;
  }

  /** Idempotent. */
  leave() {
    this.#release?.();
    this.#release = null;
    this.#channel?.close();
    this.#channel = null;
  }
}
