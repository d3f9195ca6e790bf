/**
 * A listener's nearness and the sound that they hear: each choice on several links at once. The
 * speaker is at the server's own end, so that loss is on the listener's path only.
 * @import { Lab } from './lab.js'
 * @import { Samples, Scenario } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Nearness } from '../../public/shared/nearness.js'
 * @import { Quantity, Table } from '../report/result.js'
 */

import { NEAR_MS } from '../../public/shared/nearness.js';
import { LINK_PROFILES } from '../link/profiles.js';
import { choicesOption, listOf, wholeNumber } from '../options.js';
import { CLIENT } from '../participants/whole-server.js';
import { Child } from '../../testkit/participants/child.js';
import { toEstimate } from '../report/quantity-views.js';
import { valuesByRepetition } from '../report/result.js';
import { summaryIntervals } from '../stats/bootstrap.js';
import { soundingMixes } from '../stats/call-figures.js';
import { mean } from '../../testkit/statistics.js';
import { blocksInTurn } from './against.js';
import { randomFor } from './scenario.js';
import { intervalWords, targetsTable } from './targets.js';

const LINKS = Object.freeze(['lan', 'home-wifi', 'bad-wifi', '4g']);

/**
 * Targets: what a steady listener hears, in percent, and how far behind the speaker they are, in
 * milliseconds.
 */
const STEADY_PERCENT = 99.99;
const STEADY_MOST_MS = 2000;

/**
 * Seconds at both ends of a block whose frames aren't counted: they may have come before it, or are
 * heard after it.
 */
const EDGE_SECONDS = 3;

/** Frames for one value of heard sound, and frames for one value of the delay. */
const HEARD_FRAMES = 50;
const DELAY_FRAMES = 5;

const factors = [
  { name: 'link', label: 'Link', unit: '' },
  { name: 'nearness', label: 'Choice', unit: '' },
];

/** @type {Record<string, Quantity>} */
const quantities = {
  heard: { name: 'heard', label: 'Heard', unit: '%', factors },
  leftOut: { name: 'leftOut', label: 'Left out by the server', unit: '%', factors },
  unplayed: { name: 'unplayed', label: "Came, and wasn't played", unit: '%', factors },
  concealed: { name: 'concealed', label: 'Concealed', unit: '%', factors },
  delay: { name: 'behind', label: 'Behind the speaker', unit: 'ms', factors },
  way: { name: 'way', label: 'Least way down', unit: 'ms', factors },
  bits: { name: 'down', label: 'Rate of packets', unit: 'kbit/s', factors },
};

/** @type {Scenario} */
export const nearness = {
  name: 'nearness',
  title: 'How near a listener is',
  description:
    'what a listener hears, and how far behind the speaker, by how near they choose to be, ' +
    'on several links',
  quantities: Object.values(quantities),
  lacks: ['transports', 'warmUp', 'browser'],
  defaults: {
    duration: 180,
    repetitions: 1,
    format: 'call',
    transports: ['webtransport'],
    link: 'clear',
  },
  addOptions: (command) => {
    command
      .option(
        '--links <list>',
        "the listeners' links, separated by commas",
        listOf(Object.keys(LINK_PROFILES)),
        [...LINKS],
      )
      .addOption(choicesOption())
      .option(
        '--settle <seconds>',
        'in which delays find their place, before each block',
        wholeNumber(0, 600),
        15,
      );
  },

  async measure(lab) {
    const { links, choices, repetitions } = /** @type {any} */ (lab.options);
    const listeners = [];
    try {
      for (const profile of links) {
        const branch = await lab.link.branch({ profile });
        listeners.push({ profile, branch, child: new Child(CLIENT, branch.client.exec) });
      }
      const blocks = blocksInTurn(/** @type {Nearness[]} */ (choices), repetitions);
      for (const [i, { name, repetition }] of blocks.entries()) {
        lab.progress(`${name}, ${repetition + 1} of ${repetitions}`, i / blocks.length);
        await listen(lab, listeners, name, repetition);
      }
    } finally {
      for (const { child } of listeners) await child.close();
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const cases = options.choices.flatMap((/** @type {Nearness} */ choice) =>
      options.links.map((/** @type {string} */ link) =>
        figuresOf(folder, { link, choice }, random),
      ),
    );
    return {
      title: nearness.title,
      summary:
        'One person speaks at the end of the server; listeners in a process each, on a link ' +
        'each, hear them over HTTP/3.',
      headlines: [],
      tables: [targetsTable(cases.flatMap(targetsOf)), tableOf(cases)],
      plots: [],
      notes: [
        'Heard: of the mixes with sound in them, those whose own payload the listener ' +
          'decoded for its output. Frames that the server never mixed, since it had too ' +
          'little processor time, are left out for everybody, and told apart. Came, and ' +
          "wasn't played: of the same mixes, those that came too late, or that the listener " +
          'left out to be on time again after its own process stood still; they count as ' +
          'not heard. Concealed: of the frames that the listener played, those that it made ' +
          'up; what is made up while a delay grows, and is then heard after all, counts too.',
        'Behind the speaker: from the first sample of a frame at the microphone to its ' +
          'decoding for the output, by one clock that all processes share; the way of ' +
          'packets is in it. A decoder runs when its sound is due.',
        'Least way down: half the least round trip that the listener has measured.',
        `The first and last ${EDGE_SECONDS} s of a block aren't counted.`,
      ],
    };
  },
};

/**
 * Measures one choice, on all links at once.
 * @param {Lab} lab
 * @param {{ profile: string, branch: import('../link/link.js').Link, child: Child }[]} listeners
 * @param {Nearness} choice
 * @param {number} repetition
 */
async function listen(lab, listeners, choice, repetition) {
  const { settle, choices } = /** @type {any} */ (lab.options);
  const { origin } = await lab.serve(['--delivery', 'tick'], 'mixes');
  const speaker = new Child(CLIENT, lab.link.server.exec);
  try {
    await speaker.call('open', { origin });
    const common = { transport: 'webtransport', room: 'hall', recordSeconds: 0 };
    await speaker.call('listen', { ...common, id: 'speaker', speaks: true, periodMs: 2.5 });
    for (const { branch, child } of listeners) {
      await child.call('open', { origin: lab.originAt(branch) });
      await child.call('listen', { ...common, id: 'listener', speaks: false, nearness: choice });
    }
    await lab.wait(settle);
    await lab.server.call('begin');
    const before = await Promise.all(
      listeners.map(async ({ child }) => {
        await child.call('noteWires');
        return child.call('statsOf', { id: 'listener' });
      }),
    );
    const atMs = lab.folder.elapsedMs;
    const seconds = lab.blockSeconds / choices.length;
    await lab.wait(seconds);
    // First, so that the listeners' notes go on for longer: taking those of an hour takes a second
    // or two.
    const server = await lab.server.call('collect');
    const notes = await Promise.all(listeners.map(({ child }) => child.call('takeWires')));
    const { frameMs } = await lab.format();
    listeners.forEach(({ profile }, i) => {
      const [{ played, received, stats }] = notes[i].people;
      const add = (/** @type {Quantity} */ { name }, /** @type {number} */ value) =>
        lab.folder.record(name, {
          protocol: 'webtransport',
          repetition,
          client: profile,
          atMs,
          value,
          factors: { link: profile, nearness: choice },
        });
      record(add, { server, played, received, frameMs, before: before[i], stats, seconds });
      lab.tellGenerator([], notes[i].cpuPercent);
    });
    for (const { child } of listeners) await child.call('stopListening', { id: 'listener' });
  } finally {
    await speaker.close();
  }
}

/**
 * @param {(quantity: Quantity, value: number) => void} add
 * @param {{ server: any, played: { frame: number, atMs: number }[], received: { sounding: number[]
 *   }[], frameMs: number, before: any, stats: any, seconds: number }} notes
 */
function record(add, { server, played, received, frameMs, before, stats, seconds }) {
  /** @type {Set<number>} */
  const ticked = new Set(server.due.map((/** @type {{ frame: number }} */ { frame }) => frame));
  const sounding = soundingMixes(server.states);
  const edge = Math.ceil((EDGE_SECONDS * 1000) / frameMs);
  const [first, last] = [server.due[0].frame + edge, server.due.at(-1).frame - edge];
  const counted = [...ticked].filter(
    (frame) => frame >= first && frame <= last && sounding.has(frame),
  );
  const frames = server.due.at(-1).frame - server.due[0].frame + 1;
  add(quantities.leftOut, (100 * (frames - ticked.size)) / frames);
  const heard = new Set(played.map(({ frame }) => frame));
  const came = new Set(received.flatMap((packet) => packet.sounding));
  add(
    quantities.unplayed,
    (100 * counted.filter((frame) => came.has(frame) && !heard.has(frame)).length) / counted.length,
  );
  // All values count alike, so the few frames that are left at the end make none.
  for (let from = 0; from + HEARD_FRAMES <= counted.length; from += HEARD_FRAMES) {
    const some = counted.slice(from, from + HEARD_FRAMES);
    add(
      quantities.heard,
      (100 * some.filter((/** @type {number} */ mix) => heard.has(mix)).length) / some.length,
    );
  }
  for (let i = 0; i < played.length; i += DELAY_FRAMES) {
    const { frame, atMs } = played[i];
    if (frame >= first && frame <= last)
      add(quantities.delay, atMs - (server.originMs + frame * frameMs));
  }
  const [was, is] = [before.detail.playout, stats.detail.playout];
  const concealed = is.concealed - was.concealed;
  add(quantities.concealed, (100 * concealed) / (concealed + is.played - was.played));
  add(quantities.way, stats.delayParts.wayMs);
  add(quantities.bits, ((stats.bytes.down - before.bytes.down) * 8) / 1000 / seconds);
}

/** @typedef {ReturnType<typeof figuresOf>} Case */

/**
 * @param {Samples} folder
 * @param {{ link: string, choice: Nearness }} which
 * @param {() => number} random
 */
function figuresOf(folder, { link, choice }, random) {
  const of = (/** @type {Quantity} */ { name }) =>
    valuesByRepetition(
      folder.samples(name),
      ({ factors: its }) => its?.link === link && its.nearness === choice,
    );
  const average = (/** @type {Quantity} */ quantity) => mean(of(quantity).flat());
  const share = (/** @type {Quantity} */ quantity) =>
    summaryIntervals(of(quantity), { random }).mean;
  return {
    link,
    choice,
    heard: summaryIntervals(of(quantities.heard), { random }).mean,
    delay: summaryIntervals(of(quantities.delay), { random }),
    concealed: share(quantities.concealed),
    leftOut: share(quantities.leftOut),
    unplayed: share(quantities.unplayed),
    wayMs: average(quantities.way),
    kbits: average(quantities.bits),
  };
}

/** @param {Case} its @returns {Target[]} */
function targetsOf({ link, choice, heard, delay, wayMs, leftOut, unplayed }) {
  if (choice === 'near') {
    const why =
      `median ${(delay.p50.estimate - wayMs).toFixed(0)} ms; the least way down, ` +
      `${wayMs.toFixed(1)} ms, is taken off`;
    return [
      {
        what: `Near on ${link}: behind the speaker and the way, p99`,
        limit: NEAR_MS,
        reached: delay.p99.estimate - wayMs,
        unit: 'ms',
        digits: 0,
        why,
      },
    ];
  }
  if (choice !== 'steady') return [];
  const why =
    `${intervalWords(heard, '%', 3)}; ${unplayed.estimate.toFixed(3)} ` +
    `% came, and wasn't played; the server left out ${leftOut.estimate.toFixed(2)} % of the frames`;
  return [
    {
      what: `Steady on ${link}: heard`,
      is: '≥',
      limit: STEADY_PERCENT,
      reached: heard.estimate,
      unit: '%',
      digits: 3,
      why,
    },
    {
      what: `Steady on ${link}: behind the speaker, p99`,
      limit: STEADY_MOST_MS,
      reached: delay.p99.estimate,
      unit: 'ms',
      digits: 0,
      why: `median ${delay.p50.estimate.toFixed(0)} ms`,
    },
  ];
}

/** @param {Case[]} cases @returns {Table} */
function tableOf(cases) {
  const rows = cases.map(
    ({ link, choice, heard, leftOut, unplayed, delay, concealed, wayMs, kbits }) => [
      link,
      choice,
      toEstimate(heard),
      ...[leftOut, unplayed, concealed].map(toEstimate),
      toEstimate(delay.p50),
      toEstimate(delay.p99),
      wayMs,
      kbits,
    ],
  );
  const ms = { unit: 'ms', digits: 0 };
  const columns = [
    { label: 'Link' },
    { label: 'Choice' },
    { label: 'Heard', unit: '%', digits: 3 },
    { label: 'Left out by the server', unit: '%', digits: 2 },
    { label: "Came, and wasn't played", unit: '%', digits: 3 },
    { label: 'Concealed', unit: '%', digits: 3 },
    { label: 'Behind the speaker, median', ...ms },
    { label: 'p99', ...ms },
    { label: 'Least way', unit: 'ms', digits: 1 },
    { label: 'Down', unit: 'kbit/s', digits: 0 },
  ];
  return { name: 'nearness', title: 'What a listener hears, and when', columns, rows };
}
