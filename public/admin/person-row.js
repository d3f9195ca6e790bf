/**
 * @typedef {'moderator' | 'speaker' | 'listener'} Role
 * @typedef {{ id: string, label: string, transport: string, quality: number, role: Role, muted:
 *   boolean, silenced: boolean, hand: number, recorded: boolean, peer: string, seconds: number,
 *   stats: Record<'roundTripMs' | 'lostPercent5s' | 'receivedPercent' | 'neededDelayMs', number |
 *   null> }} PersonAnswer  part of the answer to GET /api/rooms/<room>
 * @typedef {object} PersonActions the page's actions on a person, by the shown name; each reports
 *   its own outcome
 * @property {(change: { muted: boolean } | { hand: 0 } | { role: Role }, sentence: string) =>
 *   void}
 *   change
 * @property {(label: string) => void} ban
 * @property {(label: string) => void} remove
 */

import { build, makeButton, setText } from '../ui/kit/element.js';
import { adminTexts as texts, duration, milliseconds, percentage } from './texts.js';

/** Roles in the order of the menu. */
const ROLES = Object.freeze(/** @type {const} */ (['moderator', 'speaker', 'listener']));

/** One person of a room, with their connection and the operator's actions. */
export class PersonRow {
  #name = build('span', { class: 'person-name' });
  #signs = build('span', { class: 'signs' });
  #transport = build('dd', {});
  #quality = build('dd', {});
  #roundTrip = build('dd', {});
  #lost = build('dd', {});
  #needs = build('dd', {});
  #here = build('dd', {});
  #address = build('dd', { class: 'address' });
  #role = build(
    'select',
    {},
    ...ROLES.map((role) => build('option', { value: role }, texts.roles[role])),
  );
  /** True when another role was chosen but not set yet. */
  #isChosen = false;
  #setRole = build('button', { type: 'submit', class: 'button' }, texts.set);
  #mute;
  #lowerHand;
  #ban;
  #remove;
  #silenced = false;

  /** @param {PersonActions} actions */
  constructor(actions) {
    this.#mute = makeButton('button', texts.mute, () => {
      const muted = !this.#silenced;
      actions.change(
        { muted },
        muted ? texts.mutedNow(this.label) : texts.unmuteAllowed(this.label),
      );
    });
    this.#lowerHand = makeButton('button', texts.lowerHand, () =>
      actions.change({ hand: 0 }, texts.handLowered(this.label)),
    );
    this.#ban = makeButton('button danger', texts.ban, () => actions.ban(this.label));
    this.#remove = makeButton('button danger', texts.remove, () => actions.remove(this.label));
    /** Shown name. */
    this.label = '';
    const figure = (/** @type {string} */ name, /** @type {HTMLElement} */ value) =>
      build('div', {}, build('dt', {}, name), value);
    this.element = build(
      'li',
      { class: 'person' },
      build('p', { class: 'person-head' }, this.#name, this.#signs),
      build(
        'dl',
        { class: 'figures' },
        figure(texts.connection, this.#transport),
        figure(texts.sound, this.#quality),
        figure(texts.roundTrip, this.#roundTrip),
        figure(texts.lostUp, this.#lost),
        figure(texts.latePackets, this.#needs),
        figure(texts.here, this.#here),
        build('div', { class: 'wide' }, build('dt', {}, texts.address), this.#address),
      ),
      build(
        'div',
        { class: 'actions' },
        this.#roleForm(actions),
        this.#mute,
        this.#lowerHand,
        this.#ban,
        this.#remove,
      ),
    );
  }

  /** @param {PersonActions} actions */
  #roleForm(actions) {
    const form = build('form', { class: 'role-form' }, this.#role, this.#setRole);
    this.#role.addEventListener('change', () => (this.#isChosen = true));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#isChosen = false;
      const role = /** @type {Role} */ (this.#role.value);
      actions.change({ role }, texts.roleSet(this.label, role));
    });
    return form;
  }

  /** @param {PersonAnswer} person */
  show({ label, transport, quality, role, muted, silenced, hand, recorded, peer, seconds, stats }) {
    this.label = label;
    this.#silenced = silenced;
    setText(this.#name, label);
    const signs = [
      role !== 'speaker' && texts.roles[role],
      silenced ? texts.silenced : muted && texts.muted,
      hand > 0 && texts.hand,
      recorded && texts.recorded,
    ]
      .filter(Boolean)
      .join(', ');
    setText(this.#signs, signs);
    this.#signs.hidden = signs === '';
    setText(this.#transport, texts.transport(transport));
    setText(this.#quality, texts.quality(quality));
    this.#quality.className = quality === 1 ? 'bad' : '';
    setText(this.#roundTrip, milliseconds(stats.roundTripMs));
    setText(this.#lost, percentage(stats.lostPercent5s));
    // Nothing is known about a person who has sent nothing.
    setText(this.#needs, milliseconds(stats.receivedPercent === null ? null : stats.neededDelayMs));
    setText(this.#here, duration(seconds));
    setText(this.#address, peer);
    // A choice in progress must not change under the operator's hands.
    if (!this.#isChosen && document.activeElement !== this.#role) this.#role.value = role;
    setText(this.#mute, silenced ? texts.allowUnmute : texts.mute);
    const hadFocus = document.activeElement === this.#lowerHand;
    this.#lowerHand.hidden = hand === 0;
    if (hadFocus && hand === 0) this.#mute.focus();
    this.#role.setAttribute('aria-label', texts.roleOf(label));
    this.#setRole.setAttribute('aria-label', texts.setRoleOf(label));
    this.#mute.setAttribute(
      'aria-label',
      silenced ? texts.allowUnmuteWho(label) : texts.muteWho(label),
    );
    this.#lowerHand.setAttribute('aria-label', texts.lowerHandOf(label));
    this.#ban.setAttribute('aria-label', texts.banWho(label));
    this.#remove.setAttribute('aria-label', texts.removeWho(label));
  }
}
