/**
 * A call whose packets go on streams instead of in datagrams: the costs and the gains.
 * @import { Lab } from '../lab.js'
 * @import { Samples, Scenario } from '../scenario.js'
 * @import { Quantity, Sample, Table } from '../../report/result.js'
 */

import { CARRIES, RESET_MS } from '../../plugin/page/carry.js';
import { runCall } from '../../participants/call-run.js';
import { listOf, wholeNumber } from '../../options.js';
import { valuesByRepetition } from '../../report/result.js';
import {
  cumulativePlot,
  lostEstimate,
  meanEstimate,
  toEstimate,
} from '../../report/quantity-views.js';
import { summaryIntervals } from '../../stats/bootstrap.js';
import { lossImpairment, OPUS, rating } from '../../stats/e-model.js';
import { mean, quantile, sorted } from '../../../testkit/statistics.js';
import { sentencesOf } from '../../ways/figures.js';
import { randomFor } from '../scenario.js';
import { orderInWords } from './order.js';
import { sentencesTable } from './sets.js';

/** The name of each way. @type {Readonly<Record<string, string>>} */
const LABELS = Object.freeze({
  datagrams: 'datagrams',
  stream: 'one stream each way',
  streams: 'a stream for each packet',
  'reset-streams': 'a stream for each packet, reset after 0.2 s',
});

const labelOf = (/** @type {string} */ way) => LABELS[way];

const factors = [{ name: 'carry', label: 'Packets go as', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  age: { name: 'age', label: 'Age of a frame at the server', unit: 'ms', factors },
  sound: { name: 'soundLatency', label: 'Sound latency', unit: 'ms', factors },
  up: { name: 'receivedUp', label: 'Received, up', unit: '%', factors },
  down: { name: 'receivedDown', label: 'Received, down', unit: '%', factors },
  delay: { name: 'serverDelay', label: 'Server-side delay', unit: 'ms', factors },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
  rating: { name: 'rating', label: 'R by the E-model', unit: '', factors },
};

/** @type {Scenario} */
export const carry = {
  name: 'carry',
  title: 'Datagrams and streams',
  description:
    'a call of two whose packets go as datagrams, on one stream, on a stream each, or on ' +
    'such a stream that is reset: ages, received, delays',
  quantities: Object.values(quantities),
  lacks: ['transports', 'warmUp'],
  defaults: {
    duration: 60,
    repetitions: 5,
    format: 'call',
    transports: ['webtransport'],
    link: 'bad-wifi',
  },
  addOptions: (command) => {
    command
      .option(
        '--carries <ways>',
        `of ${CARRIES.join(', ')}, separated by commas`,
        listOf(CARRIES),
        [...CARRIES],
      )
      .option(
        '--settle <seconds>',
        'in which the delays find their place, before each block',
        wholeNumber(0, 600),
        10,
      )
      .addHelpText(
        'after',
        '\ncarry stands for the builds of datagrams and of streams in figures 6.7 to 6.10 ' +
          'of Paterson (2022), in a whole call. Its link, bad-wifi, stands\nfor the "Wi-Fi ' +
          'Networks Specific Test Cases" of RFC 8869.',
      );
  },

  async measure(lab) {
    const { carries, repetitions, settle } = /** @type {any} */ (lab.options);
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [i, way] of turns(carries, repetition).entries()) {
        const progress = (/** @type {number} */ share) =>
          lab.progress(
            `${way}, ${repetition + 1} of ${repetitions}`,
            (repetition + (i + share) / carries.length) / repetitions,
          );
        progress(0);
        // Redundancy would hide from datagrams what streams send again.
        await lab.startServer(['--delivery', 'tick', '--carry', way, '--redundancy', '0'], 'mixes');
        record(
          lab,
          way,
          repetition,
          await runCall(lab, { settleSeconds: settle, seconds: lab.blockSeconds, progress }),
        );
      }
    }
  },

  result(folder, options) {
    const measured = CARRIES.filter(
      (way) =>
        options.carries.includes(way) && byRepetition(folder, quantities.age, way).length > 0,
    );
    const random = randomFor(options);
    return {
      title: carry.title,
      summary:
        'Two whole clients talk over WebTransport. Their packets, both ways, go as the row ' +
        'says; all else is the same: codec, delays, playout, and no redundancy.',
      headlines: [],
      tables: [
        orderTable(folder, measured, random),
        agesTable(folder, measured, random),
        soundTable(folder, measured, random),
        sentencesTable(carrySentences(folder, measured, random), {
          title: 'What the intervals support',
          caption:
            'Of frames at the server, each beside the first; in brackets, the interval of ' +
            '95 % confidence of the difference.',
        }),
      ],
      plots: [
        cumulativePlot(
          quantities.age,
          folder
            .samples(quantities.age.name)
            .map((sample) => ({ ...sample, protocol: String(sample.factors?.carry) })),
        ),
      ],
      notes: [
        'The age of a frame: from its end until its payload was first at the server, on the ' +
          "clock that all processes share. What never came has none, and isn't in the " +
          'quantiles of ages; shares are of all frames.',
        'Received, up: of the frames of speech that were sent, those that were there when ' +
          'the server mixed them. Received, down: of the mixes with sound in them, those ' +
          'whose own payload the listener decoded for its speaker. Sound latency: from a ' +
          "frame's first sample to the arrival of the first packet that holds it in a mix.",
        'D and the playout delay tune themselves to what comes late, so a way whose packets ' +
          'come late has longer ones.',
        'Mean and p99 with intervals of 95 % (bootstrap over repetitions). The ways come by ' +
          'turns, each on a new server.',
        'R by the E-model, wideband, up to 129: an estimate from sound latency, playout ' +
          "delay and the share of frames that weren't there, with Ie and Bpl of `node " +
          "bench/codec/impairment.js`. Nobody was asked, and the devices' own delays aren't in it.",
        `The stream of a packet is reset ${RESET_MS} ms after it was written, whether its ` +
          `packet has arrived or not: a sender isn't told. Each reset is a frame of some bytes.`,
      ],
    };
  },
};

/** The order of the ways in one repetition. @param {string[]} carries @param {number} repetition */
const turns = (carries, repetition) =>
  carries.map((_, i) => carries[(i + repetition) % carries.length]);

/**
 * @param {Lab} lab
 * @param {string} way
 * @param {number} repetition
 * @param {import('../../participants/call-run.js').CallRun} run
 */
function record(lab, way, repetition, { speakers, delays, playout }) {
  const add = (/** @type {Quantity} */ { name }, /** @type {number} */ value, client = '') =>
    lab.folder.record(name, {
      protocol: 'webtransport',
      repetition,
      client,
      atMs: lab.folder.elapsedMs,
      value,
      factors: { carry: way },
    });
  for (const { delayMs } of delays) add(quantities.delay, delayMs);
  for (const { id, playoutMs } of playout) add(quantities.playout, playoutMs, id);
  for (const { id, upPercent, downPercent, throughPercent, latenessMs, soundMs } of speakers) {
    // The playout delay of a talker's words is the other's.
    const playedMs = mean(
      playout.filter((other) => other.id !== id).map(({ playoutMs }) => playoutMs),
    );
    add(
      quantities.rating,
      rating({
        delayMs: mean(soundMs) + playedMs,
        impairment: lossImpairment({ ...OPUS, lossPercent: 100 - throughPercent }),
      }),
      id,
    );
    add(quantities.up, upPercent, id);
    add(quantities.down, downPercent, id);
    for (const ms of latenessMs) add(quantities.age, ms, id);
    for (const ms of soundMs) add(quantities.sound, ms, id);
  }
}

/** @param {string} way */
const isOf =
  (way) =>
  (/** @type {Sample} */ { factors: at }) =>
    at?.carry === way;

/** @param {Samples} folder @param {Quantity} quantity @param {string} way */
const valuesOf = (folder, { name }, way) =>
  folder
    .samples(name)
    .filter(isOf(way))
    .map(({ value }) => value);

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function agesTable(folder, measured, random) {
  const within = [50, 100, 200];
  return {
    name: 'ages',
    title: 'Ages of frames at the server',
    caption: 'All frames of both talkers, of all repetitions.',
    columns: [
      { label: 'Packets go as' },
      ...[50, 95, 99].map((percent) => ({ label: `p${percent}`, unit: 'ms', digits: 1 })),
      ...within.map((ms) => ({ label: `Within ${ms} ms`, unit: '%', digits: 2 })),
      { label: 'Never', unit: '%', digits: 2 },
    ],
    rows: measured.map((way) => {
      const ages = valuesOf(folder, quantities.age, way);
      const came = sorted(ages.filter(Number.isFinite));
      return [
        labelOf(way),
        ...[0.5, 0.95, 0.99].map((part) => quantile(came, part)),
        ...within.map((ms) =>
          meanEstimate(
            folder
              .samples(quantities.age.name)
              .map((sample) => ({ ...sample, value: sample.value <= ms ? 100 : 0 })),
            isOf(way),
            random,
          ),
        ),
        lostEstimate(folder.samples(quantities.age.name), isOf(way), random),
      ];
    }),
  };
}

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} way
 * @param {{ withLost?: boolean }} [options]
 */
const byRepetition = (folder, { name }, way, options) =>
  valuesByRepetition(folder.samples(name), ({ factors: at }) => at?.carry === way, options);

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function orderTable(folder, measured, random) {
  const sets = measured.map((way) => ({
    way,
    values: byRepetition(folder, quantities.rating, way),
  }));
  return {
    name: 'order',
    title: 'By which a call is rated highest',
    caption:
      'By R of the E-model, with intervals of 95 % confidence. Those of which no difference ' +
      'from the first of them is shown stand together.',
    columns: [{ label: 'Order' }],
    rows: measured.length > 0 ? [[orderInWords(sets, labelOf, random)]] : [],
  };
}

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {string[]}
 */
const carrySentences = (folder, measured, random) =>
  sentencesOf(
    measured.map((way) => ({
      label: labelOf(way),
      ages: byRepetition(folder, quantities.age, way, { withLost: true }),
    })),
    random,
  );

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function soundTable(folder, measured, random) {
  const estimate = (
    /** @type {Quantity} */ quantity,
    /** @type {string} */ way,
    /** @type {'mean' | 'p99'} */ figure,
  ) => toEstimate(summaryIntervals(byRepetition(folder, quantity, way), { random })[figure]);
  return {
    name: 'sound',
    title: 'What it gives a call',
    caption: 'Means; of sound latency the p99 too.',
    columns: [
      { label: 'Packets go as' },
      { label: 'Received, up', unit: '%', digits: 2 },
      { label: 'Received, down', unit: '%', digits: 2 },
      { label: 'D', unit: 'ms', digits: 0 },
      { label: 'Playout', unit: 'ms', digits: 0 },
      { label: 'Sound latency', unit: 'ms', digits: 0 },
      { label: 'p99', unit: 'ms', digits: 0 },
      { label: 'R', digits: 1 },
    ],
    rows: measured.map((way) => [
      labelOf(way),
      ...[
        quantities.up,
        quantities.down,
        quantities.delay,
        quantities.playout,
        quantities.sound,
      ].map((quantity) => estimate(quantity, way, 'mean')),
      estimate(quantities.sound, way, 'p99'),
      estimate(quantities.rating, way, 'mean'),
    ]),
  };
}
