import { listMicrophones } from '../../client/capture/microphone.js';
import { listSpeakers } from '../../client/playout/output-device.js';

/**
 * @import { Device } from '../settings/devices.js'
 *
 * @typedef {object} NewDevice  one that was plugged in: a headset is both
 * @property {string} label
 * @property {string | null} microphone  its id; null where it is none
 * @property {string | null} speaker
 */

/** Ids that stand for whatever device the system takes. */
const ROLES = new Set(['', 'default', 'communications']);

/** The microphones and speakers that there are, and those that come. */
export class Devices {
  /** @type {Device[]} */
  #microphones = [];
  /** @type {Device[]} */
  #speakers = [];
  #on;

  /**
   * @param {object} on
   * @param {(microphones: Device[], speakers: Device[]) => void} on.listed
   * @param {(device: NewDevice) => void} on.came  after the browser has told their names
   */
  constructor(on) {
    this.#on = on;
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.list());
  }

  /** Looks which there are. */
  async list() {
    const [microphones, speakers] = await Promise.all([listMicrophones(), listSpeakers()]);
    const microphone = newOf(this.#microphones, microphones);
    const speaker = newOf(this.#speakers, speakers);
    this.#microphones = microphones;
    this.#speakers = speakers;
    this.#on.listed(microphones, speakers);
    const label = microphone?.label ?? speaker?.label;
    if (!label) return;
    this.#on.came({ label, microphone: microphone?.deviceId ?? null, speaker: speaker?.deviceId ?? null });
  }
}

/**
 * @param {Device[]} before
 * @param {Device[]} after
 * @returns {Device | null} one that was not there before; null where that can't be told
 */
export function newOf(before, after) {
  const known = new Set(before.map(({ deviceId }) => deviceId));
  // Before the browser's permission they have no names, and with none one is taken by itself.
  if (before.length === 0 || known.has('')) return null;
  return after.find(({ deviceId, label }) => label && !ROLES.has(deviceId) && !known.has(deviceId)) ?? null;
}
