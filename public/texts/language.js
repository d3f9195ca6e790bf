/**
 * The page's language. English is in the files beside this one; each further language has a folder
 * of files with the same names and exports. What a translation lacks is shown in English.
 */

/** The languages by their codes (BCP 47), each with its own name for itself. */
export const languages = Object.freeze({
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  pt: 'Português',
  ja: '日本語',
  zh: '简体中文',
  ar: 'العربية',
});

/** @typedef {keyof typeof languages} Language */

/** @param {unknown} code @returns {code is Language} */
const isKnown = (code) => typeof code === 'string' && Object.hasOwn(languages, code);

/**
 * @param {readonly string[]} wanted  language tags, the best first
 * @returns {Language}
 */
export function languageOf(wanted) {
  for (const tag of wanted) {
    const [code] = tag.toLowerCase().split('-');
    if (isKnown(code)) return code;
  }
  return 'en';
}

/** @returns {string | null} the stored choice of this browser's user; null for none */
function storedLanguage() {
  try {
    return Object(JSON.parse(localStorage.getItem('aloud.choices') ?? '{}')).language ?? null;
  } catch {
    return null;
  }
}

/** Choice in the page's address, for browsers that store nothing. */
export const addressLanguage = () => new URLSearchParams(location.search).get('language');

/**
 * The language of this page: as chosen, else as the browser's user prefers. Within a page of
 * another site it is that page's own language.
 * @returns {Language}
 */
function currentLanguage() {
  if (typeof document === 'undefined') return 'en';
  const isOwnPage = new URL(import.meta.url).origin === location.origin;
  if (!isOwnPage && document.documentElement.lang)
    return languageOf([document.documentElement.lang]);
  const chosen = storedLanguage() ?? addressLanguage();
  return isKnown(chosen) ? chosen : languageOf(navigator.languages);
}

export const language = currentLanguage();

/** For dates and times: as the browser's user writes them, if that is in the page's language. */
export const locale =
  globalThis.navigator?.languages?.find((tag) => languageOf([tag]) === language) ?? language;

/** Made at the first use: most pages name no language. @type {Intl.DisplayNames | undefined} */
let names;

/**
 * @param {string} tag  BCP 47
 * @returns {string} name of the language, in that of the page; the tag itself if it has none
 */
export function languageName(tag) {
  names ??= new Intl.DisplayNames([language], { type: 'language' });
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Writing direction, for the attribute `dir`. */
export const direction = /^ar\b/.test(language) ? 'rtl' : 'ltr';

/**
 * Loads the translation of a file.
 * @param {string} name of a file beside this one, without .js
 * @returns {Promise<Record<string, unknown>>} its exports; none in English, or when it can't be
 *   loaded
 */
export async function translationOf(name) {
  if (language === 'en') return {};
  return import(`./${language}/${name}.js`).catch((error) => {
    console.warn('These sentences are in English:', name, error);
    return {};
  });
}

/**
 * @template T
 * @param {unknown} own  texts in the page's language; may lack some
 * @param {T} english  an object of texts, of functions that make texts, and of such objects
 * @returns {Readonly<T>}
 */
export function translated(own, english) {
  if (own === undefined) return Object.freeze(english);
  if (!isTable(english) || !isTable(own)) return /** @type {T} */ (own);
  const entries = Object.entries(english).map(([key, text]) => [key, translated(own[key], text)]);
  return Object.freeze(Object.fromEntries(entries));
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isTable = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the forms that sentences of a language are made with.
 * @param {string} code  BCP 47
 */
export function formsOf(code) {
  const rules = new Intl.PluralRules(code);
  const lists = new Intl.ListFormat(code, { type: 'conjunction' });
  return {
    /**
     * Chooses the form for a count (Unicode CLDR, plural rules).
     * @param {number} count
     * @param {Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }} forms
     */
    plural: (count, forms) => forms[rules.select(count)] ?? forms.other,
    /** @param {readonly string[]} list */
    list: (list) => lists.format(list),
    /** @param {number} count */
    number: (count) => count.toLocaleString(code),
  };
}
