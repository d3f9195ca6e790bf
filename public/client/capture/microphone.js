/**
 * Opening a microphone, with a code for what goes wrong.
 *
 * @typedef {object} MicrophoneWish
 * @property {string} [deviceId]            '' or absent: the default one
 * @property {boolean} [echoCancellation]   default true
 * @property {boolean} [noiseSuppression]   default true
 * @property {boolean} [autoGainControl]    default true
 * @property {1 | 2} [channels]             default 1; 2 where the microphone is stereo and echo cancellation is off,
 *   since browsers cancel echo in mono
 */

/** @type {Readonly<Record<string, string>>} by the names of Media Capture and Streams, 10.2 */
const codes = Object.freeze({
  NotAllowedError: 'microphone-refused',
  SecurityError: 'microphone-refused',
  NotFoundError: 'no-microphone',
  OverconstrainedError: 'no-microphone',
});

/**
 * @param {unknown} error what getUserMedia or the audio context threw
 * @returns {string} the code of the sentence that says what to do
 */
export function microphoneProblem(error) {
  return codes[/** @type {{ name?: string } | null} */ (error)?.name ?? ''] ?? 'microphone-busy';
}

/**
 * Asks for a microphone.
 * @param {MicrophoneWish} wish
 * @param {MediaDevices} [devices]
 * @returns {Promise<MediaStream>} rejects as getUserMedia does
 */
export function openMicrophone(wish, devices = navigator.mediaDevices) {
  const { deviceId, echoCancellation = true, noiseSuppression = true, autoGainControl = true, channels = 1 } = wish;
  return devices.getUserMedia({
    audio: {
      ...(deviceId ? { deviceId: { exact: deviceId } } : {}),
      channelCount: { ideal: echoCancellation ? 1 : channels },
      echoCancellation,
      noiseSuppression,
      autoGainControl,
    },
  });
}

/** So many pieces of its sound, of 10 ms, wait for a worker that is late. */
const MOST_PIECES = 100;

/**
 * @param {MediaStream} stream
 * @param {number} mostRate Hz; to bring a higher rate down is left to the audio context
 * @param {any} [scope] the window, or what a test has in its place
 * @returns {boolean} whether soundOf() can be had
 */
export function handsOutSound(stream, mostRate, scope = globalThis) {
  const [track] = stream.getAudioTracks();
  const rate = track?.getSettings().sampleRate ?? Infinity;
  return Boolean(scope.MediaStreamTrackProcessor) && rate <= mostRate;
}

/**
 * A microphone's sound as it comes, without an audio context, whose blocks and device would hold it up: in browsers that
 * hand it out to a page (MediaStreamTrackProcessor in Chromium).
 * @param {MediaStream} stream for which handsOutSound() is true
 * @param {any} [scope] the window, or what a test has in its place
 * @returns {ReadableStream<AudioData>}
 */
export function soundOf(stream, scope = globalThis) {
  const [track] = stream.getAudioTracks();
  return new scope.MediaStreamTrackProcessor({ track, maxBufferSize: MOST_PIECES }).readable;
}

/**
 * @param {MediaStream | null} stream its microphone is switched off
 */
export function stopMicrophone(stream) {
  for (const track of stream?.getTracks() ?? []) {
    track.onended = track.onmute = track.onunmute = null;
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
