import { readChoices } from '../settings/choices.js';
import { keyAction } from './keys.js';

/**
 * @typedef {object} KeyActions
 * @property {() => boolean} active  whether a call is shown
 * @property {() => void} mute
 * @property {() => void} hand
 * @property {() => void} chat
 * @property {() => void} help
 * @property {(talking: boolean) => void} talk
 */

/**
 * Follows the keyboard in a call.
 * @param {KeyActions} actions
 */
export function followKeys(actions) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || !actions.active() || !readChoices().shortcuts) return;
    const { target } = event;
    const action = keyAction({ ...pressOf(event), target: target instanceof Element ? target : null });
    if (action === null) return;
    // Space would scroll, and a letter would be typed where the chat opens.
    event.preventDefault();
    if (action === 'talk') actions.talk(true);
    else if (!event.repeat) actions[action]();
  });
  document.addEventListener('keyup', ({ key }) => {
    if (key === ' ') actions.talk(false);
  });
  // A key that is let go elsewhere isn't told to this page.
  addEventListener('blur', () => actions.talk(false));
  document.addEventListener('visibilitychange', () => actions.talk(false));
}

/** @param {KeyboardEvent} event */
const pressOf = ({ key, ctrlKey, metaKey, altKey, isComposing }) => ({ key, ctrlKey, metaKey, altKey, isComposing });
