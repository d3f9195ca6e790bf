/**
 * @typedef {{ locked: boolean, lobby: boolean, chat: Who, record: Who, password: boolean,
 *   broadcast: boolean }} Rules
 * @typedef {'everybody' | 'moderators'} Who
 * @typedef {object} RulesActions
 * @property {(change: object, says: string) => void} change  says: message of success
 * @property {(knock: { id: string, name: string }, isAdmitted: boolean) => void} answer answers a
 *   person in the lobby
 */

import { build, makeButton } from '../ui/kit/element.js';
import { adminTexts as texts } from './texts.js';

/** Longest password of a room, in characters. */
const MAX_PASSWORD_LENGTH = 128;

/** Rules that are on or off: the change for each state, and a test of a room's rules. */
const SWITCHES = Object.freeze([
  {
    name: 'locked',
    change: (/** @type {boolean} */ on) => ({ locked: on }),
    isOn: (/** @type {Rules} */ rules) => rules.locked,
  },
  {
    name: 'lobby',
    change: (/** @type {boolean} */ on) => ({ lobby: on }),
    isOn: (/** @type {Rules} */ rules) => rules.lobby,
  },
  {
    name: 'chat',
    change: (/** @type {boolean} */ on) => ({ chat: whoMay(on) }),
    isOn: (/** @type {Rules} */ rules) => rules.chat === 'moderators',
  },
  {
    name: 'record',
    change: (/** @type {boolean} */ on) => ({ record: whoMay(on) }),
    isOn: (/** @type {Rules} */ rules) => rules.record === 'moderators',
  },
  {
    name: 'broadcast',
    change: (/** @type {boolean} */ on) => ({ broadcast: on }),
    isOn: (/** @type {Rules} */ rules) => rules.broadcast,
  },
]);

/** @param {boolean} isLimited @returns {Who} */
const whoMay = (isLimited) => (isLimited ? 'moderators' : 'everybody');

/** A room's rules: switches, the password, and people waiting to be let in. */
export class RoomRules {
  #room;
  #actions;
  #switches;
  #password;
  #noPassword;
  #waiting = build('ul', { class: 'knocks' });
  /** People waiting, by id. @type {Map<string, HTMLElement>} */
  #knocks = new Map();

  /**
   * @param {string} room
   * @param {string} id prefix of the elements' ids
   * @param {RulesActions} actions
   */
  constructor(room, id, actions) {
    this.#room = room;
    this.#actions = actions;
    this.#switches = SWITCHES.map(({ name, change, isOn }) => {
      const input = build('input', { id: `${id}-${name}`, type: 'checkbox', role: 'switch' });
      input.addEventListener('change', () =>
        actions.change(change(input.checked), texts.ruleSet(room)),
      );
      return {
        input,
        isOn,
        element: build(
          'span',
          { class: 'switch' },
          input,
          build('label', { for: input.id }, texts.rules[name]),
        ),
      };
    });
    this.#password = build('input', {
      id: `${id}-password`,
      type: 'text',
      autocomplete: 'off',
      maxlength: String(MAX_PASSWORD_LENGTH),
      placeholder: texts.passwordHint,
      'aria-label': texts.passwordOf(room),
    });
    this.#noPassword = makeButton('button', texts.passwordOff, () =>
      actions.change({ password: null }, texts.passwordGone(room)),
    );
    this.#waiting.setAttribute('aria-label', texts.waitingFor(room));
    this.element = build(
      'div',
      { class: 'room-rules' },
      build('div', { class: 'rule-switches' }, ...this.#switches.map(({ element }) => element)),
      this.#passwordForm(),
      this.#waiting,
    );
  }

  #passwordForm() {
    const form = build(
      'form',
      { class: 'password-form', novalidate: true },
      this.#password,
      build('button', { type: 'submit', class: 'button' }, texts.passwordSet),
      this.#noPassword,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const password = this.#password.value;
      if (password === '') return this.#password.focus();
      this.#password.value = '';
      this.#actions.change({ password }, texts.passwordIsSet(this.#room));
    });
    return form;
  }

  /** @param {Rules} rules @param {{ id: string, name: string }[]} knocks */
  show(rules, knocks) {
    for (const { input, isOn } of this.#switches) input.checked = isOn(rules);
    this.#noPassword.hidden = !rules.password;
    const here = new Set(knocks.map(({ id }) => id));
    for (const [id, element] of this.#knocks) if (!here.has(id)) this.#gone(id, element);
    for (const knock of knocks) if (!this.#knocks.has(knock.id)) this.#add(knock);
    this.#waiting.hidden = knocks.length === 0;
  }

  /** @param {{ id: string, name: string }} knock */
  #add(knock) {
    const { id, name } = knock;
    const admit = makeButton('button', texts.admit, () => this.#actions.answer(knock, true));
    const turnAway = makeButton('button danger', texts.turnAway, () =>
      this.#actions.answer(knock, false),
    );
    admit.setAttribute('aria-label', texts.admitWho(name));
    turnAway.setAttribute('aria-label', texts.turnAwayWho(name));
    const element = build(
      'li',
      {},
      build('p', {}, build('span', { class: 'person-name' }, name), ` ${texts.waits}`),
      build('div', { class: 'actions' }, admit, turnAway),
    );
    this.#knocks.set(id, element);
    this.#waiting.append(element);
  }

  /** @param {string} id @param {HTMLElement} element */
  #gone(id, element) {
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    this.#knocks.delete(id);
    if (hadFocus) this.#switches[1].input.focus();
  }
}
