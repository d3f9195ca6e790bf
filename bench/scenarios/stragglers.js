/**
 * The cost of one person to nine who are near. Measures their delay alone, with a tenth on a bad
 * path, and with the tenth on one clock. The last case is a near tenth who sends frames late, to
 * harm them.
 * @import { Quantity } from '../report/result.js'
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 */

import { FrameState } from '../../server/source/pcm-ring.js';
import { Child } from '../../testkit/participants/child.js';
import { NOW_AND_THEN } from '../../testkit/participants/participant.js';
import { CLIENT } from '../participants/whole-server.js';
import { valuesByRepetition } from '../report/result.js';
import { bootstrap, difference } from '../stats/bootstrap.js';
import { delaysOf, mixesOf } from '../stats/call-figures.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { wholeNumber } from '../options.js';
import { blocksInTurn } from './against.js';
import { randomFor } from './scenario.js';
import { intervalWords, targetsTable } from './targets.js';

/** Labels of the near people; and the straggler. */
const NEAR = Object.freeze(Array.from({ length: 9 }, (_, i) => `near-${i + 1}`));
const TENTH = 'tenth';

/** The bad way of the one. */
const FAR_LINK = 'bad-wifi';

/**
 * The tenth's microphone gives samples as an AudioWorklet does, 128 at a time, as near as a timer
 * comes to that.
 */
const PERIOD_MS = 2.5;

/**
 * Targets: how much longer others' delay may be for one person, in milliseconds, and what is
 * received of that one.
 */
const MORE_MS = 5;
const RECEIVED_PERCENT = 99;

/**
 * By name: whether there is a tenth, who is far or hostile, and options of the server.
 * @type {Record<string, { tenth: 'far' | 'hostile' | null, argv: string[] }>}
 */
const CASES = Object.freeze({
  nine: { tenth: null, argv: [] },
  ten: { tenth: 'far', argv: [] },
  'ten, one clock': { tenth: 'far', argv: ['--straggler-ms', '0'] },
  'ten, one hostile': { tenth: 'hostile', argv: [] },
});

const factors = [{ name: 'people', label: 'People', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  delay: { name: 'serverDelay', label: 'Server-side delay', unit: 'ms', factors },
  heard: {
    name: 'heard',
    label: "From a frame's end to its mix at one who is near",
    unit: 'ms',
    factors,
  },
  offset: { name: 'offset', label: 'Offset of the tenth', unit: 'ms', factors },
  received: { name: 'received', label: 'Received', unit: '%', factors },
};

/** @type {Scenario} */
export const stragglers = {
  name: 'stragglers',
  title: 'One on a bad way among nine who are near',
  description:
    'what one person on a bad way, or a hostile one, costs nine who are near: the delay, ' +
    'and what is received of each',
  quantities: Object.values(quantities),
  lacks: ['transports'],
  defaults: {
    duration: 30,
    repetitions: 3,
    format: 'call',
    transports: ['webtransport'],
    link: 'lan',
  },
  addOptions: (command) => {
    command.option(
      '--settle <seconds>',
      'in which the delay finds its place',
      wholeNumber(0, 600),
      25,
    );
  },

  async measure(lab) {
    const { settle, repetitions } = /** @type {any} */ (lab.options);
    if (!lab.link.isEmulated)
      throw new Error('stragglers needs a link: root, and npm run build:link -w bench');
    const branch = await lab.link.branch({ profile: FAR_LINK });
    // By turns, so that what disturbs one repetition disturbs all cases of it.
    const runs = blocksInTurn(Object.keys(CASES), repetitions);
    for (const [i, { name, repetition }] of runs.entries()) {
      lab.progress(name, i / runs.length);
      await measureCase(lab, branch, { name, repetition, settle });
    }
  },

  result(folder, options) {
    const medianOf = (/** @type {Quantity} */ quantity, /** @type {string} */ people) =>
      median(valuesOf(folder, quantity, people));
    return {
      title: stragglers.title,
      summary:
        'Ten people talk at once over WebTransport: nine on the link of the run, one, with a ' +
        `whole client, on ${FAR_LINK}; the server-side delay tunes itself. The hostile one ` +
        `is near, and sends one frame in ${NOW_AND_THEN.everyFrames} by ` +
        `${NOW_AND_THEN.lateMs} ms late.`,
      headlines: [],
      tables: [
        targetsTable(targetsOf(folder, randomFor(options))),
        {
          name: 'cases',
          title: 'With and without the tenth',
          caption: 'Medians; received: of the worst of the nine, and of the tenth.',
          columns: [
            { label: 'People' },
            { label: 'D', unit: 'ms', digits: 1 },
            { label: 'D, 95 %', unit: 'ms', digits: 1 },
            { label: "From a frame's end to its mix", unit: 'ms', digits: 1 },
            { label: 'Offset of the tenth', unit: 'ms', digits: 0 },
            { label: 'Received, nine', unit: '%', digits: 2 },
            { label: 'Received, tenth', unit: '%', digits: 2 },
          ],
          rows: Object.keys(CASES).map((people) => {
            const delays = sorted(valuesOf(folder, quantities.delay, people));
            const received = (/** @type {(client: string) => boolean} */ isOf) =>
              known(Math.min(...valuesOf(folder, quantities.received, people, isOf)));
            return [
              people,
              known(quantile(delays, 0.5)),
              known(quantile(delays, 0.95)),
              known(medianOf(quantities.heard, people)),
              known(medianOf(quantities.offset, people)),
              received((client) => client !== TENTH),
              received((client) => client === TENTH),
            ];
          }),
        },
      ],
      plots: [],
      notes: [
        'D, arrivals and frames are of one clock, which all processes share.',
        'Received: of the frames that were sent, those that were there, as sent, when the ' +
          'server mixed them, or when their sound got shorter to catch up. The tenth ' +
          'repeats frames where packets are lost; the link loses 2 %.',
        'Intervals of targets are of 95 % confidence, by the bootstrap over repetitions, in ' +
          'each of which all cases came by turns.',
        'One clock is `--straggler-ms 0`: everybody waits for the tenth.',
      ],
    };
  },
};

/**
 * @param {Lab} lab
 * @param {import('../link/link.js').Link} branch  the tenth's
 * @param {{ name: string, repetition: number, settle: number }} run
 */
async function measureCase(lab, branch, { name, repetition, settle }) {
  const { tenth, argv } = CASES[name];
  await lab.startServer(['--delivery', 'tick', ...argv], 'mixes');
  const person = { transport: /** @type {const} */ ('webtransport'), room: 'lab' };
  const people = NEAR.map((id, i) => ({
    ...person,
    id,
    phaseMs: (20 * i) / NEAR.length,
    startFrame: 100 * i,
  }));
  const hostile = tenth === 'hostile' ? [{ ...person, id: TENTH, late: NOW_AND_THEN }] : [];
  await lab.join([...people, ...hostile]);
  const far = tenth === 'far' ? await joinFar(lab, branch) : null;
  try {
    await lab.wait(settle);
    await far?.call('noteWires');
    const near = await lab.measure(lab.blockSeconds);
    const wires = await far?.call('takeWires');
    const { frameMs } = await lab.format();
    const talkers = near.people.map((/** @type {any} */ { id, notes, serverStats }) => ({
      id,
      ...notes,
      serverStats,
    }));
    record(lab, {
      name,
      repetition,
      frameMs,
      server: near.server,
      people: [...talkers, ...(wires?.people ?? [])],
    });
  } finally {
    await far?.close();
    await lab.leave([...people, ...hostile]);
  }
}

/** @param {Lab} lab @param {import('../link/link.js').Link} branch */
async function joinFar(lab, branch) {
  const far = new Child(CLIENT, branch.client.exec);
  await far.call('open', { origin: lab.originAt(branch) });
  await far.call('listen', {
    id: TENTH,
    transport: 'webtransport',
    room: 'lab',
    speaks: true,
    recordSeconds: 0,
    periodMs: PERIOD_MS,
  });
  return far;
}

/**
 * @param {Lab} lab
 * @param {{ name: string, repetition: number, frameMs: number, server: any, people: any[] }} notes
 */
function record(lab, { name, repetition, frameMs, server, people }) {
  const add = (/** @type {Quantity} */ quantity, /** @type {number} */ value, client = '') =>
    lab.folder.record(quantity.name, {
      protocol: 'webtransport',
      repetition,
      client,
      atMs: lab.folder.elapsedMs,
      value,
      factors: { people: name },
    });
  for (const { delayMs } of delaysOf(server.due, server.originMs, frameMs))
    add(quantities.delay, delayMs);
  const [first, last] = [server.due[0].frame, server.due.at(-1).frame];
  for (const { id, sent, received, stats, serverStats } of people) {
    const mixes = mixesOf(server.states, id);
    const frames = [...mixes.keys()];
    const [from, to] = [Math.max(first, Math.min(...frames)), Math.min(last, Math.max(...frames))];
    const said = sent.filter((/** @type {any} */ { frame }) => frame >= from && frame <= to);
    const there = said.filter((/** @type {any} */ { frame }) =>
      [FrameState.received, FrameState.silent].includes(
        /** @type {any} */ (mixes.get(frame)?.state),
      ),
    );
    if (said.length > 0) add(quantities.received, (100 * there.length) / said.length, id);
    if (id === TENTH)
      add(quantities.offset, (serverStats ?? stats?.detail.server)?.offsetMs ?? NaN, id);
    else
      for (const { frame, atMs } of received)
        add(quantities.heard, atMs - (server.originMs + (frame + 1) * frameMs), id);
  }
}

/** @param {Samples} folder @param {() => number} random @returns {Target[]} */
function targetsOf(folder, random) {
  const medians = (/** @type {Float64Array} */ ascending) => [quantile(ascending, 0.5)];
  /**
   * Increase of a median by the tenth.
   * @param {Quantity} quantity
   * @param {string} [client]
   * @param {string} [people]
   */
  const more = (quantity, client, people = 'ten') => {
    const of = (/** @type {string} */ name) => repetitionsOf(folder, quantity, name, client);
    return difference(of(people), of('nine'), medians, { random, paired: true })[0];
  };
  const words = (/** @type {import('../stats/bootstrap.js').Interval} */ interval) =>
    intervalWords(interval, 'ms', 1);
  const [delay, heard] = [more(quantities.delay), more(quantities.heard)];
  const each = NEAR.map((id) => ({ id, more: more(quantities.heard, id) }));
  const worst = each.reduce((a, b) => (b.more.estimate > a.more.estimate ? b : a));
  const hostile = more(quantities.delay, undefined, 'ten, one hostile');
  const onOneClock = more(quantities.delay, undefined, 'ten, one clock').estimate;
  const [received] = bootstrap(
    repetitionsOf(folder, quantities.received, 'ten', TENTH),
    (ascending) => [mean(ascending)],
    { random },
  );
  return [
    {
      what: "D, more than the nine's alone",
      limit: MORE_MS,
      reached: delay.estimate,
      unit: 'ms',
      digits: 1,
      why: `${words(delay)}; on one clock ${onOneClock.toFixed(0)} ms more`,
    },
    {
      what: 'The nine hear each other, later than alone',
      limit: MORE_MS,
      reached: heard.estimate,
      unit: 'ms',
      digits: 1,
      why: words(heard),
    },
    {
      what: 'Each of the nine hears the others, later than alone: the worst',
      limit: MORE_MS,
      reached: worst.more.estimate,
      unit: 'ms',
      digits: 1,
      why:
        `${worst.id}; ${words(worst.more)}; the nine: ` +
        `${each.map(({ more: its }) => its.estimate.toFixed(1)).join(', ')} ms`,
    },
    {
      what: "D with a hostile one, more than the nine's alone",
      limit: MORE_MS,
      reached: hostile.estimate,
      unit: 'ms',
      digits: 1,
      why: words(hostile),
    },
    {
      what: 'Received of the tenth',
      is: '≥',
      limit: RECEIVED_PERCENT,
      reached: received.estimate,
      unit: '%',
      digits: 2,
      why: intervalWords(received, '%', 2),
    },
  ];
}

/**
 * @param {Samples} folder @param {Quantity} quantity @param {string} people
 * @param {string} [client]  one alone
 * @returns {number[][]} the values of each repetition
 */
const repetitionsOf = (folder, { name }, people, client) =>
  valuesByRepetition(
    folder.samples(name),
    ({ factors: f = {}, client: its }) =>
      f.people === people && (client === undefined || its === client),
  );

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} people
 * @param {(client: string) => boolean} [isOf]
 */
const valuesOf = (folder, { name }, people, isOf = () => true) =>
  folder
    .samples(name)
    .filter(({ factors: f = {}, client }) => f.people === people && isOf(client))
    .map(({ value }) => value);

/** @param {number[]} values */
const median = (values) => quantile(sorted(values), 0.5);

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : null);
