/**
 * Measures what it costs the own mixes of a room's speakers to share one analysis. As in a
 * room, that is of the mix of the softest speaker, who is another one every few frames.
 * Compares their likeness to the original, and their processor time, with that of encoders that
 * each analyse.
 */

import { Command } from 'commander';
import { barkDistance, weightedSnr } from './quality.js';
import { levelOf } from '../../public/shared/sound/level.js';
import { wholeNumber } from '../options.js';
import { visqol } from '../stats/visqol.js';
import { loadCodec } from '../../server/codec/codec.js';
import { readWav } from '../../testkit/sound/wav.js';
import { seededRandom } from '../../testkit/random.js';
import { mean } from '../../testkit/statistics.js';

const SAMPLE_RATE = 48_000;
const FRAME_SAMPLES = 960;
const SECONDS = 6;

/** Most mixes that are encoded. */
const MIXES = 4;

/** @param {string} text */
const countsOf = (text) => text.split(',').map(wholeNumber(2, 100));

/** @type {{ speakers: number[], complexity: number, json: boolean }} */
const {
  speakers: counts,
  complexity,
  json,
} = new Command('shared-analysis')
  .description("What own mixes sound like, and cost, with the analysis of another one's sound.")
  .option('--speakers <n>', 'in the room, separated by commas', countsOf, [2, 3, 4, 10, 25, 50])
  .option('--complexity <n>', 'of Opus', wholeNumber(0, 10), 8)
  .option('--json', 'prints JSON', false)
  .parse()
  .opts();

const codec = await loadCodec('native');
const speech = await Promise.all(
  ['speech-high', 'speech-low'].map(async (name) => {
    const { channels } = await readWav(
      new URL(`../../testkit/speech/${name}.wav`, import.meta.url),
    );
    return channels[0];
  }),
);

/**
 * Mixes speakers who all talk.
 * @param {number} count
 * @returns {{ own: Float32Array, mix: Float32Array }[]} voices and own mixes of the softest and of
 *   the loudest
 */
function mixesOf(count) {
  const random = seededRandom(count);
  const samples = SECONDS * SAMPLE_RATE;
  const gain = Math.min(1, 6 / count);
  const loudnesses = Array.from({ length: count }, () => gain * (0.3 + 0.7 * random())).sort(
    (a, b) => a - b,
  );
  const voices = loudnesses.map((loudness, i) => {
    const sound = speech[i % speech.length];
    const from = Math.floor(random() * sound.length);
    return Float32Array.from(
      { length: samples },
      (__, at) => loudness * sound[(from + at) % sound.length],
    );
  });
  const [softest, ...others] = voices;
  return [softest, ...others.slice(1 - MIXES)].map((own) => ({
    own,
    mix: Float32Array.from({ length: samples }, (_, at) =>
      Math.max(
        -1,
        Math.min(
          1,
          voices.reduce((sum, voice) => sum + voice[at], -own[at]),
        ),
      ),
    ),
  }));
}

/**
 * Finds the softest voice of a frame.
 * @param {readonly { own: Float32Array }[]} coders
 * @param {number} at  the frame's first sample
 */
function softestAt(coders, at) {
  const levels = coders.map(({ own }) => levelOf(own.subarray(at, at + FRAME_SAMPLES)));
  return levels.indexOf(Math.max(...levels));
}

/** @param {ReturnType<typeof mixesOf>} mixes @param {boolean} shares */
function encode(mixes, shares) {
  const shape = { sampleRate: SAMPLE_RATE, frameSamples: FRAME_SAMPLES };
  const samples = SECONDS * SAMPLE_RATE;
  const coders = mixes.map(({ own, mix }) => ({
    own,
    mix,
    decoded: new Float32Array(mix.length),
    encoder: codec.createEncoder({ ...shape, complexity }),
    decoder: codec.createDecoder(shape),
  }));
  const out = new Uint8Array(1275);
  let bytes = 0;
  let spentUs = 0;
  for (let at = 0; at < samples; at += FRAME_SAMPLES) {
    const first = softestAt(coders, at);
    const start = process.cpuUsage();
    codec.math?.shareAnalysis?.(shares);
    for (let i = 0; i < coders.length; i++) {
      const { encoder, mix } = coders[(first + i) % coders.length];
      encoder.begin?.(mix.subarray(at, at + FRAME_SAMPLES), out.length);
    }
    codec.math?.shareAnalysis?.(false);
    const payloads = coders.map(({ encoder }) => out.slice(0, encoder.end?.(out, 0)));
    const { user, system } = process.cpuUsage(start);
    spentUs += user + system;
    for (const [i, payload] of payloads.entries()) {
      bytes += payload.length;
      coders[i].decoder.decode(payload, 0, payload.length, coders[i].decoded, at);
    }
  }
  const [{ encoder }] = coders;
  const pairs = coders.map(({ mix, decoded }) => ({
    original: mix.subarray(0, -encoder.lookahead),
    late: decoded.subarray(encoder.lookahead),
  }));
  for (const coder of coders) {
    coder.encoder.close();
    coder.decoder.close();
  }
  const frames = (coders.length * samples) / FRAME_SAMPLES;
  return {
    score: mean(pairs.map(({ original, late }) => weightedSnr(original, late))),
    bark: mean(pairs.map(({ original, late }) => barkDistance(original, late))),
    visqol: mean(
      pairs.map(({ original, late }) => visqol(original, late, { sampleRate: SAMPLE_RATE }).mos),
    ),
    bytes: bytes / frames,
    us: spentUs / frames,
  };
}

const rows = counts.flatMap((speakers) => {
  const mixes = mixesOf(speakers);
  return [false, true].map((shares) => ({ speakers, shares, ...encode(mixes, shares) }));
});
if (json) console.log(JSON.stringify(rows));
else
  console.table(
    rows.map(({ speakers, shares, score, bark, visqol: mos, bytes, us }) => ({
      speakers,
      analysis: shares ? 'shared' : 'own',
      'score (dB)': score.toFixed(2),
      'Bark (dB)': bark.toFixed(2),
      ViSQOL: mos.toFixed(3),
      bytes: bytes.toFixed(1),
      'µs a mix': us.toFixed(1),
    })),
  );
