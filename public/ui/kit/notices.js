import { build, make, makeButton } from './element.js';
import { noticeText, texts } from '../../texts.js';

/** How long news stay, by code, in milliseconds: the good news, and an offer that is there under Settings too. */
const STAYS_MS = new Map([['microphone-back', 8000], ['speaker-back', 8000], ['sound-resumed', 8000], ['device-new', 20_000], ['room-mono', 20_000]]);

/** What went wrong, and what to do: sentences that stay until they are dismissed or settled, or are news. */
export class Notices {
  /** @type {Map<string, HTMLElement>} by code */
  #shown = new Map();
  #area;

  /**
   * @param {HTMLElement} area an element of the role alert
   */
  constructor(area) {
    this.#area = area;
  }

  /**
   * Shows a notice, once however often it is told.
   * @param {string} code of the registry of errors, or one of the page's own
   * @param {object} [options]
   * @param {string} [options.sentence]  for codes that texts/failures.js doesn't have
   * @param {{ label: string, run: () => void }} [options.action]  a button that does what there is to do
   * @param {HTMLElement} [options.more]  goes below the sentence, and may change: its changes are not told
   */
  show(code, { sentence = noticeText(code), action, more } = {}) {
    this.settle(code);
    const notice = make('div', 'notice');
    notice.dataset.code = code;
    notice.append(build('div', { class: 'notice-says' }, make('p', '', sentence), more ?? null));
    if (action) notice.append(makeButton('button', action.label, action.run));
    notice.append(makeButton('button quiet', texts.dismiss, () => this.settle(code)));
    this.#shown.set(code, notice);
    this.#area.append(notice);
    const staysMs = STAYS_MS.get(code);
    if (staysMs) setTimeout(() => this.#shown.get(code) === notice && this.settle(code), staysMs);
  }

  /**
   * Takes a notice away, because what it said is no longer so.
   * @param {string} code
   */
  settle(code) {
    this.#shown.get(code)?.remove();
    this.#shown.delete(code);
  }

  /** Takes all away. */
  clear() {
    for (const code of [...this.#shown.keys()]) this.settle(code);
  }
}
