import { build, makeButton } from '../kit/element.js';
import { showDialog } from '../kit/dialog.js';
import { labelOf } from '../people/person.js';
import { texts } from '../../texts.js';

/**
 * @import { Person } from '../people/person.js'
 *
 * @typedef {(message: object) => void} Send  sends a control message to the server
 */

/** The number of dialogs so far; it makes the fields' ids differ. */
let count = 0;

/**
 * Shows what a moderator can do with somebody. Each choice closes the dialog.
 * @param {Person} person
 * @param {Send} send
 */
export function showPersonDialog(person, send) {
  const { id, silenced = false, hand = 0 } = person;
  /** @type {() => void} */
  let close = () => {};
  const does = (/** @type {string} */ label, /** @type {() => object} */ message, className = 'button') =>
    makeButton(className, label, () => {
      send(message());
      close();
    });
  const [muteLabel, muteHint] = silenced ? [texts.allowToSpeak, texts.allowToSpeakHint] : [texts.muteForAll, texts.muteForAllHint];
  const role = makeSelect(Object.entries(texts.roleNames), person.role ?? 'speaker');
  const ban = banFields();
  close = showDialog(
    texts.moderatePerson(labelOf(person)),
    part(does(muteLabel, () => ({ type: 'muteOther', person: id, muted: !silenced })), muteHint),
    hand > 0 ? part(does(texts.lowerTheirHand, () => ({ type: 'lowerHand', person: id }))) : '',
    build(
      'div',
      { class: 'dialog-part' },
      field(texts.role, role),
      does(texts.changeRole, () => ({ type: 'role', person: id, role: role.value })),
      build('p', { class: 'hint' }, texts.roleHint),
    ),
    part(does(texts.remove, () => ({ type: 'remove', person: id }), 'button danger'), texts.removeHint),
    build(
      'div',
      { class: 'dialog-part' },
      ban.fields,
      does(texts.removeAndBan, () => ({ type: 'remove', person: id, ban: ban.read() }), 'button danger'),
      build('p', { class: 'hint' }, texts.banHint),
    ),
  );
}

/**
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
const part = (control, hint) => build('div', { class: 'dialog-part' }, control, hint ? build('p', { class: 'hint' }, hint) : null);

/** The end of a ban, and what it is held against. */
function banFields() {
  const seconds = makeSelect(texts.banTimes.map(([value, text]) => [String(value), String(text)]), String(texts.banTimes[0][0]));
  const by = makeSelect([['address', texts.banByAddress], ['identity', texts.banByIdentity]], 'address');
  return {
    fields: build('div', { class: 'dialog-fields' }, field(texts.banFor, seconds), field(texts.banBy, by)),
    read: () => ({ by: by.value, seconds: Number(seconds.value) }),
  };
}

/**
 * @param {string} label
 * @param {HTMLSelectElement} select
 */
function field(label, select) {
  select.id = `moderate-${++count}`;
  return build('div', { class: 'field' }, build('label', { for: select.id }, label), select);
}

/**
 * @param {string[][]} options  value and text of each
 * @param {string} chosen
 */
function makeSelect(options, chosen) {
  const select = build('select', {}, ...options.map(([value, text]) => build('option', { value }, text)));
  select.value = chosen;
  return select;
}
