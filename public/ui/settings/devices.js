import { listMicrophones } from '../../client/capture/microphone.js';
import { canChooseSpeaker, listSpeakers } from '../../client/playout/output-device.js';
import { build, makeField } from '../kit/element.js';
import { texts } from '../../texts/texts.js';

/**
 * @typedef {{ deviceId: string, label: string }} Device both are empty before the browser's
 *   permission
 *
 * @typedef {object} NewDevice a device that was plugged in; a headset is a microphone and a speaker
 * @property {string} label
 * @property {string | null} microphone  its id; null when it is no microphone
 * @property {string | null} speaker
 */

/** The value of a list of microphones that means listening only; no device has this id. */
export const LISTEN_ONLY = 'none';

/** Ids that stand for whatever device the system takes. */
const ROLES = new Set(['', 'default', 'communications']);

/** Lists the microphones and speakers, and reports newly plugged ones. */
export class Devices {
  /** @type {Device[]} */
  #microphones = [];
  /** @type {Device[]} */
  #speakers = [];
  /** Number of requests: only the last one counts. */
  #requests = 0;
  #on;

  /**
   * @param {object} on
   * @param {(microphones: Device[], speakers: Device[]) => void} on.listed
   * @param {(device: NewDevice) => void} on.came
   */
  constructor(on) {
    this.#on = on;
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.list());
  }

  async list() {
    const request = ++this.#requests;
    const [microphones, speakers] = await Promise.all([listMicrophones(), listSpeakers()]);
    if (request !== this.#requests) return;
    const microphone = newOf(this.#microphones, microphones);
    const speaker = newOf(this.#speakers, speakers);
    this.#microphones = microphones;
    this.#speakers = speakers;
    this.#on.listed(microphones, speakers);
    const label = microphone?.label ?? speaker?.label;
    if (!label) return;
    this.#on.came({
      label,
      microphone: microphone?.deviceId ?? null,
      speaker: speaker?.deviceId ?? null,
    });
  }
}

/**
 * @param {Device[]} before
 * @param {Device[]} after
 * @returns {Device | null} a new device; null when that is uncertain
 */
export function newOf(before, after) {
  const known = new Set(before.map(({ deviceId }) => deviceId));
  // Before the browser's permission devices have no names, and the first one is used anyway.
  if (before.length === 0 || known.has('')) return null;
  return (
    after.find(({ deviceId, label }) => label && !ROLES.has(deviceId) && !known.has(deviceId)) ??
    null
  );
}

/**
 * Two labelled lists, of microphones and of speakers. In browsers without a choice of speakers a
 * hint replaces the second one.
 */
export class DeviceFields {
  #microphones;
  #speakers;

  /**
   * @param {string} prefix of the lists' ids
   * @param {object} on
   * @param {(microphone: string) => void} on.microphone with a device's id, '' for the default one,
   *   or LISTEN_ONLY
   * @param {(speaker: string) => void} on.speaker with a device's id, or '' for the default one
   */
  constructor(prefix, on) {
    this.#microphones = makeSelect(`${prefix}microphone`, on.microphone);
    this.#speakers = makeSelect(`${prefix}speaker`, on.speaker);
    this.microphoneField = makeField(texts.microphoneLabel, this.#microphones);
    this.speakerField = canChooseSpeaker()
      ? makeField(texts.speakerLabel, this.#speakers)
      : build('p', { class: 'hint' }, texts.speakerBySystem);
  }

  /** The microphone that is chosen; '' before show(). */
  get microphone() {
    return this.#microphones.value;
  }

  /** The speaker that is chosen; '' before show(). */
  get speaker() {
    return this.#speakers.value;
  }

  /** Focuses the list of microphones. */
  focus() {
    this.#microphones.focus();
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {{ microphone: string, speaker: string, allowed: boolean }} chosen allowed: whether a
   *   microphone can be used
   */
  show(microphones, speakers, { microphone, speaker, allowed }) {
    const options = allowed
      ? optionsOf(microphones, texts.defaultMicrophone, texts.microphone)
      : [];
    fill(this.#microphones, [...options, makeOption(LISTEN_ONLY, texts.noMicrophone)], microphone);
    fill(this.#speakers, optionsOf(speakers, texts.defaultSpeaker, texts.speaker), speaker);
  }
}

/**
 * @param {string} id
 * @param {(chosen: string) => void} onChoice
 */
function makeSelect(id, onChoice) {
  const select = build('select', { id });
  select.addEventListener('change', () => onChoice(select.value));
  return select;
}

const makeOption = (/** @type {string} */ value, /** @type {string} */ text) =>
  build('option', { value }, text);

/**
 * @param {Device[]} devices
 * @param {string} byDefault
 * @param {(number: number) => string} unnamed
 */
function optionsOf(devices, byDefault, unnamed) {
  const options = [makeOption('', byDefault)];
  for (const [i, { deviceId, label }] of devices.entries()) {
    if (deviceId !== '' && deviceId !== 'default')
      options.push(makeOption(deviceId, label || unnamed(i + 1)));
  }
  return options;
}

/**
 * @param {HTMLSelectElement} select
 * @param {HTMLOptionElement[]} options
 * @param {string} chosen
 */
function fill(select, options, chosen) {
  const isSame =
    options.length === select.options.length &&
    options.every(
      ({ value, text }, i) => value === select.options[i].value && text === select.options[i].text,
    );
  // Replacing the options would close a list that is open.
  if (!isSame) select.replaceChildren(...options);
  select.value = options.some(({ value }) => value === chosen) ? chosen : options[0].value;
}
