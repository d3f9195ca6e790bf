import { describe, expect, it } from 'vitest';
import { readWav } from '../../../../testkit/sound/wav.js';
import {
  createAudioFormat,
  OPUS_FRAME_MS,
  RATES,
} from '../../../../public/shared/sound/audio-format.js';
import { fft } from '../../../../public/shared/sound/signal.js';
import {
  fullBandBitrate,
  leastBitrate,
  streamBitrate,
} from '../../../../public/shared/stream/bitrate.js';
import { Ladder } from '../../../../server/broadcast/ladder.js';
import { codecNames, loadCodec } from '../../../../server/codec/codec.js';
import { soundReport } from '../../../../server/report.js';
import { random as randomOf } from '../../../fakes/random.js';

/** @import { Application, Codec } from '../../../../public/shared/stream/codec.js' */

const SECONDS = 1;
const spoken = (
  await readWav(new URL('../../../../testkit/speech/speech-low.wav', import.meta.url))
).channels[0];

/**
 * Speech as a good microphone has it: the fixture has nothing above 11 kHz, so hiss is added to its
 * sounds.
 */
const speech = (() => {
  const random = randomOf(3);
  let before = 0;
  return Float32Array.from({ length: SECONDS * 48_000 }, (_, i) => {
    const noise = random() - 0.5;
    const high = noise - before;
    before = noise;
    return spoken[48_000 + i] + 0.05 * Math.sqrt(Math.abs(spoken[48_000 + i])) * high;
  });
})();

/**
 * The bandwidths of a packet's configuration, widest last (RFC 6716, table 2).
 * @param {number} toc
 */
function bandwidthOf(toc) {
  const config = toc >> 3;
  if (config < 12) return ['narrow', 'medium', 'wide'][config >> 2];
  if (config < 16) return config < 14 ? 'superwide' : 'full';
  return ['narrow', 'wide', 'superwide', 'full'][(config - 16) >> 2];
}

/**
 * Encodes speech, of two channels from different moments, and counts what its packets are after the
 * first 200 ms.
 * @param {Codec} codec
 * @param {{ frameMs: number, channels: number, bitrate: number, application?: Application,
 *   complexity?: number }} settings
 */
function packetsOf(codec, { frameMs, channels, ...settings }) {
  const { sampleRate, frameSamples, frameValues } = createAudioFormat({ frameMs, channels });
  const encoder = codec.createEncoder({ sampleRate, frameSamples, channels, ...settings });
  const decoder = codec.createDecoder({ sampleRate, frameSamples, channels });
  const out = new Uint8Array(1275);
  const bandwidths = new Set();
  const sound = new Float32Array(frameValues * Math.floor(speech.length / frameSamples));
  let [stereo, packets] = [0, 0];
  for (let at = 0; at + frameSamples <= speech.length; at += frameSamples) {
    const pcm = Float32Array.from(
      { length: frameValues },
      (_, i) => speech[(at + Math.floor(i / channels) + (i % channels) * 9000) % speech.length],
    );
    const length = encoder.encode(pcm, out, 0);
    decoder.decode(out, 0, length, sound, at * channels);
    if (at < 9600) continue;
    packets += 1;
    bandwidths.add(bandwidthOf(out[0]));
    if ((out[0] & 4) !== 0) stereo += 1;
  }
  encoder.close();
  decoder.close();
  return {
    bandwidths: [...bandwidths],
    stereo: stereo / packets,
    sound: sound.filter((_, i) => i % channels === 0),
  };
}

/** The share of the power above 14 kHz, in dB. @param {Float32Array} sound */
function highShare(sound) {
  let [high, all] = [0, 0];
  for (let from = 0; from + 2048 <= sound.length; from += 2048) {
    const [re, im] = [Float64Array.from(sound.subarray(from, from + 2048)), new Float64Array(2048)];
    fft(re, im);
    for (let bin = 1; bin < 1024; bin++) {
      const power = re[bin] ** 2 + im[bin] ** 2;
      all += power;
      if (bin > (14_000 * 2048) / 48_000) high += power;
    }
  }
  return 10 * Math.log10(high / all);
}

/** @type {[string, Codec][]} */
const codecs = [];
for (const name of codecNames)
  await loadCodec(name).then(
    (codec) => codecs.push([name, codec]),
    () => {},
  );

describe('the bit rate from which a stream has all its sound', () => {
  describe.each(codecs)('with %s', (name, codec) => {
    it.each(OPUS_FRAME_MS)(
      'has the full band and both channels in frames of %d ms, whatever the settings',
      (frameMs) => {
        for (const channels of name === 'opusscript' && frameMs > 20 ? [1] : [1, 2]) {
          const bitrate = fullBandBitrate({ frameMs, opusFrames: 1, channels });
          for (const application of /** @type {const} */ (['low-delay', 'audio', 'voip'])) {
            for (const complexity of [0, 8]) {
              const { bandwidths, stereo } = packetsOf(codec, {
                frameMs,
                channels,
                bitrate,
                application,
                complexity,
              });
              // Analysis may find that some packets' sound ends at 12 kHz; none is cut for want of
              // bits.
              expect([
                frameMs,
                channels,
                application,
                complexity,
                bandwidths.filter((one) => one !== 'superwide'),
              ]).toEqual([frameMs, channels, application, complexity, ['full']]);
              expect(stereo).toBe(channels - 1);
            }
          }
        }
      },
    );

    it.each([2.5, 5])(
      'is given to streams of %d ms that are to have less, and it is heard',
      (frameMs) => {
        for (const channels of [1, 2]) {
          const format = createAudioFormat({ frameMs, channels });
          const least = leastBitrate(format);
          expect(streamBitrate(6000, format)).toBe(least);
          expect(streamBitrate(256_000 / channels, format)).toBeGreaterThan(least);
          expect(
            highShare(packetsOf(codec, { frameMs, channels, bitrate: least }).sound),
          ).toBeGreaterThan(highShare(speech) - 6);
          const cut = packetsOf(codec, { frameMs, channels, bitrate: 18_000 });
          expect(cut.bandwidths).not.toContain('full');
          expect(cut.stereo).toBe(0);
          expect(highShare(cut.sound)).toBeLessThan(highShare(speech) - 10);
        }
      },
    );
  });

  it('is the least that listeners of a broadcast with short frames get', () => {
    const ratesOf = (/** @type {number} */ frameMs) =>
      new Ladder({ frameMs, opusFrames: 1 }, 64_000, 1).rates;
    expect(ratesOf(20)).toEqual(RATES.slice(0, 3));
    expect(ratesOf(5)).toEqual([26_000, 32_000, 64_000]);
    expect(ratesOf(2.5)).toEqual([38_000, 38_000, 64_000]);
  });

  it('is reported at the start of a server with less', () => {
    const config = { bitrate: 48_000, sampleRate: 48_000, channels: 1, frameMs: 20, opusFrames: 1 };
    for (const frameMs of OPUS_FRAME_MS)
      for (const channels of [1, 2])
        expect(soundReport({ ...config, frameMs, channels })).toEqual([]);
    expect(soundReport({ ...config, bitrate: 32_000, frameMs: 2.5 })).toEqual([]);
    expect(soundReport({ ...config, bitrate: 16_000, frameMs: 2.5 })).toEqual([
      'With Opus frames of 2.5 ms each stream has 38 kb/s, more than --bitrate says: with ' +
        'less, Opus leaves out high sounds.',
    ]);
    expect(soundReport({ ...config, bitrate: 16_000, frameMs: 5, channels: 2 })[0]).toContain(
      'stereo and high sounds',
    );
    expect(soundReport({ ...config, bitrate: 12_000 })).toEqual([
      'A stream has 12 kb/s: with less than 20 kb/s Opus leaves out high sounds.',
    ]);
  });
});
