import { languages, language } from '../../texts/language.js';
import { captionTexts as texts } from '../../texts/features.js';
import { addStyle, build, elementOf, setText } from '../kit/element.js';
import { Translation } from './translation.js';

/** @import { CaptionFields } from '../../shared/messages/fields.js' */

/** Most lines that are kept to be read again. */
const MAX_LINES = 100;

/** Distance from its end at which the list follows new lines, in pixels. */
const AT_END = 24;

/**
 * Time without a change after which an unfinished caption is removed, in milliseconds: its speaker
 * was muted, or is gone.
 */
const STALE_MS = 8000;

/** Captions, above the call's buttons. */
export class CaptionsView {
  #translation = new Translation();
  #empty = build('li', { class: 'hint' }, texts.waiting);
  /** Whole captions: assistive technology reads each once. */
  #lines = build('ol', {}, this.#empty);
  #scroll = build(
    'div',
    { class: 'caption-lines', role: 'log', tabindex: '0', 'aria-label': texts.title },
    this.#lines,
  );
  /** Captions that still change, by speaker's id. @type {Map<string, HTMLElement>} */
  #open = new Map();
  /** Counts calls: a caption may be translated when its call is over. */
  #calls = 0;
  #unfinished = build('div', { class: 'caption-open', 'aria-hidden': 'true' });
  #hint = build('p', { class: 'hint', role: 'status' });
  /** Languages whose last caption could not be translated. @type {Set<string>} */
  #untranslated = new Set();
  #element = build('section', { class: 'captions', id: 'captions', 'aria-label': texts.title });

  constructor() {
    this.#element.append(this.#scroll, this.#unfinished);
    if (this.#translation.offered) this.#element.append(this.#makeChoice());
    this.#element.append(this.#hint);
    elementOf('call-bar', HTMLElement).before(this.#element);
  }

  /** @returns {Promise<CaptionsView>} rejects when its style can't be loaded */
  static async open() {
    await addStyle('/public/ui/captions/captions.css');
    return new CaptionsView();
  }

  #makeChoice() {
    const list = build(
      'select',
      { id: 'caption-language' },
      build('option', { value: '' }, texts.asSpoken),
      ...Object.entries(languages).map(([code, name]) =>
        build('option', { value: code, lang: code }, name),
      ),
    );
    list.addEventListener('change', () => {
      this.#translation.target = list.value;
      this.#untranslated.clear();
      this.#showHint();
    });
    const label = build('label', { for: 'caption-language' }, texts.translate);
    return build('div', { class: 'caption-choice' }, label, list);
  }

  /** @param {boolean} isShown */
  toggle(isShown) {
    this.#element.hidden = !isShown;
    if (!isShown) this.clear();
  }

  /** Forgets the call, before another one. */
  clear() {
    this.#calls += 1;
    this.#lines.replaceChildren(this.#empty);
    this.#unfinished.replaceChildren();
    this.#open.clear();
    this.#untranslated.clear();
    this.#showHint();
  }

  /** @param {CaptionFields} caption */
  add(caption) {
    const { person, text, final } = caption;
    if (typeof text !== 'string' || this.#element.hidden) return;
    this.#drop(person);
    if (final) return void this.#append(caption, text);
    const line = build('p', {}, ...partsOf(caption, text, caption.lang));
    this.#unfinished.append(line);
    this.#open.set(person, line);
    setTimeout(() => this.#open.get(person) === line && this.#drop(person), STALE_MS);
  }

  /** Removes a speaker's unfinished caption. @param {string} person */
  #drop(person) {
    this.#open.get(person)?.remove();
    this.#open.delete(person);
  }

  /** @param {CaptionFields} caption @param {string} text */
  async #append(caption, text) {
    const call = this.#calls;
    const translated = await this.#translation.of(text, caption.lang);
    if (call !== this.#calls) return;
    if (translated === null) this.#untranslated.add(caption.lang);
    else this.#untranslated.delete(caption.lang);
    this.#showHint();
    const lang = translated === null ? caption.lang : this.#translation.languageFor(caption.lang);
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    const follows = scrollHeight - scrollTop - clientHeight < AT_END;
    this.#empty.remove();
    this.#lines.append(build('li', {}, ...partsOf(caption, translated ?? text, lang)));
    if (this.#lines.childElementCount > MAX_LINES) this.#lines.firstElementChild?.remove();
    if (follows) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #showHint() {
    setText(this.#hint, this.#untranslated.size > 0 ? texts.notTranslated : '');
  }
}

/**
 * @param {CaptionFields} caption
 * @param {string} text
 * @param {string} lang
 */
function partsOf({ name, by }, text, lang) {
  return [
    build('span', { class: 'caption-name' }, name),
    ...(by === undefined ? [] : [' ', build('span', { class: 'hint' }, texts.byProgram(by))]),
    ' ',
    build('span', { lang: lang.split('-')[0] === language ? undefined : lang, dir: 'auto' }, text),
  ];
}
