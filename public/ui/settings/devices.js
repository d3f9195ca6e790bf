import { build } from '../kit/element.js';
import { texts } from '../../texts.js';

/** The value that stands for listening only; no device has it for its id. */
export const LISTEN_ONLY = 'none';

/**
 * @typedef {{ deviceId: string, label: string }} Device  before the browser's permission it may have neither
 */

/**
 * A list of devices with its label.
 * @param {string} id
 * @param {string} label
 * @param {(chosen: string) => void} onChoice
 */
export function makeDeviceField(id, label, onChoice) {
  const select = build('select', { id });
  select.addEventListener('change', () => onChoice(select.value));
  return { field: build('div', { class: 'field' }, build('label', { for: id }, label), select), select };
}

/**
 * Fills a list with the microphones that there are, and the choice of none.
 *
 * @param {HTMLSelectElement} select
 * @param {Device[]} microphones
 * @param {string} chosen a device's id, '' for the default one, or LISTEN_ONLY
 * @param {boolean} allowed false where a microphone is of no use
 */
export function showMicrophones(select, microphones, chosen, allowed = true) {
  const options = allowed ? optionsOf(microphones, texts.defaultMicrophone, texts.microphone) : [];
  choose(select, [...options, makeOption(LISTEN_ONLY, texts.noMicrophone)], chosen);
}

/**
 * @param {HTMLSelectElement} select
 * @param {Device[]} speakers
 * @param {string} chosen a device's id, or '' for the default one
 */
export function showSpeakers(select, speakers, chosen) {
  choose(select, optionsOf(speakers, texts.defaultSpeaker, texts.speaker), chosen);
}

/**
 * @param {Device[]} devices
 * @param {string} byDefault
 * @param {(number: number) => string} unnamed
 */
function optionsOf(devices, byDefault, unnamed) {
  const options = [makeOption('', byDefault)];
  for (const [i, { deviceId, label }] of devices.entries()) {
    if (deviceId !== '' && deviceId !== 'default') options.push(makeOption(deviceId, label || unnamed(i + 1)));
  }
  return options;
}

/**
 * @param {HTMLSelectElement} select
 * @param {HTMLOptionElement[]} options
 * @param {string} chosen
 */
function choose(select, options, chosen) {
  const isSame =
    options.length === select.options.length &&
    options.every(({ value, text }, i) => value === select.options[i].value && text === select.options[i].text);
  // A list that is open would close when it is filled anew.
  if (!isSame) select.replaceChildren(...options);
  select.value = options.some(({ value }) => value === chosen) ? chosen : options[0].value;
}

const makeOption = (/** @type {string} */ value, /** @type {string} */ text) => build('option', { value }, text);
