import { connectionNames } from '../texts/texts.js';
import { added } from './runs/protocol.js';

/** Changing sentences of the lab's page; index.html has the fixed ones. */

/**
 * @typedef {import('./runs/protocol.js').Protocol} Protocol
 * @typedef {import('./runs/pair.js').ClientName} ClientName
 */

/** @param {number} ms at least 0 */
export function milliseconds(ms) {
  const digits = ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
  return `${ms.toFixed(digits)} ms`;
}

/** @param {number} percent 0 to 100 */
export const percentage = (percent) =>
  `${percent.toFixed(percent >= 99.95 || percent < 0.05 ? 0 : 1)} %`;

/** @param {readonly string[]} parts */
const list = (parts) =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;

/** @param {Protocol} protocol */
export const nameOf = (protocol) => added.get(protocol)?.label ?? connectionNames[protocol];

/** The carrier of each transport's packets. @type {Readonly<Record<Protocol, string>>} */
const hints = Object.freeze({
  webtransport: 'Datagrams over HTTP/3',
  websocket: 'Messages over one TCP connection',
  http1: 'Requests and answers',
});

/** The carrier of a protocol's packets. @param {Protocol} protocol */
export const hintOf = (protocol) => added.get(protocol)?.hint ?? hints[protocol];

/** The reasons why a protocol can't be measured. */
export const browserLacks = Object.freeze({
  insecure:
    'Browsers have WebTransport on secure pages only: open this one with https://, or on ' +
    'localhost.',
  webtransport: 'This browser has no WebTransport.',
  notOffered: 'The server does not offer it.',
});

export const texts = Object.freeze({
  start: 'Start',
  tryDelays: 'Try delays',
  stop: 'Stop',
  stopping: 'Stopping…',
  sweep: 'Sweep 0 to 400 ms',
  opening: 'Opening the connections…',
  lastAnswers: 'Waiting for the last answers…',
  begun: 'Measuring.',
  stopped: 'Stopped. What was measured until then is shown.',
  nothing: 'Nothing was measured.',
  noServer: 'The server could not be reached. Check your network, then reload the page.',
  noProtocol: 'Choose at least one protocol.',
  noDelay: '–',

  statistics: {
    p50: 'Median',
    mean: 'Mean',
    min: 'Least',
    p95: '95th percentile',
    p99: '99th percentile',
    max: 'Largest',
    count: 'Answered',
    lost: 'Lost',
  },
  heard: {
    p50: 'Heard, median',
    mean: 'Heard, mean',
    p95: 'Heard, 95th percentile',
    max: 'Heard, largest',
  },
  addedUp: {
    mean: 'Added up, mean',
    min: 'Added up, least',
    max: 'Added up, largest',
  },
  likeness: 'Similarity to the original',
  axes: {
    time: 'Time (s)',
    roundTrip: 'Round trip (ms)',
    soundLatency: 'Sound latency (ms)',
    share: 'Answered within (%)',
    histogram: 'Answers (%)',
    serverDelay: 'Server-side delay (ms)',
    received: 'Received audio (%)',
  },
  turnTable: ['Turn', 'Protocol', 'Median', '95th percentile', 'Lost'],
  quantity: 'Quantity',
  shareTable: 'Within',
  soundTable: ['Turn', 'Protocol', 'Heard, median', 'Heard, largest'],
  delayTable: 'Server-side delay',

  failed: (/** @type {Protocol} */ protocol, /** @type {string} */ reason) =>
    `${nameOf(protocol)} was left out: ${reason}`,
  problem: (/** @type {string} */ message) => `The measurement broke off: ${message}`,
  turn: (
    /** @type {Protocol} */ protocol,
    /** @type {number} */ turn,
    /** @type {number} */ turns,
  ) => `${nameOf(protocol)}, turn ${turn} of ${turns}`,
  sweeping: (
    /** @type {Protocol} */ protocol,
    /** @type {number} */ turn,
    /** @type {number} */ turns,
  ) => (turns === 1 ? nameOf(protocol) : `${nameOf(protocol)}, ${turn} of ${turns}`),
  live: (/** @type {Protocol} */ protocol) =>
    `Two clients talk over ${nameOf(protocol)}. Move the delay.`,
  roundTripsDone: (/** @type {[Protocol, number][]} */ medians) =>
    'Done. Median round trip: ' +
    `${list(medians.map(([protocol, ms]) => `${nameOf(protocol)} ${milliseconds(ms)}`))}.`,
  sweepDone: (/** @type {[Protocol, number | null][]} */ delays) =>
    `Done. Both clients hear 90 % from ${list(
      delays.map(
        ([protocol, ms]) =>
          `${ms === null ? 'no measured delay' : `${ms} ms`} on with ${nameOf(protocol)}`,
      ),
    )}.`,
  above: (/** @type {number} */ count, /** @type {number} */ end, /** @type {number} */ largest) =>
    `${count === 1 ? 'One value lies' : `${count} values lie`} above ${milliseconds(end)}, ` +
    'where the plot ends, and ' +
    `${count === 1 ? 'is drawn' : 'are drawn'} at its edge; the largest is ` +
    `${milliseconds(largest)}.`,
  late: (/** @type {number} */ ms) =>
    `This browser itself sent 99 % of its packets no more than ${milliseconds(ms)} after ` +
    'their time.',
  delayIs: (/** @type {number} */ ms) => `${ms} ms`,
  hears: (/** @type {number | null} */ percent) => (percent === null ? '–' : percentage(percent)),
  client: (/** @type {Protocol} */ protocol, /** @type {ClientName} */ client) =>
    `${nameOf(protocol)}, client ${client}`,
  leastDelay: (/** @type {'A' | 'B' | 'both'} */ who, /** @type {number} */ percent) =>
    who === 'both'
      ? `Both hear ${percent} % from a delay of`
      : `${who} hears ${percent} % from a delay of`,
  from: (/** @type {number} */ startMs, /** @type {number} */ endMs) =>
    `${(startMs / 1000).toFixed(1)} to ${(endMs / 1000).toFixed(1)} s`,
  plotOf: (/** @type {string} */ what, /** @type {string} */ by) =>
    `Plot: ${what} by ${by}. The figures are in the table below.`,
});
