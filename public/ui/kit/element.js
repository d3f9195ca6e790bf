const SVG = 'http://www.w3.org/2000/svg';

/**
 * Finds an element of the page's markup.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {{ new (): T }} kind the element's class, such as HTMLButtonElement
 * @returns {T}
 * @throws {TypeError} when the page has no such element
 */
export function elementOf(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${kind.name} #${id}`);
  return found;
}

/**
 * Makes an element. A child that is a string becomes text, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean | undefined>} attributes true sets one without a value,
 *   false leaves it out
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
 * @param {string} className
 * @param {string} label
 * @param {(event: MouseEvent) => void} run called when the button is pressed
 * @param {string} [icon] a path of icons.js, drawn before the label
 */
export function makeButton(className, label, run, icon) {
  const button = build(
    'button',
    { type: 'button', class: className },
    icon ? makeIcon(icon) : null,
    label,
  );
  button.addEventListener('click', run);
  return button;
}

/**
 * Makes a field: a control below its label.
 * @param {string} label
 * @param {HTMLElement} control  with an id
 * @param {...Node} children  below the control
 */
export const makeField = (label, control, ...children) =>
  build(
    'div',
    { class: 'field' },
    build('label', { for: control.id }, label),
    control,
    ...children,
  );

/**
 * Makes an SVG drawing of one path.
 * @param {string} className
 * @param {string} viewBox
 * @param {string} path
 * @returns {SVGElement}
 */
export function makeDrawing(className, viewBox, path) {
  const drawing = document.createElementNS(SVG, 'svg');
  drawing.setAttribute('class', className);
  drawing.setAttribute('viewBox', viewBox);
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  drawing.append(shape);
  return drawing;
}

/** Makes an icon, hidden from assistive technology. @param {string} path one of icons.js */
export function makeIcon(path) {
  const icon = makeDrawing('icon', '0 0 24 24', path);
  icon.setAttribute('aria-hidden', 'true');
  return icon;
}

/**
 * Sets an element's text only if it differs: otherwise a live region would announce it again.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** True for a key of an input method; in Safari the last has 229. @param {KeyboardEvent} event */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/**
 * Calls `run` at each press outside some elements, such as to close a menu.
 * @param {Element[]} inside
 * @param {() => void} run
 * @returns {() => void} removes the listener; idempotent
 */
export function onPressOutside(inside, run) {
  const look = (/** @type {PointerEvent} */ { target }) => {
    if (!inside.some((element) => element.contains(/** @type {Node} */ (target)))) run();
  };
  document.addEventListener('pointerdown', look);
  return () => document.removeEventListener('pointerdown', look);
}

/**
 * Adds a style sheet to the page, unless it is there.
 * @param {string} href
 * @returns {Promise<void>} settled once the style sheet applies; rejects when it can't be loaded
 */
export function addStyle(href) {
  if (document.querySelector(`link[rel=stylesheet][href="${CSS.escape(href)}"]`))
    return Promise.resolve();
  const link = build('link', { rel: 'stylesheet', href });
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => {
      link.remove();
      reject(new Error(`${href} could not be loaded`));
    });
    document.head.append(link);
  });
}

/**
 * Changes the page. If that hides or removes the focused element, another one gets the focus.
 * Otherwise the keyboard and screen readers would begin again at the top. Calls may contain each
 * other: an element that was hidden before the inner change is left to the outer call.
 * @param {() => void} change
 * @param {() => { focus(): void } | null | undefined} next  asked for it after the change
 */
export function keepFocus(change, next) {
  const { activeElement: before, body } = document;
  const wasShown = before !== body && before?.checkVisibility();
  change();
  const { activeElement: after } = document;
  if (wasShown && !before?.checkVisibility() && (after === before || after === body))
    next()?.focus();
}

/** Finds the title of the shown view, for the focus. @returns {HTMLElement | null} */
export const findTitle = () =>
  [...document.querySelectorAll('h1')].find((title) => title.checkVisibility()) ?? null;

/** Time for which a sentence stays after the next one is announced, in milliseconds. */
const ANNOUNCED_MS = 5000;

/**
 * Announces a sentence to assistive technology, after earlier ones that are still being read.
 * @param {string} sentence
 */
export function announce(sentence) {
  if (sentence === '') return;
  const announcer = elementOf('announcer', HTMLElement);
  const before = [...announcer.children];
  announcer.append(build('p', {}, sentence));
  setTimeout(() => before.forEach((old) => old.remove()), ANNOUNCED_MS);
}
