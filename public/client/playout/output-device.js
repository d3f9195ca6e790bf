/** Which speaker plays a call, where the browser lets a page choose. */

/**
 * @typedef {AudioContext & { setSinkId?(id: string): Promise<void>, sinkId?: string }} SpeakerContext
 *   of Audio Output Devices API; TypeScript's own types lack it
 */

/** @param {any} [scope] the window, or what a test has in its place */
export const canChooseSpeaker = (scope = globalThis) =>
  typeof scope.AudioContext?.prototype?.setSinkId === 'function' &&
  typeof scope.navigator?.mediaDevices?.enumerateDevices === 'function';

/**
 * Lets a context play on a speaker.
 * @param {AudioContext} context
 * @param {string} deviceId '' for the default one
 * @returns {Promise<boolean>} false where that speaker can't be used: the context plays where it did
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
 * The speakers that there are. Before the browser's permission they have neither id nor label.
 * @param {MediaDevices} [devices]
 * @returns {Promise<{ deviceId: string, label: string }[]>} none where the browser shows none
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
