import { readConnection } from './room-address.js';
import { keepChoices, readChoices, roomSoundOf } from '../settings/choices.js';
import { DeviceFields, LISTEN_ONLY } from '../settings/devices.js';
import { build, elementOf, makeButton, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { showProblem, showView } from '../kit/page.js';
import { MirrorCheck } from './mirror-check.js';
import { SoundCheck } from './sound-check.js';
import { nameOfInvitation } from '../kit/invitation.js';
import { SwitchList } from '../settings/switch-list.js';
import { tidyName } from '../../shared/text.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * @import { PageAddress, Connection } from './room-address.js'
 * @import { Device } from '../settings/devices.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { Sounds } from '../call/sounds.js'
 *
 * @typedef {{ name: string, password?: string, microphone: string, speaker: string, transport:
 *   Connection }} Entry
 *
 * @typedef {object} GreenRoomPage
 * @property {Notices} notices
 * @property {Sounds} sounds
 * @property {(entry: Entry) => void} join
 * @property {() => void} cancel               cancels joining
 * @property {() => void} listDevices lists the devices again: the browser may now tell their names
 */

/** Time for which the hint about the test sound stays, in milliseconds. */
const TONE_SAID_MS = 6000;

/** Time after which joining can be cancelled, in milliseconds. */
const PATIENCE_MS = 1500;

/** The green room, before a call: name, devices, tests of the sound, connection, and Join. */
export class GreenRoom {
  #view = elementOf('green-room', HTMLElement);
  #form = elementOf('join', HTMLFormElement);
  #says = elementOf('green-room-says', HTMLElement);
  #name = elementOf('name', HTMLInputElement);
  #password = elementOf('password', HTMLInputElement);
  #passwordField = elementOf('password-field', HTMLElement);
  #nameHint = elementOf('name-hint', HTMLElement);
  #frame = elementOf('frame', HTMLSelectElement);
  #transport = elementOf('transport', HTMLSelectElement);
  #hint = elementOf('transport-hint', HTMLElement);
  #button = elementOf('join-button', HTMLButtonElement);
  #cancel = elementOf('cancel-button', HTMLButtonElement);
  #cancelTimer = 0;
  #isBusy = false;
  #devices = new DeviceFields('', {
    microphone: (microphone) => this.#microphoneChosen(microphone),
    speaker: (speaker) => this.#speakerChosen(speaker),
  });
  #toneSays = build('p', { class: 'hint', 'aria-live': 'polite' });
  #toneTimer = 0;
  #switches;
  /** Name in the invitation; empty if the person chooses it. */
  #invited;
  #address;
  #page;
  #check;
  #mirror;

  /**
   * @param {string} room
   * @param {PageAddress} address takes precedence over the last choices
   * @param {GreenRoomPage} page
   */
  constructor(room, address, page) {
    this.#address = address;
    this.#invited = nameOfInvitation(address.token);
    this.#page = page;
    const { processing, token } = address;
    const { notices } = page;
    this.#check = new SoundCheck({
      microphone: () => this.#devices.microphone,
      processing,
      notices,
      onOpen: page.listDevices,
    });
    this.#mirror = new MirrorCheck({
      entry: () => this.#entry(),
      processing,
      token,
      notices,
      onStart: () => this.#check.stop(),
    });
    this.#switches = new SwitchList(
      elementOf('green-room-switches', HTMLElement),
      [
        'echoCancellation',
        'noiseSuppression',
        'noiseModel',
        'autoGainControl',
        'music',
        'stereo',
        'highBitrate',
        'lossless',
        'lowDelay',
      ],
      () => this.#testAgain(),
    );
    this.#fill(room);
    if (address.listen) this.#showListenOnly();
    this.#name.addEventListener('input', () => {
      showProblem(this.#name, null);
      this.#showCut();
    });
    this.#password.addEventListener('input', () => showProblem(this.#password, null));
    this.#frame.addEventListener('change', () => keepChoices({ frameMs: this.#frame.value }));
    this.#cancel.addEventListener('click', page.cancel);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!this.#isBusy) this.#join();
    });
  }

  /** @param {string} room */
  #fill(room) {
    const kept = readChoices();
    setText(elementOf('green-room-title', HTMLElement), room);
    if (this.#address.e2eKey !== undefined)
      setText(elementOf('green-room-e2e', HTMLElement), `· ${texts.e2eSign}`);
    this.#name.value = this.#invited || this.#address.name || kept.name || '';
    this.#name.readOnly = this.#invited !== '';
    this.#showCut();
    this.#frame.value = String(roomSoundOf(kept).frameMs ?? '');
    this.#transport.value = this.#address.transport ?? readConnection(kept.transport) ?? 'auto';
    if (this.#transport.value !== 'auto') elementOf('advanced', HTMLDetailsElement).open = true;
    const tone = makeButton('button', texts.playTone, () => void this.#playTone(), icons.speaker);
    const { microphoneField, speakerField } = this.#devices;
    elementOf('green-room-devices', HTMLElement).append(
      build('div', { class: 'device' }, microphoneField, this.#check.element),
      build(
        'div',
        { class: 'device' },
        speakerField,
        build('div', { class: 'check' }, tone, this.#toneSays),
      ),
      this.#mirror.element,
    );
  }

  /** Hides the fields of speakers: a listener needs one press, and no name. */
  #showListenOnly() {
    this.#view.classList.add('listens');
    this.#name.required = false;
    this.#name.placeholder = texts.listenerName;
    setText(elementOf('sound-card-title', HTMLElement), texts.yourOutput);
    setText(elementOf('join-hint', HTMLElement), texts.listenHint);
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {boolean} allowed true when a microphone can be used
   */
  devices(microphones, speakers, allowed) {
    const kept = readChoices();
    const microphone = this.#devices.microphone || kept.microphone || '';
    this.#devices.show(microphones, speakers, { microphone, speaker: kept.speaker ?? '', allowed });
    this.#page.sounds.speaker(this.#devices.speaker);
    this.#showTests(!this.#address.listen && this.#devices.microphone !== LISTEN_ONLY);
  }

  /**
   * Shows the green room, and focuses the name if it is empty, else Join.
   * @param {string} [says] about the ended call
   */
  show(says = '') {
    showView('green-room');
    this.#view.classList.remove('waiting');
    this.#says.hidden = says === '';
    setText(this.#says, says);
    this.busy(false);
    this.#switches.refresh();
    if (this.#name.value === '' && !this.#address.listen) this.#name.focus();
    else this.#button.focus();
  }

  /** Ends the tests of the sound. */
  quiet() {
    this.#check.stop();
    void this.#mirror.stop();
  }

  /** @param {boolean} busy true while the room is being joined */
  busy(busy) {
    this.#isBusy = busy;
    this.#button.setAttribute('aria-disabled', String(busy));
    setText(this.#button, busy ? texts.joining : this.#address.listen ? texts.listen : texts.join);
    clearTimeout(this.#cancelTimer);
    this.#cancel.hidden = true;
    if (busy)
      this.#cancelTimer = window.setTimeout(() => (this.#cancel.hidden = false), PATIENCE_MS);
  }

  /** @param {string} code of the problem with the name */
  nameProblem(code) {
    showProblem(this.#name, noticeText(code));
  }

  /**
   * Asks for the room's password.
   * @param {string} code reason to ask: none was given, or it was wrong
   */
  passwordProblem(code) {
    this.#passwordField.hidden = false;
    showProblem(this.#password, noticeText(code));
    this.#password.select();
  }

  /** Shows that a moderator must admit this person. */
  waiting() {
    this.#view.classList.add('waiting');
    this.#says.hidden = false;
    setText(this.#says, texts.waitingInLobby);
    setText(this.#button, texts.waiting);
    clearTimeout(this.#cancelTimer);
    this.#cancel.hidden = false;
    this.#cancel.focus();
  }

  /** Says beside the choice of the connection that this browser has no WebTransport. */
  noWebTransport() {
    setText(this.#hint, noticeText('no-webtransport'));
  }

  /** Shows how a too long name is cut. */
  #showCut() {
    if (this.#invited !== '') {
      this.#nameHint.hidden = false;
      return setText(this.#nameHint, texts.nameInvited);
    }
    const name = this.#name.value.trim();
    const shown = tidyName(name);
    const isCut = shown !== name.normalize('NFC');
    this.#nameHint.hidden = !isCut;
    setText(this.#nameHint, isCut ? texts.nameCut(shown) : '');
  }

  #join() {
    const entry = this.#entry();
    if (entry.name === '') {
      showProblem(this.#name, texts.noNameTyped);
      return;
    }
    const { name, microphone, speaker, transport } = entry;
    const own = this.#invited === '' ? { name } : {};
    keepChoices(
      this.#address.listen ? { speaker, transport } : { ...own, microphone, speaker, transport },
    );
    this.quiet();
    this.#page.join(entry);
  }

  /** @returns {Entry} */
  #entry() {
    return {
      name: this.#name.value.trim() || (this.#address.listen ? texts.listenerName : ''),
      password: this.#passwordField.hidden ? undefined : this.#password.value,
      microphone: this.#devices.microphone,
      speaker: this.#devices.speaker,
      transport: readConnection(this.#transport.value) ?? 'auto',
    };
  }

  /** @param {string} microphone */
  #microphoneChosen(microphone) {
    keepChoices({ microphone });
    this.#showTests(microphone !== LISTEN_ONLY);
    this.#testAgain();
  }

  /** @param {boolean} shown true when there is a microphone to test */
  #showTests(shown) {
    this.#check.element.hidden = !shown;
    this.#mirror.element.hidden = !shown;
    if (!shown) this.quiet();
  }

  /** Restarts the level test with the new choices, and ends the mirror. */
  #testAgain() {
    if (this.#check.running) void this.#check.start();
    void this.#mirror.stop();
  }

  /** @param {string} speaker */
  #speakerChosen(speaker) {
    keepChoices({ speaker });
    this.#page.sounds.speaker(speaker);
    void this.#mirror.stop();
  }

  async #playTone() {
    const isThere = await this.#page.sounds.play('test');
    if (isThere) this.#page.notices.settle('no-speaker');
    else this.#page.notices.show('no-speaker');
    setText(this.#toneSays, isThere ? texts.tonePlaying : '');
    clearTimeout(this.#toneTimer);
    this.#toneTimer = window.setTimeout(() => setText(this.#toneSays, ''), TONE_SAID_MS);
  }
}
