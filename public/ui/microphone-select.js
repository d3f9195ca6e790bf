import { make } from './element.js';
import { texts } from '../texts.js';

/** The value that stands for listening only; no device has it for its id. */
export const LISTEN_ONLY = 'none';

/**
 * Fills a list with the microphones that there are, and the choice of none.
 *
 * @param {HTMLSelectElement} select
 * @param {{ deviceId: string, label: string }[]} microphones before the browser's permission they
 *   may have neither id nor label
 * @param {string} chosen a device's id, '' for the default one, or LISTEN_ONLY
 * @param {boolean} allowed false where a microphone is of no use
 */
export function showMicrophones(select, microphones, chosen, allowed = true) {
  const options = [];
  if (allowed) {
    options.push(makeOption('', texts.defaultMicrophone));
    let number = 0;
    for (const { deviceId, label } of microphones) {
      number += 1;
      if (deviceId === '' || deviceId === 'default') continue;
      options.push(makeOption(deviceId, label || texts.microphone(number)));
    }
  }
  options.push(makeOption(LISTEN_ONLY, texts.noMicrophone));
  select.replaceChildren(...options);
  const there = options.some(({ value }) => value === chosen);
  select.value = there ? chosen : options[0].value;
}

/**
 * @param {string} value
 * @param {string} text
 */
function makeOption(value, text) {
  const option = make('option', '', text);
  option.value = value;
  return option;
}
