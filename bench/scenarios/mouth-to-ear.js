/**
 * From one person's microphone to another's speaker, in real browsers, beside what the browser
 * needs on its own to play a microphone.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Quantity } from '../report/result.js'
 *
 * @typedef {{ quantity: Quantity, value: number }} Figure
 */

import { InvalidArgumentError, Option } from 'commander';
import { describeDisturbance, watchMachine } from '../../testkit/machine.js';
import { cardQuantities, measureCardCall } from './card-call.js';
import { summaryIntervals } from '../stats/bootstrap.js';
import { intervalWords, targetsTable } from './targets.js';
import { randomFor, worldNotes } from './scenario.js';
import { mean } from '../../testkit/statistics.js';
import { meanLags } from '../../testkit/sound/sound-lag.js';
import { wholeNumber } from '../options.js';
import { toEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';

/**
 * Targets: most that is added to the browser's own loop, in milliseconds, by the length of a frame.
 */
const TARGETS = Object.freeze({
  fake: new Map([
    [20, 60],
    [10, 40],
    [5, 15],
    [2.5, 13],
  ]),
  pulseaudio: new Map([
    [20, 60],
    [5, 40],
  ]),
});

/** Most by which the page's own sum may be off what was measured, in milliseconds. */
const SUM_OFF_MS = 10;

/** The recordings of the browser's own loop that the lag is the mean over. */
const LOOPS = 4;

/** The shortest lag that is looked for: a loop may be later than the call, in milliseconds. */
const LEAST_LAG_MS = -50;

/** The time for which a delay remembers that a page stood still, in seconds. */
const MEMORY_SECONDS = 20;

/**
 * Calls of each length of frames. On a quiet machine calls differ by some 5 ms (standard
 * deviation), so the mean of eight is known within 4.
 */
const CALLS = 8;

/** Most measurements of a call, when the machine disturbs them. */
const TRIES = 3;

/** Undisturbed calls needed for a verdict, which leaves the others out. */
const LEAST_CALLS = 3;

const factors = [{ name: 'frameMs', label: 'Frame', unit: 'ms' }];

const FAKE_NOTES = Object.freeze([
  "The browser's own loop: the same microphone's stream through an AudioContext of " +
    'the same page, with the shortest bursts that the browser has (latencyHint 0), to ' +
    'its output, without aloud. Both outputs are recorded in the same run and brought ' +
    "to one clock by their contexts' output timestamps; half-second stretches of the " +
    "call's output are looked for in the loop's by correlation, and the lag is the figure.",
  'How long that loop takes is chance, by some 10 ms for as long as its context ' +
    "lives: how its bursts lie beside the microphone's. So there are four at once, " +
    'each begun at another time, and the lag is the mean of the four.',
  'Quiet stretches and those with a correlation below 0.6 are left out. The ' +
    "microphone is Chromium's own fake device, which says a file; processing of the " +
    "microphone is off. There is no sound card: a device's own buffers are in both " +
    'and in neither.',
]);

const CARD_NOTES = Object.freeze([
  'Two Chromiums have microphone and speaker from a PulseAudio, whose virtual card has both on ' +
    'one clock. The card is recorded: half-second stretches of the speaker at the ear are looked ' +
    'for in what was said into the microphone, by correlation. So all buffers of the devices are ' +
    'in the figure.',
  "The browser's own loop: the same microphone's stream through an AudioContext of the first " +
    'page, with the shortest bursts that the browser has (latencyHint 0), to a speaker of its ' +
    'own on the same card. What is beyond it is of the same call. How long a loop takes is ' +
    'chance, by some 10 ms for as long as its context lives: only the mean of several calls tells.',
  'The ear has a microphone too, which hears nothing. Processing of the microphones is off.',
  'What a browser reports of its devices is in the parts, and is checked by the rest alone.',
]);

/** @type {Record<string, Quantity>} */
const quantities = {
  added: {
    name: 'added',
    label: "Mouth to ear, beyond the browser's own loop",
    unit: 'ms',
    factors,
  },
  delay: {
    name: 'serverDelay',
    label: "Server-side delay, with the speaker's own offset",
    unit: 'ms',
    factors,
  },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
  output: { name: 'output', label: 'Between playout and speaker', unit: 'ms', factors },
  disturbed: { name: 'disturbed', label: 'Calls that were disturbed each time', unit: '', factors },
};

/** @type {Scenario} */
export const mouthToEar = {
  name: 'mouth-to-ear',
  title: 'Mouth to ear in the browser',
  description:
    "from one page's microphone to another page's speaker in Chromium, beyond the " +
    "browser's own loop",
  quantities: [...Object.values(quantities), ...Object.values(cardQuantities)],
  lacks: ['transports', 'warmUp'],
  defaults: {
    duration: 96,
    repetitions: CALLS,
    format: 'call',
    transports: ['webtransport'],
    browser: true,
  },
  addOptions: (command) => {
    command
      .option('--frame <ms>', 'lengths of a frame, separated by commas', frames, [
        ...TARGETS.fake.keys(),
      ])
      .addOption(
        new Option(
          '--sound <devices>',
          "fake: Chromium's own fake microphone; pulseaudio: a real sound server's microphone " +
            'and speaker, recorded there',
        )
          .choices(Object.keys(TARGETS))
          .default('fake'),
      )
      .option(
        '--settle <seconds>',
        'in which delays find their place, before each block',
        wholeNumber(0, 600),
        30,
      );
  },

  async measure(lab) {
    const { frame: all, repetitions } = /** @type {any} */ (lab.options);
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const frameMs of all) {
        lab.progress(
          `frames of ${frameMs} ms, ${repetition + 1} of ${repetitions}`,
          done++ / (repetitions * all.length),
        );
        await hear(lab, frameMs, repetition);
      }
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const figures = options.frame.map((/** @type {number} */ frameMs) => {
      const calls = callsOf(folder, frameMs);
      const meanOf = (/** @type {Quantity} */ quantity) =>
        mean(repetitionsOf(folder, quantity, frameMs, calls.left).flat()).toFixed(0);
      return {
        frameMs,
        calls,
        meanOf,
        partOf: (/** @type {Quantity} */ quantity) =>
          mean(
            repetitionsOf(folder, quantity, frameMs, calls.left)
              .flat()
              .filter((value) => Number.isFinite(value)),
          ),
        summary: summaryIntervals(repetitionsOf(folder, quantities.added, frameMs, calls.left), {
          random,
        }),
      };
    });
    return {
      title: mouthToEar.title,
      summary:
        "Somebody's microphone says a file in one page; what comes out of another page's " +
        "call is set against what the first page's browser plays of the microphone alone.",
      headlines: [],
      tables: [
        targetsTable(
          figures.flatMap((/** @type {any} */ one) => [
            ...targetsOf(one, options.sound),
            ...sumTargets(one),
          ]),
        ),
        {
          name: 'added',
          title: "Mouth to ear, beyond the browser's own loop",
          columns: [
            { label: 'Frame', unit: 'ms' },
            ...['mean', 'p50', 'p95'].map((label) => ({ label, unit: 'ms', digits: 1 })),
          ],
          rows: figures.map((/** @type {any} */ { frameMs, summary }) => [
            frameMs,
            ...[summary.mean, summary.p50, summary.p95].map(toEstimate),
          ]),
        },
        ...(options.sound === 'pulseaudio' ? [partsTable(figures)] : []),
      ],
      plots: [],
      notes: [
        ...(options.sound === 'pulseaudio' ? CARD_NOTES : FAKE_NOTES),
        'A machine that stands still, or has other work, is in the delays of a call for ' +
          `${MEMORY_SECONDS} s. So the machine is watched for as long before a block and in ` +
          `it, and a call that it disturbed is measured again, ${TRIES} times at most; the ` +
          'warnings say which. Where the last of them was disturbed too it is left out, if ' +
          `${LEAST_CALLS} others remain; otherwise all count, and the target has no verdict.`,
        'Server-side delay, playout delay and what waits for the speaker are means of what ' +
          'both ends told each second of the same time. With the frame, which is sent when ' +
          'it is over, they are all of it, and a burst of the sound card more, which is in ' +
          "the browser's own loop too.",
        "What a page's start holds up is remembered: for up to 20 s by the server's delay, " +
          "for up to 10 s by the playout's, which then fall slowly. So it settles for 30 s " +
          'before it is measured; with less (--settle) the start is in the figure.',
        ...worldNotes(options),
      ],
    };
  },
};

/**
 * The target of a length of frames that has one.
 * @param {any} figures of that length
 * @param {'fake' | 'pulseaudio'} [sound]
 * @returns {import('./targets.js').Target[]}
 */
function targetsOf(
  { frameMs, calls, meanOf, summary },
  sound = /** @type {'fake' | 'pulseaudio'} */ ('fake'),
) {
  const limit = TARGETS[sound].get(frameMs);
  if (limit === undefined) return [];
  const { estimate } = summary.mean;
  const doubt = calls.isJudged
    ? ''
    : `no verdict: the machine was disturbed in ${calls.disturbed} of the calls, ` +
      `${TRIES} times each; ${estimate.toFixed(1)} ms, `;
  const left =
    calls.isJudged && calls.disturbed > 0
      ? `; of ${calls.counted} calls, without ${calls.disturbed} that the machine ` +
        `disturbed ${TRIES} times`
      : '';
  return [
    {
      what: `Mouth to ear beyond the browser's own loop, frames of ${frameMs} ms`,
      limit,
      reached: calls.isJudged ? estimate : NaN,
      unit: 'ms',
      digits: 1,
      why:
        `${doubt}mean, ${intervalWords(summary.mean, 'ms', 1)}; p95 ` +
        `${summary.p95.estimate.toFixed(1)} ms; D ${meanOf(quantities.delay)} ms, ` +
        `playout ${meanOf(quantities.playout)} ms, from there to the speaker ` +
        `${meanOf(quantities.output)} ms${left}`,
    },
  ];
}

/**
 * The target of the page's own sum, where the devices were recorded.
 * @param {any} figures of a length of frames
 * @returns {import('./targets.js').Target[]}
 */
function sumTargets({ frameMs, calls, partOf }) {
  const [whole, page] = [partOf(cardQuantities.whole), partOf(cardQuantities.page)];
  if (!Number.isFinite(whole)) return [];
  return [
    {
      what: `The page's sum, off the measured delay, frames of ${frameMs} ms`,
      limit: SUM_OFF_MS,
      reached: calls.isJudged ? Math.abs(page - whole) : NaN,
      unit: 'ms',
      digits: 1,
      why: `the page says ${page.toFixed(1)} ms, measured ${whole.toFixed(1)} ms`,
    },
  ];
}

/** The parts of the delay, in the order in which sound meets them. @param {any[]} figures */
function partsTable(figures) {
  const { whole, loop, microphone, later, burst, phase, frame, codec, way, speaker, page } =
    cardQuantities;
  const { delay, playout, output } = quantities;
  const parts = [microphone, later, frame, codec, delay, way, playout, output, speaker];
  return {
    name: 'parts',
    title: 'Where sound is, by the parts that are reported',
    caption:
      'Means. The rest is what was measured at the devices, less all parts: what nobody reports.',
    columns: [
      { label: 'Part' },
      ...figures.map(({ frameMs }) => ({
        label: `Frames of ${frameMs} ms`,
        unit: 'ms',
        digits: 1,
      })),
    ],
    rows: [
      ...[...parts, page, whole, loop, burst, phase].map((quantity) => [
        quantity.label,
        ...figures.map(({ partOf }) => partOf(quantity)),
      ]),
      [
        'The rest',
        ...figures.map(({ partOf }) =>
          parts.reduce((rest, part) => rest - (partOf(part) || 0), partOf(whole)),
        ),
      ],
    ],
  };
}

/** @param {string} text */
function frames(text) {
  const list = text.split(',').map(Number);
  if (list.every((ms) => [2.5, 5, 10, 20, 40, 60].includes(ms))) return list;
  throw new InvalidArgumentError('must be of 2.5, 5, 10, 20, 40 and 60, separated by commas');
}

/** @param {Lab} lab @param {number} frameMs @param {number} repetition */
async function hear(lab, frameMs, repetition) {
  for (let tries = 1; ; tries++) {
    const atMs = lab.folder.elapsedMs;
    const { figures, disturbance } = await measureCall(lab, frameMs);
    if (disturbance !== '')
      lab.folder.warn(
        `Frames of ${frameMs} ms, call ${repetition + 1}: ${disturbance}. ` +
          (tries < TRIES
            ? 'It was measured again.'
            : `It is left out if ${LEAST_CALLS} others remain: each of ${TRIES} was disturbed.`),
      );
    if (disturbance !== '' && tries < TRIES) continue;
    figures.push({ quantity: quantities.disturbed, value: disturbance === '' ? 0 : 1 });
    for (const { quantity, value } of figures)
      lab.folder.record(quantity.name, {
        protocol: 'webtransport',
        repetition,
        client: 'ear',
        atMs,
        value,
        factors: { frameMs },
      });
    return;
  }
}

/**
 * @param {Lab} lab
 * @param {number} frameMs
 * @returns {Promise<{ figures: Figure[], disturbance: string }>} disturbance: by the machine, in
 *   the time that the call's delays remember, in words; '' for none
 */
async function measureCall(lab, frameMs) {
  const { settle, sound } = /** @type {any} */ (lab.options);
  if (sound === 'pulseaudio')
    return measureCardCall(lab, frameMs, {
      settle,
      memorySeconds: MEMORY_SECONDS,
      partsOf: (clients) => partsOf(lab, clients),
      added: quantities.added,
    });
  await lab.startServer([
    '--delivery',
    'tick',
    '--application',
    'low-delay',
    '--frame-ms',
    String(frameMs),
  ]);
  const recordSeconds = settle + lab.blockSeconds + 10;
  const common = { transport: 'webtransport', room: 'talk', recordSeconds };
  await lab.clients.call('listen', {
    ...common,
    id: 'mouth',
    speaks: false,
    device: true,
    loops: LOOPS,
  });
  const { joinedMs } = await lab.clients.call('listen', {
    ...common,
    id: 'ear',
    speaks: false,
    device: true,
  });
  await lab.wait(Math.max(0, settle - MEMORY_SECONDS));
  const endWatch = await watchMachine();
  try {
    await lab.wait(Math.min(settle, MEMORY_SECONDS));
    /** @type {Figure[]} */
    const figures = [];
    for (let second = 0; second < lab.blockSeconds; second++) {
      await lab.wait(Math.min(1, lab.blockSeconds - second));
      figures.push(...(await partsOf(lab, lab.clients)));
    }
    const disturbance = describeDisturbance(endWatch());
    const mouth = await lab.clients.call('recording', { id: 'mouth' });
    const ear = await lab.clients.call('recording', { id: 'ear' });
    for (const id of ['mouth', 'ear']) await lab.clients.call('stopListening', { id });
    for (const value of meanLags(ear, mouth.loops, {
      fromMs: joinedMs + settle * 1000,
      leastMs: LEAST_LAG_MS,
    }))
      figures.push({ quantity: quantities.added, value });
    return { figures, disturbance };
  } finally {
    endWatch();
  }
}

/**
 * The parts of the delay at present: they change during the measurement.
 * @param {Lab} lab
 * @param {Pick<Lab['clients'], 'call'>} clients figures with the ear
 * @returns {Promise<Figure[]>}
 */
async function partsOf(lab, clients) {
  const [stats, room] = await Promise.all([
    clients.call('statsOf', { id: 'ear' }),
    lab.server.call('room', { room: 'talk' }),
  ]);
  const speaker = room.people.find((/** @type {{ name: string }} */ { name }) => name === 'mouth');
  return [
    { quantity: quantities.delay, value: room.serverDelayMs + (speaker?.stats.offsetMs ?? 0) },
    { quantity: quantities.playout, value: stats?.detail.playout.delayMs ?? NaN },
    { quantity: quantities.output, value: stats?.detail.client.outputMs ?? NaN },
  ];
}

/**
 * @param {Samples} folder
 * @param {number} frameMs
 * @returns {{ left: Set<number>, counted: number, disturbed: number, isJudged: boolean }} left: the
 *   repetitions that are left out
 */
function callsOf(folder, frameMs) {
  const told = folder
    .samples(quantities.disturbed.name)
    .filter((sample) => sample.factors?.frameMs === frameMs);
  const disturbed = told.filter(({ value }) => value !== 0);
  const counted = told.length - disturbed.length;
  const isJudged = disturbed.length === 0 || counted >= LEAST_CALLS;
  return {
    left: new Set(isJudged ? disturbed.map(({ repetition }) => repetition) : []),
    counted,
    disturbed: disturbed.length,
    isJudged,
  };
}

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {number} frameMs
 * @param {Set<number>} left
 */
const repetitionsOf = (folder, { name }, frameMs, left) =>
  valuesByRepetition(
    folder.samples(name),
    (sample) => sample.factors?.frameMs === frameMs && !left.has(sample.repetition),
  );
