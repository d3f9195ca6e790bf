/**
 * The browser's own translator, which works on this device (Translator API, a W3C draft; Chrome and
 * Edge have it on computers).
 *
 * @typedef {{ translate: (text: string) => Promise<string> }} Translator
 * @typedef {{ create: (pair: { sourceLanguage: string, targetLanguage: string }) =>
 *   Promise<Translator> }} TranslatorClass
 */

/** Translates captions into one language, where the browser can. */
export class Translation {
  #Translator;
  /**
   * By language of the captions, for the present target.
   * @type {Map<string, Promise<Translator>>}
   */
  #translators = new Map();
  /** The last caption that is translated, by its language. @type {Map<string, Promise<unknown>>} */
  #last = new Map();
  #target = '';

  /** @param {{ Translator?: TranslatorClass }} [scope] */
  constructor(scope = /** @type {{ Translator?: TranslatorClass }} */ (globalThis)) {
    this.#Translator = scope.Translator;
  }

  /** True when this browser translates. */
  get offered() {
    return this.#Translator !== undefined;
  }

  /** @param {string} code  language of the reader; '' for captions as they were spoken */
  set target(code) {
    this.#target = code;
    this.#translators.clear();
    this.#last.clear();
  }

  /** @param {string} lang  of a caption @returns {string} language in which it is shown */
  languageFor(lang) {
    return this.#target || lang;
  }

  /**
   * Settles in the order of calls for captions of one language: a short one is translated sooner.
   * @param {string} text
   * @param {string} lang  its language
   * @returns {Promise<string | null>} null when it can't be translated
   */
  async of(text, lang) {
    const [source] = lang.toLowerCase().split('-');
    if (this.#target === '' || source === this.#target || !this.#Translator) return text;
    const before = this.#last.get(source);
    const translated = this.#translate(this.#Translator, source, text);
    const inOrder = Promise.resolve(before).then(() => translated);
    this.#last.set(source, inOrder);
    return inOrder;
  }

  /**
   * @param {TranslatorClass} Translator
   * @param {string} source
   * @param {string} text
   * @returns {Promise<string | null>} never rejects
   */
  async #translate(Translator, source, text) {
    const pair = { sourceLanguage: source, targetLanguage: this.#target };
    try {
      let opened = this.#translators.get(source);
      if (!opened) this.#translators.set(source, (opened = Translator.create(pair)));
      return await (await opened).translate(text);
    } catch {
      // Browsers load a language only soon after a press; a later caption may have more luck.
      this.#translators.delete(source);
      return null;
    }
  }
}
