/**
 * Measures how a server's own rate control and QUIC's congestion control interact. There is one
 * listener of a broadcast for each rule, congestion controller and kind of packet, on a link whose
 * capacity, loss or delay changes.
 * @import { Link } from '../../link/link.js'
 * @import { Lab } from '../lab.js'
 * @import { Scenario } from '../scenario.js'
 * @import { BlockFigures } from './interplay-figures.js'
 * @import { Case, Condition, Step } from './interplay-plan.js'
 *
 * @typedef {{ branch: Link, listener: Child }} Place  a listener's end, with its link
 * @typedef {{ places: Place[], speaker: Child }} Ends
 * @typedef {Case & { id: string, place: Place, server: Child, port: number }} Running
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seedOfRepetition } from '../../link/star.js';
import { listOf, wholeNumber } from '../../options.js';
import { CLIENT, SERVER } from '../../participants/whole-server.js';
import { runWarnings } from '../../report/circumstances.js';
import { otherState } from '../../report/environment.js';
import { warningOfEarlier } from '../../report/marks.js';
import { readRun } from '../../report/run-folder.js';
import { soundingMixes } from '../../stats/call-figures.js';
import { parseCsv } from '../../stats/csv.js';
import { visqolImpairment } from '../../stats/e-model.js';
import { visqol, VISQOL_SOURCE } from '../../stats/visqol.js';
import { RATES } from '../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Child, sharedMs } from '../../../testkit/participants/child.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { decodedSound, packetsOf } from '../../../testkit/sound/voice-path.js';
import { ALL_CONTROLLERS } from '../../plugin/controllers.js';
import { hasTimeFor, quickOption } from '../durations.js';
import { FORMATS } from '../lab.js';
import { randomFor } from '../scenario.js';
import { blockFigures, DECIDES, FALL_MS } from './interplay-figures.js';
import {
  AFTER_SECONDS,
  blockSeconds,
  blocksOf,
  CARRIES,
  casesOf,
  keyOf,
  lackOf,
  lackOfCase,
  MOST_BPS,
  planSeconds,
  QUEUE_MS,
  RULES,
  settleSeconds,
  SWEEPS,
} from './interplay-plan.js';
import { QUANTITIES, tablesOf } from './interplay-result.js';

/** Interval between looks at a path, in milliseconds. */
const LOOK_MS = 50;

/**
 * Least share of a block's frames with the speaker's sound in the mix, in percent. Where more is
 * missing, the machine is too busy for its programs, and the block tells nothing of the path.
 */
const LEAST_SAID = 90;

/** Speech that is marked for each bit rate in a quick run, in seconds. */
const QUICK_SPEECH_SECONDS = 2;

/** Most cases at once: three processes each, one of which is woken every 2.5 ms. */
const MOST_AT_ONCE = 12;

/** @type {Scenario} */
export const interplay = {
  name: 'interplay',
  title: 'Who sets the rate, the application or QUIC?',
  description:
    "a broadcast's rule for the bit rate beside QUIC's congestion controllers, over " +
    'datagrams and streams: capacity steps, loss, delay (Baldassin et al. 2024)',
  quantities: Object.values(QUANTITIES),
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  defaults: {
    duration: 30,
    repetitions: 1,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  seconds: (options) => planSeconds(options, doneIn(options.continue)),
  addOptions: (command) => {
    command
      .option('--rules <list>', `of ${RULES.join(', ')}, separated by commas`, listOf(RULES), [
        ...RULES,
      ])
      .option(
        '--controllers <list>',
        `of ${ALL_CONTROLLERS.join(', ')}, separated by commas; those with -bare have no floor`,
        listOf([...ALL_CONTROLLERS]),
        ['cubic', 'cubic-bare', 'newreno-bare', 'bbr-bare', 'bbr3-bare', 'copa', 'none'],
      )
      .option(
        '--carries <list>',
        'datagrams, or a stream for each packet (streams)',
        listOf(CARRIES),
        [...CARRIES],
      )
      .option('--sweeps <list>', `of ${SWEEPS.join(', ')}, separated by commas`, listOf(SWEEPS), [
        ...SWEEPS,
      ])
      .option(
        '--step-seconds <seconds>',
        'how long each capacity, loss and delay lasts',
        wholeNumber(3, 600),
        30,
      )
      .option(
        '--at-once <count>',
        'cases that are measured at the same time, each with a server, a listener and a link',
        wholeNumber(1, MOST_AT_ONCE),
        4,
      )
      .option(
        '--continue <folder>',
        'an earlier run of the same options, broken off or not: its blocks are taken over',
      )
      .addOption(
        quickOption({
          rules: ['probe', 'static'],
          controllers: ['cubic-bare'],
          carries: ['datagrams'],
          sweeps: ['steps'],
          stepSeconds: 3,
        }),
      )
      .addHelpText(
        'after',
        '\nsteps stands for figure 1 of Baldassin et al. (2024), loss for figures 2a to 2c, and ' +
          'delay for figure 2d.\nControllers whose engine is not built are left out: `npm run ' +
          'build:native -- --lab`, and `-- --noq` for BBRv3.',
      );
  },

  async measure(lab) {
    const options = /** @type {any} */ (lab.options);
    if (!lab.link.isEmulated) throw new Error('loopback has no capacity: interplay needs a link');
    const done = options.continue ? await takeOver(lab, options) : new Set();
    const cases = availableCases(lab, casesOf(options));
    const blocks = blocksOf(options, cases, done);
    const secondsOf = (/** @type {typeof blocks} */ some) =>
      some.reduce(
        (sum, { condition, left }) => sum + blockSeconds(condition, options, left.length),
        0,
      );
    const impairments = await rateImpairments(options.quick ? QUICK_SPEECH_SECONDS : Infinity);
    const ends = await makeEnds(lab, Math.min(options.atOnce, cases.length));
    let failed = 0;
    try {
      for (const [i, { condition, left, repetition }] of blocks.entries()) {
        const what = `${left.map(wordsOf).join('; ')}, ${placeOf(condition)}`;
        if (!hasTimeFor(lab, blockSeconds(condition, options, left.length))) {
          lab.folder.warn(`There was no time left for ${what}.`);
          break;
        }
        lab.progress(what, secondsOf(blocks.slice(0, i)) / secondsOf(blocks));
        try {
          await measureBlock(lab, { ends, impairments }, left, { condition, repetition });
        } catch (error) {
          lab.signal.throwIfAborted();
          failed += 1;
          if (failed === blocks.length) throw error;
          const reason = /** @type {Error} */ (error).message;
          lab.folder.warn(`A block is left out (${what}): ${reason}`);
          await closeEnds(ends);
          startEnds(lab, ends);
        }
      }
    } finally {
      await closeEnds(ends);
    }
  },

  result: (folder, options) => ({
    title: interplay.title,
    summary:
      'One person speaks at the end of the server; one listener of each case, on a link of its ' +
      `own with a queue of ${QUEUE_MS} ms, gets at most ${MOST_BPS / 1000} kb/s of sound, some ` +
      '160 kbit/s in packets.',
    headlines: [],
    tables: tablesOf(folder, randomFor(options)),
    plots: [],
    notes: [
      "The paper's video has 2 000 kbit/s on paths of 500 to 2 500: a quarter to five quarters " +
        'of it. Sound has 8 % of that rate at most, and these paths 8 % of theirs.',
      "The application's rate: what the server hands to QUIC for the listener in a second, with " +
        "QUIC's headers. The controller's: congestion window × 8 ÷ smoothed round trip. No more " +
        `than the lower of the two can be sent. Both are looked at every ${LOOK_MS} ms.`,
      `Who decides: the application, if its rate is the lower one in ${DECIDES.application} % of ` +
        `the time or more; the controller, if it is in ${DECIDES.controller} % or less; else ` +
        'both by turns. Where an end of the interval says otherwise than the mean, both are ' +
        'named. Static keeps its rate whatever the path does: nobody decides what the controller ' +
        'lets pass.',
      `After falls: the same in the ${FALL_MS / 1000} s after each fall of the capacity. Above: ` +
        'share of the time in which the lower of the two rates is more than the path carries. ' +
        'Window full: no other packet may be sent until one is acknowledged, as also happens ' +
        "where packets wait from earlier, which rates alone don't show.",
      'Wait: of packets at their arrival, beyond the quickest of the block: in the queue of the ' +
        'link, in that of QUIC, and for what is sent again. Round trip: by how much the smoothed ' +
        'one is longer than its least.',
      'Changes: of the bit rate of the sound that came; cuts: of the congestion window. Held: ' +
        'packets that were never sent, since none might be.',
      "R by the E-model, wideband, up to 129: an estimate from the time between a frame's first " +
        'sample and its playing, 10 ms of a sound card, frames never heard, and an impairment by ' +
        "bit rate, from ViSQOL's marks of the same speech at each rate. BurstR is that of the " +
        "losses: elsewhere in the lab it is 1, so this R isn't to be set beside others.",
      VISQOL_SOURCE,
    ],
  }),
};

/** @param {Condition} condition */
const placeOf = ({ sweep, at }) => [sweep, at].filter(Boolean).join(' ');

/** @param {Case} one */
const wordsOf = ({ rule, controller, carry }) => `${rule} ${controller} ${carry}`;

const measuredKey = (/** @type {any} */ { factors, repetition }) =>
  keyOf({ ...factors, repetition });

/**
 * Keys of the blocks of an earlier run, for the run's time. Whether it can be gone on with,
 * takeOver() says.
 * @param {string | undefined} path
 * @returns {Set<string>} none where it can't be read
 */
export function doneIn(path) {
  if (path === undefined) return new Set();
  const { measured } = QUANTITIES;
  try {
    const text = readFileSync(join(path, `samples-${measured.name}.csv`), 'utf8');
    return new Set(parseCsv(text, measured).map(measuredKey));
  } catch {
    return new Set();
  }
}

/**
 * Takes over the blocks of an earlier run.
 * @param {{ folder: Pick<Lab['folder'], 'run' | 'warn' | 'record'> }} lab
 * @param {any} options
 * @returns {Promise<Set<string>>} their keys
 */
export async function takeOver(lab, options) {
  const earlier = await readRun(options.continue);
  const lack = lackOf(earlier, options);
  if (lack !== null)
    throw new Error(`--continue: ${options.continue} can't be gone on with: ${lack}`);
  const other = otherState(earlier.run.environment.git, lab.folder.run.environment.git);
  if (other) lab.folder.warn(`Some of the figures are of another state of aloud: ${other}.`);
  for (const warning of runWarnings(earlier.run)) lab.folder.warn(warningOfEarlier(warning));
  const samples = (/** @type {string} */ name) => earlier.samples.get(name) ?? [];
  // The quantity that is recorded last.
  const done = new Set(samples(QUANTITIES.measured.name).map(measuredKey));
  for (const { name } of Object.values(QUANTITIES))
    for (const sample of samples(name))
      if (done.has(measuredKey(sample))) lab.folder.record(name, sample);
  return done;
}

/** Leaves out, by name, what this machine lacks. @param {Lab} lab @param {Case[]} cases */
function availableCases(lab, cases) {
  const lacks = new Map(cases.map((one) => [one, lackOfCase(one)]));
  for (const [{ controller }, lack] of lacks)
    if (lack !== null) lab.folder.warn(`${controller} is left out: ${lack}`);
  const available = cases.filter((one) => lacks.get(one) === null);
  if (available.length === 0) throw new Error('no controller that was asked for is built');
  return available;
}

/** @param {Lab} lab @param {number} count of listeners @returns {Promise<Ends>} */
async function makeEnds(lab, count) {
  const branches = [];
  for (let i = 0; i < count; i++)
    branches.push(await lab.link.branch({ profile: 'clear', parameters: { delayMs: 1 } }));
  const places = branches.map((branch) => ({
    branch,
    listener: new Child(CLIENT, branch.client.exec),
  }));
  return { places, speaker: new Child(CLIENT, lab.link.server.exec) };
}

/** Starts the closed processes again. @param {Lab} lab @param {Ends} ends */
function startEnds(lab, ends) {
  ends.speaker = new Child(CLIENT, lab.link.server.exec);
  for (const place of ends.places) place.listener = new Child(CLIENT, place.branch.client.exec);
}

/** @param {Ends} ends */
async function closeEnds({ speaker, places }) {
  await speaker.close();
  for (const { listener } of places) await listener.close();
}

/**
 * Measures some cases at once in one condition.
 * @param {Lab} lab
 * @param {{ ends: Ends, impairments: ReadonlyMap<number, number> }} means
 * @param {readonly Case[]} cases
 * @param {{ condition: Condition, repetition: number }} block
 */
async function measureBlock(lab, { ends: { places, speaker }, impairments }, cases, block) {
  const { condition } = block;
  const { stepSeconds } = /** @type {any} */ (lab.options);
  /** @type {Running[]} */
  const running = [];
  try {
    for (const [i, one] of cases.entries()) {
      const started = await startCase(lab, one, { place: places[i], id: `speaker-${i}` });
      running.push(started);
      await speakIn(lab, speaker, started);
    }
    // Over a long delay they take seconds, so all join at once.
    await Promise.all(running.map((one) => listenTo(lab, one, block)));
    await shape(running, condition.steps[0]);
    await lab.wait(settleSeconds(/** @type {any} */ (lab.options)));
    for (const { server, place } of running) {
      await server.call('begin', { lookMs: LOOK_MS });
      await place.listener.call('noteWires');
    }
    const levels = [];
    for (const step of condition.steps) {
      await shape(running, step);
      const fromMs = sharedMs(performance.now());
      await lab.wait(stepSeconds);
      levels.push({ ...step, fromMs, toMs: sharedMs(performance.now()) });
    }
    await lab.wait(AFTER_SECONDS);
    for (const one of running) {
      const notes = await one.server.call('collect');
      const { people, cpuPercent } = await one.place.listener.call('takeWires');
      lab.tellGenerator([], cpuPercent);
      const { frameMs } = await one.server.call('format');
      const figures = blockFigures({
        looks: notes.looks,
        levels,
        received: people[0].received,
        played: people[0].played,
        sounding: soundingMixes(notes.states),
        originMs: notes.originMs,
        frameMs,
        impairments,
      });
      if (figures.said >= LEAST_SAID) record(lab, one, block, figures);
      else
        lab.folder.warn(
          `${wordsOf(one)}, ${placeOf(condition)}, is left out: only ` +
            `${figures.said.toFixed(0)} % of the frames had the speaker's sound in the mix, ` +
            'since the machine was too busy. --continue measures it again.',
        );
    }
  } finally {
    for (const { server, place, id } of running) {
      await place.listener.call('stopListening', { id: 'listener' }).catch(() => {});
      await speaker.call('leave', { id }).catch(() => {});
      await server.close();
    }
  }
}

/**
 * Starts a case's server.
 * @param {Lab} lab
 * @param {Case} one
 * @param {Pick<Running, 'place' | 'id'>} at
 * @returns {Promise<Running>}
 */
async function startCase(lab, one, at) {
  lab.signal.throwIfAborted();
  const { format, complexity, server: more } = lab.options;
  const server = new Child(SERVER, lab.link.server.exec);
  const argv = [
    ...FORMATS[format].argv,
    ...['--complexity', complexity, '--delivery', 'tick', '--broadcast', '--watch-paths'],
    ...['--listener-rule', one.rule, '--congestion-controller', one.controller],
    ...['--carry', one.carry, '--listener-bitrate', String(MOST_BPS), '--no-silence-suppression'],
    ...more,
  ];
  try {
    const { port } = await server.call('start', { argv, observe: 'mixes' });
    return { ...one, ...at, server, port };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/**
 * Lets the speaker join. Its packets are no part of the comparison.
 * @param {Lab} lab
 * @param {Child} speaker
 * @param {Running} one
 */
async function speakIn(lab, speaker, { id, port }) {
  await speaker.call('open', { origin: `http://${lab.link.server.address}:${port}` });
  await speaker.call('join', { id, transport: 'websocket', room: 'hall', speaks: true });
}

/**
 * Lets the listener join, over a wide link without loss.
 * @param {Lab} lab
 * @param {Running} one
 * @param {{ condition: Condition, repetition: number }} block
 */
async function listenTo(lab, { place, port }, { condition, repetition }) {
  const { branch, listener } = place;
  const { delayMs, steps } = condition;
  await branch.restore();
  await branch.seedAnew(seedOfRepetition(lab.options.seed, repetition));
  const rateBits = steps.reduce((most, step) => Math.max(most, step.rateBits), 0);
  await branch.set({ delayMs, down: { rateBits, queueMs: QUEUE_MS } });
  await listener.call('open', { origin: `http://${branch.server.address}:${port}` });
  await listener.call('listen', {
    id: 'listener',
    transport: 'webtransport',
    room: 'hall',
    speaks: false,
    recordSeconds: 0,
    nearness: 'conversation',
  });
}

/** @param {readonly Running[]} running @param {Step} step of all their links at once */
async function shape(running, { rateBits, lossPercent }) {
  await Promise.all(
    running.map(({ place: { branch } }) => branch.set({ lossPercent, down: { rateBits } })),
  );
}

/**
 * @param {Lab} lab
 * @param {Case} one
 * @param {{ condition: Condition, repetition: number }} block
 * @param {BlockFigures} figures
 */
function record(lab, { rule, controller, carry }, { condition, repetition }, figures) {
  const { sweep, at } = condition;
  const atMs = lab.folder.elapsedMs;
  const add = ({ name = '' }, /** @type {number} */ value, level = '') => {
    if (Number.isNaN(value)) return;
    const factors = { rule, controller, carry, sweep, at, level };
    const sample = { protocol: 'webtransport', repetition, client: '', atMs, value, factors };
    lab.folder.record(name, sample);
  };
  for (const { label, ...its } of figures.levels)
    for (const name of /** @type {const} */ ([
      'soundKbits',
      'quicKbits',
      'quicLoss',
      'never',
      'rating',
    ]))
      add(QUANTITIES[name], its[name], label);
  const { levels: _, said: __, ...whole } = figures;
  for (const [name, value] of Object.entries(whole)) add(QUANTITIES[name], value);
  add(QUANTITIES.measured, 1);
}

const SAMPLE_RATE = 48_000;

/**
 * Impairment of a voice by its bit rate, on the scale of the E-model: ViSQOL marks the lab's speech
 * at each rate, without a network. Some seconds of work.
 * @param {number} [seconds] of the speech, from its beginning
 * @returns {Promise<Map<number, number>>} Ie, the impairment without loss, by bit rate in kb/s
 */
async function rateImpairments(seconds = Infinity) {
  const codec = await loadCodec();
  const speech = (await readSpeech(SAMPLE_RATE)).subarray(0, seconds * SAMPLE_RATE);
  return new Map(
    RATES.map((bitrate) => {
      const sound = decodedSound(codec, packetsOf(codec, speech, { bitrate }));
      const { mos } = visqol(speech, sound, { sampleRate: SAMPLE_RATE });
      return [bitrate / 1000, visqolImpairment(mos)];
    }),
  );
}
