const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element of the page, by its id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {{ new (): T }} kind what it must be, such as HTMLButtonElement
 * @returns {T}
 * @throws {TypeError} when there is none of that kind
 */
export function elementOf(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${kind.name} #${id}`);
  return found;
}

/**
 * A new element. What it says is text, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className = '', text = '') {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * A line drawing on a field of 24 × 24, hidden from assistive technology.
 * @param {string} path
 * @returns {SVGElement}
 */
export function makeIcon(path) {
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('class', 'icon');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  icon.append(line);
  return icon;
}

/**
 * Changes an element's text only where it differs, so that nothing is announced or drawn twice.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
