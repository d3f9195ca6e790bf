import { canChooseSpeaker } from '../../client/playout/output-device.js';
import { readChoices } from './choices.js';
import { makeDeviceField, showMicrophones, showSpeakers } from './devices.js';
import { build, makeButton } from '../kit/element.js';
import { showKeys } from '../call/keys-help.js';
import { SwitchList } from './switches.js';
import { labels, texts } from '../../texts.js';

/**
 * @import { Device } from './devices.js'
 * @import { Switches } from './choices.js'
 */

/** Devices and switches during a call. */
export class SettingsPanel {
  title = labels.settings;
  #microphone;
  #speaker;
  #switches;

  /**
   * @param {object} actions
   * @param {(microphone: string) => void} actions.chooseMicrophone
   * @param {(speaker: string) => void} actions.chooseSpeaker
   * @param {(choice: keyof Switches) => void} actions.choose
   */
  constructor({ chooseMicrophone, chooseSpeaker, choose }) {
    this.#microphone = makeDeviceField('call-microphone', texts.microphoneLabel, chooseMicrophone);
    this.#speaker = makeDeviceField('call-speaker', texts.speakerLabel, chooseSpeaker);
    const switches = build('div', { class: 'switches', id: 'call-switches' });
    this.#switches = new SwitchList(
      switches,
      ['echoCancellation', 'noiseSuppression', 'autoGainControl', 'music', 'sounds', 'shortcuts'],
      choose,
    );
    const speaker = canChooseSpeaker() ? this.#speaker.field : build('p', { class: 'hint' }, texts.speakerBySystem);
    this.element = build('div', { class: 'stack' }, this.#microphone.field, speaker, switches, makeButton('button small', texts.showKeys, showKeys));
  }

  opened() {
    this.#switches.refresh();
  }

  focus() {
    return this.#microphone.select;
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {string} chosen
   * @param {boolean} allowed
   */
  devices(microphones, speakers, chosen, allowed) {
    showMicrophones(this.#microphone.select, microphones, chosen, allowed);
    showSpeakers(this.#speaker.select, speakers, readChoices().speaker ?? '');
  }
}
