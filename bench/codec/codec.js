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
  shortTable,
  soundTable,
  timeTable,
} from './tables.js';
import { visqol, VISQOL_SOURCE } from '../stats/visqol.js';
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

/** Time that the whole takes beside that of the speech, and for each second of it, in seconds. */
const OWN_SECONDS = 30;
const SECONDS_FOR_EACH = 6.8;

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

/**
 * @typedef {object} Means
 * @property {AbortSignal} signal  aborted by Ctrl-C
 * @property {() => Promise<() => string>} watch  begins to watch the machine; the returned function
 *   ends that, and says in words what disturbed it, or ''
 * @property {{ begin: (stage: string) => void, update: (share: number, note?: string) => void,
 *   print: (line: string) => void, close: () => void }} progress
 *
 * @typedef {object} Measured  as far as it was
 * @property {Case[]} cases
 * @property {Record<string, import('./run.js').MemoryFigures>} memory  by codec
 * @property {LossCase[]} losses
 * @property {ReturnType<typeof measureShort>[]} short
 * @property {ReturnType<typeof measureConstant>[]} constant
 */

/**
 * The measurements one after another, each with the name of its stage. A signal is seen between
 * two of them.
 * @template T
 * @param {Means} means
 * @param {string} stage
 * @param {readonly T[]} all
 * @param {(one: T) => unknown} act
 */
async function eachOf({ signal, progress }, stage, all, act) {
  progress.begin(stage);
  for (const [i, one] of all.entries()) {
    await new Promise((resolve) => void setImmediate(resolve));
    signal.throwIfAborted();
    progress.update(i / all.length, `${i + 1} of ${all.length}`);
    await act(one);
  }
}

/**
 * The cases of loss: concealment by each codec, and what mends loss before it.
 * @param {Codec[]} codecs
 * @returns {{ percent: number, how: string, figuresOf: (sound: Float32Array, lost: boolean[]) =>
 *   LossCase['figures'] | Promise<LossCase['figures']> }[]}
 */
function lossCases(codecs) {
  const of = (
    /** @type {Settings['application']} */ application,
    /** @type {number} */ bitrate,
  ) => ({
    ...allSettings()[0],
    ...{ application, bitrate, complexity: defaultEncoderSettings.complexity },
  });
  const usual = of(defaultEncoderSettings.application, defaultEncoderSettings.bitrate);
  /** @param {Codec} codec @param {Settings} settings @param {number} [redundancy] */
  const lossy =
    (codec, settings, redundancy) =>
    (/** @type {Float32Array} */ sound, /** @type {boolean[]} */ lost) =>
      measureLoss(codec, settings, sound, lost, redundancy);
  return LOSS_PERCENTS.flatMap((percent) => [
    ...codecs.flatMap((codec) =>
      [usual, of('voip', 48000)].map((settings) => ({
        percent,
        how: `${codec.name}, ${settings.application}, concealed`,
        figuresOf: lossy(codec, settings),
      })),
    ),
    ...[1, 2].map((redundancy) => ({
      percent,
      how: `low-delay, ${redundancy === 1 ? 'one payload' : 'two payloads'} repeated`,
      figuresOf: lossy(codecs[0], usual, redundancy),
    })),
    {
      percent,
      how: 'low-delay at half the bit rate, one payload repeated',
      figuresOf: lossy(codecs[0], of('low-delay', 24000), 1),
    },
    ...[48000, 96000].map((bitrate) => ({
      percent,
      how: `voip at ${bitrate / 1000} kb/s with in-band correction`,
      figuresOf: (/** @type {Float32Array} */ sound, /** @type {boolean[]} */ lost) =>
        measureFec(of('voip', bitrate), sound, lost, percent),
    })),
  ]);
}

/** The lengths of frames by bit rates. */
const SHORT_CASES = SHORT_MS.flatMap((frameMs) =>
  SHORT_BITRATES.map((bitrate) => ({ frameMs, bitrate })),
);

/**
 * Measures frames of a length, with the same bits and with the bits of short frames.
 * @param {Codec} codec
 * @param {Float32Array} sound
 * @param {{ frameMs: number, bitrate: number }} one
 */
function measureShort(codec, sound, { frameMs, bitrate }) {
  const format = createAudioFormat({ frameMs });
  const settings = {
    ...allSettings()[0],
    ...defaultEncoderSettings,
    frameSamples: format.frameSamples,
  };
  const [same, given] = [bitrate, streamBitrate(bitrate, format)].map(
    (each) => measure([codec], { ...settings, bitrate: each }, sound).figures[codec.name],
  );
  return { frameMs, bitrate, same, given };
}

/**
 * A bit rate of a broadcast, each payload on its own and on average.
 * @param {Codec} codec
 * @param {Float32Array} sound
 * @param {number} bitrate
 */
function measureConstant(codec, sound, bitrate) {
  const settings = { ...allSettings()[0], ...defaultEncoderSettings };
  const figuresOf = (/** @type {Partial<Settings>} */ more) => {
    const run = CodecRun.open(codec, { ...settings, ...more }, sound);
    run.advance(0, sound.length);
    const { original, decoded } = run.sounds;
    run.close();
    return { ...run.figures(), visqol: visqol(original, decoded, settings).mos };
  };
  return {
    bitrate,
    average: figuresOf({ bitrate, isConstant: false }),
    constant: figuresOf({ bitrate, isConstant: true }),
  };
}

/**
 * Measures everything, and keeps what it has until the signal is aborted.
 * @param {Codec[]} codecs
 * @param {number} length  of the speech, in seconds
 * @param {Means} means
 * @returns {Promise<Measured>}
 */
async function measureAll(codecs, length, means) {
  /** @type {Measured} */
  const measured = { cases: [], memory: {}, losses: [], short: [], constant: [] };
  const settings = allSettings();
  const [sound, warmUp] = await Promise.all([length, WARM_UP_SECONDS].map(speechOf));
  const long = await speechOf(Math.max(length, LOSS_SECONDS));
  const lostOf = (/** @type {number} */ percent) =>
    lossesOf(Math.floor(long.length / settings[0].frameSamples), percent, LOSS_SEED);
  try {
    await eachOf(means, 'warming up', APPLICATIONS, (application) =>
      measure(codecs, { ...settings[1], application }, warmUp),
    );
    await eachOf(means, 'time and sound', settings, (one) =>
      measured.cases.push(measure(codecs, one, sound)),
    );
    // Only now, with the libraries' code compiled: compiling takes memory too.
    await eachOf(means, 'memory', codecs, (codec) => {
      measured.memory[codec.name] = memoryOf(codec, { ...settings[0], application: 'low-delay' });
    });
    await eachOf(means, 'loss', lossCases(codecs), async ({ percent, how, figuresOf }) =>
      measured.losses.push({ percent, how, figures: await figuresOf(long, lostOf(percent)) }),
    );
    await eachOf(means, 'short frames', SHORT_CASES, (one) =>
      measured.short.push(measureShort(codecs[0], sound, one)),
    );
    await eachOf(means, 'constant bit rate', RATES, (bitrate) =>
      measured.constant.push(measureConstant(codecs[0], sound, bitrate)),
    );
  } catch (error) {
    if (!means.signal.aborted) throw error;
  }
  means.progress.close();
  return measured;
}

/** @param {Measured} measured @param {string[]} names the codecs' @returns {string[]} tables */
const tablesOf = ({ cases, memory, losses, short, constant }, names) => [
  ...(cases.length > 0 ? [timeTable(cases, names), soundTable(cases, names)] : []),
  ...(losses.length > 0 ? [lossTable(losses)] : []),
  ...(Object.keys(memory).length > 0 ? [libraryTable(cases, memory)] : []),
  ...(short.length > 0 ? [shortTable(short)] : []),
  ...(constant.length > 0 ? [constantTable(constant)] : []),
];

/**
 * Told time, in seconds, for three libraries on a quiet core: that of loss has speech of its own.
 * @param {number} length of the speech, in seconds
 */
const secondsOf = (length) => OWN_SECONDS + SECONDS_FOR_EACH * length;

/** @param {{ seconds: number, json?: string }} options @param {Means} means */
async function main({ seconds: length, json }, means) {
  const codecs = await availableCodecs();
  means.progress.print(`The Opus libraries: some ${secondsOf(length).toFixed(0)} s`);
  const seen = await means.watch();
  const measured = await measureAll(codecs, length, means).finally(seen);
  const disturbance = seen();
  const machine = `${cpus()[0].model}, Node ${process.versions.node}`;
  console.log(
    `Speech of ${length} s at 48 kHz on ${machine}. docs/codec.md says what each column is. ` +
      `${VISQOL_SOURCE}\n`,
  );
  if (disturbance) console.log(`Disturbed: ${disturbance}.\n`);
  const { aborted: isInterrupted, reason } = means.signal;
  if (isInterrupted) console.log(`Not complete: ${reason.message}\n`);
  const tables = tablesOf(
    measured,
    codecs.map(({ name }) => name),
  );
  console.log(tables.join('\n\n'));
  const isComplete = !isInterrupted;
  const told = { machine, seconds: length, isComplete, disturbance, ...measured };
  if (json) await writeFile(json, `${JSON.stringify(told, null, 2)}\n`);
  if (isInterrupted) process.exitCode = 1;
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

/**
 * The command that compares the codecs.
 * @param {() => Means} meansOf  for a run
 */
export const codecCommand = (meansOf) =>
  new Command('codec')
    .description('the Opus libraries compared on speech: time, sound, loss, memory, lookahead')
    .option(
      '--seconds <n>',
      'speech for each library and setting, in seconds, 1 to 600',
      seconds,
      13,
    )
    .option('--json <file>', 'also writes every figure to a file')
    .action((options) => main(options, meansOf()));
