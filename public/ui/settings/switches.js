import { build } from '../kit/element.js';
import { keepChoices, readChoices } from './choices.js';
import { switchTexts } from '../../texts.js';

/**
 * @import { Switches } from './choices.js'
 */

/**
 * A switch for one of the choices; it is kept at once.
 * @param {keyof Switches} choice
 * @param {string} place  makes the ids of two places differ
 * @param {() => void} onChange
 */
function makeSwitch(choice, place, onChange) {
  const { label, hint } = switchTexts[choice];
  const hintId = `${place}-${choice}-hint`;
  const input = build('input', { type: 'checkbox', role: 'switch', id: `${place}-${choice}`, 'aria-describedby': hintId });
  input.checked = readChoices()[choice];
  input.addEventListener('change', () => {
    keepChoices({ [choice]: input.checked });
    onChange();
  });
  const words = build(
    'div',
    { class: 'switch-text' },
    build('label', { for: input.id }, label),
    build('p', { class: 'hint', id: hintId }, hint),
  );
  return { row: build('div', { class: 'switch' }, words, input), input };
}

/** Those that are of no effect while Music is on. */
const NOT_WITH_MUSIC = /** @type {const} */ (['echoCancellation', 'noiseSuppression', 'autoGainControl', 'highBitrate']);

/** A list of switches that shows which of them have no effect just now. */
export class SwitchList {
  /** @type {Map<keyof Switches, HTMLInputElement>} */
  #inputs = new Map();

  /**
   * @param {HTMLElement} host
   * @param {readonly (keyof Switches)[]} choices
   * @param {(choice: keyof Switches) => void} onChange
   */
  constructor(host, choices, onChange) {
    for (const choice of choices) {
      const { row, input } = makeSwitch(choice, host.id, () => {
        this.refresh();
        onChange(choice);
      });
      this.#inputs.set(choice, input);
      host.append(row);
    }
    this.refresh();
  }

  /** Shows what was chosen, maybe at another place. */
  refresh() {
    const choices = readChoices();
    for (const [choice, input] of this.#inputs) {
      input.checked = choices[choice];
      input.disabled = choices.music && NOT_WITH_MUSIC.some((one) => one === choice);
    }
  }
}
