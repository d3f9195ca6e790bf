import { keepChoices, readChoices } from './choices.js';
import { build, makeField } from '../kit/element.js';
import { addressLanguage, languages } from '../../texts/language.js';
import { labels } from '../../texts/texts.js';

/**
 * Makes the field for the page's language.
 * @param {string} id of the list
 * @param {() => void} onChange called once the choice is stored, or in the page's address
 */
export function makeLanguageField(id, onChange) {
  const options = [['', labels.languageAuto], ...Object.entries(languages)].map(([code, name]) =>
    build('option', { value: code, lang: code || undefined }, name),
  );
  const list = build('select', { id }, ...options);
  list.value = readChoices().language ?? addressLanguage() ?? '';
  // For a language that it doesn't have, the page is in the browser's.
  if (list.selectedIndex < 0) list.value = '';
  list.addEventListener('change', () => {
    if (!keepChoices({ language: list.value })) {
      const address = new URL(location.href);
      address.searchParams.set('language', list.value);
      history.replaceState(null, '', address);
    }
    onChange();
  });
  // In each language's own alphabet, so that one who can't read the rest finds it.
  return makeField(labels.language, list);
}
