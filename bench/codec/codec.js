/**
 * Compares the Opus codecs that the server can use, on speech at 48 kHz: the measurement by which
 * the defaults were chosen (docs/codec.md).
 */

import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { codecNames, defaultEncoderSettings, loadCodec } from '../../server/codec/codec.js';
import { lossesOf, measureFec, measureLoss } from './loss.js';
import { CodecRun, memoryOf } from './run.js';
import { createAudioFormat, RATES } from '../../public/shared/sound/audio-format.js';
import { streamBitrate } from '../../public/shared/stream/bitrate.js';
import {
  constantTable,
  libraryTable,
  lossTable,
  nameOf,
  shortTable,
  soundTable,
  timeTable,
} from './tables.js';
import { visqol } from '../stats/visqol.js';
import { readWav } from '../../testkit/sound/wav.js';

/**
 * @typedef {import('../../server/codec/codec.js').Codec} Codec
 * @typedef {import('./run.js').Settings} Settings
 * @typedef {import('./tables.js').Case} Case
 * @typedef {import('./tables.js').LossCase} LossCase
 */

const SAMPLE_RATE = 48000;
const FRAME_MS = [20, 10];
const BITRATES = [24000, 32000, 48000];
const APPLICATIONS = /** @type {const} */ (['audio', 'low-delay', 'voip']);
const COMPLEXITIES = [0, 5, 8, 10];

/**
 * Length of a turn, in samples of speech. Codecs take turns, so that other load of the machine hits
 * all of them.
 */
const TURN_SAMPLES = SAMPLE_RATE;

/** Frame lengths, in milliseconds, and bit rates whose sound is compared. */
const SHORT_MS = [20, 10, 5, 2.5];
const SHORT_BITRATES = [48000, 64000, 96000, 128000];

const LOSS_PERCENTS = [5, 10];
const LOSS_SEED = 1;

/** Long enough for some hundred losses. */
const LOSS_SECONDS = 40;

/** Longer than the compiler takes to replace its first version of the libraries' code. */
const WARM_UP_SECONDS = 5;

/** @param {string} text */
function seconds(text) {
  const value = Number(text);
  if (!(value >= 1 && value <= 600))
    throw new InvalidArgumentError('must be a number from 1 to 600');
  return value;
}

/**
 * @param {number} length seconds
 * @returns {Promise<Float32Array>} the fixtures' voices in turn, over and over
 */
async function speechOf(length) {
  const fixtures = ['speech-low.wav', 'speech-high.wav'];
  const files = fixtures.map((name) =>
    fileURLToPath(new URL(`../../testkit/speech/${name}`, import.meta.url)),
  );
  const voices = await Promise.all(files.map(async (file) => (await readWav(file)).channels[0]));
  const sound = new Float32Array(Math.round(length) * SAMPLE_RATE);
  for (let at = 0, turn = 0; at < sound.length; turn++) {
    const voice = voices[turn % voices.length].subarray(0, sound.length - at);
    sound.set(voice, at);
    at += voice.length;
  }
  return sound;
}

/** @returns {Settings[]} every combination; settings to compare by eye are neighbours */
function allSettings() {
  return FRAME_MS.flatMap((ms) =>
    BITRATES.flatMap((bitrate) =>
      APPLICATIONS.flatMap((application) =>
        COMPLEXITIES.map((complexity) => ({
          sampleRate: SAMPLE_RATE,
          channels: 1,
          frameSamples: (SAMPLE_RATE * ms) / 1000,
          bitrate,
          complexity,
          application,
          isConstant: false,
        })),
      ),
    ),
  );
}

/**
 * @param {Codec[]} codecs
 * @param {Settings} settings
 * @param {Float32Array} sound
 * @returns {Case}
 */
function measure(codecs, settings, sound) {
  const runs = codecs.map((codec) => CodecRun.open(codec, settings, sound));
  try {
    for (let from = 0; from < sound.length; from += TURN_SAMPLES) {
      for (const run of runs) run.advance(from, Math.min(sound.length, from + TURN_SAMPLES));
      runs.reverse();
    }
    if ((sound.length / TURN_SAMPLES) % 2 === 1) runs.reverse();
    return {
      settings,
      figures: Object.fromEntries(runs.map((run, i) => [codecs[i].name, run.figures()])),
    };
  } finally {
    for (const run of runs) run.close();
  }
}

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/**
 * Concealment by each codec, and what mends loss before it.
 * @param {Codec[]} codecs
 * @param {Float32Array} sound
 * @returns {Promise<LossCase[]>}
 */
async function measureLosses(codecs, sound) {
  const of = (
    /** @type {Settings['application']} */ application,
    /** @type {number} */ bitrate,
  ) => ({
    ...allSettings()[0],
    ...{ application, bitrate, complexity: defaultEncoderSettings.complexity },
  });
  const usual = of(defaultEncoderSettings.application, defaultEncoderSettings.bitrate);
  const cases = [];
  for (const percent of LOSS_PERCENTS) {
    const lost = lossesOf(Math.floor(sound.length / usual.frameSamples), percent, LOSS_SEED);
    for (const codec of codecs) {
      for (const settings of [usual, of('voip', 48000)]) {
        const how = `${codec.name}, ${settings.application}, concealed`;
        cases.push({ percent, how, figures: measureLoss(codec, settings, sound, lost) });
      }
    }
    for (const redundancy of [1, 2]) {
      const how = `low-delay, ${redundancy === 1 ? 'one payload' : 'two payloads'} repeated`;
      cases.push({ percent, how, figures: measureLoss(codecs[0], usual, sound, lost, redundancy) });
    }
    const half = measureLoss(codecs[0], of('low-delay', 24000), sound, lost, 1);
    cases.push({
      percent,
      how: 'low-delay at half the bit rate, one payload repeated',
      figures: half,
    });
    for (const bitrate of [48000, 96000]) {
      const figures = await measureFec(of('voip', bitrate), sound, lost, percent);
      cases.push({
        percent,
        how: `voip at ${bitrate / 1000} kb/s with in-band correction`,
        figures,
      });
    }
  }
  return cases;
}

/**
 * Measures frames of each length, with the same bits and with the bits of short frames.
 * @param {Codec} codec
 * @param {Float32Array} sound
 */
function measureShort(codec, sound) {
  const [first] = allSettings();
  return SHORT_MS.flatMap((frameMs) =>
    SHORT_BITRATES.map((bitrate) => {
      const format = createAudioFormat({ frameMs });
      const settings = { ...first, ...defaultEncoderSettings, frameSamples: format.frameSamples };
      const [same, given] = [bitrate, streamBitrate(bitrate, format)].map(
        (each) => measure([codec], { ...settings, bitrate: each }, sound).figures[codec.name],
      );
      return { frameMs, bitrate, same, given };
    }),
  );
}

/**
 * A broadcast's bit rates, each payload on its own and on average.
 * @param {Codec} codec
 * @param {Float32Array} sound
 */
function measureConstant(codec, sound) {
  const settings = { ...allSettings()[0], ...defaultEncoderSettings };
  const figuresOf = (/** @type {Partial<Settings>} */ more) => {
    const run = CodecRun.open(codec, { ...settings, ...more }, sound);
    run.advance(0, sound.length);
    const { original, decoded } = run.sounds;
    run.close();
    return { ...run.figures(), visqol: visqol(original, decoded, settings).mos };
  };
  return RATES.map((bitrate) => ({
    bitrate,
    average: figuresOf({ bitrate, isConstant: false }),
    constant: figuresOf({ bitrate, isConstant: true }),
  }));
}

/** @param {{ seconds: number, json?: string }} options */
async function main({ seconds: length, json }) {
  const codecs = await availableCodecs();
  const names = codecs.map(({ name }) => name);
  const settings = allSettings();
  const sound = await speechOf(length);
  /** @type {Record<string, import('./run.js').MemoryFigures>} */
  const memory = {};
  const warmUp = await speechOf(WARM_UP_SECONDS);
  progress('warming up');
  for (const application of APPLICATIONS) measure(codecs, { ...settings[1], application }, warmUp);

  /** @type {Case[]} */
  const cases = [];
  for (const one of settings) {
    progress(`${cases.length + 1} of ${settings.length}: ${nameOf(one)}`);
    cases.push(measure(codecs, one, sound));
  }
  // Only now, with the libraries' code compiled: compiling takes memory too.
  for (const codec of codecs)
    memory[codec.name] = memoryOf(codec, { ...settings[0], application: 'low-delay' });
  const losses = await measureLosses(codecs, await speechOf(Math.max(length, LOSS_SECONDS)));
  const short = measureShort(codecs[0], sound);
  const constant = measureConstant(codecs[0], sound);
  progress('');
  const machine = `${cpus()[0].model}, Node ${process.versions.node}`;
  console.log(
    `Speech of ${length} s at 48 kHz on ${machine}. docs/codec.md says what each column is.\n`,
  );
  console.log(`${timeTable(cases, names)}\n\n${soundTable(cases, names)}\n\n${lossTable(losses)}`);
  console.log(
    `\n${libraryTable(cases, memory)}\n\n${shortTable(short)}\n\n${constantTable(constant)}`,
  );
  if (json)
    await writeFile(
      json,
      JSON.stringify(
        { machine, seconds: length, memory, cases, losses, short, constant },
        null,
        2,
      ) + '\n',
    );
}

/** @returns {Promise<Codec[]>} the first is what the others are compared with */
async function availableCodecs() {
  const codecs = [];
  for (const name of codecNames) {
    try {
      codecs.push(await loadCodec(name));
    } catch (error) {
      console.error(`Without the codec ${name}: ${/** @type {Error} */ (error).message}`);
    }
  }
  return codecs;
}

/** The command that compares the codecs. */
export const codecCommand = new Command('codec')
  .description('the Opus libraries compared on speech: time, sound, loss, memory, lookahead')
  .option('--seconds <n>', 'speech for each library and setting, in seconds, 1 to 600', seconds, 13)
  .option('--json <file>', 'also writes every figure to a file')
  .action(main);
