import { ask } from '../kit/dialog.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { Volume } from '../people/own-volumes.js'
 *
 * @typedef {object} Place  what another tab needs to continue a call
 * @property {string} resume   the resume token
 * @property {string} you      the participant's id
 * @property {boolean} muted
 * @property {[string, Volume][]} volumes  of other people, by their ids
 */

/** Time to wait for the other tab's answer, in milliseconds: a suspended tab never answers. */
const ANSWER_MS = 500;

/**
 * Keeps a browser in a room once, by a Web Lock for each room: two tabs on one device would hear
 * each other, and echo. Another browser, or a private window, counts as another device.
 */
export class OneTab {
  #name;
  #on;
  /** The channel on which another tab asks for the call. @type {BroadcastChannel | null} */
  #channel = null;
  /** @type {((none?: unknown) => void) | null} */
  #release = null;

  /**
   * @param {string} room
   * @param {object} on
   * @param {() => Place | null} on.asked gives another tab this call's place; null when there is
   *   none now
   * @param {() => void} on.taken          called when another tab has taken over the room
   */
  constructor(room, on) {
    this.#name = `aloud.room.${room}`;
    this.#on = on;
  }

  /**
   * Claims the room before a call. If another tab is in the room, asks the person whether to move
   * the call here.
   * @returns {Promise<Partial<Place> | null>} the place to resume, empty if there is none; null if
   *   the call stays in the other tab
   */
  async enter() {
    if (await this.#lock({ ifAvailable: true })) return {};
    const moves = await new Promise((resolve) => void ask(texts.otherTab, resolve));
    if (!moves) return null;
    const place = await this.#askForPlace();
    // A tab without an answer is made to leave now; one that has answered goes on until its place
    // is resumed.
    if (place === null) await this.#lock({ steal: true });
    return place ?? {};
  }

  /** Claims the room for this tab, whose call has begun. Idempotent. */
  hold() {
    void this.#lock({ steal: true });
  }

  /**
   * @param {LockOptions} options
   * @returns {Promise<boolean>} false when another tab is in the room
   */
  #lock(options) {
    const locks = globalThis.navigator?.locks;
    // Insecure pages have no locks; they have no microphone either, so nothing echoes.
    if (!locks || this.#release) return Promise.resolve(true);
    return new Promise((resolve) => {
      const held = locks.request(this.#name, options, (lock) => {
        resolve(lock !== null);
        return lock && new Promise((release) => this.#hold(release));
      });
      held.catch(() => {
        // Another tab stole the lock, or the browser has none, which must not prevent joining.
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

  /** @returns {Promise<Place | null>} null if the other tab doesn't answer, or has no place now */
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

  /** Releases the room. Idempotent. */
  leave() {
    this.#release?.();
    this.#release = null;
    this.#channel?.close();
    this.#channel = null;
  }
}
