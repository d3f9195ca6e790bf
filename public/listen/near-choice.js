import { build, setText } from '../ui/kit/element.js';
import { NEARNESS } from '../shared/nearness.js';
import { listenTexts as texts } from '../texts/listen.js';

/** @import { Nearness } from '../shared/nearness.js' */

/** The key under which the browser keeps the choice. */
const KEY = 'aloud.near';

/** The choice how near one is to whoever speaks. */
export class NearChoice {
  #select = build(
    'select',
    { id: 'listen-near', 'aria-describedby': 'listen-near-hint' },
    ...NEARNESS.map((value) => build('option', { value }, texts.nearness[value])),
  );
  #hint = build('p', { class: 'hint', id: 'listen-near-hint' });
  element;

  /** @param {(nearness: Nearness) => void} chosen */
  constructor(chosen) {
    this.#select.value = readKept();
    this.#select.addEventListener('change', () => {
      this.#explain();
      keep(this.value);
      chosen(this.value);
    });
    this.#explain();
    this.element = build(
      'div',
      { class: 'field listen-near' },
      build('label', { for: 'listen-near' }, texts.near),
      this.#select,
      this.#hint,
    );
  }

  get value() {
    return /** @type {Nearness} */ (this.#select.value);
  }

  #explain() {
    setText(this.#hint, texts.nearnessHints[this.value]);
  }
}

/** @returns {Nearness} */
function readKept() {
  try {
    return NEARNESS.find((one) => one === localStorage.getItem(KEY)) ?? 'conversation';
  } catch {
    return 'conversation';
  }
}

/** @param {Nearness} nearness */
function keep(nearness) {
  try {
    localStorage.setItem(KEY, nearness);
  } catch {
    // The browser keeps nothing for this page: it is as at first next time.
  }
}
