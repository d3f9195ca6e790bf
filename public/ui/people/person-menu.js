import { build, elementOf, makeIcon, onPressOutside, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { Volume } from './own-volumes.js'
 * @import { Shown } from './people-list.js'
 */

/** Largest volume of one person, as a factor. */
const MAX_GAIN = 2;

/**
 * A menu over a person's tile, with this listener's volume of that person, and their place in a
 * stereo room. Only one is open at a time.
 */
export class PersonMenu {
  /** The menu that is open. @type {PersonMenu | null} */
  static #current = null;
  button = build(
    'button',
    { type: 'button', class: 'button quiet icon-only person-more', 'aria-expanded': 'false' },
    makeIcon(icons.more),
  );
  #slider = build('input', { type: 'range', min: '0', max: String(100 * MAX_GAIN), step: '5' });
  #value = build('output', { class: 'volume-value' });
  #pan = build('input', { type: 'range', min: '-100', max: '100', step: '10' });
  // Left is left in every script.
  #panRow = build(
    'div',
    { class: 'volume', dir: 'ltr' },
    build('span', { class: 'side-letter', 'aria-hidden': 'true' }, texts.sideLeft),
    this.#pan,
    build('span', { class: 'volume-value', 'aria-hidden': 'true' }, texts.sideRight),
  );
  #mute = build(
    'button',
    { type: 'button', class: 'button small', 'aria-pressed': 'false' },
    texts.muteForMe,
  );
  #moderate = build('button', { type: 'button', class: 'button small' }, texts.moderate);
  #transport = build('p', { class: 'hint' });
  #age = build('p', { class: 'hint', hidden: true });
  #onVolume;
  #gain = 1;
  #silent;
  #endWatch = () => {};
  element = build(
    'div',
    { class: 'person-menu', role: 'group', hidden: true },
    build('div', { class: 'volume' }, makeIcon(icons.speaker), this.#slider, this.#value),
    this.#panRow,
    build('div', { class: 'menu-buttons' }, this.#mute, this.#moderate),
    this.#transport,
    this.#age,
  );

  /**
   * @param {Volume} volume its gain is 0 to MAX_GAIN; 0 mutes the person
   * @param {(volume: Volume) => void} onVolume called when it changes
   * @param {() => void} onModerate shows what a moderator can do with the person
   */
  constructor({ gain, pan }, onVolume, onModerate) {
    this.#onVolume = onVolume;
    this.#moderate.addEventListener('click', () => {
      this.#open(false);
      // The dialog gives the focus back to it.
      this.button.focus();
      onModerate();
    });
    this.#silent = gain === 0;
    this.#setGain(gain || 1);
    this.#pan.value = String(100 * pan);
    this.#pan.addEventListener('input', () => this.#tell());
    this.#show();
    this.button.addEventListener('click', () => this.#open(Boolean(this.element.hidden)));
    this.#slider.addEventListener('input', () => {
      this.#gain = Number(this.#slider.value) / 100;
      this.#silent = false;
      this.#tell();
    });
    this.#mute.addEventListener('click', () => {
      this.#silent = this.#heard !== 0;
      if (this.#gain === 0) this.#setGain(1);
      this.#tell();
    });
    this.button.addEventListener('keydown', (event) => this.#pressed(event));
    this.element.addEventListener('keydown', (event) => this.#pressed(event));
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key !== 'Escape' || this.element.hidden) return;
    event.stopPropagation();
    this.#open(false);
    this.button.focus();
  }

  /**
   * @param {string} name
   * @param {string} transport
   * @param {Omit<Shown, 'recording' | 'sharedBy'>} shown  you: hides the menu, as one doesn't hear
   *   oneself
   */
  show(name, transport, { you, moderates, ownVolumes, stereo }) {
    const { activeElement: focused } = document;
    const hadFocus = focused === this.button || this.element.contains(focused);
    this.#moderate.hidden = !moderates;
    this.#panRow.hidden = !stereo;
    this.button.hidden = you || !ownVolumes;
    if (this.button.hidden) this.#open(false);
    if (hadFocus && !focused?.checkVisibility())
      (this.button.hidden ? elementOf('call-title', HTMLElement) : this.button).focus();
    this.button.setAttribute('aria-label', texts.more(name));
    this.element.setAttribute('aria-label', texts.more(name));
    this.#slider.setAttribute('aria-label', texts.volumeOf(name));
    this.#pan.setAttribute('aria-label', texts.placeOf(name));
    setText(this.#transport, texts.connectedOver(transport));
  }

  /** @param {number | null} ms time from speaking until it is heard here; null if unknown */
  heardAfter(ms) {
    this.#age.hidden = ms === null;
    setText(this.#age, ms === null ? '' : texts.heardAfter(ms));
  }

  /** @param {boolean} open */
  #open(open) {
    this.#endWatch();
    if (open) {
      const before = PersonMenu.#current;
      if (before) before.#open(false);
      PersonMenu.#current = this;
      this.#endWatch = onPressOutside([this.element, this.button], () => this.#open(false));
    } else if (PersonMenu.#current === this) {
      PersonMenu.#current = null;
    }
    this.element.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
    this.button.replaceChildren(makeIcon(open ? icons.close : icons.more));
    if (open) this.#slider.focus();
  }

  /** @param {number} gain */
  #setGain(gain) {
    this.#gain = gain;
    this.#slider.value = String(100 * gain);
  }

  get #heard() {
    return this.#silent ? 0 : this.#gain;
  }

  #show() {
    const pan = Number(this.#pan.value);
    this.#pan.setAttribute('aria-valuetext', texts.place(pan));
    this.#mute.setAttribute('aria-pressed', String(this.#heard === 0));
    setText(this.#value, `${Math.round(100 * this.#heard)} %`);
  }

  #tell() {
    this.#show();
    this.#onVolume({ gain: this.#heard, pan: Number(this.#pan.value) / 100 });
  }
}
