import { build, setText } from './element.js';

/** @typedef {{ liveSince: number | null }} LiveRules  of the room */

/**
 * Wall clock that never jumps, the same in a page and its worker (High Resolution Time, section 4).
 * @returns {number} milliseconds since 1970
 */
export const monotonicNow = () => performance.timeOrigin + performance.now();

/**
 * Tolerance for the beginning, in milliseconds: the server tells whole seconds, so that it varies.
 */
const ROUNDED_MS = 1500;

/** Sign of a broadcast, with the time since its beginning. */
export class LiveTime {
  element = build('span', { class: 'live', hidden: true });
  /** Beginning in milliseconds since 1970; null when nothing is live. @type {number | null} */
  #since = null;
  #timer = 0;

  /** @param {LiveRules | null} rules null when unknown */
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

/** @param {number} seconds  since a broadcast began */
const liveText = (seconds) => `LIVE ${timeText(seconds)}`;

/** @param {number} seconds */
function timeText(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = [Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return hours > 0 ? `${hours}:${minutes}` : minutes;
}
