import { noticeText, texts } from '../../texts.js';
import { build } from '../kit/element.js';

/**
 * @import { CurrentCall, Send } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { RoomPanel } from './room-panel.js'
 */

/**
 * The content Room of the side panel, for moderators. It loads the panel itself when it is first
 * opened.
 */
export class RoomContent {
  title = texts.roomPanel;
  element = build('div', { class: 'stack' }, build('p', { class: 'hint' }, texts.panelLoading));
  #current;
  #send;
  #notices;
  /** @type {RoomPanel | null} */
  #panel = null;
  #isOpen = false;
  #isLoading = false;

  /**
   * @param {CurrentCall} current
   * @param {Send} send
   * @param {Notices} notices
   */
  constructor(current, send, notices) {
    this.#current = current;
    this.#send = send;
    this.#notices = notices;
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

  async #load() {
    this.#isLoading = true;
    try {
      const { RoomPanel: Panel } = await import('./room-panel.js');
      this.#panel = new Panel(this.#current, this.#send, this.#notices);
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
