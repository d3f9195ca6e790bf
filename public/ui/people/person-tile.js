import { hue, initials } from './person.js';
import { build, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { PersonMenu } from './person-menu.js';
import { texts } from '../../texts.js';

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} [label]      the name by which this one is told apart
 * @property {string} transport
 * @property {boolean} muted
 * @property {number} [hand]       0 while it is down; raised hands are numbered in the order of their raising
 * @property {number} [quality]    of the connection: 0 unknown, 1 bad, 2 fair, 3 good
 * @property {boolean} [away]      the connection was lost, and the place is kept
 * @property {boolean} [recorded]  while a recording is on: whether this one agreed
 *
 * @typedef {object} Shown  what the page knows of a person besides
 * @property {boolean} you
 * @property {boolean} recording whether a recording is going on
 */

/** @param {Person} person */
export const calledOf = ({ label, name }) => label || name;

/** One person: who it is, whether they speak, and how it stands with them. */
export class PersonTile {
  #avatar = build('span', { class: 'avatar' });
  #name = build('span', { class: 'person-called' });
  #you = build('span', { class: 'person-you' }, ` (${texts.you})`);
  #how = build('span', { class: 'person-how' });
  #muted = build('span', { class: 'person-sign muted-sign' }, makeIcon(icons.muted));
  #hand = build('span', { class: 'person-sign hand-sign' }, makeIcon(icons.hand));
  #quality = build('span', { class: 'quality' }, build('span', {}), build('span', {}), build('span', {}));
  #qualityText = build('span', { class: 'visually-hidden' });
  #menu;
  #isMutedForYou;
  /** @type {Person | null} */
  #person = null;
  /** @type {Shown | null} */
  #shown = null;

  /**
   * @param {number} gain  how loud this one is made, for oneself; 0: muted for oneself
   * @param {(gain: number) => void} onGain
   */
  constructor(gain, onGain) {
    this.#isMutedForYou = gain === 0;
    this.#menu = new PersonMenu(gain, (changed) => {
      onGain(changed);
      this.#isMutedForYou = changed === 0;
      this.#refresh();
    });
    const nameLine = build('span', { class: 'person-name' }, this.#name, this.#you);
    const signs = build('div', { class: 'person-signs' }, this.#hand, this.#muted, this.#quality);
    this.element = build(
      'li',
      { class: 'person' },
      this.#avatar,
      build('div', { class: 'person-text' }, nameLine, this.#how, this.#qualityText),
      signs,
      this.#menu.button,
      this.#menu.element,
    );
  }

  /**
   * @param {Person} person
   * @param {Shown} shown
   */
  show(person, shown) {
    this.#person = person;
    this.#shown = shown;
    this.#refresh();
  }

  #refresh() {
    const [person, shown] = [this.#person, this.#shown];
    if (!person || !shown) return;
    const { name, muted, hand = 0, away = false, quality = 0, recorded } = person;
    const { you, recording } = shown;
    const called = calledOf(person);
    // Drawn by the stylesheet: initials are not part of what the list says.
    this.#avatar.dataset.initials = initials(name);
    this.element.style.setProperty('--hue', String(hue(called)));
    this.element.classList.toggle('away', away);
    setText(this.#name, called);
    this.#name.title = called;
    this.#you.hidden = !you;
    this.#muted.hidden = !muted;
    this.#hand.hidden = hand === 0;
    this.#quality.hidden = quality === 0;
    this.#quality.dataset.quality = String(quality);
    this.#quality.title = texts.quality[quality] ?? '';
    setText(this.#qualityText, texts.quality[quality] ?? '');
    const states = [
      away && texts.away,
      hand > 0 && texts.handRaised,
      muted && texts.muted,
      this.#isMutedForYou && texts.mutedForYou,
      recording && recorded === false && texts.notRecorded,
    ];
    setText(this.#how, states.filter(Boolean).join(' · '));
    this.#menu.show(called, person.transport, you);
    if (muted || away) this.speaks(0, false);
  }

  /**
   * @param {number} level 0 to 1
   * @param {boolean} voice whether it is somebody's voice
   */
  speaks(level, voice) {
    this.element.classList.toggle('speaking', voice);
    this.element.style.setProperty('--level', level.toFixed(2));
  }
}
