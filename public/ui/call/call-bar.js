import { build, elementOf, makeIcon, onPressOutside, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { CurrentCall } from './current-call.js'
 * @import { OwnSound } from './own-sound.js'
 */

const button = (/** @type {string} */ id) => elementOf(id, HTMLButtonElement);

/** The bar of buttons in a call. */
export class CallBar {
  chat = button('chat');
  sound = button('sound');
  settings = button('settings');
  record = button('record');
  moderate = button('moderate');
  #mute = button('mute');
  #muteText = elementOf('mute-text', HTMLElement);
  #hand = button('hand');
  #more = button('more');
  #moreButtons = elementOf('more-buttons', HTMLElement);
  #badge = build('span', { class: 'badge', hidden: true, 'aria-hidden': 'true' });
  /** Text for assistive technology behind the button's text. */
  #unread = build('span', { class: 'visually-hidden' });
  #endWatch = () => {};

  #current;

  /** @param {CurrentCall} current @param {OwnSound} own */
  constructor(current, own) {
    this.#current = current;
    this.#mute.prepend(makeIcon(icons.microphone));
    this.chat.append(this.#badge, this.#unread);
    this.#mute.addEventListener('click', () => void own.toggleMute(false));
    this.#hand.addEventListener('click', () => this.toggleHand());
    button('leave').addEventListener('click', () => void current.call?.leave());
    own.store.subscribe(['muted', 'talking', 'isHeld'], (sound) => this.#showMute(sound));
    current.store.subscribe(['people', 'you', 'state', 'recording'], ({ state, recording }) => {
      this.#showHand(Boolean(current.me?.hand));
      // Only the server can raise it.
      this.#hand.setAttribute('aria-disabled', String(state === 'away'));
      this.#showRecording(recording?.on === true);
    });
    this.#more.addEventListener('click', () => this.#showMore(!this.#isMore));
    // On a phone the opened panel takes the menu's place.
    this.#moreButtons.addEventListener('click', () => this.#showMore(false));
    elementOf('call-bar', HTMLElement).addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#isMore) return;
      event.preventDefault();
      this.#showMore(false);
      this.#more.focus();
    });
  }

  get #isMore() {
    return this.#more.getAttribute('aria-expanded') === 'true';
  }

  /** @param {boolean} more */
  #showMore(more) {
    this.#endWatch();
    if (more)
      this.#endWatch = onPressOutside([this.#more, this.#moreButtons], () => this.#showMore(false));
    if (!more && this.#moreButtons.contains(document.activeElement)) this.#more.focus();
    this.#more.setAttribute('aria-expanded', String(more));
    this.#moreButtons.classList.toggle('open', more);
  }

  toggleHand() {
    this.#current.send({ type: 'hand', raised: !this.#current.me?.hand });
  }

  /** @param {OwnSound['store']['value']} sound */
  #showMute({ muted, talking, isHeld }) {
    this.#mute.setAttribute('aria-disabled', String(isHeld));
    this.#mute.setAttribute('aria-pressed', String(muted));
    this.#mute.classList.toggle('talking', talking);
    this.#mute.firstElementChild?.replaceWith(makeIcon(muted ? icons.muted : icons.microphone));
    setText(this.#muteText, talking ? texts.talking : muted ? texts.unmute : texts.mute);
  }

  /** @param {boolean} on true while the room is being recorded */
  #showRecording(on) {
    this.record.classList.toggle('recording', on);
    if (on) this.record.setAttribute('aria-label', texts.recordButtonOn);
    else this.record.removeAttribute('aria-label');
  }

  /** @param {boolean} raised */
  #showHand(raised) {
    this.#hand.setAttribute('aria-pressed', String(raised));
    this.#hand.setAttribute('aria-label', raised ? texts.lowerHand : texts.raiseHand);
  }

  /** @param {number} count of unread messages */
  unread(count) {
    this.#badge.hidden = count === 0;
    setText(this.#badge, count > 99 ? '99+' : String(count));
    setText(this.#unread, count > 0 ? texts.chatUnread(count) : '');
  }
}
