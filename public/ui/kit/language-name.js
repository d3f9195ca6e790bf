import { language } from '../../texts/language.js';

const names = new Intl.DisplayNames([language], { type: 'language' });

/**
 * @param {string} tag  BCP 47
 * @returns {string} name of the language, in that of the page; the tag itself if it has none
 */
export function languageName(tag) {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
