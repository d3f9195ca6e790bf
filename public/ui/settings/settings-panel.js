import { readChoices } from './choices.js';
import { DeviceFields } from './devices.js';
import { makeLanguageField } from './language-field.js';
import { SwitchList } from './switch-list.js';
import { build, makeButton, setText } from '../kit/element.js';
import { showKeys } from '../call/keys.js';
import { labels, texts } from '../../texts/texts.js';

/**
 * @import { Device } from './devices.js'
 * @import { OwnSound } from '../call/own-sound.js'
 */

/** The devices and switches, during a call. */
export class SettingsPanel {
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
