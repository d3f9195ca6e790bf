import { build, setText } from './element.js';
import { liveText } from '../../texts/live.js';

/** @typedef {{ liveSince: number | null }} LiveRules  of the room */

/**
 * @returns {number} milliseconds since 1970, the same in a page and in its worker (High Resolution
 *   Time, section 4)
 */
export const monotonicNow = () => performance.timeOrigin + performance.now();

/**
 * A server tells whole seconds, so that the beginning differs by so much each time it is told, in
 * milliseconds.
 */
const ROUNDED_MS = 1500;

/** The sign of a broadcast, with the time since it began. */
export class LiveTime {
  element = build('span', { class: 'live', hidden: true });
  /**
   * When it began, in milliseconds since 1970; null where nothing is live.
   * @type {number | null}
   */
  #since = null;
  #timer = 0;

  /** @param {LiveRules | null} rules  null: nothing is known */
  show(rules) {
    const since = rules?.liveSince ?? null;
    if (
      since === this.#since ||
      (since !== null && Math.abs(since - (this.#since ?? -Infinity)) < ROUNDED_MS)
    )
      return;
    this.#since = since;
    clearInterval(this.#timer);
    this.element.hidden = since === null;
    if (since === null) return;
    this.#timer = window.setInterval(() => this.#tick(), 1000);
    this.#tick();
  }

  #tick() {
    setText(
      this.element,
      liveText(Math.max(0, Math.round((monotonicNow() - (this.#since ?? 0)) / 1000))),
    );
  }
}
