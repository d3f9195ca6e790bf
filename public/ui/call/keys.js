import { readChoices } from '../settings/choices.js';
import { showDialog } from '../kit/dialog.js';
import { build } from '../kit/element.js';
import { texts } from '../../texts/texts.js';

/**
 * @typedef {'mute' | 'hand' | 'chat' | 'talk' | 'help'} KeyAction
 *
 * @typedef {object} KeyPress  the part of a KeyboardEvent that decides
 * @property {string} key
 * @property {string} [code]  of the key's place on the keyboard, such as 'KeyM'
 * @property {boolean} [ctrlKey]
 * @property {boolean} [metaKey]
 * @property {boolean} [altKey]
 * @property {boolean} [isComposing]
 * @property {unknown} target
 *
 * @typedef {object} KeyActions
 * @property {() => boolean} active true while a call is shown
 * @property {() => void} mute
 * @property {() => void} hand
 * @property {() => void} chat
 * @property {() => void} help
 * @property {(talking: boolean) => void} talk
 */

const TYPING =
  'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';
const PRESSABLE = 'button, a[href], summary, input, [role=switch]';

/** @type {ReadonlyMap<string, KeyAction>} */
const ACTIONS = new Map([
  ['m', 'mute'],
  ['h', 'hand'],
  ['c', 'chat'],
  ['?', 'help'],
  ['؟', 'help'],
  [' ', 'talk'],
]);

/** A letter of another script than the Latin one, which has the Latin ones on the same keys. */
const OTHER_LETTER = /^(?!\p{Script=Latin})\p{L}$/u;

/**
 * Returns the action of a key press in a call. Keys do nothing while somebody types, and Space
 * presses a focused button, as everywhere.
 * @param {KeyPress} press
 * @returns {KeyAction | null}
 */
export function keyAction({ key, code = '', ctrlKey, metaKey, altKey, isComposing, target }) {
  if (ctrlKey || metaKey || altKey || isComposing) return null;
  const letter = OTHER_LETTER.test(key) ? code.replace(/^Key/, '') : key;
  const action = ACTIONS.get(letter.toLowerCase()) ?? null;
  const { closest } = /** @type {Partial<Element>} */ (target ?? {});
  const isOn = (/** @type {string} */ selector) => Boolean(closest?.call(target, selector));
  if (action === null || isOn(TYPING) || isOn('dialog')) return null;
  return action === 'talk' && isOn(PRESSABLE) ? null : action;
}

/** Handles the keyboard in a call. @param {KeyActions} actions */
export function followKeys(actions) {
  document.addEventListener('keydown', (event) => {
    // A key that is still held would press what has the focus next, such as Join after Leave.
    if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement))
      event.preventDefault();
    if (event.defaultPrevented || !actions.active() || !readChoices().shortcuts) return;
    const action = keyAction(event);
    if (action === null) return;
    // Space would scroll, and C would be typed into the chat that it opens.
    event.preventDefault();
    if (action === 'talk') actions.talk(true);
    else if (!event.repeat) actions[action]();
  });
  document.addEventListener('keyup', ({ key }) => {
    // macOS reports no key that is released while Command is held.
    if (key === ' ' || key === 'Meta') actions.talk(false);
  });
  // The page gets no keyup for a key that is released outside of it.
  addEventListener('blur', () => actions.talk(false));
  document.addEventListener('visibilitychange', () => actions.talk(false));
}

/** Shows the keys in a dialog. */
export function showKeys() {
  const rows = texts.keys.map(([key, what]) =>
    build(
      'div',
      { class: 'key-row' },
      build('dt', {}, build('kbd', {}, key)),
      build('dd', {}, what),
    ),
  );
  showDialog(
    texts.keysTitle,
    build('dl', { class: 'keys' }, ...rows),
    build('p', { class: 'hint' }, texts.keysHint),
  );
}
