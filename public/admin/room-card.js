/**
 * @import { PersonAnswer } from './person-row.js'
 * @import { Rules } from './room-rules.js'
 *
 * @typedef {{ room: string, present: number, away: number, serverDelayMs: number, recording:
 *   boolean, locked: boolean, waiting: number }} RoomSummary  in the answer to GET /api/rooms
 * @typedef {{ delay: { mode: 'auto' } | { mode: 'fixed', wantedMs: number }, serverDelayMs: number,
 *   rules: Rules, knocks: { id: string, name: string }[], people: PersonAnswer[] }} RoomAnswer  to
 *   GET /api/rooms/<room>
 *
 * @typedef {object} RoomActions  the page's actions on a room; each reports its own outcome
 * @property {(room: string, serverDelayMs: number | 'auto') => void} setDelay
 * @property {(room: string) => void} stopRecording
 * @property {(room: string) => void} endRoom
 * @property {(room: string, id: string, label: string) => void} remove
 * @property {(room: string, id: string, label: string) => void} ban
 * @property {(room: string, change: object, sentence: string) => void} change
 *   sentence: message of success
 * @property {(room: string, id: string, change: object, sentence: string) => void} changePerson
 * @property {(room: string, knock: { id: string, name: string }, isAdmitted: boolean) => void}
 *   answerKnock
 */

import { build, keepFocus, makeButton, setText } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { PersonRow } from './person-row.js';
import { RoomRules } from './room-rules.js';
import { adminTexts as texts } from './texts.js';

/** Longest delay of a room, in milliseconds. */
const MAX_DELAY_MS = 2000;

/** Number of cards so far, for unique ids. */
let count = 0;

/** One room: a line that opens to its people and buttons. */
export class RoomCard {
  #room;
  #actions;
  #present = build('span', {});
  #delay = build('span', {});
  #recording = build('span', { class: 'recording-sign', hidden: true }, texts.recording);
  #locked = build('span', { class: 'locked-sign', hidden: true }, texts.locked);
  #waiting = build('span', { class: 'recording-sign', hidden: true });
  #rules;
  #automatic;
  #number;
  #stop;
  #loading = build('p', { class: 'hint' }, texts.roomLoading);
  #summary;
  #people;

  /** @param {string} room @param {RoomActions} actions */
  constructor(room, actions) {
    this.#room = room;
    this.#actions = actions;
    const id = `room-${++count}`;
    this.#automatic = build('input', { id: `${id}-auto`, type: 'checkbox', role: 'switch' });
    this.#number = build('input', {
      id: `${id}-delay`,
      type: 'number',
      min: '0',
      max: String(MAX_DELAY_MS),
      step: '1',
      inputmode: 'numeric',
      'aria-label': texts.delayOfRoom(room),
    });
    this.#stop = makeButton('button', texts.stopRecording, () => actions.stopRecording(room));
    this.#rules = new RoomRules(room, id, {
      change: (change, sentence) => actions.change(room, change, sentence),
      answer: (knock, isAdmitted) => actions.answerKnock(room, knock, isAdmitted),
    });
    const list = build('ul', { class: 'people', 'aria-label': texts.peopleIn(room) });
    this.#people = new KeyedList(
      list,
      ({ id: person }) => person,
      (/** @type {PersonAnswer} */ person) => this.#makeRow(person),
      () => this.#summary.focus(),
    );
    this.#summary = build(
      'summary',
      {},
      build('h3', {}, room),
      build(
        'span',
        { class: 'room-facts' },
        this.#present,
        this.#delay,
        this.#locked,
        this.#waiting,
        this.#recording,
      ),
    );
    this.element = build(
      'details',
      { class: 'card room' },
      this.#summary,
      build(
        'div',
        { class: 'room-body' },
        this.#tools(id),
        this.#rules.element,
        this.#loading,
        list,
      ),
    );
  }

  /** @param {string} id */
  #tools(id) {
    const form = build(
      'form',
      { class: 'delay-form', novalidate: true },
      build(
        'span',
        { class: 'switch' },
        this.#automatic,
        build('label', { for: `${id}-auto` }, texts.automaticDelay),
      ),
      this.#number,
      build('button', { type: 'submit', class: 'button' }, texts.set),
    );
    this.#automatic.addEventListener('change', () => {
      this.#number.disabled = this.#automatic.checked;
      if (this.#automatic.checked) this.#actions.setDelay(this.#room, 'auto');
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const delayMs = Math.round(
        Math.min(MAX_DELAY_MS, Math.max(0, Number(this.#number.value) || 0)),
      );
      this.#number.value = String(delayMs);
      this.#automatic.checked = false;
      this.#number.disabled = false;
      this.#actions.setDelay(this.#room, delayMs);
    });
    const end = makeButton('button danger', texts.endRoom, () => this.#actions.endRoom(this.#room));
    return build(
      'div',
      { class: 'room-tools' },
      form,
      build('div', { class: 'actions' }, this.#stop, end),
    );
  }

  /** True when its people are shown, and must be requested. */
  get isOpen() {
    return this.element.open;
  }

  /** @param {RoomSummary} summary */
  showSummary({ present, away, serverDelayMs, recording, locked, waiting }) {
    setText(this.#present, texts.present(present, away));
    setText(this.#delay, texts.roomDelay(serverDelayMs));
    this.#recording.hidden = !recording;
    this.#locked.hidden = !locked;
    setText(this.#waiting, texts.waiting(waiting));
    this.#waiting.hidden = waiting === 0;
    keepFocus(
      () => (this.#stop.hidden = !recording),
      () => this.#summary,
    );
  }

  /** @param {RoomAnswer} described */
  show({ delay, serverDelayMs, rules, knocks, people }) {
    this.#loading.hidden = true;
    this.#rules.show(rules, knocks);
    if (!this.#isBeingSet) {
      this.#automatic.checked = delay.mode === 'auto';
      this.#number.disabled = this.#automatic.checked;
      this.#number.value = String(
        Math.round(delay.mode === 'auto' ? serverDelayMs : delay.wantedMs),
      );
    }
    this.#people.show(people, (row, person) => row.show(person));
  }

  /** True while the operator types a delay, which must not change under their hands. */
  get #isBeingSet() {
    return (
      document.activeElement === this.#number ||
      (!this.#automatic.checked && document.activeElement === this.#automatic)
    );
  }

  /** @param {PersonAnswer} person */
  #makeRow({ id }) {
    const [room, actions] = [this.#room, this.#actions];
    return new PersonRow({
      change: (change, sentence) => actions.changePerson(room, id, change, sentence),
      ban: (label) => actions.ban(room, id, label),
      remove: (label) => actions.remove(room, id, label),
    });
  }
}
