import { readConnection } from './address.js';
import { canChooseSpeaker } from '../../client/playout/output-device.js';
import { keepChoices, readChoices } from './choices.js';
import { LISTEN_ONLY, makeDeviceField, showMicrophones, showSpeakers } from './device-select.js';
import { build, elementOf, makeButton, setText } from '../kit/element.js';
import { problem } from './form-problem.js';
import { icons } from '../kit/icons.js';
import { MirrorCheck } from './mirror-check.js';
import { SoundCheck } from './sound-check.js';
import { SwitchList } from '../kit/switch.js';
import { showView } from '../kit/views.js';

import { tidyName } from '../../shared/text.js';
import { noticeText, texts } from '../../texts.js';

/**
 * @import { Wish, Connection } from './address.js'
 * @import { Device } from './device-select.js'
 * @import { Sounds } from '../call/sounds.js'
 *
 * @typedef {{ name: string, microphone: string, speaker: string, transport: Connection }} Entry
 *
 * @typedef {object} LobbyActions
 * @property {(entry: Entry) => void} join
 * @property {() => void} cancel                while joining
 * @property {(code: string) => void} problem  something about the sound went wrong
 * @property {(code: string) => void} settled  what was told of it is no longer so
 * @property {() => void} listDevices  the browser may now tell the devices' names
 */

/** How long the page says what should be heard, in milliseconds. */
const TONE_SAID_MS = 6000;

/** Joining that takes longer can be called off, in milliseconds. */
const PATIENCE_MS = 1500;

/** The green room, before a call: name, devices, how one sounds, connection, and Join. */
export class LobbyView {
  #form = elementOf('join', HTMLFormElement);
  #says = elementOf('lobby-says', HTMLElement);
  #name = elementOf('name', HTMLInputElement);
  #nameHint = elementOf('name-hint', HTMLElement);
  #transport = elementOf('transport', HTMLSelectElement);
  #hint = elementOf('transport-hint', HTMLElement);
  #button = elementOf('join-button', HTMLButtonElement);
  #cancel = elementOf('cancel-button', HTMLButtonElement);
  #cancelTimer = 0;
  #microphone = makeDeviceField('microphone', texts.microphoneLabel, () => this.#microphoneChosen());
  #toneSays = build('p', { class: 'hint', 'aria-live': 'polite' });
  #toneTimer = 0;
  #speaker = makeDeviceField('speaker', texts.speakerLabel, (speaker) => this.#speakerChosen(speaker));
  #switches;
  #wish;
  #sounds;
  #actions;
  #check;
  #mirror;

  /**
   * @param {string} room
   * @param {Wish} wish what the address asks for; it goes before what was chosen last
   * @param {Sounds} sounds
   * @param {LobbyActions} actions
   */
  constructor(room, wish, sounds, actions) {
    this.#wish = wish;
    this.#sounds = sounds;
    this.#actions = actions;
    const sound = () => ({ microphone: this.#microphone.select.value, processing: wish.processing });
    const { problem: onProblem, settled: onSettled } = actions;
    this.#check = new SoundCheck({ wish: sound, onProblem, onOpen: actions.listDevices });
    this.#mirror = new MirrorCheck({ entry: () => this.#entry(), processing: wish.processing, onProblem, onSettled, onStart: () => this.#check.stop() });
    this.#switches = new SwitchList(
      elementOf('lobby-switches', HTMLElement),
      ['echoCancellation', 'noiseSuppression', 'autoGainControl', 'music', 'stereo', 'highBitrate', 'lowDelay', 'shortFrames'],
      () => this.#again(),
    );
    this.#fill(room);
    this.#name.addEventListener('input', () => {
      problem(this.#name, null);
      this.#showCut();
    });
    this.#cancel.addEventListener('click', actions.cancel);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#join();
    });
  }

  /** @param {string} room */
  #fill(room) {
    const kept = readChoices();
    setText(elementOf('lobby-title', HTMLElement), room);
    this.#name.value = this.#wish.name || kept.name || '';
    this.#showCut();
    this.#transport.value = this.#wish.transport ?? readConnection(kept.transport) ?? 'auto';
    if (this.#transport.value !== 'auto') elementOf('advanced', HTMLDetailsElement).open = true;
    const tone = makeButton('button', texts.playTone, () => void this.#playTone(), icons.speaker);
    const speaker = canChooseSpeaker()
      ? this.#speaker.field
      : build('p', { class: 'hint' }, texts.speakerBySystem);
    elementOf('lobby-devices', HTMLElement).append(
      build('div', { class: 'device' }, this.#microphone.field, this.#check.element),
      build('div', { class: 'device' }, speaker, build('div', { class: 'check' }, tone, this.#toneSays)),
      this.#mirror.element,
    );
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {boolean} allowed false where a microphone is of no use
   */
  devices(microphones, speakers, allowed) {
    const kept = readChoices();
    const chosen = this.#microphone.select.value || kept.microphone || '';
    showMicrophones(this.#microphone.select, microphones, chosen, allowed);
    showSpeakers(this.#speaker.select, speakers, kept.speaker ?? '');
    this.#sounds.speaker(this.#speaker.select.value);
    this.#microphoneUsable(this.#microphone.select.value !== LISTEN_ONLY);
  }

  /**
   * Shows the form, ready for what comes first.
   * @param {string} [says] of the call that is over
   */
  show(says = '') {
    showView('lobby');
    this.#says.hidden = says === '';
    setText(this.#says, says);
    this.busy(false);
    this.#switches.refresh();
    if (this.#name.value === '') this.#name.focus();
    else this.#button.focus();
  }

  /** Switches off what tests the sound. */
  quiet() {
    this.#check.stop();
    void this.#mirror.stop();
  }

  /**
   * @param {boolean} busy true while joining
   */
  busy(busy) {
    this.#button.disabled = busy;
    setText(this.#button, busy ? texts.joining : texts.join);
    clearTimeout(this.#cancelTimer);
    this.#cancel.hidden = true;
    if (busy) this.#cancelTimer = window.setTimeout(() => (this.#cancel.hidden = false), PATIENCE_MS);
  }

  /**
   * @param {string} code what is wrong with the name
   */
  nameProblem(code) {
    problem(this.#name, noticeText(code));
  }

  /** Says beside the choice of the connection that this browser lacks one. */
  noWebTransport() {
    setText(this.#hint, noticeText('no-webtransport'));
  }

  /** Says how a name that is too long is shown. */
  #showCut() {
    const name = this.#name.value.trim();
    const shown = tidyName(name);
    const isCut = shown !== name.normalize('NFC');
    this.#nameHint.hidden = !isCut;
    setText(this.#nameHint, isCut ? texts.nameCut(shown) : '');
  }

  #join() {
    const entry = this.#entry();
    if (entry.name === '') {
      problem(this.#name, texts.noNameTyped);
      return;
    }
    keepChoices(entry);
    this.quiet();
    this.#actions.join(entry);
  }

  /** @returns {Entry} */
  #entry() {
    return {
      name: this.#name.value.trim(),
      microphone: this.#microphone.select.value,
      speaker: this.#speaker.select.value,
      transport: readConnection(this.#transport.value) ?? 'auto',
    };
  }

  #microphoneChosen() {
    const microphone = this.#microphone.select.value;
    keepChoices({ microphone });
    this.#microphoneUsable(microphone !== LISTEN_ONLY);
    this.#again();
  }

  /** @param {boolean} usable */
  #microphoneUsable(usable) {
    this.#check.element.hidden = !usable;
    this.#mirror.element.hidden = !usable;
    if (!usable) this.quiet();
  }

  /** What is being tested goes on with what was chosen now. */
  #again() {
    if (this.#check.running) void this.#check.start();
    void this.#mirror.stop();
  }

  /** @param {string} speaker */
  #speakerChosen(speaker) {
    keepChoices({ speaker });
    this.#sounds.speaker(speaker);
    void this.#mirror.stop();
  }

  async #playTone() {
    const isThere = await this.#sounds.play('test');
    if (!isThere) this.#actions.problem('no-speaker');
    setText(this.#toneSays, isThere ? texts.tonePlaying : '');
    clearTimeout(this.#toneTimer);
    this.#toneTimer = window.setTimeout(() => setText(this.#toneSays, ''), TONE_SAID_MS);
  }
}
