import { mayNow } from '../../client/call/access-state.js';
import { keepChoices, readChoices, soundOf } from '../settings/choices.js';
import { LISTEN_ONLY } from '../settings/devices.js';

/**
 * @import { Call } from '../../call.js'
 * @import { Access } from '../../client/call/access-state.js'
 *
 * @typedef {'silenced' | 'listener'} Held  a moderator has muted them, or they may only listen
 *
 * @typedef {object} OwnSoundOptions
 * @property {() => Call | null} call
 * @property {boolean} processing  false leaves the microphone's sound as it is
 * @property {(muted: boolean, talking: boolean, held: boolean) => void} onMuted held: a moderator
 *   keeps them muted
 * @property {(why: Held) => void} refused  says why this person can't speak
 * @property {() => Promise<void>} listDevices
 */

/** This person's own sound: mute, Space held to talk, the microphone and its switches. */
export class OwnSound {
  /** The chosen microphone: a device's id, '' for the default one, or LISTEN_ONLY. */
  microphone = '';
  #options;
  /** Whether this person has muted themselves; without a microphone they are muted anyway. */
  #muted = false;
  /** Whether Space is held. */
  #talking = false;
  /** Why this person can't speak whatever they press; null where they can. @type {Held | null} */
  #held = null;

  /** @param {OwnSoundOptions} options */
  constructor(options) {
    this.#options = options;
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
   * Follows what this person may do: once they may speak again they stay muted.
   * @param {Access} access
   */
  follow(access) {
    const held = access.silenced ? 'silenced' : mayNow(access, 'speak') ? null : 'listener';
    if (held === this.#held) return;
    this.#held = held;
    this.#talking = false;
    this.#muted = true;
    this.apply();
  }

  /** Whether this person can't unmute. */
  get held() {
    return this.#held !== null;
  }

  get muted() {
    return (this.#muted && !this.#talking) || !this.#options.call()?.hasMicrophone;
  }

  /** Reports to the call and to the page whether this person is muted. */
  apply() {
    this.#options.call()?.mute(this.muted);
    this.#options.onMuted(this.muted, this.#talking, this.#held !== null);
  }

  /** Called when the call has been joined or resumed. */
  joined() {
    // Soft music would be taken for silence.
    this.#options.call()?.suppressSilence(!readChoices().music);
    this.apply();
  }

  async toggleMute() {
    if (this.#held) return this.#options.refused(this.#held);
    if (this.#options.call()?.hasMicrophone) {
      this.#talking = false;
      this.#muted = !this.#muted;
      this.apply();
      return;
    }
    // A person without a microphone who presses Unmute wants to speak.
    await this.chooseMicrophone(this.microphone === LISTEN_ONLY ? '' : this.microphone);
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
    if (
      talking === this.#talking ||
      this.#held ||
      !this.#muted ||
      !this.#options.call()?.hasMicrophone
    )
      return;
    this.#talking = talking;
    this.apply();
  }

  /** Applies the switches, which have changed. */
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

    // If the new microphone fails, the call goes on with the one before.
    this.microphone = !isUsed && call.hasMicrophone ? before : microphone;
    if (!heardBefore && call.hasMicrophone && !this.#held) this.#muted = false;
    if (isUsed) keepChoices({ microphone });
    this.apply();
    await listDevices();
  }
}

/**
 * @param {string} microphone a value of the lists of microphones
 * @returns {string | null} the microphone for a Call: null means listening only
 */
export const deviceOf = (microphone) => (microphone === LISTEN_ONLY ? null : microphone);
