import { load, NativeUnavailableError } from './binding.js';

/**
 * libopus: its version, and its encoders and decoders. Without cmake the library is built
 * without them.
 * @returns {import('./binding.js').NativeOpus}
 * @throws {NativeUnavailableError} when they can't be had here
 */
export function loadOpus() {
  const { opusVersion, OpusEncoder, OpusDecoder } = load();
  if (!opusVersion || !OpusEncoder || !OpusDecoder) {
    throw new NativeUnavailableError('ERR_NATIVE_WITHOUT_OPUS', 'the addon was built without libopus, for want of cmake');
  }
  return { opusVersion, OpusEncoder, OpusDecoder };
}
