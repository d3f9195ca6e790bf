/**
 * Compares encoding and decoding many frames on several threads with doing so one after the other.
 * Measures the time until the last frame of a tick is done, alternately in one process.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { loadCodec } from '../../server/codec/codec.js';
import { wholeNumber } from '../options.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { quantile, sorted } from '../../testkit/statistics.js';

const SAMPLE_RATE = 48_000;
const FRAME_SAMPLES = 960;

/** Numbers of frames in a tick: rooms of three and ten who all talk, and the largest. */
const COUNTS = [1, 3, 10, 50];

/** Time between ticks, in milliseconds. */
const PAUSE_MS = 8;

const options = new Command('together')
  .description(
    'What it gives to encode and decode the frames of a tick at once, on several threads.',
  )
  .option('--ticks <n>', 'of each kind', wholeNumber(10, 100_000), 300)
  .option('--complexity <n>', 'of Opus', wholeNumber(0, 10), 8)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const codec = await loadCodec();
const speech = await readSpeech(SAMPLE_RATE);
const shape = { sampleRate: SAMPLE_RATE, frameSamples: FRAME_SAMPLES };
const most = 1200;

/** @param {number} tick @param {number} i */
const frameOf = (tick, i) => {
  const at = ((tick + 7 * i) * FRAME_SAMPLES) % (speech.length - FRAME_SAMPLES);
  return speech.subarray(at, at + FRAME_SAMPLES);
};

/** @param {number} count */
async function measure(count) {
  const [payloads, pcm] = [
    Array.from({ length: count }, () => new Uint8Array(most)),
    new Float32Array(FRAME_SAMPLES),
  ];
  const lengths = new Array(count).fill(0);
  const open = () =>
    Array.from({ length: count }, () => ({
      encoder: codec.createEncoder({ ...shape, complexity: options.complexity }),
      decoder: codec.createDecoder(shape),
    }));
  const sides = { 'one after the other': open(), 'at once': open() };
  /** @type {Record<string, { encode: number[], decode: number[] }>} */
  const times = {};
  for (let tick = 0; tick < options.ticks; tick++) {
    const names = /** @type {(keyof typeof sides)[]} */ (Object.keys(sides));
    for (const name of tick % 2 === 0 ? names : names.toReversed()) {
      const all = sides[name];
      const { encode, decode } = (times[name] ??= { encode: [], decode: [] });
      const startMs = performance.now();
      if (name === 'at once') {
        all.forEach(({ encoder }, i) => encoder.begin?.(frameOf(tick, i), most));
        all.forEach(({ encoder }, i) => (lengths[i] = encoder.end?.(payloads[i], 0)));
      } else
        all.forEach(
          ({ encoder }, i) => (lengths[i] = encoder.encode(frameOf(tick, i), payloads[i], 0)),
        );
      const encodedMs = performance.now();
      if (name === 'at once') {
        all.forEach(({ decoder }, i) => decoder.begin?.(payloads[i], 0, lengths[i]));
        all.forEach(({ decoder }) => decoder.end?.(pcm, 0));
      } else all.forEach(({ decoder }, i) => decoder.decode(payloads[i], 0, lengths[i], pcm, 0));
      encode.push(encodedMs - startMs);
      decode.push(performance.now() - encodedMs);
    }
    await wait(PAUSE_MS);
  }
  for (const { encoder, decoder } of Object.values(sides).flat()) {
    encoder.close();
    decoder.close();
  }
  return times;
}

if (!codec.createDecoder(shape).begin) {
  console.error(`the codec ${codec.name} does one frame after the other; the native one is needed`);
  process.exitCode = 1;
} else {
  const rows = [];
  for (const count of COUNTS) {
    const times = await measure(count);
    for (const what of /** @type {const} */ (['encode', 'decode'])) {
      const [one, together] = ['one after the other', 'at once'].map((name) =>
        sorted(times[name][what]),
      );
      const figures = (/** @type {Float64Array} */ of) =>
        [0.5, 0.99].map((share) => Number(quantile(of, share).toFixed(3)));
      rows.push({
        frames: count,
        what,
        one: figures(one),
        together: figures(together),
        ratio: Number((quantile(together, 0.5) / quantile(one, 0.5)).toFixed(2)),
      });
    }
  }
  if (options.json) console.log(JSON.stringify({ ...options, rows }, null, 2));
  else {
    console.log(
      `Milliseconds for all frames of a tick, 20 ms each, Opus by ${codec.name} at ` +
        `complexity ${options.complexity}: p50, p99, of ${options.ticks} ticks; and the ` +
        'ratio of the p50.',
    );
    console.table(
      rows.map(({ frames, what, one, together, ratio }) => ({
        frames,
        what,
        'one after the other': one.join(', '),
        'at once': together.join(', '),
        ratio,
      })),
    );
  }
}
