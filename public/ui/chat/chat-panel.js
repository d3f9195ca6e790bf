import { MAX_CHAT_CHARACTERS } from '../../shared/text.js';
import { makeMessage } from './chat-message.js';
import { isAllowed } from '../../client/call/call-view.js';
import { Store } from '../../client/call/store.js';
import { announce, build, isComposing, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { Outbox } from './outbox.js';
import { labels, noticeText, texts } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { ChatMessage } from './chat-message.js'
 */

/** Most messages kept in the page. */
const MAX_SHOWN = 500;

/** Number of remaining characters from which the hint shows them. */
const NEAR_LIMIT = 200;

/** Most characters of a message that are announced to assistive technology. */
const MAX_ANNOUNCED = 300;

/** Distance from its end at which the list counts as read, in pixels. */
const AT_END = 48;

/** The chat of the room. */
export class ChatPanel {
  title = labels.chat;
  /** count: messages that came while the panel was closed. */
  unread = new Store({ count: 0 });
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
    dir: 'auto',
    placeholder: texts.chatPlaceholder,
    'aria-describedby': 'chat-hint',
  });
  /** Reason why messages aren't sent yet. */
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
  element = build('div', { class: 'chat-panel' }, this.#empty, this.#scroll, this.#form);

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#outbox = new Outbox((text) => current.send({ type: 'chat', text }));
    current.store.subscribe(['session', 'chat', 'access', 'state'], (now, before) =>
      this.#follow(now, before),
    );
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener('input', () => this.#count());
  }

  opened() {
    this.#isOpen = true;
    this.unread.set({ count: 0 });
    this.#scrollToEnd();
  }

  get #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    return scrollHeight - scrollTop - clientHeight < AT_END;
  }

  #scrollToEnd() {
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  closed() {
    this.#isOpen = false;
  }

  focus() {
    this.#field.focus();
  }

  /** @param {CallView} now @param {CallView} before */
  #follow(now, before) {
    if (now.state === 'idle' && before.state !== 'idle') return this.#clear();
    if (now.session !== before.session) this.#history(now.chat, now.you);
    else if (now.chat !== before.chat) for (const message of now.chat) this.#add(message);
    if (now.state !== before.state) this.#showOffline(now.state === 'away');
    if (now.session > 0 && !now.access.waiting) this.#allow(isAllowed(now.access, 'chat'));
  }

  /**
   * Shows the earlier messages, which the server sends after each join.
   * @param {readonly ChatMessage[]} history
   * @param {string} you
   */
  #history(history, you) {
    const seen = this.#you === '' ? Infinity : (this.#last?.number ?? 0);
    const ids = [this.#you, you];
    this.#you = you;
    // After a lost connection the shown messages stay: the log would be read aloud from its start.
    const at = history.findIndex((message) => isSame(message, this.#last));
    if (at < 0) {
      this.#last = null;
      this.#list.replaceChildren();
    }
    const isAtEnd = this.#isAtEnd;
    for (const message of history.slice(at + 1)) this.#append(message);
    if (isAtEnd) this.#scrollToEnd();
    const missed = history.filter(({ number }) => number > seen).length;
    if (!this.#isOpen && missed > 0) this.#addUnread(missed);
    this.#empty.hidden = history.length > 0;
    if (you === '') return;
    this.#outbox.got(history.filter(({ from, number }) => number > seen && ids.includes(from)));
    // A call that moves to another node is never away.
    this.#outbox.again();
  }

  /** @param {boolean} offline true when the connection is lost, so that messages wait */
  #showOffline(offline) {
    if (offline) this.#outbox.offline();
    else this.#outbox.online();
    this.#showWaits();
  }

  /** Forgets the messages, before another call. */
  #clear() {
    this.#history([], '');
    this.unread.set({ count: 0 });
    // Returns unsent messages to the field, for the next call.
    const unsent = this.#outbox.clear();
    if (this.#field.value === '') this.#field.value = unsent.join('\n');
    this.#showWaits();
    setText(this.#hint, '');
  }

  /** @param {ChatMessage} message ignored if it is shown already */
  #add(message) {
    if (this.#last !== null && message.number <= this.#last.number) return;
    const own = message.from === this.#you;
    const isAtEnd = this.#isAtEnd;
    this.#append(message);
    this.#empty.hidden = true;
    if (own) this.#outbox.came();
    if (own) this.#showWaits();
    if (this.#isOpen && (own || isAtEnd)) this.#scrollToEnd();
    if (this.#isOpen || own) return;
    this.#addUnread(1);
    announce(texts.chatFrom(message.name, message.text.slice(0, MAX_ANNOUNCED)));
  }

  /**
   * Handles a refused message: too many came at once, or this person may not write.
   * @param {string} code
   * @param {number} [retryMs] time until it is sent again
   */
  refused(code, retryMs = 0) {
    if (code === 'chat-flood') {
      this.#outbox.putOff(retryMs);
      this.#showWaits();
      return;
    }
    const text = this.#outbox.reject();
    if (this.#field.value === '') this.#field.value = text;
    this.#showWaits();
    setText(this.#hint, noticeText(code));
  }

  /** @param {boolean} allowed true when this person may write */
  #allow(allowed) {
    setText(this.#closed, allowed ? '' : texts.chatClosed);
    // The reason why the last message was refused is over.
    if (allowed && this.#field.readOnly) this.#count();
    this.#field.readOnly = !allowed;
    // A disabled button would lose the keyboard's place.
    if (!allowed && document.activeElement === this.#submitButton) this.#field.focus();
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

  /** @param {number} count */
  #addUnread(count) {
    this.unread.set({ count: this.unread.value.count + count });
  }
}

/** @param {ChatMessage} one @param {ChatMessage | null} other */
const isSame = (one, other) =>
  one.number === other?.number && one.at === other.at && one.from === other.from;
