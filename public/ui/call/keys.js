/**
 * What a key does in a call. Keys do nothing while somebody types, and Space does what it does everywhere on
 * a button that has the focus.
 *
 * @typedef {'mute' | 'hand' | 'chat' | 'talk' | 'help'} KeyAction
 *
 * @typedef {object} KeyPress  of a KeyboardEvent
 * @property {string} key
 * @property {boolean} [ctrlKey]
 * @property {boolean} [metaKey]
 * @property {boolean} [altKey]
 * @property {boolean} [isComposing]
 * @property {{ closest?(selector: string): unknown } | null} target
 */

const TYPING = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';
const PRESSABLE = 'button, a[href], summary, input, [role=switch]';

/** @type {ReadonlyMap<string, KeyAction>} */
const ACTIONS = new Map([['m', 'mute'], ['h', 'hand'], ['c', 'chat'], ['?', 'help'], [' ', 'talk']]);

/**
 * @param {KeyPress} press
 * @returns {KeyAction | null}
 */
export function keyAction({ key, ctrlKey, metaKey, altKey, isComposing, target }) {
  if (ctrlKey || metaKey || altKey || isComposing) return null;
  const action = ACTIONS.get(key.toLowerCase()) ?? null;
  const isOn = (/** @type {string} */ selector) => Boolean(target?.closest?.(selector));
  if (action === null || isOn(TYPING) || isOn('dialog')) return null;
  return action === 'talk' && isOn(PRESSABLE) ? null : action;
}
