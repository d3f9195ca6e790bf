import { describe, expect, it } from 'vitest';
import {
  decodedSound,
  heardByListener,
  heardByServer,
  newDecoder,
  packetsOf,
  readAudio,
} from '../../../../testkit/sound/voice-path.js';
import { readWav } from '../../../../testkit/sound/wav.js';
import { levelDb } from '../../../../public/shared/sound/signal.js';
import { codecNames, loadCodec } from '../../../../server/codec/codec.js';
import { musicOf } from '../../../fakes/music.js';

/**
 * @import { Codec } from '../../../../public/shared/stream/codec.js'
 * @import { SentVoice } from '../../../../testkit/sound/voice-path.js'
 */

const PER_MS = 48;
const speech = (
  await readWav(new URL('../../../../testkit/speech/speech-low.wav', import.meta.url))
).channels[0].subarray(0, 5 * 48_000);
const sounds = { speech, music: musicOf(5) };

/** Each Opus frame's length in milliseconds, and the frames in a packet. */
const SHAPES = [
  [2.5, 1],
  [5, 1],
  [10, 1],
  [20, 1],
  [40, 1],
  [60, 1],
  [2.5, 4],
  [10, 8],
  [20, 3],
  [60, 2],
];

const GAP_MS = 300;
const GAPS_MS = [600, 1200, 1780, 2340, 2940, 3500, 4100];

/** Softer sound before a gap isn't checked, in dBFS. */
const SOFT_DB = -40;

/**
 * A rise of the level that the periods of a voice make from one stretch of 20 ms to the next, in
 * dB.
 */
const BEAT_DB = 2;

/** @type {{ name: string, codec: Codec }[]} */
const codecs = [];
for (const name of codecNames) {
  await loadCodec(name).then(
    (codec) => codecs.push({ name, codec }),
    () => {},
  );
}
const encoding = await loadCodec('libopus-wasm');

/**
 * @param {Float32Array} sound
 * @param {number} from
 * @param {number} ms
 * @param {number} count
 * @returns {number[]} levels in dBFS
 */
const levels = (sound, from, ms, count) =>
  Array.from({ length: count }, (_, i) =>
    levelDb(sound.subarray(from + i * ms * PER_MS, from + (i + 1) * ms * PER_MS)),
  );

/**
 * @param {Float32Array} sound
 * @param {number} from  the first sample of a gap
 * @returns {boolean} false where there was hardly any sound before
 */
function expectFade(sound, from) {
  const before = Math.max(...levels(sound, from - 20 * PER_MS, 5, 4));
  if (before < SOFT_DB) return false;
  const gap = levels(sound, from, 20, GAP_MS / 20);
  expect(gap[0]).toBeGreaterThan(before - 15);
  expect(gap[0]).toBeLessThan(before + BEAT_DB);
  for (let i = 1; i < gap.length; i++)
    expect(gap[i]).toBeLessThan(Math.max(gap[i - 1] + BEAT_DB, before - 60));
  for (const level of gap.slice(6)) expect(level).toBeLessThan(-90);
  return true;
}

/** Length of the sound that is decoded before a gap, in milliseconds. */
const BEFORE_MS = 500;

/**
 * Coded sound by its name and shape, which is the same for each decoder.
 * @type {Record<string, SentVoice>}
 */
const voices = {};

/**
 * @param {keyof typeof sounds} name
 * @param {{ frameMs: number, opusFrames?: number }} shape
 */
const sentAs = (name, shape) =>
  (voices[`${name} ${JSON.stringify(shape)}`] ??= packetsOf(encoding, sounds[name], shape));

/**
 * Decodes some sound, loses the packets of GAP_MS, and conceals them.
 * @param {Codec} codec
 * @param {SentVoice} sent
 * @param {number} gap the first frame that is lost
 * @param {boolean} isBare true to hear the codec's own concealment
 */
function concealed(codec, { format, packets }, gap, isBare = false) {
  const { sampleRate, frameSamples, opusFrameSamples, frameMs } = format;
  const lost = Math.ceil(GAP_MS / frameMs);
  const decoder = isBare
    ? codec.createDecoder({ sampleRate, frameSamples: opusFrameSamples })
    : newDecoder(codec, format);
  const sound = new Float32Array((gap + lost) * frameSamples);
  const first = Math.max(0, gap - Math.ceil(BEFORE_MS / frameMs));
  for (let frame = first; frame < gap + lost; frame++) {
    const at = frame * frameSamples;
    const { payloadStart, payloadBytes } = readAudio(packets[frame].bytes);
    if (frame >= gap) decoder.conceal(sound, at);
    else decoder.decode(packets[frame].bytes, payloadStart[0], payloadBytes[0], sound, at);
  }
  decoder.close();
  return sound;
}

describe.each(codecs)('a gap that $name conceals', ({ codec }) => {
  describe.each(/** @type {const} */ (['speech', 'music']))('in %s', (name) => {
    it.each(SHAPES)(
      'fades to silence within 80 ms, in Opus frames of %d ms, %d to a packet',
      (opusMs, opusFrames) => {
        const voice = sentAs(name, { frameMs: opusMs * opusFrames, opusFrames });
        let heard = 0;
        for (const ms of GAPS_MS) {
          const gap = Math.round(ms / voice.format.frameMs);
          if (expectFade(concealed(codec, voice, gap), gap * voice.format.frameSamples)) heard += 1;
        }
        expect(heard).toBeGreaterThan(3);
      },
    );
  });

  it('would be as loud as the voice again after 100 ms', () => {
    for (const frameMs of [2.5, 5, 10, 20]) {
      const voice = sentAs('speech', { frameMs });
      const rises = GAPS_MS.map((ms) => {
        const gap = levels(
          concealed(codec, voice, Math.round(ms / frameMs), true),
          ms * PER_MS,
          20,
          6,
        );
        return gap[5] - gap[4];
      });
      expect(Math.max(...rises)).toBeGreaterThan(6);
    }
  });
});

describe('a gap of 300 ms', () => {
  const codec = encoding;
  describe.each([2.5, 5, 10, 20, 60])('of packets of %d ms', (frameMs) => {
    const sent = packetsOf(codec, speech, { frameMs });
    const whole = decodedSound(codec, sent);
    const gap = 1200 / frameMs;
    const kept = {
      ...sent,
      packets: sent.packets.filter((_, i) => i < gap || i >= gap + GAP_MS / frameMs),
    };
    const size = sent.format.frameSamples;

    it('fades to silence in the mix', () => {
      const heard = heardByServer(codec, kept, 3 * 48_000);
      expect(expectFade(heard, gap * size)).toBe(true);
    });

    it('fades to silence at a listener', () => {
      const { sound, pulls } = heardByListener(codec, kept, 3 * 48_000);
      const from =
        pulls.find(({ frame, concealed: made }) => made > 0 && frame >= gap)?.heardMs ?? 0;
      expect(expectFade(sound, Math.round(from * PER_MS))).toBe(true);
    });

    it('is followed by sound no louder than it was', () => {
      const sound = heardByServer(codec, kept, 3 * 48_000);
      for (let ms = 1200 + GAP_MS; ms < 1800; ms += 20) {
        const [got, was] = [sound, whole].map((one) =>
          levelDb(one.subarray(ms * PER_MS, (ms + 20) * PER_MS)),
        );
        expect(got).toBeLessThan(Math.max(was + 3, SOFT_DB));
      }
    });
  });
});
