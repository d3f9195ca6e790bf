import { moderate } from '../../client/call/moderate.js';
import { build, keepFocus, makeButton, setText } from '../kit/element.js';
import { panelTexts as texts } from '../../texts/room-panel.js';
import { texts as callTexts } from '../../texts/texts.js';

/**
 * @import { Access } from '../../client/call/types.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 * @import { Send } from '../call/current-call.js'
 */

/** Time after the last key press until the page asks the server, in milliseconds. */
const TYPED_MS = 400;

/**
 * List of the audience in the panel Room, page by page, with a search by name. Buttons let a
 * listener speak or remove them.
 */
export class AudienceList {
  #send;
  #copy;
  #find = build('input', {
    id: 'find-listener',
    type: 'search',
    maxlength: '40',
    autocomplete: 'off',
    'aria-describedby': 'listeners-count',
  });
  #count = build('p', { class: 'hint', id: 'listeners-count', 'aria-live': 'polite' });
  #list = build('ul', { class: 'bans' });
  #next = makeButton('button small', texts.moreListeners, () => this.#ask(this.#after));
  #first = makeButton('button small', texts.firstListeners, () => this.#ask(undefined));
  /** Place in the list where the next page begins. @type {string | undefined} */
  #after = undefined;
  #timer = 0;
  /** The page that is shown. @type {Access['audience'] | null} */
  #shown = null;
  element;

  /**
   * @param {Send} send
   * @param {() => void} copyLink  copies the link by which listeners come
   */
  constructor(send, copyLink) {
    this.#send = send;
    this.#copy = makeButton('button small', texts.copyListenLink, copyLink);
    this.#find.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#ask(undefined), TYPED_MS);
    });
    const label = build('label', { for: this.#find.id }, texts.listeners);
    const pages = build('div', { class: 'check-row' }, this.#first, this.#next, this.#copy);
    this.element = build(
      'section',
      { class: 'field' },
      label,
      this.#find,
      this.#count,
      this.#list,
      pages,
    );
    this.#first.hidden = this.#next.hidden = true;
  }

  /** @param {string | undefined} after */
  #ask(after) {
    const find = this.#find.value.trim();
    this.#send(
      moderate.listeners({ ...(after !== undefined && { after }), ...(find !== '' && { find }) }),
    );
    keepFocus(
      () => (this.#first.hidden = after === undefined),
      () => this.#find,
    );
  }

  /** Requests the first page, which the server sends only on request. */
  opened() {
    this.#ask(undefined);
  }

  /** Forgets what was asked. */
  clear() {
    clearTimeout(this.#timer);
    this.#find.value = '';
  }

  /** @param {Access['audience']} audience the page requested last */
  show(audience) {
    if (audience === this.#shown) return;
    this.#shown = audience;
    const { people, count, next } = audience;
    this.#after = next ?? undefined;
    keepFocus(
      () => {
        this.#list.replaceChildren(...people.map((person) => this.#row(person)));
        this.#next.hidden = next === null;
      },
      () => this.#find,
    );
    setText(this.#count, texts.listenersShown(people.length, count));
  }

  /** @param {{ id: string, label: string }} person */
  #row({ id, label }) {
    const act = (/** @type {ClientMessage} */ message) => {
      this.#send(message);
      this.#ask(undefined);
    };
    const speak = makeButton('button small', callTexts.letSpeak, () =>
      act(moderate.setRole(id, 'speaker')),
    );
    const remove = makeButton('button small danger', texts.removeListener, () =>
      act(moderate.remove(id)),
    );
    speak.setAttribute('aria-label', callTexts.letSpeakName(label));
    remove.setAttribute('aria-label', texts.removeName(label));
    return build(
      'li',
      { class: 'ban' },
      build('span', { class: 'ban-whom' }, label),
      build('div', { class: 'knock-buttons' }, speak, remove),
    );
  }
}
