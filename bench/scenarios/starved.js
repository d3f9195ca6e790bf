/**
 * A call on a machine with too little time: the sound and its delay, and the effect of one page
 * without time on the others.
 * @import { Quantity } from '../report/result.js'
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 */

import { valuesByRepetition } from '../report/result.js';
import { bootstrap, difference } from '../stats/bootstrap.js';
import { lagsBetween, PIECE_SECONDS, presentPercent } from '../../testkit/sound/sound-lag.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { wholeNumber } from '../options.js';
import { meanEstimate } from '../report/quantity-views.js';
import { blocksInTurn } from './against.js';
import { descendants, Quota, SharedCore } from '../participants/processor-time.js';
import { randomFor, worldNotes } from './scenario.js';
import { intervalWords, targetsTable } from './targets.js';

/**
 * The share of a core that a page without time gets, and of the processors that a machine has whose
 * host takes half.
 */
const PAGE_CORES = 0.1;
const MACHINE_CORES = 1;

/**
 * Without time the own loop may be later than the call: the shortest lag that is looked for, in
 * milliseconds.
 */
const LEAST_LAG_MS = -500;

/**
 * Targets: the share of the speech that is heard, how much later it may be, and how much others'
 * delay may rise.
 */
const PRESENT_PERCENT = 99;
const ADDED_MS = 150;
const MORE_MS = 5;

/**
 * @typedef {object} Case
 * @property {string} about
 * @property {boolean} [isThird]  a third page speaks too
 * @property {(pids: number[]) => Promise<() => unknown>} [take] takes time from all processes of a
 *   call, or from the third page's alone where there is one; gives what gives it back
 */

/** @type {Record<string, Case>} */
const CASES = Object.freeze({
  free: { about: 'two pages, and two cores for them' },
  'shared core': {
    about: 'all of it on one core, beside a busy loop',
    take: (pids) => hold(new SharedCore(), pids),
  },
  'half stolen': {
    about: `all of it gets ${MACHINE_CORES} of two cores, by a quota`,
    take: (pids) => hold(new Quota(MACHINE_CORES, { hasRealTime: true }), pids),
  },
  three: { about: 'three pages, and two cores for them', isThird: true },
  'one starved': {
    about: `the third page gets ${PAGE_CORES} of a core, by a quota`,
    isThird: true,
    take: (pids) => hold(new Quota(PAGE_CORES, { hasRealTime: true }), pids),
  },
});

/** @param {Quota | SharedCore} scarcity @param {number[]} pids */
async function hold(scarcity, pids) {
  try {
    await scarcity.add(pids);
  } catch (error) {
    await scarcity.close();
    throw error;
  }
  return () => scarcity.close();
}

const factors = [{ name: 'machine', label: 'Machine', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  added: {
    name: 'added',
    label: "Mouth to ear, beyond the browser's own loop",
    unit: 'ms',
    factors,
  },
  present: { name: 'present', label: 'Speech present', unit: '%', factors },
  delay: { name: 'serverDelay', label: 'Server-side delay', unit: 'ms', factors },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
  late: {
    name: 'late',
    label: "Lateness of the page's timers, in all of its time",
    unit: '%',
    factors,
  },
  short: {
    name: 'short',
    label: 'The page says that the computer has too little time',
    unit: '%',
    factors,
  },
};

/** @type {Scenario} */
export const starved = {
  name: 'starved',
  title: 'A call on a machine without time',
  description:
    'what is heard in Chromium, and how much later, on a machine that has too little ' +
    'processor time',
  quantities: Object.values(quantities),
  lacks: ['transports', 'warmUp'],
  defaults: {
    duration: 60,
    repetitions: 3,
    format: 'call',
    transports: ['webtransport'],
    browser: true,
    complexity: 'auto',
  },
  addOptions: (command) => {
    command
      .option(
        '--machines <names>',
        `of ${Object.keys(CASES).join(', ')}, separated by commas`,
        (text) => text.split(',').map((name) => name.trim()),
        Object.keys(CASES),
      )
      .option('--settle <seconds>', 'after joining, before it is measured', wholeNumber(0, 600), 5);
  },

  async measure(lab) {
    const { machines, repetitions } = /** @type {any} */ (lab.options);
    const unknown = machines.find((/** @type {string} */ name) => !(name in CASES));
    if (unknown !== undefined)
      throw new Error(`--machines must be of ${Object.keys(CASES).join(', ')}; it is ${unknown}.`);
    const blocks = blocksInTurn(/** @type {string[]} */ (machines), repetitions);
    for (const [i, { name, repetition }] of blocks.entries()) {
      lab.progress(`${name}, ${repetition + 1} of ${repetitions}`, i / blocks.length);
      await hear(lab, name, repetition);
    }
  },

  result(folder, options) {
    const machines = Object.keys(CASES).filter((name) => options.machines.includes(name));
    const random = randomFor(options);
    return {
      title: starved.title,
      summary:
        `Two people are in a call in Chromium; what one's microphone says comes out of the ` +
        `other's page. Measured from ${options.settle} s after joining on.`,
      headlines: [],
      tables: [
        targetsTable(targetsOf(folder, machines, random)),
        {
          name: 'machines',
          title: 'With more time and less',
          caption: 'Means; the 95th percentile where it says so.',
          columns: [
            { label: 'Machine' },
            { label: 'What has time' },
            { label: 'Beyond the own loop', unit: 'ms', digits: 0 },
            { label: '95 %', unit: 'ms', digits: 0 },
            { label: 'Present', unit: '%', digits: 2 },
            { label: 'D', unit: 'ms', digits: 0 },
            { label: 'D, 95 %', unit: 'ms', digits: 0 },
            { label: 'Playout', unit: 'ms', digits: 0 },
            { label: 'Timers late', unit: '%', digits: 1 },
            { label: 'Says so', unit: '%', digits: 0 },
          ],
          rows: machines.map((name) => {
            const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, quantity, name);
            return [
              name,
              CASES[name].about,
              known(mean(of(quantities.added))),
              known(quantile(sorted(of(quantities.added)), 0.95)),
              meanEstimate(
                folder.samples(quantities.present.name),
                ({ factors: its }) => its?.machine === name,
                random,
              ),
              known(mean(of(quantities.delay))),
              known(quantile(sorted(of(quantities.delay)), 0.95)),
              known(mean(of(quantities.playout))),
              known(mean(of(quantities.late))),
              known(mean(of(quantities.short))),
            ];
          }),
        },
      ],
      plots: [],
      notes: [
        "The browser's own loop is that of `mouth-to-ear`: the same microphone's stream, " +
          'played by the same page without aloud, on the same machine.',
        'Present: of the pieces of 0.1 s that the own loop played, those that are found in ' +
          'what the other page played. What the own loop itself lost is not asked for.',
        'D and the playout delay are read each second.',
        "Timers late: by how much the timers of a page's worker are late, as a share of the " +
          'time; of the third page where there are three. Says so: the share of the seconds ' +
          'in which that page tells its reader that the computer has too little time.',
        ...worldNotes(options),
      ],
    };
  },
};

/** @param {Lab} lab @param {string} machine @param {number} repetition */
async function hear(lab, machine, repetition) {
  await lab.startServer(['--delivery', 'tick']);
  /** @type {string[]} */
  const people = [];
  /** @type {(() => unknown)[]} */
  const giveBack = [];
  try {
    const joinedMs = await join(lab, machine, people, giveBack);
    await measure(lab, machine, repetition, joinedMs);
  } finally {
    for (const give of giveBack) await give();
    for (const id of people) await lab.clients.call('stopListening', { id }).catch(() => {});
  }
}

/**
 * @param {Lab} lab @param {string} machine
 * @param {string[]} people  members; added to
 * @param {(() => unknown)[]} giveBack  restores the time taken; added to
 * @returns {Promise<number>} time at which all had joined
 */
async function join(lab, machine, people, giveBack) {
  const { isThird, take = async () => () => {} } = CASES[machine];
  const recordSeconds = /** @type {any} */ (lab.options).settle + lab.blockSeconds + 30;
  const listen = (/** @type {string} */ id, options = {}) => {
    people.push(id);
    return lab.clients.call('listen', {
      id,
      transport: 'webtransport',
      room: 'talk',
      speaks: false,
      recordSeconds,
      ...options,
    });
  };
  const { browser } = await lab.clients.call('processes');
  if (!isThird)
    giveBack.push(await take([...descendants(lab.server.pid), ...descendants(browser)]));
  await listen('mouth', { device: true, loops: isThird ? 0 : 1 });
  if (isThird) {
    const before = await lab.clients.call('processes');
    await listen('third', { speaks: true, recordSeconds: 1 });
    const { renderers } = await lab.clients.call('processes');
    giveBack.push(
      await take(renderers.filter((/** @type {number} */ pid) => !before.renderers.includes(pid))),
    );
  }
  const { joinedMs } = await listen('ear');
  return joinedMs;
}

/** @param {Lab} lab @param {string} machine @param {number} repetition @param {number} joinedMs */
async function measure(lab, machine, repetition, joinedMs) {
  const { settle } = /** @type {any} */ (lab.options);
  await lab.wait(settle);
  const atMs = lab.folder.elapsedMs;
  const add = (/** @type {Quantity} */ { name }, /** @type {number} */ value) =>
    lab.folder.record(name, {
      protocol: 'webtransport',
      repetition,
      client: 'ear',
      atMs,
      value,
      factors: { machine },
    });
  for (let second = 0; second < lab.blockSeconds; second++) {
    await lab.wait(1);
    // The page that time is taken from; where it is taken from all, the one that hears.
    const starvedOne = CASES[machine].isThird ? 'third' : 'ear';
    const [stats, its, room] = await Promise.all([
      ...['ear', starvedOne].map((id) => lab.clients.call('statsOf', { id })),
      lab.server.call('room', { room: 'talk' }),
    ]);
    add(quantities.late, 100 * (its?.detail.client.lateShare ?? NaN));
    add(quantities.short, its ? 100 * its.detail.client.isShortOfTime : NaN);
    add(quantities.delay, room.serverDelayMs);
    add(quantities.playout, stats?.detail.playout.delayMs ?? NaN);
  }
  const ear = await lab.clients.call('recording', { id: 'ear' });
  const {
    loops: [loop],
  } = await lab.clients.call('recording', { id: 'mouth' });
  const fromMs = joinedMs + 1000 * settle;
  // A voice hides another that speaks at once: neither its lag nor what is missing of it is to be
  // found.
  if (CASES[machine].isThird) return;
  const lags = lagsBetween(ear, loop, { fromMs, leastMs: LEAST_LAG_MS }).map(({ lagMs }) => lagMs);
  for (const lagMs of lags) add(quantities.added, lagMs);
  if (lags.length < lab.blockSeconds / PIECE_SECONDS / 2) {
    lab.folder.warn(
      `${machine}, repetition ${repetition + 1}: a lag was found in ${lags.length} pieces ` +
        `of ${PIECE_SECONDS} s, which is less than half of them.`,
    );
  }
  const toMs = ear.startMs + (1000 * ear.samples.length) / ear.sampleRate - 1000;
  add(
    quantities.present,
    lags.length === 0
      ? 0
      : presentPercent(ear, loop, { fromMs, toMs, lagMs: quantile(sorted(lags), 0.5) }),
  );
}

/**
 * @param {Samples} folder
 * @param {string[]} machines
 * @param {() => number} random
 * @returns {Target[]}
 */
function targetsOf(folder, machines, random) {
  const repetitions = (/** @type {Quantity} */ { name }, /** @type {string} */ machine) =>
    valuesByRepetition(folder.samples(name), ({ factors: its }) => its?.machine === machine);
  const means = (/** @type {Float64Array} */ ascending) => [mean(ascending)];
  const targets = machines
    .filter((name) => CASES[name].take && !CASES[name].isThird)
    .flatMap((name) => {
      const [present] = bootstrap(repetitions(quantities.present, name), means, { random });
      const [added] = bootstrap(repetitions(quantities.added, name), means, { random });
      return [
        {
          what: `Speech present, ${name}`,
          is: /** @type {const} */ ('≥'),
          limit: PRESENT_PERCENT,
          reached: present.estimate,
          unit: '%',
          digits: 2,
          why: intervalWords(present, '%', 2),
        },
        {
          what: `Mouth to ear beyond the browser's own loop, ${name}`,
          limit: ADDED_MS,
          reached: added.estimate,
          unit: 'ms',
          digits: 0,
          why: intervalWords(added, 'ms', 0),
        },
      ];
    });
  if (!['three', 'one starved'].every((name) => machines.includes(name))) return targets;
  const [without, starvedOne] = ['three', 'one starved'].map((name) =>
    repetitions(quantities.delay, name),
  );
  const [more] = difference(starvedOne, without, means, { random, paired: true });
  const why =
    `${intervalWords(more, 'ms', 1)}; mean D ${mean(without.flat()).toFixed(1)} ms without, ` +
    `${mean(starvedOne.flat()).toFixed(1)} ms with`;
  return [
    ...targets,
    {
      what: "More of the others' D for a page without time",
      limit: MORE_MS,
      reached: more.estimate,
      unit: 'ms',
      digits: 1,
      why,
    },
  ];
}

/** @param {Samples} folder @param {Quantity} quantity @param {string} machine */
const valuesOf = (folder, { name }, machine) =>
  folder
    .samples(name)
    .filter(({ factors: its }) => its?.machine === machine)
    .map(({ value }) => value)
    .filter((value) => value !== null && Number.isFinite(value));

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : null);
