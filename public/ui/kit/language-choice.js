import { build, keepFocus, makeField } from './element.js';
import { interpreterTexts as texts } from '../../texts/features.js';
import { languageName } from '../../texts/language.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 */

/** Where the browser keeps the choice, for the next broadcast too. */
const KEY = 'aloud.hears';

/**
 * A listener's choice of what they hear: the speakers, or an interpreter over them. It holds again
 * as soon as somebody interprets into that language.
 */
export class LanguageChoice {
  #send;
  #next;
  #select = build('select', { id: 'language-heard', 'aria-describedby': 'language-hint' });
  #wanted = read();
  /** The last request, and the one before, which holds if the last is refused. */
  #heard = '';
  #before = '';
  #options = '';
  /** The join that was answered with a request. @type {CallView['joined']} */
  #joined = null;
  element = makeField(
    texts.label,
    this.#select,
    build('p', { class: 'hint', id: 'language-hint' }, texts.hint),
  );

  /**
   * @param {(message: ClientMessage) => boolean} send
   * @param {() => HTMLElement} next  has the keyboard's place once there is nothing to choose
   */
  constructor(send, next) {
    this.#send = send;
    this.#next = next;
    this.element.classList.add('language-choice');
    this.element.hidden = true;
    this.#select.addEventListener('change', () => {
      this.#wanted = this.#select.value;
      write(this.#wanted);
      this.#ask();
    });
  }

  /** @param {CallView} call  that has joined */
  show({ access: { rules, role }, joined }) {
    const { languages } = rules;
    keepFocus(
      () => (this.element.hidden = languages.length === 0 || role !== 'listener'),
      this.#next,
    );
    const options = languages.join();
    if (options === this.#options && joined === this.#joined) return;
    if (options !== this.#options) {
      const all = [['', texts.floor], ...languages.map((tag) => [tag, languageName(tag)])];
      this.#select.replaceChildren(...all.map(([value, text]) => build('option', { value }, text)));
    }
    if (joined !== this.#joined || !languages.includes(this.#heard)) this.#heard = '';
    this.#options = options;
    this.#joined = joined;
    const isThere = languages.includes(this.#wanted);
    this.#select.value = isThere ? this.#wanted : '';
    if (isThere && role === 'listener') this.#ask();
  }

  /** Shows what is still heard. The wish holds for the next join. */
  refused() {
    this.#heard = this.#before;
    this.#select.value = this.#heard;
  }

  #ask() {
    this.#before = this.#heard;
    this.#heard = this.#select.value;
    this.#send({ type: 'language', language: this.#select.value || null });
  }
}

/** @returns {string} the stored choice; empty without one */
function read() {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} language */
function write(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // A browser that may not store it asks again next time.
  }
}
