import { elementOf, setText } from '../kit/element.js';

/**
 * @typedef {object} SideContent  one thing that may stand beside the people
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [opened]   called when it is seen
 * @property {() => void} [closed]
 * @property {() => HTMLElement | null} [focus]  what gets the focus; the panel itself without it
 */

/** The place beside the people, for one content at a time. On a phone it covers them. */
export class SidePanel {
  #panel = elementOf('side', HTMLElement);
  #title = elementOf('side-title', HTMLElement);
  #place = elementOf('side-content', HTMLElement);
  /** @type {Map<HTMLButtonElement, () => SideContent>} */
  #contents = new Map();
  /** @type {{ button: HTMLButtonElement, content: SideContent } | null} */
  #open = null;

  constructor() {
    elementOf('side-close', HTMLButtonElement).addEventListener('click', () => this.close(true));
    // Wherever the focus is: what had it may be gone.
    document.addEventListener('keydown', (event) => {
      const isFree = !event.defaultPrevented && !document.querySelector('dialog[open]');
      if (event.key === 'Escape' && isFree) this.close(true);
    });
  }

  /**
   * @param {HTMLButtonElement} button opens and closes it
   * @param {() => SideContent} content made when it is first needed, or kept
   */
  add(button, content) {
    this.#contents.set(button, content);
    button.setAttribute('aria-controls', this.#panel.id);
    button.addEventListener('click', () => this.toggle(button));
  }

  /** @param {HTMLButtonElement} button */
  toggle(button) {
    if (this.isOpen(button)) this.close(true);
    else this.#show(button);
  }

  /** @param {HTMLButtonElement} button */
  isOpen(button) {
    return this.#open?.button === button;
  }

  /** @param {HTMLButtonElement} button */
  #show(button) {
    this.close();
    const content = this.#contents.get(button)?.();
    if (!content) return;
    this.#open = { button, content };
    button.setAttribute('aria-expanded', 'true');
    setText(this.#title, content.title);
    this.#panel.setAttribute('aria-label', content.title);
    this.#place.replaceChildren(content.element);
    this.#panel.hidden = false;
    this.#panel.closest('.call')?.classList.add('with-side');
    content.opened?.();
    (content.focus?.() ?? this.#panel).focus();
  }

  /**
   * Idempotent.
   * @param {boolean} [back] gives the focus to the button that had opened it
   */
  close(back = false) {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    open.button.setAttribute('aria-expanded', 'false');
    this.#panel.hidden = true;
    this.#panel.closest('.call')?.classList.remove('with-side');
    open.content.closed?.();
    if (back) open.button.focus();
  }
}
