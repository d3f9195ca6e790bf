import { createDecoder } from 'libopus-wasm';
import { describe, expect, it } from 'vitest';
import { packetsOf, readAudio } from '../../../testkit/sound/voice-path.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { levelDb } from '../../../public/shared/sound/signal.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Track } from '../../../server/recording/track.js';

const PER_MS = 48;
const codec = await loadCodec('libopus-wasm');
const speech = (await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels[0];

/**
 * A track in which 300 ms are missing, as a player hears it.
 * @param {import('../../../testkit/sound/voice-path.js').SentVoice} sent
 * @param {number} frames  that come before
 */
async function heard({ format, packets }, frames) {
  const decoder = await createDecoder({ sampleRate: 48000, channels: 1, maxFrameSize: 5760 });
  const sound = /** @type {number[]} */ ([]);
  const ogg = {
    samples: 0,
    put: (
      /** @type {Uint8Array} */ bytes,
      /** @type {number} */ start,
      /** @type {number} */ length,
      /** @type {number} */ samples,
    ) => {
      const decoded = decoder.decodeFloat(bytes.slice(start, start + length));
      expect(decoded.length).toBe(samples);
      sound.push(...decoded);
    },
    end: () => {},
  };
  const track = new Track(ogg, format);
  for (const { bytes } of packets.slice(0, frames)) {
    const { payloadStart, payloadBytes } = readAudio(bytes);
    track.put(bytes, payloadStart[0], payloadBytes[0]);
  }
  for (let i = 0; i < 300 / format.frameMs; i++) track.putMissing();
  decoder.free();
  return Float32Array.from(sound);
}

/** @param {Float32Array} sound @param {number} from @param {number} ms */
const levelAt = (sound, from, ms) => levelDb(sound.subarray(from, from + ms * PER_MS));

describe('sound that is missing in a track', () => {
  const shapes = [
    [2.5, 1],
    [5, 1],
    [10, 1],
    [20, 1],
    [40, 1],
    [60, 1],
    [10, 8],
    [20, 3],
    [60, 2],
  ];
  describe.each(/** @type {const} */ (['low-delay', 'voip']))(
    'of the application %s',
    (application) => {
      it.each(shapes)(
        'fades before it is silence, in Opus frames of %d ms, %d to a packet',
        async (opusMs, opusFrames) => {
          const sent = packetsOf(codec, speech, {
            frameMs: opusMs * opusFrames,
            opusFrames,
            application,
          });
          for (const ms of [480, 1200, 1680, 2400, 3120]) {
            const frames = Math.round(ms / sent.format.frameMs);
            const from = frames * sent.format.frameSamples;
            const sound = await heard(sent, frames);
            const before = Math.max(
              ...[20, 15, 10, 5].map((back) => levelAt(sound, from - back * PER_MS, 5)),
            );
            if (before < -40) continue;
            const lasts = Math.max(opusMs, 80 - (80 % opusMs));
            expect(levelAt(sound, from + (lasts - 5) * PER_MS, 5)).toBeLessThan(
              before - (opusMs > 40 ? 8 : 12),
            );
            // The decoder's own fade to silence takes 7.5 ms.
            expect(levelAt(sound, from + (lasts + 10) * PER_MS, 300 - lasts - 20)).toBeLessThan(
              -80,
            );
            for (let at = 20; at < lasts; at += 20) {
              expect(levelAt(sound, from + at * PER_MS, 20)).toBeLessThan(
                levelAt(sound, from + (at - 20) * PER_MS, 20) + 2,
              );
            }
          }
        },
      );
    },
  );
});
