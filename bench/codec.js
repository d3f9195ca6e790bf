#!/usr/bin/env node
/**
 * Compares the Opus codecs that the server can use, on speech at 48 kHz: the measurement by which the
 * default was chosen (docs/codec.md).
 */

import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { codecNames, loadCodec } from '../server/audio/codec.js';
import { CodecRun, bytesOfPair } from './codec-run.js';
import { readWav } from './wav.js';

/**
 * @typedef {import('../server/audio/codec.js').Codec} Codec
 * @typedef {import('./codec-run.js').Settings} Settings
 * @typedef {import('./codec-run.js').CodecFigures} CodecFigures
 * @typedef {{ settings: Settings, figures: Record<string, CodecFigures> }} Case
 */

const SAMPLE_RATE = 48000;
const FRAME_MS = [20, 10];
const BITRATES = [24000, 32000, 48000];
const APPLICATIONS = /** @type {const} */ (['audio', 'low-delay', 'voip']);
const COMPLEXITIES = [0, 5, 8, 10];

/** Codecs take turns after so much of the speech, so that whatever else runs hits all of them. */
const TURN_SAMPLES = SAMPLE_RATE;

/** Longer than the compiler takes to replace its first version of the libraries' code. */
const WARM_UP_SECONDS = 5;

/** @param {string} text */
function seconds(text) {
  const value = Number(text);
  if (!(value >= 1 && value <= 600)) throw new InvalidArgumentError('allowed are 1 to 600.');
  return value;
}

/**
 * @param {number} length seconds
 * @returns {Promise<Float32Array>} the fixtures' voices in turn, over and over
 */
async function speechOf(length) {
  const fixtures = ['speech-low.wav', 'speech-high.wav'];
  const files = fixtures.map((name) => fileURLToPath(new URL(`../test/fixtures/${name}`, import.meta.url)));
  const voices = await Promise.all(files.map(async (file) => (await readWav(file)).channels[0]));
  const sound = new Float32Array(Math.round(length) * SAMPLE_RATE);
  for (let at = 0, turn = 0; at < sound.length; turn++) {
    const voice = voices[turn % voices.length].subarray(0, sound.length - at);
    sound.set(voice, at);
    at += voice.length;
  }
  return sound;
}

/** @returns {Settings[]} every combination, those that are compared by eye next to each other */
function allSettings() {
  return FRAME_MS.flatMap((ms) =>
    BITRATES.flatMap((bitrate) =>
      APPLICATIONS.flatMap((application) =>
        COMPLEXITIES.map((complexity) => ({
          sampleRate: SAMPLE_RATE,
          frameSamples: (SAMPLE_RATE * ms) / 1000,
          bitrate,
          complexity,
          application,
        })),
      ),
    ),
  );
}

/**
 * @param {Codec[]} codecs
 * @param {Settings} settings
 * @param {Float32Array} sound
 * @returns {Promise<Case>}
 */
async function measure(codecs, settings, sound) {
  const runs = codecs.map((codec) => CodecRun.open(codec, settings, sound));
  try {
    for (let from = 0; from < sound.length; from += TURN_SAMPLES) {
      for (const run of runs) run.advance(from, Math.min(sound.length, from + TURN_SAMPLES));
      runs.reverse();
    }
    if ((sound.length / TURN_SAMPLES) % 2 === 1) runs.reverse();
    return { settings, figures: Object.fromEntries(runs.map((run, i) => [codecs[i].name, run.figures()])) };
  } finally {
    for (const run of runs) run.close();
  }
}

/** @param {Settings} settings */
function nameOf({ frameSamples, bitrate, application, complexity }) {
  return `${(frameSamples * 1000) / SAMPLE_RATE} ms | ${bitrate / 1000} kb/s | ${application} | ${complexity}`;
}

/**
 * @param {Case[]} cases
 * @param {string[]} names the codecs'
 * @returns {string} a table in Markdown
 */
function tableOf(cases, names) {
  const titles = names.flatMap((name) => [`${name}: encode`, 'decode', 'Bark', 'pre-echo', 'SNR']);
  const ratios = names.slice(1).flatMap((name) => [`${name} ÷ ${names[0]}: encode`, 'decode']);
  const head = ['frame', 'bit rate', 'application', 'complexity', 'mode', ...titles, ...ratios];
  const rows = cases.map(({ settings, figures }) => {
    const all = names.map((name) => figures[name]);
    const modes = [...new Set(all.map(({ mode }) => mode))].join(', ');
    const cells = all.flatMap((one) => [
      `${one.encodeMedianUs.toFixed(0)} (${one.encodeP99Us.toFixed(0)})`,
      `${one.decodeMedianUs.toFixed(0)} (${one.decodeP99Us.toFixed(0)})`,
      one.barkDistanceDb.toFixed(2),
      one.preEchoDb.toFixed(1),
      one.segmentalSnrDb.toFixed(1),
    ]);
    const compared = all.slice(1).flatMap((one) => [
      (one.encodeMedianUs / all[0].encodeMedianUs).toFixed(2),
      (one.decodeMedianUs / all[0].decodeMedianUs).toFixed(2),
    ]);
    return `| ${[nameOf(settings), modes, ...cells, ...compared].join(' | ')} |`;
  });
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
}

/**
 * @param {Case[]} cases
 * @param {Record<string, number>} pairBytes
 */
function summaryOf(cases, pairBytes) {
  const head = '| codec | memory of a pair | allocated a frame: encode | decode | lookahead: audio | low-delay |';
  const middle = cases.filter(({ settings }) => settings.frameSamples === 960 && settings.complexity === 8);
  const rows = Object.entries(pairBytes).map(([name, bytes]) => {
    const of = (/** @type {string} */ application) =>
      /** @type {Case} */ (middle.find(({ settings }) => settings.application === application)).figures[name];
    const { encodeAllocatedBytes, decodeAllocatedBytes, lookaheadMs } = of('audio');
    const memory = `${(bytes / 1000).toFixed(0)} kB`;
    const lookahead = `${lookaheadMs} ms | ${of('low-delay').lookaheadMs} ms`;
    return `| ${name} | ${memory} | ${encodeAllocatedBytes} B | ${decodeAllocatedBytes} B | ${lookahead} |`;
  });
  return [head, `|${' --- |'.repeat(6)}`, ...rows].join('\n');
}

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** @param {{ seconds: number, json?: string }} options */
async function main({ seconds: length, json }) {
  const codecs = await Promise.all(codecNames.map((name) => loadCodec(name)));
  const names = codecs.map(({ name }) => name);
  const settings = allSettings();
  const sound = await speechOf(length);
  /** @type {Record<string, number>} */
  const pairBytes = {};
  for (const codec of codecs) pairBytes[codec.name] = await bytesOfPair(codec, settings[0]);
  const warmUp = await speechOf(WARM_UP_SECONDS);
  progress('warming up');
  for (const application of APPLICATIONS) await measure(codecs, { ...settings[1], application }, warmUp);

  /** @type {Case[]} */
  const cases = [];
  for (const one of settings) {
    progress(`${cases.length + 1} of ${settings.length}: ${nameOf(one)}`);
    cases.push(await measure(codecs, one, sound));
  }
  progress('');
  const machine = `${cpus()[0].model}, Node ${process.versions.node}`;
  console.log(`Speech of ${length} s at 48 kHz on ${machine}.`);
  console.log('Encode and decode: µs a frame, median (99th percentile). Bark, pre-echo, SNR: dB (docs/codec.md).\n');
  console.log(`${tableOf(cases, names)}\n\n${summaryOf(cases, pairBytes)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, seconds: length, pairBytes, cases }, null, 2)}\n`);
}

const command = new Command('node bench/codec.js')
  .description('compares the Opus codecs on speech: time, memory, lookahead and sound')
  .option('--seconds <n>', 'speech for each codec and setting, in seconds, 1 to 600', seconds, 13)
  .option('--json <file>', 'also writes every figure to a file')
  .parse();
await main(command.opts());
