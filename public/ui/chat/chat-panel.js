import { MAX_CHAT_CHARACTERS } from '../../shared/text.js';
import { makeMessage } from './chat-message.js';
import { build, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { Outbox } from './outbox.js';
import { labels, noticeText, texts } from '../../texts.js';

/**
 * @import { ChatMessage } from './chat-message.js'
 */

/** The most messages that are kept in the page. */
const MAX_SHOWN = 500;

/** The hint shows how many characters are left when they are this few. */
const NEAR_LIMIT = 200;

/** The distance from its end at which the list counts as read, in pixels. */
const AT_END = 48;

/** The chat of the room. */
export class ChatPanel {
  title = labels.chat;
  /** The number of messages that came while the panel was closed. */
  #unread = 0;
  #you = '';
  #isOpen = false;
  /** @type {ChatMessage | null} */
  #last = null;
  #outbox;
  #list = build('ol', { class: 'messages' });
  #scroll = build(
    'div',
    { class: 'messages-scroll', role: 'log', tabindex: '0', 'aria-label': texts.chatLog },
    this.#list,
  );
  #empty = build('p', { class: 'empty' }, texts.chatEmpty);
  #field = build('textarea', {
    id: 'chat-text-field',
    rows: '1',
    placeholder: texts.chatPlaceholder,
    'aria-describedby': 'chat-hint',
  });
  /** The reason why messages are not sent yet. */
  #waits = build('p', { class: 'hint waits', 'aria-live': 'polite' });
  #hint = build('p', { class: 'hint', id: 'chat-hint', 'aria-live': 'polite' });
  /** Says that this person may not write. */
  #closed = build('p', { class: 'hint', 'aria-live': 'polite' });
  #submitButton = build(
    'button',
    { type: 'submit', class: 'button primary icon-only', 'aria-label': texts.send },
    makeIcon(icons.send),
  );
  #form = build(
    'form',
    { class: 'compose' },
    this.#waits,
    this.#hint,
    this.#closed,
    build('label', { class: 'visually-hidden', for: 'chat-text-field' }, texts.chatField),
    this.#field,
    this.#submitButton,
  );
  #onUnread;
  element = build('div', { class: 'chat-panel' }, this.#empty, this.#scroll, this.#form);

  /**
   * @param {object} actions
   * @param {(text: string) => boolean} actions.send  returns false when there is no connection
   * @param {(count: number, message: ChatMessage | null) => void} actions.onUnread with the new
   *   message, or null
   */
  constructor({ send, onUnread }) {
    this.#outbox = new Outbox(send);
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
    this.#field.focus();
  }

  /**
   * Shows the earlier messages, which the server sends after each join.
   * @param {ChatMessage[]} history
   * @param {string} you
   */
  history(history, you) {
    const seen = this.#you === '' ? Infinity : (this.#last?.number ?? 0);
    const ids = [this.#you, you];
    this.#you = you;
    this.#last = null;
    this.#list.replaceChildren();
    for (const message of history) this.#append(message);
    const missed = history.filter(({ number }) => number > seen).length;
    if (!this.#isOpen && missed > 0) this.#setUnread(this.#unread + missed, null);
    this.#empty.hidden = history.length > 0;
    if (you === '') return;
    this.#outbox.got(history.filter(({ from, number }) => number > seen && ids.includes(from)));
  }

  /** @param {boolean} offline whether the connection is lost, so that messages wait */
  offline(offline) {
    if (offline) this.#outbox.offline();
    else this.#outbox.online();
    this.#showWaits();
  }

  /** Forgets the messages, before another call. */
  clear() {
    this.history([], '');
    this.#setUnread(0, null);
    // Unsent messages go back to the field, for the next call.
    const unsent = this.#outbox.clear();
    if (this.#field.value === '') this.#field.value = unsent.join('\n');
    this.#showWaits();
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
    if (own) this.#outbox.came();
    if (own) this.#showWaits();
    if (this.#isOpen && (own || atEnd)) this.#scroll.scrollTop = this.#scroll.scrollHeight;
    if (!this.#isOpen && !own) this.#setUnread(this.#unread + 1, message);
  }

  /**
   * Sends the last message again, which the server has refused.
   * @param {number} retryMs after this long
   */
  refused(retryMs) {
    this.#outbox.putOff(retryMs);
    this.#showWaits();
  }

  /**
   * Gives the last message back, which the server doesn't let this person write.
   * @param {string} code
   */
  rejected(code) {
    const text = this.#outbox.reject();
    if (this.#field.value === '') this.#field.value = text;
    this.#showWaits();
    setText(this.#hint, noticeText(code));
  }

  /** @param {boolean} allowed whether this person may write */
  allowed(allowed) {
    setText(this.#closed, allowed ? '' : texts.chatClosed);
    this.#field.readOnly = !allowed;
    this.#submitButton.disabled = !allowed;
  }

  #showWaits() {
    const { why } = this.#outbox;
    setText(this.#waits, why === null ? '' : noticeText(why));
  }

  /** @param {ChatMessage} message */
  #append(message) {
    this.#list.append(makeMessage(message, this.#last, message.from === this.#you));
    this.#last = message;
    if (this.#list.childElementCount > MAX_SHOWN) this.#list.firstElementChild?.remove();
  }

  #submit() {
    const text = this.#field.value.trim();
    if (text === '' || this.#field.readOnly) return;
    if ([...text].length > MAX_CHAT_CHARACTERS) {
      this.#count();
      return;
    }
    if (!this.#outbox.say(text)) {
      setText(this.#hint, noticeText('chat-full'));
      return;
    }
    this.#field.value = '';
    this.#count();
    this.#showWaits();
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
    this.#unread = count;
    this.#onUnread(count, message);
  }
}
