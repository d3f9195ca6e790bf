/**
 * Opening a microphone, with errors that say what to do.
 *
 * @typedef {object} MicrophoneWish
 * @property {string} [deviceId]            '' or absent: the default one
 * @property {boolean} [echoCancellation]   default true
 * @property {boolean} [noiseSuppression]   default true
 * @property {boolean} [autoGainControl]    default true
 */

const messages = Object.freeze({
  'no-microphone': 'No microphone was found. Plug one in and choose it; until then you can listen.',
  'microphone-refused':
    'The browser was not allowed to use the microphone. Allow it for this page; until then you can listen.',
  'microphone-busy':
    'The microphone could not be opened. Close other programs that use it, or choose another one; until ' +
    'then you can listen.',
  'microphone-ended':
    'The microphone stopped sending sound. Plug it in again or choose another one; until then you can listen.',
});

/** @type {Readonly<Record<string, keyof typeof messages>>} by the names of Media Capture and Streams, 10.2 */
const codes = Object.freeze({
  NotAllowedError: 'microphone-refused',
  SecurityError: 'microphone-refused',
  NotFoundError: 'no-microphone',
  OverconstrainedError: 'no-microphone',
});

/**
 * @param {unknown} error what getUserMedia or the audio context threw
 * @returns {{ code: string, message: string }}
 */
export function microphoneProblem(error) {
  const name = /** @type {{ name?: string } | null} */ (error)?.name ?? '';
  const code = codes[name] ?? 'microphone-busy';
  return { code, message: messages[code] };
}

/** What a call says when the microphone is unplugged. */
export const microphoneEnded = Object.freeze({
  code: 'microphone-ended',
  message: messages['microphone-ended'],
});

/**
 * Asks for a microphone.
 * @param {MicrophoneWish} wish
 * @param {MediaDevices} [devices]
 * @returns {Promise<MediaStream>} rejects as getUserMedia does
 */
export function openMicrophone(wish, devices = navigator.mediaDevices) {
  const { deviceId, echoCancellation = true, noiseSuppression = true, autoGainControl = true } = wish;
  return devices.getUserMedia({
    audio: {
      ...(deviceId ? { deviceId: { exact: deviceId } } : {}),
      channelCount: { ideal: 1 },
      echoCancellation,
      noiseSuppression,
      autoGainControl,
    },
  });
}

/**
 * @param {MediaStream | null} stream its microphone is switched off
 */
export function stopMicrophone(stream) {
  for (const track of stream?.getTracks() ?? []) {
    track.onended = null;
    track.stop();
  }
}

/**
 * The microphones that there are. Before the browser's permission they have neither id nor label.
 * @param {MediaDevices} [devices]
 * @returns {Promise<{ deviceId: string, label: string }[]>} none where the browser shows none
 */
export async function listMicrophones(devices = globalThis.navigator?.mediaDevices) {
  try {
    const all = await devices.enumerateDevices();
    return all
      .filter(({ kind }) => kind === 'audioinput')
      .map(({ deviceId, label }) => ({ deviceId, label }));
  } catch {
    return [];
  }
}
