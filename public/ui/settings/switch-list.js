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
      const { row, input } = makeSwitch(choice, host.id);
      input.addEventListener('change', () => {
        keepChoices({ [choice]: input.checked });
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
 * @param {keyof Switches} choice
 * @param {string} prefix of the ids
 */
function makeSwitch(choice, prefix) {
  const { label, hint } = switchTexts[choice];
  const id = `${prefix}-${choice}`;
  const input = build('input', {
    type: 'checkbox',
    role: 'switch',
    id,
    'aria-describedby': `${id}-hint`,
  });
  const words = build(
    'div',
    { class: 'switch-text' },
    build('label', { for: id }, label),
    build('p', { class: 'hint', id: `${id}-hint` }, hint),
  );
  return { row: build('div', { class: 'switch' }, words, input), input };
}
