/**
 * The same packets over the same path, by each way that could carry them: one sender, one receiver,
 * no room.
 * @import { Lab } from '../lab.js'
 * @import { Samples, Scenario } from '../scenario.js'
 * @import { Quantity, Table } from '../../report/result.js'
 * @import { Ages } from '../../ways/figures.js'
 * @import { Voice } from './heard.js'
 */

import { listOf } from '../../options.js';
import { protocolLabel } from '../../report/palette.js';
import { cumulativePlot, toEstimate } from '../../report/quantity-views.js';
import { valuesByRepetition } from '../../report/result.js';
import { quantile, sorted } from '../../../testkit/statistics.js';
import { figuresOf, sentencesOf, WITHIN_MS } from '../../ways/figures.js';
import { EVERY_MS, runWay } from '../../ways/run.js';
import { BROWSER_WAYS, CHANGING_WAYS, CONTROLLED_WAYS, WAYS } from '../../ways/way.js';
import { randomFor } from '../scenario.js';
import { SETTLE_SECONDS, usableWays } from './grid.js';
import { heardNotes, heardQuantities, heardTable, readVoices, recordHeard } from './heard.js';
import { orderInWords } from './order.js';
import { sentencesTable, setOf } from './sets.js';

const STANDS_FOR = `
With --link bad-wifi and home-wifi ways stands for figures 15 and 16 of Abelló Lozano (2012), open
Wi-Fi, and with --link 4g, bad-wifi and home-wifi for the "Cellular Network Specific Test Cases"
and "Wi-Fi Networks Specific Test Cases" of RFC 8869: profiles of round figures in place of radios
and of traces.`;

/** @type {Record<string, Quantity>} */
const quantities = {
  age: { name: 'age', label: 'Age of a packet at the receiver', unit: 'ms' },
  setup: { name: 'setup', label: 'Setup', unit: 'ms' },
};

/** @type {Scenario} */
export const ways = {
  name: 'ways',
  title: 'Ways of carrying a packet',
  description:
    'same payload, same path: ages, loss and what would be heard by WebTransport, ' +
    'WebSocket, WebRTC audio and data channel, without a room',
  quantities: [...Object.values(quantities), ...heardQuantities],
  lacks: ['transports', 'warmUp', 'browser'],
  defaults: {
    duration: 60,
    repetitions: 5,
    format: 'call',
    transports: ['webtransport'],
    link: 'bad-wifi',
  },
  addOptions: (command) =>
    void command
      .addHelpText('after', STANDS_FOR)
      .option(
        '--ways <list>',
        `of ${WAYS.join(', ')}, separated by commas; the first is what others are compared ` +
          `with. Others: ${CHANGING_WAYS.join(', ')}, datagrams or a stream by the path; from ` +
          `Chromium to Chromium, ${BROWSER_WAYS.join(', ')}; ` +
          `WebTransport with a congestion controller at both ends, ${CONTROLLED_WAYS.join(', ')}`,
        listOf([...WAYS, ...CHANGING_WAYS, ...BROWSER_WAYS, ...CONTROLLED_WAYS]),
        [...WAYS],
      ),

  async measure(lab) {
    const { repetitions } = lab.options;
    const usable = await usableWays(lab, /** @type {any} */ (lab.options).ways);
    const voiceOf = await readVoices();
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const i of usable.keys()) {
        const way = usable[(i + repetition) % usable.length];
        lab.progress(
          `${way}, ${repetition + 1} of ${repetitions}`,
          (repetition + i / usable.length) / repetitions,
        );
        await measureWay(lab, way, repetition, voiceOf(repetition));
      }
    }
  },

  result(folder, options) {
    const measured = measuredWays(folder, options.ways);
    const random = randomFor(options);
    const labelled = measured.map((way) => ({
      label: protocolLabel(way),
      ages: agesOf(folder, way),
    }));
    return {
      title: ways.title,
      summary:
        `One sender at the client's end of the link, one receiver at the server's end. Each ` +
        `way carries the same packets of speech, one every ${EVERY_MS} ms. There is no room ` +
        'and no mixing.',
      headlines: [],
      tables: [
        ...orderTables(folder, measured, random),
        agesTable(folder, measured, random),
        comparedTable(folder, measured, random),
        heardTable(folder, measured, random),
        ...sentencesTables(sentencesOf(labelled, random)),
      ],
      plots: [cumulativePlot(quantities.age, folder.samples(quantities.age.name))],
      notes: [
        'The age of a packet: from just before it is handed to the way to when the ' +
          "receiver's JavaScript has it, on the clock that all processes share. What never " +
          "came has no age, and isn't in means and quantiles of ages; shares are of all packets.",
        'A way that loses nothing has old packets where others have none: read ages ' +
          'together with the share that never came.',
        "Setup: from the beginning of connecting to the first packet's arrival, on the same " +
          "link. WebRTC's offer and answer go beside the link at no cost; a call has a " +
          'server for them, at one round trip or more.',
        ...heardNotes,
        'Mean and share with intervals of 95 % (bootstrap over repetitions). The ways come ' +
          "by turns, each with new processes and a new connection. A packet's fate on the " +
          "link isn't the same for all ways: they meet the link at different times.",
      ],
    };
  },
};

/** @param {Lab} lab @param {string} way @param {number} repetition @param {Voice} voice */
async function measureWay(lab, way, repetition, voice) {
  const [settle, count] = [SETTLE_SECONDS, lab.blockSeconds].map((seconds) =>
    Math.round((seconds * 1000) / EVERY_MS),
  );
  const { link, signal, folder } = lab;
  const startMs = folder.elapsedMs;
  let run;
  try {
    run = await runWay({ way, hops: [link], payloads: voice.payloads, settle, count, signal });
  } catch (error) {
    signal.throwIfAborted();
    folder.warn(
      `${way}, repetition ${repetition + 1}, failed: ${/** @type {Error} */ (error).message}`,
    );
    return;
  }
  const add = (
    /** @type {Quantity} */ { name },
    /** @type {number} */ value,
    /** @type {number} */ atMs,
  ) => folder.record(name, { protocol: way, repetition, client: '', atMs, value });
  add(quantities.setup, run.setupMs, startMs);
  for (const [i, age] of run.ages.entries())
    add(quantities.age, age, startMs + (settle + i) * EVERY_MS);
  await recordHeard(folder, voice, {
    ages: run.ages,
    first: settle,
    name: way,
    sample: { protocol: way, repetition, client: '', atMs: startMs },
  });
  lab.tellGenerator(run.latenessMs, run.cpuPercent);
  const { damaged, repeated } = run;
  if (damaged + repeated > 0)
    folder.warn(
      `${way}, repetition ${repetition + 1}: ${damaged} packets came damaged, ${repeated} ` +
        'came twice.',
    );
}

/** @param {Samples} folder @param {string} way @returns {Ages} */
const agesOf = (folder, way) =>
  valuesByRepetition(folder.samples(quantities.age.name), ({ protocol }) => protocol === way, {
    withLost: true,
  });

/**
 * Ways with samples, in the requested order.
 * @param {Samples} folder
 * @param {string[]} asked
 */
const measuredWays = (folder, asked) => asked.filter((way) => agesOf(folder, way).length > 0);

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table[]} none where runs were too short for marks
 */
function orderTables(folder, measured, random) {
  const marked = measured.flatMap((way) => setOf(folder.samples('rating'), way) ?? []);
  return marked.length === 0
    ? []
    : [
        {
          name: 'order',
          title: 'Which way is rated highest',
          caption:
            'By R of the E-model, with intervals of 95 % confidence. Ways of which no ' +
            'difference from the first of them is shown stand together.',
          columns: [{ label: 'Order' }],
          rows: [[orderInWords(marked, protocolLabel, random)]],
        },
      ];
}

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function agesTable(folder, measured, random) {
  return {
    name: 'ages',
    title: 'Ages of packets at the receiver',
    caption:
      'All packets of all repetitions; setup is the median of the repetitions. In brackets, ' +
      'intervals of 95 % confidence.',
    columns: [
      { label: 'Way' },
      ...[50, 95, 99].map((percent) => ({ label: `p${percent}`, unit: 'ms', digits: 1 })),
      ...WITHIN_MS.map((ms) => ({ label: `Within ${ms} ms`, unit: '%', digits: 2 })),
      { label: 'Setup', unit: 'ms', digits: 0 },
    ],
    rows: measured.map((way) => {
      const { quantiles, within } = figuresOf(agesOf(folder, way), random);
      const setups = folder
        .samples(quantities.setup.name)
        .filter(({ protocol }) => protocol === way)
        .map(({ value }) => value);
      return [
        protocolLabel(way),
        ...quantiles,
        ...within.map(toEstimate),
        quantile(sorted(setups), 0.5),
      ];
    }),
  };
}

/**
 * @param {Samples} folder
 * @param {string[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function comparedTable(folder, measured, random) {
  return {
    name: 'compared',
    title: 'Mean age, jitter, and what never came',
    caption:
      'Jitter: mean difference between the ages of successive packets. ' +
      'In brackets, the interval of 95 % confidence. Packets: those that were sent. Where ' +
      'none of them was lost, an interval says nothing of loss that is rarer than one in ' +
      'their number.',
    columns: [
      { label: 'Way' },
      { label: 'Packets', digits: 0 },
      { label: 'Mean age', unit: 'ms', digits: 1 },
      { label: 'Jitter', unit: 'ms', digits: 2 },
      { label: 'Never came', unit: '%', digits: 2 },
    ],
    rows: measured.map((way) => {
      const ages = agesOf(folder, way);
      const { meanAge, jitter, neverPercent } = figuresOf(ages, random);
      return [
        protocolLabel(way),
        ages.flat().length,
        toEstimate(meanAge),
        toEstimate(jitter),
        toEstimate(neverPercent),
      ];
    }),
  };
}

/** @param {string[]} sentences @returns {Table[]} none where there is nothing to say */
const sentencesTables = (sentences) =>
  sentences.length === 0
    ? []
    : [
        sentencesTable(sentences, {
          title: 'What the intervals support',
          caption:
            'Each way beside the first; in brackets, the interval of 95 % confidence of the ' +
            'difference.',
        }),
      ];
