import { build, findTitle, keepFocus, makeButton } from './element.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * Display time of a notice, in milliseconds, by code: for good news, and offers that Settings has
 * too. Other notices stay.
 */
const STAYS_MS = new Map([
  ['microphone-back', 8000],
  ['speaker-back', 8000],
  ['sound-resumed', 8000],
  ['device-new', 20_000],
  ['room-mono', 20_000],
  ['stereo-processed', 20_000],
  ['hand-lowered', 20_000],
]);

/** @param {HTMLElement} notice */
const buttonsOf = (notice) => [...notice.querySelectorAll('button')];

/** Notices of the page: a problem and its remedy, until they are dismissed or settled. */
export class Notices {
  /** @type {Map<string, HTMLElement>} by code */
  #shown = new Map();
  /** Codes of conditions that hold, shown or dismissed. @type {Set<string>} */
  #held = new Set();
  #area;

  /** @param {HTMLElement} area an element with the role alert */
  constructor(area) {
    this.#area = area;
  }

  /**
   * Shows a notice, in place of an earlier one with the same code.
   * @param {string} code of the registry of errors, or one of the page's own
   * @param {object} [options]
   * @param {string} [options.sentence] for codes that texts/failures.js doesn't have
   * @param {{ label: string, run: () => void }} [options.action] a button that acts on the notice
   * @param {HTMLElement} [options.more] an element below the sentence
   */
  show(code, { sentence = noticeText(code), action, more } = {}) {
    const before = this.#shown.get(code);
    const focused = before ? buttonsOf(before).findIndex((one) => one.matches(':focus')) : -1;
    const notice = build(
      'div',
      { class: 'notice', 'data-code': code },
      build('div', { class: 'notice-says' }, build('p', {}, sentence), more ?? null),
      action ? makeButton('button', action.label, action.run) : null,
      makeButton('button quiet', texts.dismiss, () => this.settle(code)),
    );
    this.#shown.set(code, notice);
    if (before) before.replaceWith(notice);
    else this.#area.append(notice);
    buttonsOf(notice)[focused]?.focus();
    const staysMs = STAYS_MS.get(code);
    if (staysMs) setTimeout(() => this.#shown.get(code) === notice && this.settle(code), staysMs);
  }

  /**
   * Shows a notice when a condition begins to hold, and removes it when that ends; it may be
   * dismissed in between.
   * @param {string} code
   * @param {boolean} holds
   * @param {Parameters<Notices['show']>[1]} [options]
   */
  hold(code, holds, options) {
    if (holds === this.#held.has(code)) return;
    if (holds) this.show(code, options);
    else this.settle(code);
    if (holds) this.#held.add(code);
    else this.#held.delete(code);
  }

  /** Removes a notice, because it is no longer true. @param {string} code */
  settle(code) {
    keepFocus(
      () => this.#shown.get(code)?.remove(),
      // The next notice, or the view's title.
      () => this.#area.querySelector('button') ?? findTitle(),
    );
    this.#shown.delete(code);
  }

  /**
   * Waits for a part of the page that is being loaded; a notice says when it can't be.
   * @template T
   * @param {Promise<T>} loading
   * @returns {Promise<T | null>} null when it can't be loaded
   */
  async loaded(loading) {
    const part = await loading.catch(() => null);
    if (part) this.settle('panel-failed');
    else this.show('panel-failed');
    return part;
  }

  /**
   * Copies a text to the clipboard; a notice says when that isn't possible, as without HTTPS.
   * @param {string} text
   * @returns {Promise<boolean>} false when it isn't
   */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.settle('copy-failed');
      return true;
    } catch {
      this.show('copy-failed');
      return false;
    }
  }

  /** Removes all notices. */
  clear() {
    for (const code of [...this.#shown.keys()]) this.settle(code);
    this.#held.clear();
  }
}
