import { ask } from '../kit/dialog.js';
import { build, makeButton, setText } from '../kit/element.js';
import { texts } from '../../texts.js';

/**
 * @import { Send } from './person-dialog.js'
 *
 * @typedef {'everybody' | 'speakers' | 'moderators'} Audience
 *
 * @typedef {object} Rules  the room's, as the server tells them
 * @property {boolean} locked
 * @property {boolean} lobby
 * @property {boolean} password  whether there is one
 * @property {Audience} chat
 * @property {Audience} record
 */

/** The panel Room, by which a moderator says who may come in and what they may do. */
export class RoomPanel {
  title = texts.room;
  #lock;
  #lobby;
  #chat;
  #record;
  #password = build('input', { id: 'room-password', type: 'password', maxlength: '128', autocomplete: 'new-password', 'aria-describedby': 'room-password-hint' });
  #passwordHint = build('p', { class: 'hint', id: 'room-password-hint', 'aria-live': 'polite' });
  #dropPassword;
  element;

  /** @param {Send} send */
  constructor(send) {
    this.#lock = makeSwitch('room-lock', texts.lock, texts.lockHint, (on) => send({ type: 'lock', on }));
    this.#lobby = makeSwitch('room-lobby', texts.lobby, texts.lobbyHint, (on) => send({ type: 'lobby', on }));
    this.#chat = makeAudience('room-chat', texts.mayChat, (who) => send({ type: 'allow', what: 'chat', who }));
    this.#record = makeAudience('room-record', texts.mayRecord, (who) => send({ type: 'allow', what: 'record', who }));
    this.#dropPassword = makeButton('button small', texts.dropPassword, () => send({ type: 'password', password: null }));
    const switches = build('div', { class: 'switches' }, this.#lock.row, this.#lobby.row);
    const end = () => void ask(texts.endQuestion, (agreed) => agreed && send({ type: 'endForAll' }));
    this.element = build(
      'div',
      { class: 'stack' },
      switches,
      this.#chat.field,
      this.#record.field,
      this.#passwordForm(send),
      makeButton('button small', texts.stepDown, () => this.#stepDown(send)),
      makeButton('button danger', texts.endForAll, end),
    );
  }

  /** One's own id. @type {string} */
  you = '';

  /** @param {Send} send */
  #stepDown(send) {
    send({ type: 'role', person: this.you, role: 'speaker' });
  }

  /** @param {Send} send */
  #passwordForm(send) {
    const form = build(
      'form',
      { class: 'field', novalidate: true },
      build('label', { for: this.#password.id }, texts.password),
      this.#password,
      this.#passwordHint,
      build('div', { class: 'check-row' }, build('button', { type: 'submit', class: 'button small' }, texts.setPassword), this.#dropPassword),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#password.value === '') return this.#password.focus();
      send({ type: 'password', password: this.#password.value });
      this.#password.value = '';
    });
    return form;
  }

  focus() {
    this.#lock.input.focus();
  }

  /** @param {Rules} rules */
  show({ locked, lobby, password, chat, record }) {
    this.#lock.input.checked = locked;
    this.#lobby.input.checked = lobby;
    this.#chat.select.value = chat;
    this.#record.select.value = record;
    setText(this.#passwordHint, password ? texts.passwordSet : texts.passwordNone);
    const hadFocus = this.#dropPassword === document.activeElement;
    this.#dropPassword.hidden = !password;
    if (hadFocus && !password) this.#password.focus();
  }
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string} hint
 * @param {(on: boolean) => void} onChange
 */
function makeSwitch(id, label, hint, onChange) {
  const input = build('input', { type: 'checkbox', role: 'switch', id, 'aria-describedby': `${id}-hint` });
  input.addEventListener('change', () => onChange(input.checked));
  const words = build(
    'div',
    { class: 'switch-text' },
    build('label', { for: id }, label),
    build('p', { class: 'hint', id: `${id}-hint` }, hint),
  );
  return { row: build('div', { class: 'switch' }, words, input), input };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {(who: string) => void} onChoice
 */
function makeAudience(id, label, onChoice) {
  const options = Object.entries(texts.audiences).map(([value, text]) => build('option', { value }, text));
  const select = build('select', { id }, ...options);
  select.addEventListener('change', () => onChoice(select.value));
  return { field: build('div', { class: 'field' }, build('label', { for: id }, label), select), select };
}
