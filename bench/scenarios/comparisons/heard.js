/**
 * The audible result of a run of a way: its quantities, samples, table and recording,
 * the same for each comparison.
 * @import { Codec } from '../../../public/shared/stream/codec.js'
 * @import { Quantity, Sample, Table } from '../../report/result.js'
 * @import { RunFolder } from '../../report/run-folder.js'
 * @import { Heard } from '../../ways/heard.js'
 * @import { Samples } from '../scenario.js'
 *
 * @typedef {object} Voice
 * @property {Codec} codec
 * @property {Float32Array} speech    at 48 kHz, mono; played in a loop
 * @property {Uint8Array[]} payloads  of the speech, a frame of 20 ms each
 */

import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { defaultEncoderSettings } from '../../../public/shared/stream/codec.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { encode } from '../../../testkit/participants/speech.js';
import { readSpeaker, SPEAKERS } from '../../codec/speakers.js';
import { protocolLabel } from '../../report/palette.js';
import { toEstimate } from '../../report/quantity-views.js';
import { valuesByRepetition } from '../../report/result.js';
import { summaryIntervals } from '../../stats/bootstrap.js';
import { VISQOL_SOURCE } from '../../stats/visqol.js';
import { keepRecording } from '../../survey/survey.js';
import { EVERY_MS } from '../../ways/run.js';
import { heardFrom, marksOf } from '../../ways/heard.js';

const SAMPLE_RATE = 48_000;

/**
 * The piece at a run's end that counts: as long as marks want it, and short enough for a person to
 * listen to, in seconds.
 */
const PIECE_SECONDS = 8;

/** @type {(Quantity & { digits: number })[]} */
const FIGURES = [
  { name: 'present', label: 'Present when played', unit: '%', digits: 2 },
  { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', digits: 1 },
  { name: 'mouthToEar', label: 'Mouth to ear', unit: 'ms', digits: 1 },
  { name: 'visqol', label: 'ViSQOL', unit: '', digits: 2 },
  { name: 'estoi', label: 'ESTOI', unit: '', digits: 3 },
  { name: 'rating', label: 'R', unit: '', digits: 1 },
];

/** @type {readonly Quantity[]} */
export const heardQuantities = FIGURES.map(({ name, label, unit }) => ({ name, label, unit }));

/** Notes of a report with heardTable(). */
export const heardNotes = Object.freeze([
  `What would be heard: the last ${PIECE_SECONDS} s of each run by aloud's own playout, its ` +
    'adaptive delay included, and decoder, on a clock of its own; what came before lets the ' +
    'delay settle. Present: frames that were there when they were played, in percent of ' +
    'those sent; the others were concealed.',
  "Mouth to ear: a frame's length, its packet's age, its wait for playout, and 10 ms in a " +
    "sound card. It is without microphone and speaker, Opus's lookahead (2.5 ms) and a " +
    "server's mix.",
  VISQOL_SOURCE,
  "ViSQOL (1 to 5), ESTOI (0 to 1) and the E-model's R (129 at most; from mouth to ear, and " +
    "ViSQOL's mark as the impairment by loss) are estimates, and nobody's opinion: " +
    'synthetic voices, another in each repetition, compared with themselves. They rank ways ' +
    'of one run. ESTOI is the mean of pieces of 2 s; a delay that moves within one ' +
    'counts as wrong.',
]);

/**
 * @returns {Promise<(repetition: number) => Voice>} voice of a repetition: one after another, in a
 *   loop
 */
export async function readVoices() {
  const format = createAudioFormat({ sampleRate: SAMPLE_RATE, frameMs: EVERY_MS });
  const codec = await loadCodec();
  const voices = await Promise.all(
    SPEAKERS.map(async (name) => {
      const speech = await readSpeaker(name, SAMPLE_RATE);
      return {
        codec,
        speech,
        payloads: await encode(speech, format, defaultEncoderSettings.bitrate),
      };
    }),
  );
  return (repetition) => voices[repetition % voices.length];
}

/**
 * Records a run's audible result, and the sound of the first repetition. A run that is
 * shorter than the piece has no marks and no sound.
 *
 * @param {RunFolder} folder
 * @param {Voice} voice
 * @param {object} run
 * @param {readonly number[]} run.ages
 * @param {number} run.first               payload index of the first of them
 * @param {Omit<Sample, 'value'>} run.sample  fields of its samples besides their value
 * @param {string} run.name of the recording: the way, and the condition if there are several
 */
export async function recordHeard(folder, voice, { ages, first, sample, name }) {
  const piece = (PIECE_SECONDS * 1000) / EVERY_MS;
  const { said, sound, ...figures } = heardFrom({
    ...voice,
    ages,
    first,
    settle: Math.max(0, ages.length - piece),
  });
  const isLong = ages.length >= piece;
  const marks = isLong ? marksOf(said, sound, figures.mouthToEarMs) : {};
  const values = {
    present: figures.presentPercent,
    playoutDelay: figures.playoutDelayMs,
    mouthToEar: figures.mouthToEarMs,
    ...marks,
  };
  for (const [quantity, value] of Object.entries(values))
    if (Number.isFinite(value)) folder.record(quantity, { ...sample, value });
  if (!isLong)
    folder.warn(`Runs of less than ${PIECE_SECONDS} s have no marks of what would be heard.`);
  else if (Number.isFinite(figures.mouthToEarMs))
    await keepSound(
      folder,
      { name, ...sample },
      { said, sound, mouthToEarMs: figures.mouthToEarMs },
    );
}

/**
 * Keeps a piece of the heard sound without its delay, of the first repetition only. The next one
 * has another voice, and a survey compares recordings of the same words.
 * @param {Pick<RunFolder, 'path'>} folder @param {{ name: string, repetition: number }} what
 * @param {Pick<Heard, 'said' | 'sound' | 'mouthToEarMs'>} heard
 */
export async function keepSound(folder, { name, repetition }, { said, sound, mouthToEarMs }) {
  if (repetition > 0) return;
  const start = Math.round((mouthToEarMs * SAMPLE_RATE) / 1000);
  const samples = Math.min(said.length, PIECE_SECONDS * SAMPLE_RATE);
  await keepRecording(folder.path, name, {
    sampleRate: SAMPLE_RATE,
    channels: [sound.subarray(start, start + samples)],
  });
}

/**
 * @param {Samples} folder
 * @param {readonly string[]} ways
 * @param {() => number} random seeded
 * @returns {Table}
 */
export function heardTable(folder, ways, random) {
  return {
    name: 'heard',
    title: 'What would be heard',
    caption:
      'The mean of the repetitions, with the interval of 95 % confidence where there are ' +
      'five or more. Estimates: see Method.',
    columns: [
      { label: 'Way' },
      ...FIGURES.map(({ label, unit, digits }) => ({ label, unit, digits })),
    ],
    rows: ways.map((way) => [
      protocolLabel(way),
      ...FIGURES.map(({ name }) => {
        const values = valuesByRepetition(
          folder.samples(name),
          ({ protocol }) => protocol === way,
        ).filter(({ length }) => length > 0);
        if (values.length === 0) return null;
        return toEstimate(summaryIntervals(values, { random }).mean);
      }),
    ]),
  };
}
