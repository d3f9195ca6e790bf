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
 * A new element with attributes and children. A child that is a string is text, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean | undefined>} attributes true: there, without a value; false: not there
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function build(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * A button that says what it does.
 * @param {string} className
 * @param {string} label
 * @param {() => void} run
 * @param {string} [icon] a path of icons.js; goes before the label
 */
export function makeButton(className, label, run, icon) {
  const button = build('button', { type: 'button', class: className }, icon ? makeIcon(icon) : null, label);
  button.addEventListener('click', run);
  return button;
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

/**
 * Watches for a press anywhere else on the page, with which people close what is open.
 * @param {Element[]} inside  presses on these are none
 * @param {() => void} run
 * @returns {() => void} ends it; idempotent
 */
export function onPressOutside(inside, run) {
  const look = (/** @type {PointerEvent} */ { target }) => {
    if (!inside.some((element) => element.contains(/** @type {Node} */ (target)))) run();
  };
  document.addEventListener('pointerdown', look);
  return () => document.removeEventListener('pointerdown', look);
}
