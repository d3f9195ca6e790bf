import { describe, expect, it } from 'vitest';
import {
  decodedSound,
  newDecoder,
  packetsOf,
  readAudio,
} from '../../../testkit/sound/voice-path.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { levelDb } from '../../../public/shared/sound/signal.js';
import { SampleClock } from '../../../server/clock/sample-clock.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Speaker } from '../../../server/mix/speaker.js';
import { Lateness } from '../../../server/source/lateness.js';
import { Source } from '../../../server/source/source.js';
import { musicOf } from '../../fakes/music.js';

/** @import { SentVoice } from '../../../testkit/sound/voice-path.js' */

const SIZE = 48 * 20;
const codec = await loadCodec('libopus-wasm');
const sounds = {
  speech: (
    await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url))
  ).channels[0].subarray(0, 4 * 48_000),
  music: musicOf(4),
};

/**
 * Gives a speaker whose sound has come, and wasn't heard, a place in the middle of it.
 * @param {SentVoice} sent
 * @param {number} frame  the first that is heard
 * @returns {Float32Array} the first 20 ms that are heard, or the first frame where that is longer
 */
function placedAt({ format, packets }, frame) {
  const clock = { ms: 0, now: () => clock.ms };
  const lateness = new Lateness({ frameMs: format.frameMs, maxMs: 400, targetPercent: 99.5 });
  const sampleClock = new SampleClock(/** @type {any} */ (clock), format.sampleRate);
  const source = new Source({
    id: '1',
    format,
    sampleClock,
    maxDelayMs: 400,
    decoder: newDecoder(codec, format),
    lateness,
  });
  const speaker = new Speaker(source);
  const { frameSamples, frameMs } = format;
  const heard = new Float32Array(Math.ceil(20 / frameMs) * frameSamples);
  const last = frame + heard.length / frameSamples;
  for (let k = 0; k < last; k++) {
    clock.ms = (k + 1) * frameMs;
    source.receive(readAudio(packets[k].bytes), packets[k].bytes, clock.ms, 0, k - 1);
    if (k < frame) continue;
    if (k === frame) speaker.place(frame);
    source.pull(k, true);
    const at = source.ring.offset(k);
    heard.set(source.ring.samples.subarray(at, at + frameSamples), (k - frame) * frameSamples);
  }
  source.close();
  return heard;
}

describe.each(/** @type {const} */ (['speech', 'music']))(
  'a speaker who gets a place in the middle of %s',
  (name) => {
    it.each([
      [2.5, 1],
      [5, 1],
      [10, 1],
      [20, 1],
      [40, 1],
      [60, 1],
      [10, 8],
      [60, 2],
    ])(
      'is as loud as for listeners who heard everything, in Opus frames of %d ms, %d to a packet',
      (opusMs, opusFrames) => {
        const sent = packetsOf(codec, sounds[name], { frameMs: opusMs * opusFrames, opusFrames });
        const whole = decodedSound(codec, sent);
        let heard = 0;
        for (let ms = 400; ms < 3500; ms += 170) {
          const frame = Math.round(ms / sent.format.frameMs);
          const steady = whole.subarray(frame * sent.format.frameSamples).subarray(0, SIZE);
          if (levelDb(steady) < -40) continue;
          heard += 1;
          expect(
            Math.abs(levelDb(placedAt(sent, frame).subarray(0, SIZE)) - levelDb(steady)),
          ).toBeLessThan(2.5);
        }
        expect(heard).toBeGreaterThan(5);
      },
    );
  },
);
