import { keepChoices, readChoices } from './choices.js';
import { DeviceFields } from './devices.js';
import { makeLanguageField } from './language-field.js';
import { build, makeButton, setText } from '../kit/element.js';
import { showKeys } from '../call/keys.js';
import { labels, switchTexts, texts } from '../../texts/texts.js';

/**
 * @import { Device } from './devices.js'
 * @import { Switches } from './choices.js'
 * @import { OwnSound } from '../call/own-sound.js'
 */

/** The devices and switches, during a call. */
export class SettingsPanel {
  title = labels.settings;
  #devices;
  #switches;
  /** Version of the server, once it has answered. */
  #version = build('p', { class: 'hint' });

  /** @param {OwnSound} own @param {() => void} onCaptions  called when they are switched */
  constructor(own, onCaptions) {
    this.#devices = new DeviceFields('call-', {
      microphone: (microphone) => void own.chooseMicrophone(microphone),
      speaker: (speaker) => void own.chooseSpeaker(speaker),
    });
    const switches = build('div', { class: 'switches', id: 'call-switches' });
    this.#switches = new SwitchList(
      switches,
      [
        'echoCancellation',
        'noiseSuppression',
        'noiseModel',
        'autoGainControl',
        'music',
        'sounds',
        'captions',
        'shortcuts',
      ],
      (choice) => (choice === 'captions' ? onCaptions() : void own.switched(choice)),
    );
    const { microphoneField, speakerField } = this.#devices;
    const later = build('p', { class: 'hint' });
    const language = makeLanguageField('call-language', () => setText(later, labels.languageLater));
    const keys = makeButton('button small', texts.showKeys, showKeys);
    const version = this.#version;
    this.element = build(
      'div',
      { class: 'stack' },
      microphoneField,
      speakerField,
      switches,
      language,
      later,
      keys,
      version,
    );
  }

  opened() {
    this.#switches.refresh();
    void this.#showVersion();
  }

  async #showVersion() {
    try {
      const { version } = await (await fetch('/api/health')).json();
      this.#version.textContent = texts.version(version);
    } catch {
      // Without an answer there is no line: the call itself says what is wrong.
    }
  }

  focus() {
    this.#devices.focus();
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {string} microphone the one in use
   * @param {boolean} allowed true when a microphone can be used
   */
  devices(microphones, speakers, microphone, allowed) {
    this.#devices.show(microphones, speakers, {
      microphone,
      speaker: readChoices().speaker ?? '',
      allowed,
    });
  }
}

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
