import { moderate } from '../../client/call/moderate.js';
import { MAX_GROUPS } from '../../shared/limits.js';
import { build, keepFocus, makeButton, setText } from '../kit/element.js';
import { KeyedList } from '../kit/keyed-list.js';
import { labelOf } from '../people/person.js';
import { makeSwitch } from '../settings/switch-list.js';
import { groupTexts as texts } from '../../texts/features.js';
import { GroupChoice } from './group-choice.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall, Send } from '../call/current-call.js'
 * @import { Person } from '../people/person.js'
 */

/** Part of the panel Room for groups: opens and fills them, speaks to them, calls them back. */
export class GroupControls {
  #send;
  #number = build('input', {
    id: 'groups-number',
    type: 'number',
    min: '1',
    max: String(MAX_GROUPS),
    value: '2',
  });
  #evenly = makeSwitch('groups-evenly', texts.evenly, texts.evenlyHint);
  #choose = makeSwitch('groups-choose', texts.choose, texts.chooseHint);
  #time = build(
    'select',
    { id: 'groups-time' },
    ...texts.callBackTimes.map(([seconds, text]) =>
      build('option', { value: String(seconds) }, text),
    ),
  );
  #speak;
  #isSpeaking = false;
  #title = build('h3', { tabindex: '-1' }, texts.groups);
  #closed;
  #open;
  #list = build('ul', { class: 'group-people' });
  #rows = new KeyedList(
    this.#list,
    ({ id }) => id,
    (/** @type {Person} */ person) => this.#makeRow(person),
    () => this.#title.focus(),
  );
  element;

  /**
   * @param {CurrentCall} current
   * @param {Send} send
   */
  constructor(current, send) {
    this.#send = send;
    this.#evenly.input.checked = true;
    this.#speak = makeButton('button', texts.speak, () =>
      send(moderate.speakToGroups(!this.#isSpeaking)),
    );
    this.#closed = this.#makeForm();
    this.#open = build(
      'div',
      { class: 'field' },
      this.#list,
      this.#speak,
      build('p', { class: 'hint' }, texts.speakHint),
      build('label', { for: this.#time.id }, texts.callBackIn),
      this.#time,
      makeButton('button', texts.callBack, () => send(moderate.callBack(Number(this.#time.value)))),
    );
    this.element = build('section', { class: 'field' }, this.#title, this.#closed, this.#open);
    current.store.subscribe(['access', 'people', 'you'], (call) => this.#show(call));
  }

  #makeForm() {
    const form = build(
      'form',
      { class: 'field', novalidate: true },
      build('p', { class: 'hint' }, texts.offHint),
      build('label', { for: this.#number.id }, texts.number),
      this.#number,
      this.#evenly.row,
      this.#choose.row,
      build('button', { type: 'submit', class: 'button' }, texts.open),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const count = Math.round(Number(this.#number.value));
      if (!(count >= 1)) return this.#number.focus();
      this.#send(moderate.groups(count, this.#evenly.input.checked, this.#choose.input.checked));
    });
    return form;
  }

  /** @param {CallView} call */
  #show({ access, people, you }) {
    const { groups, broadcast } = access.rules;
    keepFocus(
      () => {
        this.element.hidden = broadcast;
        this.#closed.hidden = groups !== null;
        this.#open.hidden = groups === null;
      },
      () => (broadcast ? null : this.#title),
    );
    this.#isSpeaking = groups !== null && groups.speaker === you;
    setText(this.#speak, this.#isSpeaking ? texts.stopSpeaking : texts.speak);
    this.#speak.classList.toggle('danger', this.#isSpeaking);
    const count = groups?.count ?? 0;
    const movable = groups === null ? [] : people.filter(({ owner }) => owner === '');
    this.#rows.show(movable, ({ choice }, { group }) => choice.show(count, group, people));
  }

  /** @param {Person} person */
  #makeRow(person) {
    const { id } = person;
    const choice = new GroupChoice(`group-of-${id}`, labelOf(person), (group) =>
      this.#send(moderate.group(id, group)),
    );
    const label = texts.groupOf(labelOf(person));
    choice.element.querySelector('select')?.setAttribute('aria-label', label);
    return { element: build('li', {}, choice.element), choice };
  }
}
