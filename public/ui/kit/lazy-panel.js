import { noticeText, texts } from '../../texts/texts.js';
import { build, elementOf } from './element.js';

/**
 * A content of the side panel whose code is loaded when it is first opened.
 * @template {{ opened(): void, closed?(): void, focus?(): void }} Panel
 */
export class LazyPanel {
  element = build('div', { class: 'stack' }, build('p', { class: 'hint' }, texts.panelLoading));
  #load;
  /** Null until it is loaded. @type {Panel | null} */
  panel = null;
  isOpen = false;
  #isLoading = false;

  /**
   * @param {string} title
   * @param {() => Promise<{ panel: Panel, parts: HTMLElement[] }>} load parts: what it shows
   */
  constructor(title, load) {
    this.title = title;
    this.#load = load;
  }

  opened() {
    this.isOpen = true;
    if (this.panel) this.panel.opened();
    else if (!this.#isLoading) void this.#open();
  }

  /** Focuses its first field; until it is loaded, and without one, the side panel itself. */
  focus() {
    if (this.panel?.focus) this.panel.focus();
    else elementOf('side', HTMLElement).focus();
  }

  closed() {
    this.isOpen = false;
    this.panel?.closed?.();
  }

  async #open() {
    this.#isLoading = true;
    try {
      const { panel, parts } = await this.#load();
      this.panel = panel;
      this.element.replaceChildren(...parts);
      if (this.isOpen) {
        panel.opened();
        // Unless this person has gone on to something else in the meantime.
        if (elementOf('side', HTMLElement).contains(document.activeElement)) panel.focus?.();
      }
    } catch {
      this.element.replaceChildren(build('p', { class: 'hint' }, noticeText('panel-failed')));
    }
    this.#isLoading = false;
  }
}
