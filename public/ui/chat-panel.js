import { MAX_CHAT_CHARACTERS } from '../shared/text.js';
import { makeMessage } from './chat-message.js';
import { build, makeIcon, setText } from './element.js';
import { icons } from './icons.js';
import { labels, noticeText, texts } from '../texts.js';

/**
 * @import { ChatMessage } from './chat-message.js'
 */

/** So many messages are kept in the page. */
const MAX_SHOWN = 500;

/** From so many characters before the limit on, the field says how many are left. */
const NEAR_LIMIT = 200;

/** How near its end the list counts as read to the end, in pixels. */
const AT_END = 48;

/** What people write to each other in the room. */
export class ChatPanel {
  title = labels.chat;
  /** How many messages came while the panel was closed. */
  unread = 0;
  #you = '';
  #isOpen = false;
  /** @type {ChatMessage | null} */
  #last = null;
  /** What was sent last, given back where the server refuses it. */
  #sent = '';
  #list = build('ol', { class: 'messages' });
  #scroll = build('div', { class: 'messages-scroll', role: 'log', tabindex: '0', 'aria-label': texts.chatLog }, this.#list);
  #empty = build('p', { class: 'empty' }, texts.chatEmpty);
  #field = build('textarea', { id: 'chat-text-field', rows: '1', placeholder: texts.chatPlaceholder, 'aria-describedby': 'chat-hint' });
  #hint = build('p', { class: 'hint', id: 'chat-hint', 'aria-live': 'polite' });
  #form = build(
    'form',
    { class: 'compose' },
    this.#hint,
    build('label', { class: 'visually-hidden', for: 'chat-text-field' }, texts.chatField),
    this.#field,
    build('button', { type: 'submit', class: 'button primary icon-only', 'aria-label': texts.send }, makeIcon(icons.send)),
  );
  #send;
  #onUnread;
  element = build('div', { class: 'chat-panel' }, this.#empty, this.#scroll, this.#form);

  /**
   * @param {object} actions
   * @param {(text: string) => void} actions.send
   * @param {(count: number, message: ChatMessage | null) => void} actions.onUnread  with the message that came unseen
   */
  constructor({ send, onUnread }) {
    this.#send = send;
    this.#onUnread = onUnread;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener('input', () => this.#count());
  }

  opened() {
    this.#isOpen = true;
    this.#setUnread(0, null);
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  closed() {
    this.#isOpen = false;
  }

  focus() {
    return this.#field;
  }

  /**
   * Shows what was said before, as the server tells when one joins or comes back.
   * @param {ChatMessage[]} history
   * @param {string} you
   */
  history(history, you) {
    const seen = this.#you === '' ? Infinity : (this.#last?.number ?? 0);
    this.#you = you;
    this.#last = null;
    this.#list.replaceChildren();
    for (const message of history) this.#append(message);
    const missed = history.filter(({ number }) => number > seen).length;
    if (!this.#isOpen && missed > 0) this.#setUnread(this.unread + missed, null);
    this.#empty.hidden = history.length > 0;
  }

  /** Forgets everything, before another call. */
  clear() {
    this.history([], '');
    this.#setUnread(0, null);
    this.#sent = '';
    setText(this.#hint, '');
  }

  /** @param {ChatMessage} message */
  add(message) {
    if (this.#last !== null && message.number <= this.#last.number) return;
    const own = message.from === this.#you;
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
    this.#append(message);
    this.#empty.hidden = true;
    if (own) setText(this.#hint, '');
    if (this.#isOpen && (own || atEnd)) this.#scroll.scrollTop = this.#scroll.scrollHeight;
    if (!this.#isOpen && !own) this.#setUnread(this.unread + 1, message);
  }

  /**
   * Says why the last message was not sent, and gives its text back.
   * @param {string} code
   */
  refused(code) {
    setText(this.#hint, noticeText(code));
    if (this.#field.value === '') this.#field.value = this.#sent;
  }

  /** @param {ChatMessage} message */
  #append(message) {
    this.#list.append(makeMessage(message, this.#last, message.from === this.#you));
    this.#last = message;
    if (this.#list.childElementCount > MAX_SHOWN) this.#list.firstElementChild?.remove();
  }

  #submit() {
    const text = this.#field.value.trim();
    if (text === '') return;
    if ([...text].length > MAX_CHAT_CHARACTERS) {
      this.#count();
      return;
    }
    this.#sent = text;
    this.#field.value = '';
    this.#count();
    this.#send(text);
  }

  #count() {
    const left = MAX_CHAT_CHARACTERS - [...this.#field.value.trim()].length;
    const isNear = left <= NEAR_LIMIT;
    this.#field.setAttribute('aria-invalid', String(left < 0));
    setText(this.#hint, left < 0 ? texts.tooLong(-left) : isNear ? texts.charactersLeft(left) : '');
  }

  /**
   * @param {number} count
   * @param {ChatMessage | null} message
   */
  #setUnread(count, message) {
    this.unread = count;
    this.#onUnread(count, message);
  }
}
