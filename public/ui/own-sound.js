import { keepChoices, readChoices, soundOf } from './choices.js';
import { LISTEN_ONLY } from './device-select.js';

/**
 * @import { Call } from '../call.js'
 * @import { Notices } from './notices.js'
 *
 * @typedef {object} OwnSoundOptions
 * @property {() => Call | null} call
 * @property {Notices} notices
 * @property {boolean} processing  false: the page's address asks for the sound as it is
 * @property {(muted: boolean, talking: boolean) => void} onMuted
 * @property {() => Promise<void>} listDevices
 */

/** What a microphone that works takes back. */
const MICROPHONE_NOTICES = ['no-microphone', 'microphone-refused', 'microphone-busy', 'microphone-ended'];

/** Whether and how this person is heard: mute, Space held to talk, the microphone and its switches. */
export class OwnSound {
  /** The microphone that was chosen: a device's id, '' or LISTEN_ONLY. */
  microphone = '';
  #options;
  /** Whether this person muted themselves; without a microphone one is muted anyway. */
  #muted = false;
  /** Whether Space is held. */
  #talking = false;

  /** @param {OwnSoundOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {string} microphone of a call that begins */
  begin(microphone) {
    this.microphone = microphone;
    this.#muted = false;
    this.#talking = false;
  }

  get muted() {
    return (this.#muted && !this.#talking) || !this.#options.call()?.hasMicrophone;
  }

  /** Tells the others, and the button, whether this person can be heard. */
  apply() {
    this.#options.call()?.mute(this.muted);
    this.#options.onMuted(this.muted, this.#talking);
  }

  /** A call has begun, or goes on. */
  joined() {
    // Of music nothing may be taken for silence.
    this.#options.call()?.suppressSilence(!readChoices().music);
    this.apply();
  }

  async toggleMute() {
    if (this.#options.call()?.hasMicrophone) {
      this.#talking = false;
      this.#muted = !this.#muted;
      this.apply();
      return;
    }
    // Who listens only and presses Unmute wants to speak.
    await this.chooseMicrophone(this.microphone === LISTEN_ONLY ? '' : this.microphone);
  }

  /**
   * Lets one be heard while muted, for as long as a key is held.
   * @param {boolean} talking
   */
  talk(talking) {
    if (talking === this.#talking || !this.#muted || !this.#options.call()?.hasMicrophone) return;
    this.#talking = talking;
    this.apply();
  }

  /** Opens the microphone anew, with the switches as they are now. */
  async processingChanged() {
    const call = this.#options.call();
    call?.suppressSilence(!readChoices().music);
    call?.setProcessing(soundOf(readChoices(), this.#options.processing));
    if (call?.hasMicrophone) await this.chooseMicrophone(this.microphone);
  }

  /** @param {string} microphone */
  async chooseMicrophone(microphone) {
    const { call: callNow, notices, listDevices } = this.#options;
    const call = callNow();
    if (!call) return;
    const before = this.microphone;
    const heardBefore = call.hasMicrophone;
    let failed = false;
    const onNotice = () => (failed = true);
    for (const code of MICROPHONE_NOTICES) notices.settle(code);
    call.addEventListener('notice', onNotice);
    await call.setMicrophone(deviceOf(microphone));
    call.removeEventListener('notice', onNotice);
    if (call !== callNow()) return;

    // Where the new one fails, the one before goes on.
    this.microphone = failed && call.hasMicrophone ? before : microphone;
    if (!heardBefore && call.hasMicrophone) this.#muted = false;
    if (!failed) keepChoices({ microphone });
    this.apply();
    await listDevices();
  }
}

/**
 * @param {string} microphone as the lists have it
 * @returns {string | null} as a call has it
 */
export const deviceOf = (microphone) => (microphone === LISTEN_ONLY ? null : microphone);
