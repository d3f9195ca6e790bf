import { keepChoices, readChoices, soundOf } from '../settings/choices.js';
import { LISTEN_ONLY } from '../settings/devices.js';

/**
 * @import { Call } from '../../call.js'
 *
 * @typedef {object} OwnSoundOptions
 * @property {() => Call | null} call
 * @property {boolean} processing  false: the page's address asks for the sound as it is
 * @property {(muted: boolean, talking: boolean) => void} onMuted
 * @property {() => Promise<void>} listDevices
 */

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

  /**
   * A call begins.
   * @param {string} microphone
   * @param {boolean} muted  whether this person has muted themselves before
   */
  begin(microphone, muted) {
    this.microphone = microphone;
    this.#muted = muted;
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

  /** The switches have changed. */
  async processingChanged() {
    const call = this.#options.call();
    call?.suppressSilence(!readChoices().music);
    await call?.setProcessing(soundOf(readChoices(), this.#options.processing));
  }

  /** @param {string} microphone */
  async chooseMicrophone(microphone) {
    const { call: callNow, listDevices } = this.#options;
    const call = callNow();
    if (!call) return;
    const before = this.microphone;
    const heardBefore = call.hasMicrophone;
    const isUsed = await call.setMicrophone(deviceOf(microphone));
    if (call !== callNow()) return;

    // Where the new one fails, the one before goes on.
    this.microphone = !isUsed && call.hasMicrophone ? before : microphone;
    if (!heardBefore && call.hasMicrophone) this.#muted = false;
    if (isUsed) keepChoices({ microphone });
    this.apply();
    await listDevices();
  }
}

/**
 * @param {string} microphone as the lists have it
 * @returns {string | null} as a call has it
 */
export const deviceOf = (microphone) => (microphone === LISTEN_ONLY ? null : microphone);
