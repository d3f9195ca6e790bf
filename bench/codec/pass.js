/** Time of one pass of the server's codec, which a mix can't do without. */

import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { mean } from '../../testkit/statistics.js';

/** Frames of speech with which the codec's pass is measured. */
const CODEC_FRAMES = 200;

/**
 * Time to encode and decode one frame of speech with the server's codec, in milliseconds.
 * @param {number} frameMs
 */
export async function codecPassMs(frameMs) {
  const frameSamples = 48 * frameMs;
  const codec = await loadCodec();
  const [speech, settings] = [await readSpeech(48000), { sampleRate: 48000, frameSamples }];
  const encoder = codec.createEncoder(settings);
  const decoder = codec.createDecoder(settings);
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const out = new Float32Array(frameSamples);
  const times = Array.from({ length: CODEC_FRAMES }, (_, i) => {
    const pcm = speech.subarray(i * frameSamples, (i + 1) * frameSamples);
    const startMs = performance.now();
    const count = encoder.encode(pcm, bytes, 0);
    decoder.decode(bytes, 0, count, out, 0);
    return performance.now() - startMs;
  });
  encoder.close();
  decoder.close();
  return mean(times.slice(CODEC_FRAMES / 4));
}
