import { noticeText, texts } from '../../texts.js';
import { build } from '../kit/element.js';

/**
 * @import { Access } from '../../client/call/access-state.js'
 * @import { RoomPanel } from './room-panel.js'
 */

/**
 * The content Room of the side panel, for moderators. It loads the panel itself when it is first
 * opened.
 */
export class RoomContent {
  title = texts.roomPanel;
  element = build('div', { class: 'stack' }, build('p', { class: 'hint' }, texts.panelLoading));
  #send;
  #actions;
  /** @type {RoomPanel | null} */
  #panel = null;
  /** @type {Access | null} */
  #access = null;
  #you = '';
  #isOnly = false;
  #isOpen = false;
  #isLoading = false;

  /**
   * @param {(message: object) => void} send
   * @param {{ announce: (sentence: string) => void, failed: (code: string) => void }} actions
   */
  constructor(send, actions) {
    this.#send = send;
    this.#actions = actions;
  }

  opened() {
    this.#isOpen = true;
    if (this.#panel) this.#panel.opened();
    else if (!this.#isLoading) void this.#load();
  }

  closed() {
    this.#isOpen = false;
  }

  focus() {
    this.#panel?.focus();
  }

  /** One is no moderator any more, or the call is over. */
  clear() {
    this.#panel?.clear();
  }

  /** @param {Access} access */
  show(access) {
    this.#access = access;
    this.#panel?.show(access);
  }

  /**
   * @param {string} you  one's own id
   * @param {boolean} isOnly  whether there is no other moderator
   */
  people(you, isOnly) {
    this.#you = you;
    this.#isOnly = isOnly;
    if (!this.#panel) return;
    this.#panel.you = you;
    this.#panel.onlyModerator(isOnly);
  }

  async #load() {
    this.#isLoading = true;
    try {
      const { RoomPanel: Panel } = await import('./room-panel.js');
      this.#panel = new Panel(this.#send, this.#actions);
      this.people(this.#you, this.#isOnly);
      if (this.#access) this.#panel.show(this.#access);
      this.element.replaceChildren(this.#panel.element);
      if (this.#isOpen) {
        this.#panel.opened();
        this.#panel.focus();
      }
    } catch {
      this.element.replaceChildren(build('p', { class: 'hint' }, noticeText('panel-failed')));
    }
    this.#isLoading = false;
  }
}
