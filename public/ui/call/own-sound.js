import { isAllowed } from '../../client/call/call-view.js';
import { Store } from '../../client/call/store.js';
import { keepChoices, readChoices, soundOf } from '../settings/choices.js';
import { LISTEN_ONLY } from '../settings/devices.js';
import { announce } from '../kit/element.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * @import { Access } from '../../client/call/types.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { Switches } from '../settings/choices.js'
 * @import { CurrentCall } from './current-call.js'
 * @import { Sounds } from './sounds.js'
 *
 * @typedef {object} OwnSoundOptions
 * @property {CurrentCall} current
 * @property {boolean} processing  false leaves the microphone's sound as it is
 * @property {Notices} notices
 * @property {Sounds} sounds
 * @property {() => Promise<void>} listDevices
 */

/** This person's own sound: mute, Space held to talk, the devices and their switches. */
export class OwnSound {
  /** The chosen microphone: a device's id, '' for the default one, or LISTEN_ONLY. */
  microphone = '';
  /** As buttons show it. talking: Space is held; isHeld: a moderator keeps this person muted. */
  store = new Store({ muted: true, talking: false, isHeld: false });
  #options;
  #current;
  /** True when this person has muted themselves; without a microphone they are muted anyway. */
  #muted = false;
  #talking = false;
  /** Number of choices of a microphone: only the last one counts. */
  #choices = 0;
  /**
   * Reason why pressing Unmute doesn't help: a moderator's mute, or the role of a listener.
   * @type {'silenced' | 'listener' | null}
   */
  #held = null;

  /** @param {OwnSoundOptions} options */
  constructor(options) {
    this.#options = options;
    this.#current = options.current;
    this.#current.store.subscribe(['access', 'session'], ({ access, session }) => {
      // Permissions are unknown before the welcome.
      if (session > 0 && !access.waiting) this.#follow(access);
    });
  }

  /**
   * Begins a call.
   * @param {string} microphone
   * @param {boolean} muted
   */
  begin(microphone, muted) {
    this.microphone = microphone;
    this.#muted = muted;
    this.#talking = false;
    this.#held = null;
  }

  /**
   * Follows this person's permissions: once they may speak again they stay muted.
   * @param {Access} access
   */
  #follow(access) {
    const held = access.silenced ? 'silenced' : isAllowed(access, 'speak') ? null : 'listener';
    if (held === this.#held) return;
    this.#held = held;
    this.silence();
  }

  get muted() {
    return (this.#muted && !this.#talking) || !this.#hasMicrophone;
  }

  get #hasMicrophone() {
    return this.#current.call?.hasMicrophone ?? false;
  }

  /** Reports to the call and to the page whether this person is muted. */
  apply() {
    const { muted } = this;
    this.#current.call?.mute(muted);
    this.store.set({ muted, talking: this.#talking, isHeld: this.#held !== null });
  }

  /** Called when the call has been joined or resumed. */
  joined() {
    // Soft music would count as silence.
    this.#current.call?.suppressSilence(!readChoices().music);
    this.apply();
  }

  /**
   * @param {boolean} byKey  true announces the result; the button, when pressed, announces itself
   */
  async toggleMute(byKey) {
    if (this.#held) return this.#refuse();
    if (this.#hasMicrophone) {
      this.#talking = false;
      this.#muted = !this.#muted;
      this.apply();
    } else {
      // A person without a microphone who presses Unmute wants to speak.
      await this.chooseMicrophone(this.microphone === LISTEN_ONLY ? '' : this.microphone);
    }
    if (!this.muted) this.#options.notices.settle('moderated');
    if (byKey && !this.#held) announce(this.muted ? texts.youMuted : texts.youUnmuted);
  }

  #refuse() {
    const sentence =
      this.#held === 'listener' ? texts.cannotSpeak : noticeText('muted-by-moderator');
    this.#options.notices.show('moderated', { sentence });
  }

  /** A moderator has muted this person. */
  silence() {
    this.#muted = true;
    this.#talking = false;
    this.apply();
  }

  /**
   * Unmutes for as long as a key is held.
   * @param {boolean} talking
   */
  talk(talking) {
    if (talking === this.#talking) return;
    // The key may be released when the microphone is gone: it must not be open on its return.
    if (talking && (this.#held || !this.#muted || !this.#hasMicrophone)) return;
    this.#talking = talking;
    this.apply();
  }

  /** Applies a switch that has changed. @param {keyof Switches} choice */
  async switched(choice) {
    if (choice === 'sounds' || choice === 'shortcuts') return;
    const { call } = this.#current;
    call?.suppressSilence(!readChoices().music);
    await call?.setProcessing(soundOf(readChoices(), this.#options.processing));
  }

  /** @param {string} microphone */
  async chooseMicrophone(microphone) {
    const { call } = this.#current;
    if (!call) return;
    const choice = ++this.#choices;
    const before = this.microphone;
    const heardBefore = call.hasMicrophone;
    const isUsed = await call.setMicrophone(deviceOf(microphone));
    if (call !== this.#current.call || choice !== this.#choices) return;

    // If the new microphone fails, the call keeps the previous one.
    this.microphone = !isUsed && call.hasMicrophone ? before : microphone;
    if (!heardBefore && call.hasMicrophone && !this.#held) this.#muted = false;
    if (isUsed) keepChoices({ microphone });
    this.apply();
    await this.#options.listDevices();
  }

  /** @param {string} speaker */
  async chooseSpeaker(speaker) {
    const { notices, sounds } = this.#options;
    keepChoices({ speaker });
    sounds.speaker(speaker);
    if ((await this.#current.call?.setSpeaker(speaker)) === false) notices.show('no-speaker');
    else notices.settle('no-speaker');
  }
}

/**
 * @param {string} microphone a value of the lists of microphones
 * @returns {string | null} the microphone for a Call: null means listening only
 */
export const deviceOf = (microphone) => (microphone === LISTEN_ONLY ? null : microphone);
