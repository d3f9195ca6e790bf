import { icons } from './icons.js';
import { makeIcon } from './element.js';
import { labels } from '../../texts.js';

/**
 * Writes into the page what its markup only names: `data-text` and `data-label` are keys of the texts,
 * `data-icon` of the icons. So every sentence is in one file.
 * @param {ParentNode} root
 */
export function writeTexts(root) {
  for (const element of root.querySelectorAll('[data-text]')) {
    element.textContent = textOf(element, 'data-text');
  }
  for (const element of root.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', textOf(element, 'data-label'));
  }
  for (const element of root.querySelectorAll('[data-placeholder]')) {
    element.setAttribute('placeholder', textOf(element, 'data-placeholder'));
  }
  for (const element of root.querySelectorAll('[data-icon]')) {
    const icon = /** @type {keyof typeof icons} */ (element.getAttribute('data-icon'));
    element.prepend(makeIcon(icons[icon]));
  }
}

/**
 * @param {Element} element
 * @param {string} attribute
 * @returns {string}
 * @throws {TypeError} when there is no such text
 */
function textOf(element, attribute) {
  const key = /** @type {keyof typeof labels} */ (element.getAttribute(attribute));
  if (!Object.hasOwn(labels, key)) throw new TypeError(`there is no text ${key}`);
  return labels[key];
}
