import { moderate } from '../../client/call/moderate.js';
import { MAX_PASSWORD_LENGTH } from '../../shared/limits.js';
import { ask } from '../kit/dialog.js';
import { announce, build, keepFocus, makeButton, makeField, setText } from '../kit/element.js';
import { KeyedList } from '../kit/keyed-list.js';
import { AudienceList } from './audience-list.js';
import { GroupControls } from '../groups/group-controls.js';
import { StreamControls } from './stream-controls.js';
import { listenLink, stageLink } from '../green-room/room-address.js';
import { makeSwitch } from '../settings/switch-list.js';
import { panelTexts as texts } from '../../texts/room-panel.js';
import { locale } from '../../texts/language.js';
import { texts as callTexts } from '../../texts/texts.js';

/**
 * @import { Access, CallView } from '../../client/call/types.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 * @import { BanFields } from '../../shared/messages/fields.js'
 * @import { CurrentCall, Send } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 */

/** Time after which a switch shows what holds, as a request may be refused, in milliseconds. */
const ANSWER_MS = 1500;

/** The panel Room, in which a moderator sets who may join and what others may do. */
export class RoomPanel {
  #send;
  #lock;
  #lobby;
  #chat;
  #record;
  #mode;
  #modeNow = 'mix';
  #modeHint = build('p', { class: 'hint', id: 'room-mode-hint' }, texts.modeHint);
  #password = build('input', {
    id: 'room-password',
    type: 'password',
    maxlength: String(MAX_PASSWORD_LENGTH),
    autocomplete: 'new-password',
    'aria-describedby': 'room-password-hint',
  });
  #passwordHint = build('p', { class: 'hint', id: 'room-password-hint', 'aria-live': 'polite' });
  #dropPassword;
  #bans;
  #audience;
  #broadcast;
  #streams;
  #stepDown;
  #lastModerator = build('p', { class: 'hint' }, texts.lastModerator);
  /** @type {() => void} */
  #withdrawQuestion = () => {};
  element;

  /**
   * @param {CurrentCall} current
   * @param {Send} send
   * @param {Notices} notices
   */
  constructor(current, send, notices) {
    this.#send = send;
    const request = (/** @type {ClientMessage} */ message) => {
      const show = () => this.#show(current.store.value.access);
      if (send(message)) setTimeout(show, ANSWER_MS);
      else show();
    };
    /** @param {string} link */
    const copy = async (link, copied = callTexts.linkCopied) => {
      if (await notices.copy(link)) announce(copied);
    };
    this.#audience = new AudienceList(send, () => void copy(listenLink(location)));
    this.#broadcast = new BroadcastControls(send, copy);
    this.#streams = new StreamControls(send, copy);
    this.#lock = makeSwitch('room-lock', texts.lock, texts.lockHint, (on) =>
      request(moderate.lock(on)),
    );
    this.#lobby = makeSwitch('room-lobby', texts.lobby, texts.lobbyHint, (on) =>
      request(moderate.lobby(on)),
    );
    this.#chat = makeChoice('room-chat', texts.chatPermission, texts.allowed, (who) =>
      request(moderate.allow('chat', who)),
    );
    this.#record = makeChoice('room-record', texts.recordPermission, texts.allowed, (who) =>
      request(moderate.allow('record', who)),
    );
    this.#mode = makeChoice('room-mode', texts.mode, texts.modes, (mode) => this.#chooseMode(mode));
    this.#mode.select.setAttribute('aria-describedby', this.#modeHint.id);
    this.#mode.field.append(this.#modeHint);
    this.#dropPassword = makeButton('button small', texts.dropPassword, () =>
      send(moderate.setPassword(null)),
    );
    this.#bans = new BanList(send);
    this.#stepDown = makeButton('button', texts.stepDown, () =>
      send(moderate.setRole(current.store.value.you, 'speaker')),
    );
    const end = () =>
      void (this.#withdrawQuestion = ask(
        texts.endQuestion,
        (agreed) => agreed && send(moderate.end()),
      ));
    this.element = build(
      'div',
      { class: 'stack' },
      build('div', { class: 'switches' }, this.#lock.row, this.#lobby.row),
      this.#passwordForm(),
      this.#chat.field,
      this.#record.field,
      this.#mode.field,
      new GroupControls(current, send).element,
      this.#broadcast.element,
      this.#streams.element,
      this.#audience.element,
      this.#bans.element,
      build(
        'div',
        { class: 'room-end' },
        this.#stepDown,
        this.#lastModerator,
        makeButton('button danger', texts.endForAll, end),
      ),
    );
    const keeping = (/** @type {() => void} */ change) => keepFocus(change, () => this.#lock.input);
    current.store.subscribe(['access'], ({ access }) => keeping(() => this.#show(access)));
    current.store.subscribe(['people', 'you'], (call) => keeping(() => this.#showStepDown(call)));
    // A new join begins without what was requested before.
    current.store.subscribe(['joined', 'state'], ({ state }) => {
      if (state === 'joined' && this.element.checkVisibility()) this.opened();
    });
  }

  /**
   * Requests a mode, and shows the present one until it changes: the request may be refused.
   * @param {Access['rules']['mode']} mode
   */
  #chooseMode(mode) {
    this.#send(moderate.setMode(mode));
    this.#mode.select.value = this.#modeNow;
  }

  #passwordForm() {
    const set = build('button', { type: 'submit', class: 'button small' }, texts.setPassword);
    const label = build('label', { for: this.#password.id }, texts.password);
    const buttons = build('div', { class: 'check-row' }, set, this.#dropPassword);
    const form = build(
      'form',
      { class: 'field', novalidate: true },
      label,
      this.#password,
      this.#passwordHint,
      buttons,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#password.value === '') return this.#password.focus();
      // Without a connection it stays, to be set later.
      if (this.#send(moderate.setPassword(this.#password.value))) this.#password.value = '';
    });
    return form;
  }

  /** Resets the panel when this person is no longer a moderator, or the call has ended. */
  clear() {
    this.#withdrawQuestion();
    this.#audience.clear();
  }

  /** Requests the bans, which the server sends only on request. */
  opened() {
    this.#send(moderate.bans());
    this.#audience.opened();
  }

  focus() {
    this.#lock.input.focus();
  }

  /** @param {Access} access */
  #show(access) {
    const {
      rules: { locked, lobby, password, chat, record, mode },
      e2e,
      bans,
      audience,
    } = access;
    this.#lock.input.checked = locked;
    this.#lobby.input.checked = lobby;
    this.#chat.select.value = chat;
    this.#record.select.value = record;
    // An encrypted room can't be recorded.
    this.#record.field.hidden = e2e;
    this.#mode.select.value = this.#modeNow = mode;
    this.#mode.select.disabled = e2e;
    setText(this.#modeHint, e2e ? texts.modeE2e : texts.modeHint);
    setText(this.#passwordHint, password ? texts.passwordSet : texts.passwordNone);
    keepFocus(
      () => (this.#dropPassword.hidden = !password),
      () => this.#password,
    );
    this.#bans.show(bans);
    this.#audience.show(audience);
    this.#broadcast.show(access);
    this.#streams.show(access);
  }

  /**
   * The only moderator can't stop being one.
   * @param {CallView} call
   */
  #showStepDown({ people, you }) {
    const isOnly = !people.some(({ id, role }) => id !== you && role === 'moderator');
    this.#stepDown.hidden = isOnly;
    this.#lastModerator.hidden = !isOnly;
  }
}

/**
 * @template {string} T
 * @param {string} id
 * @param {string} label
 * @param {Readonly<Record<T, string>>} choices  texts by value
 * @param {(value: T) => void} onChoice
 */
function makeChoice(id, label, choices, onChoice) {
  const options = Object.entries(choices).map(([value, text]) =>
    build('option', { value }, /** @type {string} */ (text)),
  );
  const select = build('select', { id }, ...options);
  select.addEventListener('change', () => onChoice(/** @type {T} */ (select.value)));
  return { field: makeField(label, select), select };
}

/** Part of the panel Room for going live, and for the link to the stage. */
class BroadcastControls {
  #hint = build('p', { class: 'hint', id: 'broadcast-hint', 'aria-live': 'polite' }, texts.offHint);
  #toggle;
  #copy;
  #linkHint = build('p', { class: 'hint' }, texts.stageLinkHint);
  #isOn = false;
  #key = '';
  element;

  /**
   * @param {Send} send
   * @param {(link: string) => void} copy  copies a link
   */
  constructor(send, copy) {
    this.#toggle = makeButton('button', texts.goLive, () => send(moderate.broadcast(!this.#isOn)));
    this.#toggle.setAttribute('aria-describedby', this.#hint.id);
    this.#copy = makeButton('button small', texts.copyStageLink, () =>
      copy(stageLink(location, this.#key)),
    );
    this.element = build(
      'section',
      { class: 'field' },
      this.#toggle,
      this.#hint,
      this.#copy,
      this.#linkHint,
    );
  }

  /** @param {Access} access */
  show({ rules: { broadcast }, stage, e2e }) {
    // The server can't broadcast sound that it can't hear.
    this.element.hidden = e2e && !broadcast;
    this.#isOn = broadcast;
    this.#key = stage;
    setText(this.#toggle, broadcast ? texts.endBroadcast : texts.goLive);
    this.#toggle.classList.toggle('danger', broadcast);
    setText(this.#hint, broadcast ? texts.onHint : texts.offHint);
    this.#copy.hidden = this.#linkHint.hidden = !broadcast || stage === '';
  }
}

const time = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' });

/**
 * People banned from the room, each with a button that ends the ban. Hidden while there are none.
 */
class BanList {
  #send;
  #list = build('ul', { class: 'bans' });
  #title = build('h3', { tabindex: '-1' }, texts.bans);
  element = build('section', { class: 'field', hidden: true }, this.#title, this.#list);
  #rows = new KeyedList(
    this.#list,
    ({ id }) => id,
    (/** @type {BanFields} */ ban) => this.#makeRow(ban),
    // The button that was pressed is gone.
    (neighbour) => (neighbour ? this.#title : document.getElementById('side'))?.focus(),
  );

  /** @param {Send} send */
  constructor(send) {
    this.#send = send;
  }

  /** @param {BanFields[]} bans  as the server lists them */
  show(bans) {
    this.#rows.show(bans);
    this.element.hidden = bans.length === 0;
  }

  /** @param {BanFields} ban */
  #makeRow({ id, name, by, identity, network, seconds }) {
    const end = time.format(new Date(Date.now() + 1000 * Number(seconds)));
    const button = makeButton('button small', texts.unban, () =>
      this.#send(moderate.unban(String(id))),
    );
    button.setAttribute('aria-label', texts.unbanName(String(name)));
    const text = texts.ban({ name, by, identity, network }, end);
    const element = build(
      'li',
      { class: 'ban' },
      build('span', { class: 'ban-whom' }, text),
      button,
    );
    return { element };
  }
}
