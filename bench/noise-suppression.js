/**
 * Measures what noise suppression takes out, and what it costs: the page's model, in Node.js, and
 * Chromium's own, in the browser. Speech with a fan and speech among voices, both seeded.
 */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createModel from '@echogarden/rnnoise-wasm';
import { Command } from 'commander';
import { chromium } from 'playwright-core';
import { MODEL_DELAY_MS, NoiseSuppressor } from '../public/client/capture/noise-suppressor.js';
import { CHROMIUM_ARGUMENTS, findChromium } from '../testkit/browsers/chromium.js';
import { babble, fanNoise, withNoise } from '../testkit/sound/noise.js';
import { align, levelDb } from '../testkit/sound/signal.js';
import { formatWav, readWav } from '../testkit/sound/wav.js';
import { mean, quantile, sorted } from '../testkit/statistics.js';
import { allocatedBy } from './codec/run.js';
import { number } from './options.js';
import { textTable } from './report/text-table.js';
import { resample } from './stats/resample.js';
import { visqol } from './stats/visqol.js';

const RATE = 48_000;
const FRAME = 480;
const VOICES = ['speaker-low-1', 'speaker-high-1', 'speaker-low-2', 'speaker-high-2'];

/** Noise before the first word, in seconds: suppressors learn it. */
const LEAD_SECONDS = 3;

/** The last part of it, in which the rest of the noise is measured, in seconds. */
const PAUSE_SECONDS = 1.5;

/** Pieces of speech by which the ratio to everything else is taken, in samples. */
const PIECE = RATE / 2;

/** Sound that a browser may add to a sound's beginning, in samples. */
const MOST_LAG = RATE;

/** Quieter pieces of speech are pauses, in dBFS. */
const QUIET_DB = -45;

const options = new Command('noise-suppression')
  .description('what noise suppression takes out, and what it costs; some three minutes')
  .option('--snr <dB>', 'of speech over noise', number(-10, 40), 10)
  .option('--seed <number>', 'of the noise', number(0, 2 ** 32 - 1), 1)
  .option('--quick', 'one voice in place of four: one minute', false)
  .parse()
  .opts();

/** @param {string} name @returns {Promise<Float32Array>} */
async function voiceOf(name) {
  const { channels, sampleRate } = await readWav(
    new URL(`../testkit/speech/${name}.wav`, import.meta.url),
  );
  return resample(channels[0], sampleRate, RATE);
}

/**
 * @typedef {{ sound: Float32Array, us?: number[] }} Made  us: microseconds of each frame
 * @typedef {(noisy: Float32Array) => Promise<Made>} Suppressor
 */

/** @type {Suppressor} */
async function bySuppressor(noisy) {
  const sound = new Float32Array(noisy.length);
  let written = 0;
  const sink = {
    samplesToFrame: FRAME,
    /** @param {Float32Array} samples @param {number} count */
    capture(samples, count) {
      sound.set(samples.subarray(0, count), written);
      written += count;
    },
  };
  const broken = () => {
    throw new Error('the noise model failed');
  };
  const suppressor = new NoiseSuppressor(await createModel(), sink, 1, broken);
  const us = [];
  for (let at = 0; at + FRAME <= noisy.length; at += FRAME) {
    const piece = noisy.subarray(at, at + FRAME);
    const begun = performance.now();
    suppressor.capture(piece, FRAME);
    us.push(1000 * (performance.now() - begun));
  }
  return { sound, us };
}

/**
 * Runs in the page: opens the microphone and returns its sound, as 16 bits in base64.
 * @param {number} seconds
 */
async function hear(seconds) {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { noiseSuppression: true, echoCancellation: false, autoGainControl: false },
  });
  const track = stream.getAudioTracks()[0];
  const reader = new /** @type {any} */ (globalThis).MediaStreamTrackProcessor({
    track,
    maxBufferSize: 500,
  }).readable.getReader();
  const sound = new Int16Array(48_000 * seconds);
  let [at, rate] = [0, 0];
  while (at < sound.length) {
    const { value } = await reader.read();
    rate = value.sampleRate;
    const plane = new Float32Array(value.numberOfFrames);
    value.copyTo(plane, { planeIndex: 0, format: 'f32-planar' });
    for (let i = 0; i < plane.length && at < sound.length; i++)
      sound[at++] = Math.round(32_767 * Math.max(-1, Math.min(1, plane[i])));
    value.close();
  }
  track.stop();
  const bytes = new Uint8Array(sound.buffer);
  let text = '';
  for (let i = 0; i < bytes.length; i += 32_768)
    text += String.fromCharCode(...bytes.subarray(i, i + 32_768));
  return { rate, base64: btoa(text) };
}

/** @type {Suppressor} */
async function byBrowser(noisy) {
  const http = createServer(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<!doctype html>'),
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-noise-'));
  const file = join(scratch, 'noisy.wav');
  await writeFile(file, formatWav({ sampleRate: RATE, channels: [noisy] }));
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}%noloop`,
    ],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    const { rate, base64 } = await page.evaluate(hear, Math.ceil(noisy.length / RATE) + 1);
    if (rate !== RATE) throw new Error(`Chromium gave ${rate} Hz`);
    const bytes = Buffer.from(base64, 'base64');
    const sound = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    return { sound: Float32Array.from(sound, (value) => value / 32_768) };
  } finally {
    await browser.close();
    await rm(scratch, { recursive: true });
    http.close();
  }
}

/**
 * Ratio of speech to everything else, in dB, as the mean of the pieces with speech.
 * @param {Float32Array} speech
 * @param {Float32Array} made
 * @param {number} lag  of the whole, in samples
 */
function snrOf(speech, made, lag) {
  const ratios = [];
  for (let at = 0; at + PIECE <= speech.length; at += PIECE) {
    const piece = speech.subarray(at, at + PIECE);
    const from = lag + at - FRAME;
    if (levelDb(piece) < QUIET_DB || from + PIECE > made.length) continue;
    const share = align(piece, made, { from, to: lag + at + FRAME }).correlation ** 2;
    ratios.push(10 * Math.log10(share / (1 - share + 1e-9)));
  }
  return mean(ratios);
}

/**
 * @param {Float32Array[]} voices  one after the other
 * @param {Float32Array} noisy     the voices with noise, LEAD_SECONDS later
 * @param {Made} made by the suppression
 */
function figuresOf(voices, noisy, { sound, us }) {
  const lead = LEAD_SECONDS * RATE;
  const pause = (/** @type {Float32Array} */ of, lag = 0) =>
    levelDb(of.subarray(lead + lag - PAUSE_SECONDS * RATE, lead + lag));
  const marks = [];
  const ratios = [];
  let from = lead;
  let lag = 0;
  for (const [i, voice] of voices.entries()) {
    if (i === 0) lag = align(voice, sound, { from, to: from + MOST_LAG }).lag - from;
    const end = from + lag + voice.length;
    ratios.push(snrOf(voice, sound, from + lag));
    marks.push(visqol(voice, sound.subarray(from + lag, end), { sampleRate: RATE }).mos);
    from += voice.length;
  }
  const ordered = us && sorted(us);
  return {
    noiseDb: pause(sound, lag) - pause(noisy),
    snrDb: mean(ratios),
    mark: mean(marks),
    us: ordered ? quantile(ordered, 0.5) : null,
    usP99: ordered ? quantile(ordered, 0.99) : null,
  };
}

/** Bytes that a frame of the model allocates. */
async function allocated() {
  const sink = { samplesToFrame: FRAME, capture: () => {} };
  const suppressor = new NoiseSuppressor(await createModel(), sink, 1, () => {});
  const frame = fanNoise(FRAME, 1);
  for (let i = 0; i < 500; i++) suppressor.capture(frame, FRAME);
  return allocatedBy(() => suppressor.capture(frame, FRAME));
}

const voices = await Promise.all((options.quick ? VOICES.slice(0, 1) : VOICES).map(voiceOf));
const length = LEAD_SECONDS * RATE + voices.reduce((sum, voice) => sum + voice.length, 0);
const speech = new Float32Array(length);
let at = LEAD_SECONDS * RATE;
for (const voice of voices) {
  speech.set(voice, at);
  at += voice.length;
}
const others = await Promise.all(['speech-low', 'speech-high', ...VOICES].map(voiceOf));
const noises = {
  'a fan': fanNoise(length, options.seed),
  'twelve voices': babble(others, length, options.seed),
};
/** @type {[string, Suppressor][]} */
const suppressors = [
  ['none', async (noisy) => ({ sound: noisy })],
  ...(findChromium()
    ? [/** @type {[string, Suppressor]} */ (['Chromium’s', byBrowser])]
    : (console.error('Chromium is not installed: its own suppression is left out'), [])),
  ['the model', bySuppressor],
];
const rows = [];
for (const [noise, samples] of Object.entries(noises)) {
  const { noisy } = withNoise(speech, samples, options.snr);
  for (const [name, suppress] of suppressors) {
    const figures = figuresOf(voices, noisy, await suppress(noisy));
    const { noiseDb, snrDb, mark, us, usP99 } = figures;
    rows.push([noise, name, noiseDb, snrDb, mark, us, usP99, us === null ? null : us / 100]);
  }
}
console.log(
  textTable({
    name: 'noise-suppression',
    title: `Speech ${options.snr} dB over noise`,
    columns: [
      { label: 'Noise' },
      { label: 'Suppression' },
      { label: 'Noise in a pause', unit: 'dB', digits: 1 },
      { label: 'Speech over the rest', unit: 'dB', digits: 1 },
      { label: 'ViSQOL', digits: 2 },
      { label: 'Frame, median', unit: 'µs', digits: 0 },
      { label: 'p99', unit: 'µs', digits: 0 },
      { label: 'Of a core', unit: '%', digits: 1 },
    ],
    rows,
  }),
);
console.log(
  `\nThe model: ${MODEL_DELAY_MS} ms more delay, ${await allocated()} bytes allocated for a frame.`,
);
