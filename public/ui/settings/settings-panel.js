import { readChoices } from './choices.js';
import { DeviceFields } from './devices.js';
import { build, makeButton } from '../kit/element.js';
import { showKeys } from '../call/keys.js';
import { SwitchList } from './switches.js';
import { labels, texts } from '../../texts.js';

/**
 * @import { Device } from './devices.js'
 * @import { Switches } from './choices.js'
 */

/** The devices and switches, during a call. */
export class SettingsPanel {
  title = labels.settings;
  #devices;
  #switches;

  /**
   * @param {object} actions
   * @param {(microphone: string) => void} actions.chooseMicrophone
   * @param {(speaker: string) => void} actions.chooseSpeaker
   * @param {(choice: keyof Switches) => void} actions.choose
   */
  constructor({ chooseMicrophone, chooseSpeaker, choose }) {
    this.#devices = new DeviceFields('call-', {
      microphone: chooseMicrophone,
      speaker: chooseSpeaker,
    });
    const switches = build('div', { class: 'switches', id: 'call-switches' });
    this.#switches = new SwitchList(
      switches,
      ['echoCancellation', 'noiseSuppression', 'autoGainControl', 'music', 'sounds', 'shortcuts'],
      choose,
    );
    const { microphoneField, speakerField } = this.#devices;
    const keys = makeButton('button small', texts.showKeys, showKeys);
    this.element = build('div', { class: 'stack' }, microphoneField, speakerField, switches, keys);
  }

  opened() {
    this.#switches.refresh();
  }

  focus() {
    this.#devices.focus();
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {string} microphone the one in use
   * @param {boolean} allowed whether a microphone can be used
   */
  devices(microphones, speakers, microphone, allowed) {
    this.#devices.show(microphones, speakers, {
      microphone,
      speaker: readChoices().speaker ?? '',
      allowed,
    });
  }
}
