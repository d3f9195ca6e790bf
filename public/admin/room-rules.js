/**
 * @typedef {{ locked: boolean, lobby: boolean, chat: Permitted, record: Permitted, password:
 *   boolean, broadcast: boolean }} Rules
 * @typedef {'everybody' | 'moderators'} Permitted
 * @typedef {{ id: string, name: string }} Knock
 * @typedef {object} RulesActions
 * @property {(change: object, sentence: string) => void} change  sentence: message of success
 * @property {(knock: Knock, isAdmitted: boolean) => void} answer answers a person in the lobby
 */

import { MAX_PASSWORD_LENGTH } from '../shared/limits.js';
import { build, keepFocus, makeButton } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { adminTexts as texts } from './texts.js';

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
    change: (/** @type {boolean} */ on) => ({ chat: permittedIf(on) }),
    isOn: (/** @type {Rules} */ rules) => rules.chat === 'moderators',
  },
  {
    name: 'record',
    change: (/** @type {boolean} */ on) => ({ record: permittedIf(on) }),
    isOn: (/** @type {Rules} */ rules) => rules.record === 'moderators',
  },
  {
    name: 'broadcast',
    change: (/** @type {boolean} */ on) => ({ broadcast: on }),
    isOn: (/** @type {Rules} */ rules) => rules.broadcast,
  },
]);

/** @param {boolean} isLimited @returns {Permitted} */
const permittedIf = (isLimited) => (isLimited ? 'moderators' : 'everybody');

/** A room's rules: switches, the password, and people waiting to be let in. */
export class RoomRules {
  #room;
  #actions;
  #switches;
  #password;
  #noPassword;
  #waiting = build('ul', { class: 'knocks' });
  #knocks;

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
    this.#knocks = new KeyedList(
      this.#waiting,
      ({ id: knock }) => knock,
      (/** @type {Knock} */ knock) => makeKnock(knock, actions),
      () => this.#switches[1].input.focus(),
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

  /** @param {Rules} rules @param {Knock[]} knocks */
  show(rules, knocks) {
    for (const { input, isOn } of this.#switches) input.checked = isOn(rules);
    keepFocus(
      () => (this.#noPassword.hidden = !rules.password),
      () => this.#password,
    );
    this.#knocks.show(knocks);
    this.#waiting.hidden = knocks.length === 0;
  }
}

/** @param {Knock} knock @param {RulesActions} actions */
function makeKnock(knock, { answer }) {
  const admit = makeButton('button', texts.admit, () => answer(knock, true));
  const turnAway = makeButton('button danger', texts.turnAway, () => answer(knock, false));
  admit.setAttribute('aria-label', texts.admitWho(knock.name));
  turnAway.setAttribute('aria-label', texts.turnAwayWho(knock.name));
  const name = build('span', { class: 'person-name' }, knock.name);
  const element = build(
    'li',
    {},
    build('p', {}, name, ` ${texts.waits}`),
    build('div', { class: 'actions' }, admit, turnAway),
  );
  return { element };
}
