import { build, setText } from './element.js';
import { liveText } from '../../texts/live.js';

/** @typedef {{ liveSeconds: number | null }} LiveRules  of the room */

/** The sign of a broadcast, with the time since it began. */
export class LiveTime {
  element = build('span', { class: 'live', hidden: true });
  /** @type {LiveRules | null} */
  #rules = null;
  #beganMs = 0;
  #timer = 0;

  /** @param {LiveRules | null} rules  as they were told just now, or are known already; null: nothing is known */
  show(rules) {
    if (rules === this.#rules) return;
    this.#rules = rules;
    clearInterval(this.#timer);
    const seconds = rules?.liveSeconds ?? null;
    this.element.hidden = seconds === null;
    if (seconds === null) return;
    this.#beganMs = performance.now() - 1000 * seconds;
    this.#timer = window.setInterval(() => this.#tick(), 1000);
    this.#tick();
  }

  #tick() {
    setText(this.element, liveText(Math.round((performance.now() - this.#beganMs) / 1000)));
  }
}
