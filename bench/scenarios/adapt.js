/**
 * The bit rate of a broadcast's listener whose path becomes narrow, and wide again, by the server's
 * rule and the listener's nearness. Each runs on its own on the same path. Low-Latency HLS, the
 * usual alternative, runs beside them.
 * @import { Add, Case } from './adapt-figures.js'
 * @import { Link } from '../link/link.js'
 * @import { Lab } from './lab.js'
 * @import { CongestionController } from '../plugin/controllers.js'
 * @import { Scenario } from './scenario.js'
 */

import { InvalidArgumentError, Option } from 'commander';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { MOST_OF_A_CHANNEL } from '../../server/room/sound/streams.js';
import { HlsPlayer, missingForHls } from '../hls/player.js';
import { choicesOption, listOf, wholeNumber } from '../options.js';
import { CLIENT } from '../participants/whole-server.js';
import { Child, sharedMs } from '../../testkit/participants/child.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { soundingMixes } from '../stats/call-figures.js';
import { VISQOL_SOURCE } from '../stats/visqol.js';
import {
  addFrames,
  addLooks,
  addMarks,
  FOLLOW_SECONDS,
  LL_HLS,
  PRODUCTS_CONTROLLER,
  quantities,
  tableOf,
  targetsOf,
} from './adapt-figures.js';
import { ALL_CONTROLLERS, missingBuild } from '../plugin/controllers.js';
import { blocksInTurn } from './against.js';
import { randomFor } from './scenario.js';
import { targetsTable } from './targets.js';

const RULES = Object.freeze(['probe', 'simple', 'static', 'basic']);
const PLAYERS = Object.freeze(['aloud', 'll-hls']);

const HLS_SERVER = new URL('../hls/server-process.js', import.meta.url);

/**
 * The date that the first of the sound has in playlists of HLS, in milliseconds since 1970: any
 * whole second does.
 */
const DATE_MS = Date.UTC(2000, 0);

/**
 * The base delay of the way, and the longest wait for its rate, in milliseconds: an access link's.
 */
const DELAY_MS = 20;
const QUEUE_MS = 300;

/** Time in which a listener comes to the way's rate before the block, in seconds. */
const SETTLE_SECONDS = 12;

/** Time of a recording beyond the measurement, in seconds. */
const SPARE_SECONDS = 20;

const SAMPLE_RATE = 48_000;

/** @param {string} text  '200x20,40x20,200x25': kilobits a second times seconds */
function trajectoryOf(text) {
  const parts = text.split(',').map((part) => /^(\d{1,5})x(\d{1,3})$/.exec(part.trim()));
  if (parts.length !== 3 || parts.some((part) => part === null))
    throw new InvalidArgumentError(
      "'200x20,40x20,200x25' has the form: a wide way, a narrow one, a wide one, in kb/s " +
        'for so many seconds',
    );
  return parts.map((part) => ({ bps: 1000 * Number(part?.[1]), seconds: Number(part?.[2]) }));
}

/**
 * Rules and congestion controllers for comparison only are measured in the first choice only.
 * @param {{ rules: string[], choices: string[], players: string[], controllers: string[] }} options
 * @returns {Case[]}
 */
export function casesOf({ rules, choices, players, controllers }) {
  const own = rules.flatMap((rule) =>
    controllers.flatMap((controller) =>
      choices
        .filter((_, i) => i === 0 || (rule === 'probe' && controller === PRODUCTS_CONTROLLER))
        .map((choice) => ({ rule, choice, controller })),
    ),
  );
  return [
    ...(players.includes('aloud') ? own : []),
    ...(players.includes('ll-hls') ? [LL_HLS] : []),
  ];
}

/**
 * The cases that this machine can measure, and what it lacks for others.
 * @param {Parameters<typeof casesOf>[0]} options
 * @returns {{ cases: Case[], lacks: string[] }}
 */
export function availableCases(options) {
  const missingHls = options.players.includes('ll-hls') ? missingForHls() : null;
  const builds = options.controllers.map((controller) => ({
    controller,
    lack: missingBuild(/** @type {CongestionController} */ (controller)),
  }));
  const left = builds.flatMap(({ controller, lack }) => (lack === null ? [] : [controller]));
  return {
    cases: casesOf(options).filter((which) =>
      which === LL_HLS ? missingHls === null : !left.includes(which.controller),
    ),
    lacks: [
      ...(missingHls === null ? [] : [`LL-HLS is left out: ${missingHls}.`]),
      ...builds.flatMap(({ controller, lack }) =>
        lack === null ? [] : [`${controller} is left out: ${lack}`],
      ),
    ],
  };
}

/** @type {Scenario} */
export const adapt = {
  name: 'adapt',
  title: 'A rate for each way',
  description:
    "the bit rate of a broadcast's listener whose way becomes narrow and wide again, by " +
    "rule and nearness, and Low-Latency HLS's",
  quantities: Object.values(quantities),
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  defaults: {
    duration: 65,
    repetitions: 1,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  addOptions: (command) => {
    command
      .option(
        '--players <list>',
        'll-hls: hls.js in Chromium, of what ffmpeg encodes; separated by commas',
        listOf(PLAYERS),
        [...PLAYERS],
      )
      .option(
        '--rules <list>',
        'separated by commas; others than probe in the first choice alone',
        listOf(RULES),
        [...RULES],
      )
      .addOption(choicesOption())
      .option(
        '--controllers <list>',
        "QUIC's congestion controllers at the server, by rule, separated by commas; others than " +
          `${PRODUCTS_CONTROLLER} in the first choice alone`,
        listOf([...ALL_CONTROLLERS]),
        [PRODUCTS_CONTROLLER],
      )
      .option(
        '--trajectory <list>',
        'a wide way, a narrow one and a wide one, as kb/s for so many seconds',
        trajectoryOf,
        trajectoryOf('200x20,40x20,200x25'),
      )
      .option(
        '--queue-ms <ms>',
        'the longest that a packet waits for the rate',
        wholeNumber(20, 5000),
        QUEUE_MS,
      )
      .addOption(
        new Option('--most <b/s>', 'the highest bit rate, that of the server unless told otherwise')
          .choices(RATES.map(String))
          .default(String(MOST_OF_A_CHANNEL)),
      )
      .option(
        '--marks',
        'marks of what was heard by ViSQOL: some 10 s of work for each case',
        false,
      );
  },

  async measure(lab) {
    const { repetitions } = lab.options;
    const { cases, lacks } = availableCases(/** @type {any} */ (lab.options));
    for (const lack of lacks) lab.folder.warn(lack);
    if (cases.length === 0)
      throw new Error(`nothing that was asked for can be measured here. ${lacks.join(' ')}`);
    const blocks = blocksInTurn(cases, repetitions);
    for (const [i, { name: which, repetition }] of blocks.entries()) {
      lab.progress(`${which.rule}, ${which.choice}, ${which.controller}`, i / blocks.length);
      await (which === LL_HLS ? followHls : follow)(lab, which, repetition);
    }
  },

  result(folder, options) {
    const { trajectory, queueMs, most } = options;
    const cases = casesOf(options);
    const targets = targetsOf(folder, cases);
    const words = trajectory
      .map(
        (/** @type {{ bps: number, seconds: number }} */ { bps, seconds }) =>
          `${bps / 1000} kb/s for ${seconds} s`,
      )
      .join(', ');
    return {
      title: adapt.title,
      summary:
        `One person speaks at the end of the server; one listener, whose way has ${DELAY_MS} ` +
        `ms and carries ${words}. A packet that would wait for more than ${queueMs} ms is ` +
        `dropped. At most ${most / 1000} kb/s.`,
      headlines: [],
      tables: [
        // Targets are of the product's controller alone.
        ...(targets.length > 0 ? [targetsTable(targets)] : []),
        tableOf(folder, cases, randomFor(options)),
      ],
      plots: [],
      notes: [
        'Gap: the time between the decoding of two frames with sound for the output, one ' +
          "after the other, less a frame and the speaker's pause between them. What a " +
          'decoder makes up counts as a gap.',
        `As the way becomes narrow: gaps that begin within ${FOLLOW_SECONDS} s after it.`,
        'Back: from the moment when the way is wide again to the first packet of the rate ' +
          'that the listener had before it became narrow.',
        'Behind the speaker: from the first sample of a frame at the microphone to its ' +
          'decoding for the output.',
        'LL-HLS: the same speech, said at the same pace, encoded by ffmpeg (libopus, 20 ms, ' +
          'fragmented MP4) at the same bit rates, in parts of 0.4 s, 5 to a segment, with ' +
          'blocking reload of playlists, over HTTP/2; hls.js in Chromium, lowLatencyMode, ' +
          'otherwise as it is. What it plays is looked at every 10 ms: a gap is the time in ' +
          'which it stands still, what it jumps over was never heard, and the rate is the ' +
          "fragment's that is played. Its delay is without the sound card, as the others' is.",
        'ViSQOL (--marks): each whole utterance of 6.9 s that was heard, beside the speech, ' +
          'and 1.5 s before and after it, since delays move; the mean of all. It is an ' +
          'estimate, and nobody was asked. A stretch of it that is silence, or is left out, ' +
          'lowers it; that it came later does not.',
        VISQOL_SOURCE,
      ],
    };
  },
};

/**
 * @param {Lab} lab
 * @param {string} protocol
 * @param {Case} factors
 * @param {number} repetition
 * @returns {Add}
 */
function recorder(lab, protocol, factors, repetition) {
  const startMs = lab.folder.elapsedMs;
  return ({ name }, value) =>
    lab.folder.record(name, {
      protocol,
      repetition,
      client: 'listener',
      atMs: startMs,
      value,
      factors: { ...factors },
    });
}

/** @param {Lab} lab */
const branchOf = (lab) => {
  const {
    trajectory: [wide],
    queueMs,
  } = /** @type {any} */ (lab.options);
  return lab.link.branch({
    profile: 'clear',
    parameters: { delayMs: DELAY_MS, down: { rateBits: wide.bps, queueMs } },
  });
};

/** @param {Lab} lab */
function recordSeconds(lab) {
  const { trajectory, marks } = /** @type {any} */ (lab.options);
  return marks
    ? trajectory.reduce(
        (/** @type {number} */ sum, /** @type {{ seconds: number }} */ { seconds }) =>
          sum + seconds,
        SETTLE_SECONDS + SPARE_SECONDS,
      )
    : 0;
}

/** Runs the path through its steps. @param {Lab} lab @param {Link} branch */
async function change(lab, branch) {
  const {
    trajectory: [wide, narrow, again],
  } = /** @type {any} */ (lab.options);
  const fromMs = sharedMs(performance.now());
  await lab.wait(wide.seconds);
  const narrowMs = sharedMs(performance.now());
  await branch.set({ down: { rateBits: narrow.bps } });
  await lab.wait(narrow.seconds);
  const againMs = sharedMs(performance.now());
  await branch.set({ down: { rateBits: again.bps } });
  await lab.wait(again.seconds);
  return { fromMs, narrowMs, againMs, toMs: sharedMs(performance.now()) };
}

/** @param {Lab} lab @param {Case} which @param {number} repetition */
async function follow(lab, which, repetition) {
  const { most } = /** @type {any} */ (lab.options);
  const argv = [
    '--delivery',
    'tick',
    '--broadcast',
    '--listener-rule',
    which.rule,
    '--congestion-controller',
    which.controller,
    '--listener-bitrate',
    most,
    '--no-silence-suppression',
  ];
  const { origin } = await lab.serve(argv, 'mixes');
  const branch = await branchOf(lab);
  const speaker = new Child(CLIENT, lab.link.server.exec);
  const listener = new Child(CLIENT, branch.client.exec);
  try {
    await speaker.call('open', { origin });
    const common = { transport: 'webtransport', room: 'hall' };
    await speaker.call('listen', {
      ...common,
      id: 'speaker',
      speaks: true,
      recordSeconds: 0,
      periodMs: 2.5,
    });
    await listener.call('open', { origin: lab.originAt(branch) });
    await listener.call('listen', {
      ...common,
      id: 'listener',
      speaks: false,
      nearness: which.choice,
      recordSeconds: recordSeconds(lab),
    });
    await lab.wait(SETTLE_SECONDS);
    await lab.server.call('begin');
    await listener.call('noteWires');
    const add = recorder(lab, 'webtransport', which, repetition);
    const times = await change(lab, branch);
    const {
      people: [notes],
      cpuPercent,
    } = await listener.call('takeWires');
    const { originMs, states } = await lab.server.call('collect');
    const sounding = soundingMixes(states);
    const { frameMs } = await lab.format();
    lab.tellGenerator([], cpuPercent);
    addFrames(add, notes, { sounding, originMs, frameMs, ...times });
    if (/** @type {any} */ (lab.options).marks)
      addMarks(
        add,
        await listener.call('recording', { id: 'listener' }),
        await readSpeech(SAMPLE_RATE),
        times,
      );
  } finally {
    await speaker.close();
    await listener.close();
  }
}

/** @param {Lab} lab @param {Case} which @param {number} repetition */
async function followHls(lab, which, repetition) {
  const branch = await branchOf(lab);
  const server = new Child(HLS_SERVER, lab.link.server.exec);
  let player;
  try {
    const { port, startMs: originMs } = await server.call('start', {
      dateMs: DATE_MS,
      mostBps: Number(/** @type {any} */ (lab.options).most),
    });
    player = await HlsPlayer.start({ client: branch.client, server: branch.server, port });
    await player.play({ dateMs: DATE_MS, recordSeconds: recordSeconds(lab) });
    await lab.wait(SETTLE_SECONDS);
    await player.begin();
    const add = recorder(lab, 'http2', which, repetition);
    const times = await change(lab, branch);
    const { looks, errors, recording, cpuPercent } = await player.take();
    const { failure } = await server.call('state');
    if (failure !== '') throw new Error(failure);
    if (errors.fatal) lab.folder.warn(`hls.js gave up: ${JSON.stringify(errors)}`);
    lab.tellGenerator([], cpuPercent);
    addLooks(add, looks, { originMs, ...times });
    if (/** @type {any} */ (lab.options).marks)
      addMarks(add, recording, await readSpeech(SAMPLE_RATE), times);
  } finally {
    await player?.close();
    await server.close();
  }
}
