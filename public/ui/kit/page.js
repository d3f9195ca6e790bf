import { icons } from './icons.js';
import { elementOf, makeIcon, setText } from './element.js';
import { direction, language } from '../../texts/language.js';
import { labels } from '../../texts/texts.js';

Object.assign(document.documentElement, { lang: language, dir: direction });

/**
 * Fills in the texts and icons named by the markup: `data-text`, `data-label` and
 * `data-placeholder` hold keys of the labels, `data-icon` one of the icons. So every sentence is
 * under texts/.
 * @param {ParentNode} root
 * @throws {TypeError} when there is no such label
 */
export function writeTexts(root) {
  const each = (
    /** @type {string} */ attribute,
    /** @type {(element: Element, key: string) => void} */ write,
  ) => {
    for (const element of root.querySelectorAll(`[${attribute}]`))
      write(element, element.getAttribute(attribute) ?? '');
  };
  each('data-text', (element, key) => (element.textContent = labelOf(key)));
  each('data-label', (element, key) => element.setAttribute('aria-label', labelOf(key)));
  each('data-placeholder', (element, key) => element.setAttribute('placeholder', labelOf(key)));
  each('data-icon', (element, key) =>
    element.prepend(makeIcon(icons[/** @type {keyof typeof icons} */ (key)])),
  );
}

/** @param {string} key */
function labelOf(key) {
  if (!Object.hasOwn(labels, key)) throw new TypeError(`there is no text ${key}`);
  return labels[/** @type {keyof typeof labels} */ (key)];
}

// In some browsers an on-screen keyboard covers the page, so a call uses the remaining height.
// Zooming in changes the visual viewport too, and must not change the layout.
globalThis.visualViewport?.addEventListener('resize', () => {
  const { height, scale } = /** @type {VisualViewport} */ (visualViewport);
  if (scale === 1) document.documentElement.style.setProperty('--seen', `${Math.floor(height)}px`);
});

const main = elementOf('main', HTMLElement);
const views = ['start', 'green-room', 'call'].map((id) => elementOf(id, HTMLElement));

/**
 * Shows one view and removes the others from the document, so that their labels and ids aren't
 * found.
 * @param {'start' | 'green-room' | 'call'} id
 */
export function showView(id) {
  for (const view of views) {
    view.hidden = view.id !== id;
    if (view.hidden) view.remove();
    else if (!view.isConnected) main.append(view);
  }
  document.body.classList.toggle('in-call', id === 'call');
}

/**
 * Shows a field's problem in the element `<id>-problem` and focuses the field, or removes the
 * problem.
 * @param {HTMLInputElement} field
 * @param {string | null} sentence null when nothing is wrong
 */
export function showProblem(field, sentence) {
  const place = elementOf(`${field.id}-problem`, HTMLElement);
  place.hidden = sentence === null;
  setText(place, sentence ?? '');
  if (sentence === null) {
    field.removeAttribute('aria-invalid');
  } else {
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  }
}
