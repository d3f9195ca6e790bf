/**
 * Received audio against server-side delay (thesis, section 4.3; figures 4.1 to 4.3). It is
 * computed for every delay from a recording of write clocks, and measured on the server at some
 * delays.
 *
 * @import { ParticipantTransport } from '../../testkit/participants/connection.js'
 * @import { Lab } from './lab.js'
 * @import { Scenario } from './scenario.js'
 * @import { Headline, Plot, Sample, Series, Table } from '../report/result.js'
 */

import { receivedAudio } from '../stats/call-figures.js';
import { randomFor, worldNotes } from './scenario.js';
import { meanEstimate, protocolsOf } from '../report/quantity-views.js';
import { protocolLabel } from '../report/palette.js';
import { mean, leastReaching } from '../../testkit/statistics.js';

const STEP_MS = 8;
const MOST_MS = 400;
/** The delays at which the server is really run. */
const REAL_MS = Object.freeze([0, 8, 16, 24, 40, 56, 80, 120, 160, 240, 320]);

/** Shares for which a delay is searched, in percent; the thesis has the first. */
const TARGETS = Object.freeze([90, 99]);

/** The thesis's least delay for 90 %, in milliseconds (sections 4.3.1 and 4.3.2). */
const THESIS_LEAST_MS = new Map([
  ['webtransport', 160],
  ['http1', 304],
  ['http1-per-request', 304],
]);

const factors = [{ name: 'delayMs', label: 'Server-side delay', unit: 'ms' }];

/** @type {import('../report/result.js').Quantity} */
const fromClocks = {
  name: 'receivedFromClocks',
  label: 'Received audio, from write clocks',
  unit: '%',
  factors,
};

/** @type {import('../report/result.js').Quantity} */
const really = {
  name: 'receivedReally',
  label: 'Received audio, server really run',
  unit: '%',
  factors,
};

const CLIENTS = Object.freeze(['A', 'B']);

/** @type {Scenario} */
export const delay = {
  name: 'delay',
  title: 'Received audio against server-side delay',
  description:
    'received audio (%) of each client against the server-side delay, and the least delay ' +
    'for 90 % and 99 %',
  quantities: [fromClocks, really],
  defaults: { duration: 60, repetitions: 6, format: 'thesis' },
  hasPerRequest: true,

  async measure(lab) {
    await recordClocks(lab);
    await runReally(lab);
  },

  result(folder, options) {
    const clocks = folder.samples(fromClocks.name);
    const real = folder.samples(really.name);
    return {
      title: delay.title,
      summary:
        'How much of what one says the other hears, by the delay after which the server ' +
        'reads for the answer.',
      headlines: TARGETS.flatMap((target) => leastHeadlines(clocks, target)),
      tables: [leastTable(clocks), comparisonTable(clocks, real, randomFor(options))],
      plots: protocolsOf(clocks)
        .map((protocol) => plotOf([protocol], clocks, real))
        .concat(protocolsOf(clocks).length > 1 ? [plotOf(protocolsOf(clocks), clocks, [])] : []),
      notes: [
        "A client's packet for frame r reads samples [r·n − D, (r+1)·n − D), as in section " +
          "2.3 of the thesis. A frame of the other's is received as far as it was there then.",
        'From write clocks: the order in which the server got the packets is recorded once, ' +
          'and every delay is computed from it (thesis, section 4.3). The recording is cut ' +
          'into repetitions of its own length.',
        'Server really run: a server is started with the delay, and counts, for each mix ' +
          "that it makes, the samples of the other's frames that were decoded from what was " +
          "sent; what was made up by concealment doesn't count.",
        'Lost packets count as sent in neither: only what reached the server is divided by. ' +
          'On the emulated links of this lab losses are counted by the link.',
        ...worldNotes(options),
      ],
    };
  },
};

/** @param {Lab} lab */
async function recordClocks(lab) {
  const { repetitions, transports } = lab.options;
  await lab.startServer(['--delivery', 'reply', '--server-delay-ms', '0']);
  let done = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const transport of lab.turns(repetition)) {
      lab.progress(
        `write clocks, ${transport}, ${repetition + 1} of ${repetitions}`,
        (0.5 * done++) / (repetitions * transports.length),
      );
      const { server, atMs, frameMs } = await talk(lab, transport, lab.blockSeconds);
      for (let ms = 0; ms <= MOST_MS; ms += STEP_MS) {
        for (const client of CLIENTS) {
          const value = receivedAudio(server.arrivals, {
            ...pairOf(client),
            ...rangeOf(server.arrivals, frameMs),
            delayFrames: ms / frameMs,
          });
          lab.folder.record(fromClocks.name, {
            protocol: transport,
            repetition,
            client,
            atMs,
            value,
            factors: { delayMs: ms },
          });
        }
      }
    }
  }
}

/** @param {Lab} lab */
async function runReally(lab) {
  const { transports, duration } = lab.options;
  const seconds = Math.max(3, duration / REAL_MS.length);
  let done = 0;
  for (const delayMs of REAL_MS) {
    await lab.startServer(['--delivery', 'reply', '--server-delay-ms', String(delayMs)]);
    for (const transport of lab.turns(done)) {
      lab.progress(
        `server at ${delayMs} ms, ${transport}`,
        0.5 + (0.5 * done++) / (REAL_MS.length * transports.length),
      );
      const { server, atMs, frameMs, frameSamples } = await talk(lab, transport, seconds);
      const { from, to } = rangeOf(server.arrivals, frameMs);
      for (const client of CLIENTS) {
        const { listener, speaker } = pairOf(client);
        const heard = server.heard.get(`${listener}<${speaker}`) ?? new Map();
        const sent = server.arrivals.filter(
          (/** @type {any} */ { name, frame }) => name === speaker && frame >= from && frame < to,
        );
        const samples = sent.reduce(
          (/** @type {number} */ sum, /** @type {any} */ { frame }) =>
            sum + (heard.get(frame) ?? 0),
          0,
        );
        const value = (100 * samples) / (sent.length * frameSamples);
        lab.folder.record(really.name, {
          protocol: transport,
          repetition: 0,
          client,
          atMs,
          value,
          factors: { delayMs },
        });
      }
    }
  }
}

/**
 * A and B talk for a while.
 * @param {Lab} lab @param {ParticipantTransport} transport @param {number} seconds
 */
async function talk(lab, transport, seconds) {
  const people = CLIENTS.map((id, i) => ({ id, transport, room: transport, startFrame: 31 * i }));
  await lab.join(people);
  const atMs = lab.folder.elapsedMs;
  // The packets that read the last frames arrive up to the longest delay later.
  const { server } = await lab.measure(seconds + MOST_MS / 1000);
  await lab.leave(people);
  const { frameMs, frameSamples } = await lab.format();
  return { server, atMs, frameMs, frameSamples };
}

/** The listener and the other client as its speaker. @param {string} client */
const pairOf = (client) => ({ listener: client, speaker: CLIENTS[1 - CLIENTS.indexOf(client)] });

/**
 * The frames that count: both were there from the first on, and every delay's readers have come by
 * the last.
 * @param {readonly { name: string, frame: number }[]} arrivals @param {number} frameMs
 */
function rangeOf(arrivals, frameMs) {
  const ends = CLIENTS.map((client) => {
    const frames = arrivals.filter(({ name }) => name === client).map(({ frame }) => frame);
    return { first: Math.min(...frames), last: Math.max(...frames) };
  });
  const first = Math.max(...ends.map((end) => end.first));
  const last = Math.min(...ends.map((end) => end.last));
  return { from: first + 1, to: last - Math.ceil(MOST_MS / frameMs) };
}

/**
 * The mean over repetitions of one client's share at each delay.
 * @param {readonly Sample[]} samples @param {string} protocol @param {string} client
 * @returns {number[][]} [delay, percent]
 */
function curveOf(samples, protocol, client) {
  /** @type {Map<number, number[]>} */
  const byDelay = new Map();
  for (const sample of samples) {
    if (sample.protocol !== protocol || sample.client !== client || !Number.isFinite(sample.value))
      continue;
    const delayMs = Number(sample.factors?.delayMs);
    byDelay.set(delayMs, [...(byDelay.get(delayMs) ?? []), sample.value]);
  }
  return [...byDelay]
    .map(([delayMs, values]) => [delayMs, mean(values)])
    .sort((a, b) => a[0] - b[0]);
}

/**
 * The least delay at which both clients receive the target's share.
 * @param {readonly Sample[]} samples @param {string} protocol @param {number} target percent
 */
function leastDelay(samples, protocol, target) {
  const each = CLIENTS.map((client) => leastReaching(curveOf(samples, protocol, client), target));
  return each.some((ms) => ms === undefined) ? NaN : Math.max(.../** @type {number[]} */ (each));
}

/** @param {readonly Sample[]} samples @param {number} target @returns {Headline[]} */
function leastHeadlines(samples, target) {
  return protocolsOf(samples).map((protocol) => {
    const thesis = target === 90 ? THESIS_LEAST_MS.get(protocol) : undefined;
    const value = leastDelay(samples, protocol, target);
    return {
      label: `Least D for ${target} % received`,
      unit: 'ms',
      protocol,
      value,
      digits: 0,
      ...(thesis && { thesis }),
    };
  });
}

/** @param {readonly Sample[]} samples @returns {Table} */
function leastTable(samples) {
  return {
    name: 'leastDelay',
    title: 'Least server-side delay for a share of received audio',
    caption: `In steps of ${STEP_MS} ms, for the client that receives less.`,
    columns: [
      { label: 'Protocol' },
      ...TARGETS.map((target) => ({ label: `for ${target} %`, unit: 'ms', digits: 0 })),
    ],
    rows: protocolsOf(samples).map((protocol) => [
      protocolLabel(protocol),
      ...TARGETS.map((target) => finite(leastDelay(samples, protocol, target))),
    ]),
  };
}

/** @param {number | undefined} value */
const finite = (value) => (Number.isFinite(value) ? /** @type {number} */ (value) : null);

/**
 * @param {readonly Sample[]} clocks
 * @param {readonly Sample[]} real
 * @param {() => number} random seeded
 * @returns {Table}
 */
function comparisonTable(clocks, real, random) {
  const rows = protocolsOf(real).flatMap((protocol) =>
    CLIENTS.flatMap((client) => {
      const computed = new Map(
        /** @type {[number, number][]} */ (curveOf(clocks, protocol, client)),
      );
      return curveOf(real, protocol, client).map(([delayMs, value]) => {
        const other = computed.get(delayMs);
        return [
          protocolLabel(protocol),
          client,
          delayMs,
          meanEstimate(
            clocks,
            (sample) =>
              sample.protocol === protocol &&
              sample.client === client &&
              sample.factors?.delayMs === delayMs,
            random,
          ),
          value,
          other === undefined ? null : value - other,
        ];
      });
    }),
  );
  const columns = [
    { label: 'Protocol' },
    { label: 'Client' },
    { label: 'D', unit: 'ms', digits: 0 },
    { label: 'From write clocks', unit: '%', digits: 1 },
    { label: 'Really run', unit: '%', digits: 1 },
    { label: 'Difference', unit: 'points', digits: 1 },
  ];
  return {
    name: 'comparison',
    title: 'Computed and really run',
    caption:
      'From write clocks: the mean over repetitions, with its interval of 95 % confidence from ' +
      'five on. A server is really run once at each delay, so there is none.',
    columns,
    rows,
  };
}

/** @param {string} word */
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * @param {string[]} protocols
 * @param {readonly Sample[]} clocks
 * @param {readonly Sample[]} real
 * @returns {Plot}
 */
function plotOf(protocols, clocks, real) {
  const series = protocols.flatMap((protocol) =>
    CLIENTS.flatMap((client, i) => {
      /** @type {Series[]} */
      const found = [
        {
          name: `${protocolLabel(protocol)}, ${client} hears`,
          protocol,
          variant: i,
          points: curveOf(clocks, protocol, client),
        },
      ];
      const points = curveOf(real, protocol, client);
      if (points.length > 0)
        found.push({ name: `${client}, server really run`, protocol, variant: i + 2, points });
      return found;
    }),
  );
  const words = protocols.map(protocolLabel).join(' and ');
  return {
    name: `received${protocols.map(capitalized).join('And')}`,
    title: `Received audio against server-side delay, ${words}`,
    caption:
      `What each client receives of the other's audio. ` +
      (protocols.length > 1
        ? 'As figure 4.3 of the thesis.'
        : 'As figures 4.1 and 4.2 of the thesis.'),
    kind: 'line',
    x: { label: 'Server-side delay', unit: 'ms', from: 0, to: MOST_MS },
    y: { label: 'Received audio', unit: '%', from: 0, to: 100 },
    series,
    references: [{ label: '90 %', axis: 'y', value: 90 }],
  };
}
