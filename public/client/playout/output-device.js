/**
 * The output device of a call. If the chosen device disappears, the default one plays until it
 * returns.
 */
export class OutputDevice {
  /** The chosen device's id; '' for the default one. */
  #chosen = '';
  #playsElsewhere = false;
  /** @type {AudioContext | null} */
  #context = null;
  #options;
  #devices;
  #onDevices = () => void this.#checkDevices();

  /**
   * @param {object} options
   * @param {(code: string) => void} options.notice reports an event
   * @param {(code: string) => void} options.settle ends the notice of this code
   * @param {MediaDevices} [options.devices]
   */
  constructor(options) {
    this.#options = options;
    this.#devices = options.devices ?? globalThis.navigator?.mediaDevices;
    this.#devices?.addEventListener?.('devicechange', this.#onDevices);
  }

  /** Plays a context's sound on the chosen device. @param {AudioContext} context */
  async play(context) {
    this.#context = context;
    this.#playsElsewhere = false;
    if (this.#chosen !== '' && !(await useSpeaker(context, this.#chosen)))
      await this.#replace(context);
  }

  /**
   * @param {string} deviceId '' for the default one
   * @returns {Promise<boolean>} false when it can't be used; then the call stays on its device
   */
  async choose(deviceId) {
    if (this.#context && !(await useSpeaker(this.#context, deviceId))) return false;
    this.#chosen = deviceId;
    this.#playsElsewhere = false;
    this.#options.settle('speaker-replaced');
    return true;
  }

  async #checkDevices() {
    const context = this.#context;
    if (!context || this.#chosen === '') return;
    const ids = (await listSpeakers(this.#devices)).map(({ deviceId }) => deviceId);
    // Devices have no ids before the browser's permission.
    if (context !== this.#context || ids.includes('')) return;
    const isThere = ids.includes(this.#chosen);
    if (!isThere && !this.#playsElsewhere) await this.#replace(context);
    else if (isThere && this.#playsElsewhere && (await useSpeaker(context, this.#chosen))) {
      this.#playsElsewhere = false;
      this.#options.settle('speaker-replaced');
      this.#options.notice('speaker-back');
    }
  }

  /** @param {AudioContext} context */
  async #replace(context) {
    this.#playsElsewhere = true;
    await useSpeaker(context, '');
    if (context === this.#context) this.#options.notice('speaker-replaced');
  }

  /** Idempotent. */
  close() {
    this.#context = null;
    this.#devices?.removeEventListener?.('devicechange', this.#onDevices);
  }
}

/**
 * @typedef {AudioContext & { setSinkId?(id: string): Promise<void>, sinkId?: string }}
 *   SpeakerContext of Audio Output Devices API; TypeScript's own types lack it
 */

/**
 * True when the browser can play on a chosen output device.
 * @param {{ AudioContext?: { prototype: object }, navigator?: { mediaDevices?: object } }} [scope]
 *   the window, or a test's substitute
 */
export const canChooseSpeaker = (scope = globalThis) =>
  'setSinkId' in (scope.AudioContext?.prototype ?? {}) &&
  'enumerateDevices' in (scope.navigator?.mediaDevices ?? {});

/**
 * Moves a context to an output device.
 * @param {AudioContext} context
 * @param {string} deviceId '' for the default one
 * @returns {Promise<boolean>} false when it can't be used; then the context stays on its device
 */
export async function useSpeaker(context, deviceId) {
  const { setSinkId, sinkId = '' } = /** @type {SpeakerContext} */ (context);
  if (!setSinkId || sinkId === deviceId) return deviceId === sinkId;
  try {
    await setSinkId.call(context, deviceId);
    return true;
  } catch {
    return false;
  }
}

/**
 * Lists the output devices. Before the browser's permission they have neither id nor label.
 * @param {MediaDevices} [devices]
 * @returns {Promise<{ deviceId: string, label: string }[]>} empty when the browser lists none
 */
export async function listSpeakers(devices = globalThis.navigator?.mediaDevices) {
  try {
    const all = await devices.enumerateDevices();
    return all
      .filter(({ kind }) => kind === 'audiooutput')
      .map(({ deviceId, label }) => ({ deviceId, label }));
  } catch {
    return [];
  }
}
