import { keepChoices, readChoices } from './choices.js';
import { build } from '../kit/element.js';
import { switchTexts } from '../../texts/texts.js';

/** @import { Switches } from './choices.js' */

/** The switches that have no effect while Music is on. */
const NOT_WITH_MUSIC = /** @type {const} */ ([
  'echoCancellation',
  'noiseSuppression',
  'noiseModel',
  'autoGainControl',
  'highBitrate',
]);

/**
 * True when a switch has no effect.
 * @param {keyof Switches} choice
 * @param {Switches} choices
 */
const isIdle = (choice, { music, noiseSuppression }) =>
  (music && NOT_WITH_MUSIC.some((one) => one === choice)) ||
  (choice === 'noiseModel' && !noiseSuppression);

/**
 * A list of switches, each of which keeps its choice at once; those without effect are disabled.
 */
export class SwitchList {
  /** @type {Map<keyof Switches, HTMLInputElement>} */
  #inputs = new Map();

  /**
   * @param {HTMLElement} host its id begins the switches' ids
   * @param {readonly (keyof Switches)[]} choices
   * @param {(choice: keyof Switches) => void} onChange
   */
  constructor(host, choices, onChange) {
    for (const choice of choices) {
      const { label, hint } = switchTexts[choice];
      const { row, input } = makeSwitch(`${host.id}-${choice}`, label, hint, (on) => {
        keepChoices({ [choice]: on });
        this.refresh();
        onChange(choice);
      });
      this.#inputs.set(choice, input);
      host.append(row);
    }
    this.refresh();
  }

  /** Shows the choices as they are kept: another list may have changed them. */
  refresh() {
    const choices = readChoices();
    for (const [choice, input] of this.#inputs) {
      input.checked = choices[choice];
      input.disabled = isIdle(choice, choices);
    }
  }
}

/**
 * Makes a switch with its label and a hint.
 * @param {string} id
 * @param {string} label
 * @param {string} hint
 * @param {(on: boolean) => void} [onChange]
 */
export function makeSwitch(id, label, hint, onChange = () => {}) {
  const input = build('input', {
    type: 'checkbox',
    role: 'switch',
    id,
    'aria-describedby': `${id}-hint`,
  });
  input.addEventListener('change', () => onChange(input.checked));
  const words = build(
    'div',
    {},
    build('label', { for: id }, label),
    build('p', { class: 'hint', id: `${id}-hint` }, hint),
  );
  return { row: build('div', { class: 'switch' }, words, input), input };
}
