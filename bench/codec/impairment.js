/**
 * Fits the E-model's Ie and Bpl for aloud's decoder. Speech in the product's own encoding loses
 * packets, the server's Source conceals them, and ViSQOL marks the result. The marks become Ie,eff
 * (bench/docs/measuring.md). No sockets, no real time.
 *
 *   node bench/codec/impairment.js --seeds 10
 */

import { Command } from 'commander';
import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';
import { loadCodec } from '../../server/codec/codec.js';
import { bootstrap } from '../stats/bootstrap.js';
import { WIDEBAND, burstRatioOf, lossImpairment, visqolImpairment } from '../stats/e-model.js';
import { estoi } from '../stats/estoi.js';
import { fitLoss, residualOf } from '../stats/loss-fit.js';
import { seededRandom } from '../../testkit/random.js';
import { mean } from '../../testkit/statistics.js';
import { visqol } from '../stats/visqol.js';
import { wholeNumber } from '../options.js';
import { readSpeaker, SPEAKERS } from './speakers.js';
import { lossesOf } from './loss.js';
import { heardByServer, packetsOf } from '../../testkit/sound/voice-path.js';

/**
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { LossPoint } from '../stats/loss-fit.js'
 *
 * @typedef {{ percent: number, run: number }} Condition run: how many frames in a row are lost
 *   together
 * @typedef {LossPoint & Condition & { visqol: number, estoi: number }} Heard
 */

const SAMPLE_RATE = 48_000;
const PERCENTS = [0, 1, 2, 5, 10, 20];
const RUNS = [1, 3];

/** The kinds of loss in words, by the length of their runs. */
const WORDS = Object.freeze(
  /** @type {Record<number, string>} */ ({ 1: 'at random', 3: 'three in a row' }),
);

/** @type {Condition[]} Without loss there are no runs. */
const CONDITIONS = RUNS.flatMap((run) => PERCENTS.map((percent) => ({ percent, run }))).filter(
  ({ percent, run }) => percent > 0 || run === 1,
);

/**
 * @param {string} name of a fixture
 * @param {number} seconds
 * @returns {Promise<Float32Array>} the fixture's speech over and over
 */
async function speechOf(name, seconds) {
  const speech = await readSpeaker(name, SAMPLE_RATE);
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, i) => speech[i % speech.length]);
}

/**
 * Every condition once, with one voice and one seed.
 * @param {Codec} codec
 * @param {Float32Array} said
 * @param {ReturnType<typeof packetsOf>} sent
 * @param {number} seed
 * @returns {Heard[]}
 */
function hear(codec, said, { format, packets }, seed) {
  return CONDITIONS.map(({ percent, run }) => {
    const lost = lossesOf(packets.length, percent, seed, run);
    const heard = heardByServer(
      codec,
      { format, packets: packets.filter((_, frame) => !lost[frame]) },
      said.length,
    );
    const { mos } = visqol(said, heard, { sampleRate: SAMPLE_RATE });
    const lossPercent = (100 * lost.filter(Boolean).length) / lost.length;
    const estoiMark = estoi(said, heard, { sampleRate: SAMPLE_RATE });
    return {
      percent,
      run,
      lossPercent,
      burstRatio: burstRatioOf(lost),
      visqol: mos,
      estoi: estoiMark,
      impairment: visqolImpairment(mos),
    };
  });
}

/**
 * Ie and Bpl with intervals of 95 %, for which whole repetitions are drawn.
 * @param {Heard[][]} repetitions
 * @param {(point: Heard) => boolean} counts
 */
function fitWithIntervals(repetitions, counts) {
  const used = repetitions.map((points) => points.filter(counts));
  const fitOf = (/** @type {ArrayLike<number>} */ drawn) =>
    fitLoss(Array.from(drawn).flatMap((repetition) => used[repetition]));
  const numbers = used.map((_, repetition) => [repetition]);
  // The values are numbers of repetitions, so they don't bound the figures.
  const within = /** @type {const} */ ([-Infinity, Infinity]);
  const settings = { random: seededRandom(1), resamples: 400, within };
  const [ie, bpl] = bootstrap(numbers, (drawn) => [fitOf(drawn).ie, fitOf(drawn).bpl], settings);
  return {
    ie,
    bpl,
    residual: residualOf(used.flat(), ie.estimate, bpl.estimate),
    points: used.flat().length,
  };
}

/**
 * @param {Heard[][]} repetitions
 * @param {{ ie: number, bpl: number }} codec
 */
function rowsOf(repetitions, { ie, bpl }) {
  return CONDITIONS.map((condition, which) => {
    const points = repetitions.map((heard) => heard[which]);
    const meanOf = (
      /** @type {'lossPercent' | 'burstRatio' | 'visqol' | 'estoi' | 'impairment'} */ what,
    ) => mean(points.map((point) => point[what]));
    const fitted = mean(points.map((point) => lossImpairment({ ie, bpl, ...point })));
    const figures = {
      lossPercent: meanOf('lossPercent'),
      burstRatio: meanOf('burstRatio'),
      visqol: meanOf('visqol'),
      estoi: meanOf('estoi'),
    };
    return {
      ...condition,
      ...figures,
      impairment: meanOf('impairment'),
      fitted,
      rating: WIDEBAND.most - meanOf('impairment'),
    };
  });
}

/**
 * @param {ReturnType<typeof rowsOf>} rows
 * @param {Record<string, ReturnType<typeof fitWithIntervals>>} fits
 */
function show(rows, fits) {
  console.table(
    rows.map((row) => ({
      lost: `${row.percent} % ${row.percent > 0 ? WORDS[row.run] : ''}`.trim(),
      'Ppl, %': row.lossPercent.toFixed(1),
      BurstR: row.burstRatio.toFixed(2),
      ViSQOL: row.visqol.toFixed(2),
      ESTOI: row.estoi.toFixed(3),
      'R without delay': row.rating.toFixed(1),
      'Ie,eff': row.impairment.toFixed(1),
      'of the fit at random': row.fitted.toFixed(1),
    })),
  );
  const interval = (
    /** @type {import('../stats/bootstrap.js').Interval} */ { estimate, low, high },
  ) => {
    const ends = `[${low.toFixed(1)}, ${high.toFixed(1)}]`;
    return `${estimate.toFixed(1)}${Number.isFinite(low) ? ` ${ends}` : ''}`;
  };
  console.table(
    Object.fromEntries(
      Object.entries(fits).map(([name, { ie, bpl, residual, points }]) => [
        name,
        { Ie: interval(ie), 'Bpl, %': interval(bpl), 'residual, R': residual.toFixed(1), points },
      ]),
    ),
  );
}

const options = new Command('impairment')
  .description(
    "Fits the E-model's Ie and Bpl, wideband, for aloud's decoder and concealment, from " +
      "ViSQOL's marks.",
  )
  .option('--seconds <n>', 'speech of each voice', wholeNumber(2, 60), 10)
  .option(
    '--seeds <n>',
    'times that packets are lost, other ones each time',
    wholeNumber(2, 100),
    5,
  )
  .option('--seed <n>', 'the first', wholeNumber(1, 10_000), 1)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const codec = await loadCodec();
/** @type {Heard[][]} */
const repetitions = [];
for (const voice of SPEAKERS) {
  const said = await speechOf(voice, options.seconds);
  const sent = packetsOf(codec, said);
  for (let i = 0; i < options.seeds; i++) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\x1b[K${voice}, ${i + 1} of ${options.seeds}`);
    repetitions.push(hear(codec, said, sent, options.seed + i + 1000 * SPEAKERS.indexOf(voice)));
  }
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');

const fits = {
  'at random': fitWithIntervals(repetitions, ({ run }) => run === 1),
  'none, or three in a row': fitWithIntervals(
    repetitions,
    ({ percent, run }) => percent === 0 || run === 3,
  ),
  all: fitWithIntervals(repetitions, () => true),
  'all, BurstR taken as 1': fitWithIntervals(
    repetitions.map((heard) => heard.map((point) => ({ ...point, burstRatio: 1 }))),
    () => true,
  ),
};
const random = fits['at random'];
const rows = rowsOf(repetitions, { ie: random.ie.estimate, bpl: random.bpl.estimate });
if (options.json)
  console.log(
    JSON.stringify(
      { ...options, codec: codec.name, ...defaultEncoderSettings, rows, fits, repetitions },
      null,
      2,
    ),
  );
else {
  const { bitrate, application } = defaultEncoderSettings;
  console.log(
    `Opus by ${codec.name}, ${application} at ${bitrate / 1000} kb/s in frames of 20 ms; ` +
      `${SPEAKERS.length} voices, ${options.seconds} s, ${options.seeds} times each; ` +
      'concealment only.',
  );
  console.log(
    "Means. Ie,eff: from ViSQOL's mark, its 1 to 5 brought to the E-model's 1 to 4.5, by " +
      "the inverse of the E-model's mark of R (wideband).",
  );
  show(rows, fits);
}
