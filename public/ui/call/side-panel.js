import { elementOf, isComposing, setText } from '../kit/element.js';

/**
 * @typedef {object} SideContent  a content of the side panel
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [opened]  called when it is shown
 * @property {() => void} [closed]
 * @property {() => void} [focus] focuses its first field; without it the panel itself gets the
 *   focus
 */

/** The panel beside the people, with one content at a time. On a phone it covers them. */
export class SidePanel {
  #panel = elementOf('side', HTMLElement);
  #title = elementOf('side-title', HTMLElement);
  #place = elementOf('side-content', HTMLElement);
  /** @type {Map<HTMLButtonElement, SideContent>} */
  #contents = new Map();
  /** @type {{ button: HTMLButtonElement, content: SideContent } | null} */
  #open = null;

  constructor() {
    elementOf('side-close', HTMLButtonElement).addEventListener('click', () => this.close(true));
    // Listens on the document, because the focused element may be gone.
    document.addEventListener('keydown', (event) => {
      const isFree = !event.defaultPrevented && !document.querySelector('dialog[open]');
      if (event.key === 'Escape' && isFree && !isComposing(event)) this.close(true);
    });
  }

  /**
   * @param {HTMLButtonElement} button opens and closes the content
   * @param {SideContent} content
   */
  add(button, content) {
    this.#contents.set(button, content);
    button.setAttribute('aria-controls', this.#panel.id);
    button.addEventListener('click', () => this.toggle(button));
  }

  /** @param {HTMLButtonElement} button */
  toggle(button) {
    if (this.#open?.button === button) this.close(true);
    else this.#show(button);
  }

  /** @param {HTMLButtonElement} button */
  #show(button) {
    this.close();
    const content = this.#contents.get(button);
    if (!content) return;
    this.#open = { button, content };
    button.setAttribute('aria-expanded', 'true');
    setText(this.#title, content.title);
    this.#panel.setAttribute('aria-label', content.title);
    this.#place.replaceChildren(content.element);
    this.#panel.hidden = false;
    this.#panel.closest('.call')?.classList.add('with-side');
    content.opened?.();
    if (content.focus) content.focus();
    else this.#panel.focus();
  }

  /**
   * Closes a button's content, if it is open, before the button disappears.
   * @param {HTMLButtonElement} button
   */
  closeOf(button) {
    if (this.#open?.button !== button) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.close();
    if (hadFocus) elementOf('call-title', HTMLElement).focus();
  }

  /**
   * Idempotent.
   * @param {boolean} [back] true gives the focus to the button that opened the panel
   */
  close(back = false) {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    open.button.setAttribute('aria-expanded', 'false');
    this.#panel.hidden = true;
    this.#panel.closest('.call')?.classList.remove('with-side');
    open.content.closed?.();
    // On a phone the button may be in a menu that is closed; then the menu's button stands for it.
    if (back && !isFocused(open.button)) elementOf('more', HTMLElement).focus();
  }
}

/** Focuses an element. @param {HTMLElement} element @returns {boolean} false: it is hidden */
function isFocused(element) {
  element.focus();
  return document.activeElement === element;
}
