/**
 * Sound and messages in one session, each of the two in datagrams or on a stream: what either does
 * to the other.
 * @import { Figure } from './grid-result.js'
 * @import { Swept } from './grid-scenario.js'
 */

import { MIXED_WAYS } from '../../ways/way.js';
import { factors, GRID_QUANTITIES } from './grid.js';
import { GRID_NOTES } from './grid-result.js';
import { gridScenario } from './grid-scenario.js';
import { QUEUE_MS } from './sweep.js';

/**
 * The chat of ten people who each write as often as they may, once a second: 400 characters make a
 * control message of 500 bytes.
 */
const CHAT = Object.freeze({ bytes: 500, everyMs: 100 });

/** Time from one long message to the next, on average, in milliseconds. */
const LONG_EVERY_MS = 2000;

/** A rate that long messages fill for a while, in kbit/s. */
const LONG_KILOBITS = 500;

/** Each leg's, so that a call has the delay of one on the network. */
const delayMs = 10;

/** @type {readonly Figure[]} */
const MORE = [
  { of: GRID_QUANTITIES.medianAge, label: 'Age, p50', unit: 'ms', digits: 1 },
  { of: GRID_QUANTITIES.p99Age, label: 'Age, p99', unit: 'ms', digits: 1 },
  {
    of: { name: 'messagesCame', label: 'Messages that came', unit: '%', factors },
    label: 'Messages that came',
    unit: '%',
    digits: 1,
    isPlotted: true,
    words: {
      verb: 'gets',
      lower: 'fewer messages through',
      higher: 'more messages through',
      what: 'the share of messages that came',
      unit: 'percentage points',
    },
  },
  {
    of: { name: 'messageAge', label: 'Age of messages that came, median', unit: 'ms', factors },
    label: 'Their age, p50',
    unit: 'ms',
    digits: 1,
    isPlotted: true,
  },
  {
    of: {
      name: 'p99MessageAge',
      label: 'Age of messages that came, 99th percentile',
      unit: 'ms',
      factors,
    },
    label: 'p99',
    unit: 'ms',
    digits: 1,
  },
];

const BUILDS =
  'builds 1 to 3 of streams and datagrams in section 4.1 of Paterson (2022), which were ' +
  'designed and not made, with messages in place of video';

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  {
    name: 'chat',
    label: 'Messages of 500 bytes a second',
    unit: '',
    stands: `${BUILDS}, without impairment`,
    more: MORE,
    values: [0, 1, 10, 50],
    condition: (perSecond) => ({
      leg: { delayMs },
      messages: perSecond > 0 ? [{ ...CHAT, everyMs: 1000 / perSecond }] : [],
    }),
  },
  {
    name: 'loss',
    label: 'Loss on each leg, with chat',
    unit: '%',
    stands: BUILDS,
    more: MORE,
    values: [0, 1, 3, 5, 10],
    condition: (lossPercent) => ({ leg: { lossPercent, delayMs }, messages: [CHAT] }),
  },
  {
    name: 'rate',
    label: 'Rate of each leg, with chat',
    unit: 'kbit/s',
    isLogarithmic: true,
    stands: BUILDS,
    more: MORE,
    values: [1000, 250, 150, 130, 110, 90],
    condition: (kilobits) => ({
      leg: { rateBits: 1000 * kilobits, queueMs: QUEUE_MS, delayMs },
      messages: [CHAT],
    }),
  },
  {
    name: 'long',
    label:
      `Length of a message every ${LONG_EVERY_MS / 1000} s, on legs of ` +
      `${LONG_KILOBITS} kbit/s`,
    unit: 'KiB',
    isLogarithmic: true,
    stands:
      `${BUILDS}, and what the third was to test: that datagrams suit small messages and ` +
      'streams large ones',
    more: MORE,
    values: [1, 4, 16, 64],
    condition: (kibibytes) => ({
      leg: { rateBits: 1000 * LONG_KILOBITS, queueMs: QUEUE_MS, delayMs },
      messages: [{ bytes: 1024 * kibibytes, everyMs: LONG_EVERY_MS }],
    }),
  },
]);

const WAYS = Object.freeze(['datagrams', 'stream', ...MIXED_WAYS]);

export const mixed = gridScenario({
  name: 'mixed',
  title: 'Sound and messages in one session',
  description:
    'chat and long messages beside the sound, each of the two in datagrams or on a stream, ' +
    'or both on one: what either does to the other (Paterson 2022, its builds that were not made)',
  sweeps: SWEEPS,
  ways: WAYS,
  allowed: WAYS,
  summary:
    'Each way has a sender and a receiver, each in a namespace of its own with a leg of its ' +
    'own to a hub. All ways run at once and carry the same packets of speech, one every 20 ' +
    'ms, and, but for the first two, the same messages at the same moments.',
  notes: [
    "Chat: messages of 500 bytes, as long as aloud's control message of 400 characters, ten " +
      'a second in a room of ten who write as often as they may. Long: 16 KiB is the ' +
      'longest control message of a client; 64 KiB is as much earlier chat as a newcomer is ' +
      'told. Sound in datagrams with messages on a stream is what aloud does. A message is ' +
      'sent at a random moment of an interval of its own.',
    'Each message is cut into packets of at most 1 149 bytes, whatever carries it, all ' +
      'handed over at once; one has come when all of its packets have, and is passed on in ' +
      'the hub then. Nothing sends lost datagrams again, and nothing paces them but QUIC.',
    'The age of a message: from just before its first packet is handed over to when the ' +
      "receiver's JavaScript has all of it. What hasn't come 2 s after the last packet of " +
      'sound never came, and has no age. Where there are few messages p99 is nearly the ' +
      "oldest. Those of the first two seconds don't count.",
    'Age: of packets of sound that came. Ways with messages are compared with the same ' +
      'sound without messages in R, and with the first of them in messages.',
    "The first two ways go over the page's connection and the server's transport; those " +
      'with messages go over the native engine alone, with the same settings, but that ' +
      '32 KiB of datagrams may wait where messages are among them, in place of 4. Without ' +
      'messages, the value 0 of the first sweep, all should be alike.',
    ...GRID_NOTES,
  ],
});
