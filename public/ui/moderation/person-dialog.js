import { moderate } from '../../client/call/moderate.js';
import { build, makeButton, makeField } from '../kit/element.js';
import { showDialog } from '../kit/dialog.js';
import { labelOf } from '../people/person.js';
import { interpreterTexts } from '../../texts/features.js';
import { languageName } from '../../texts/language.js';
import { panelTexts as texts } from '../../texts/room-panel.js';
import { texts as callTexts } from '../../texts/texts.js';

/**
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 * @import { Send } from '../call/current-call.js'
 * @import { Person } from '../people/person.js'
 */

/** Languages to interpret into: those of the United Nations and of most conferences. */
const LANGUAGES = Object.freeze(
  [
    'ar',
    'bg',
    'ca',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'es',
    'et',
    'fa',
    'fi',
    'fr',
    'ga',
    'he',
    'hi',
  ].concat(
    [
      'hr',
      'hu',
      'id',
      'it',
      'ja',
      'ko',
      'lt',
      'lv',
      'mt',
      'nl',
      'no',
      'pl',
      'pt',
      'ro',
      'ru',
      'sk',
    ],
    ['sl', 'sr', 'sv', 'sw', 'th', 'tr', 'uk', 'ur', 'vi', 'zh'],
  ),
);

/**
 * Shows a moderator's actions on a person. Each choice closes the dialog.
 * @param {Person} person
 * @param {Send} send
 * @param {boolean} isBroadcast  true: the person may be made an interpreter
 * @returns {() => void} closes the dialog; idempotent
 */
export function showPersonDialog(person, send, isBroadcast) {
  const { id, silenced, hand, language } = person;
  /** @type {() => void} */
  let close = () => {};
  const does = (
    /** @type {string} */ label,
    /** @type {() => ClientMessage} */ message,
    className = 'button',
  ) =>
    makeButton(className, label, () => {
      close();
      send(message());
    });
  const [muteLabel, muteHint] = silenced
    ? [texts.allowToSpeak, texts.allowToSpeakHint]
    : [texts.muteForAll, texts.muteForAllHint];
  const role = makeSelect('moderate-role', Object.entries(texts.roleNames), person.role);
  const ban = makeSelect(
    'moderate-ban',
    texts.banTimes.map(([seconds, text]) => [String(seconds), text]),
    String(texts.banTimes[0][0]),
  );
  const languages = [...new Set(language === '' ? LANGUAGES : [...LANGUAGES, language])]
    .map((tag) => [tag, languageName(tag)])
    .sort(([, one], [, other]) => one.localeCompare(other));
  const into = makeSelect(
    'moderate-language',
    [['', interpreterTexts.nobody], ...languages],
    language,
  );
  close = showDialog(
    texts.moderatePerson(labelOf(person)),
    part(
      does(muteLabel, () => moderate.mute(id, !silenced)),
      hint(muteHint),
    ),
    hand > 0 ? part(does(callTexts.lowerTheirHand, () => moderate.lowerHand(id))) : null,
    part(
      fieldRow(
        texts.role,
        role,
        does(texts.changeRole, () => moderate.setRole(id, /** @type {'speaker'} */ (role.value))),
      ),
      hint(texts.roleHint),
    ),
    isBroadcast
      ? part(
          fieldRow(
            interpreterTexts.into,
            into,
            does(interpreterTexts.set, () => moderate.interpret(id, into.value || null)),
          ),
          hint(interpreterTexts.intoHint),
        )
      : null,
    part(
      does(texts.remove, () => moderate.remove(id), 'button danger'),
      hint(texts.removeHint),
    ),
    part(
      fieldRow(
        texts.banFor,
        ban,
        does(texts.removeAndBan, () => moderate.remove(id, Number(ban.value)), 'button danger'),
      ),
      hint(texts.banHint),
    ),
  );
  return close;
}

const part = (/** @type {Node[]} */ ...children) =>
  build('div', { class: 'dialog-part' }, ...children);
const hint = (/** @type {string} */ text) => build('p', { class: 'hint' }, text);

/**
 * A choice, and the button that acts on it.
 * @param {string} label
 * @param {HTMLSelectElement} select
 * @param {HTMLButtonElement} button
 */
const fieldRow = (label, select, button) =>
  build('div', { class: 'dialog-row' }, makeField(label, select), button);

/**
 * @param {string} id
 * @param {string[][]} options  value and text of each
 * @param {string} chosen
 */
function makeSelect(id, options, chosen) {
  const select = build(
    'select',
    { id },
    ...options.map(([value, text]) => build('option', { value }, text)),
  );
  select.value = chosen;
  return select;
}
