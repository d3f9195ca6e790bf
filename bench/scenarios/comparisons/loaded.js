/**
 * Every way of carrying a packet, on a leg up that other traffic fills, by the length of its queue.
 * @import { Quantity } from '../../report/result.js'
 * @import { Lab } from '../lab.js'
 * @import { Condition } from './grid.js'
 * @import { Swept } from './grid-scenario.js'
 * @import { LoadKind } from '../../link/measure.js'
 *
 * @typedef {Pick<Lab, 'options' | 'blockSeconds'>} Settings
 */

import { availableParallelism } from 'node:os';
import { startLoad } from '../../link/measure.js';
import { wholeNumber } from '../../options.js';
import { factors } from './grid.js';
import { gridScenario } from './grid-scenario.js';
import { GRID_NOTES } from './grid-result.js';

/**
 * Time beyond a block's own after which a load ends on its own, in seconds: settling, and the wait
 * for lost packets.
 */
const MORE_SECONDS = 10;

/** Time that a load takes before the packets and after them, in seconds, without the queue's. */
const LOAD_SECONDS = 2.3;

/** The longest waits for the leg's rate. Without a load there is no queue, whatever its length. */
const QUEUES_MS = [50, 100, 200, 500, 1000];

/**
 * Rate of the loads that a processor carries beside their ways, in bit/s: each packet takes time of
 * three programs. Two processors carried nine loads of 4 Mbit/s. Beside nine of 10, most ways sent
 * late (`--sweeps tcp-20-4` and `tcp-100-10` on 2026-11-30, with all ways at once).
 */
const PROCESSOR_BITS = 20e6;

/**
 * Number of ways that run at once, each beside a load of its own.
 * @param {number} loadBits  a second, of each load
 * @param {number} [processors]
 */
export const waysAtOnce = (loadBits, processors = availableParallelism()) =>
  Math.max(1, Math.floor((processors * PROCESSOR_BITS) / loadBits));

/** @type {Quantity} */
const load = { name: 'load', label: 'What the load brought through', unit: 'kbit/s', factors };

/** Rate of the uplink's leg. @param {Settings} lab */
const rateBitsOf = (lab) => 1000 * /** @type {any} */ (lab.options).rate;

/**
 * Loads the sender's leg of each lane, up to the hub, and has no more lanes at once than the
 * machine carries.
 * @param {LoadKind} kind
 * @param {number} upBits  rate of that leg, which TCP fills
 * @param {number} seconds  of the block
 * @returns {Pick<Condition, 'disturb' | 'atOnce'>}
 */
const loading = (kind, upBits, seconds) => ({
  atOnce: waysAtOnce('flows' in kind ? upBits : kind.udpBits),
  async disturb(lanes) {
    const ends = await Promise.all(
      lanes.map(({ legs: [from] }) =>
        startLoad(from.client, from.server, kind, seconds + MORE_SECONDS),
      ),
    );
    return async () =>
      (await Promise.all(ends.map((end) => end()))).map((kilobits) => ({ [load.name]: kilobits }));
  },
});

/**
 * @param {string} name @param {string} label @param {string} stands
 * @param {((lab: Settings) => LoadKind)} [kindOf]  none without a load
 * @returns {Swept}
 */
const besides = (name, label, stands, kindOf) => ({
  name,
  label: `Queue of the leg up, ${label}`,
  unit: 'ms',
  isLogarithmic: true,
  stands,
  values: kindOf ? QUEUES_MS : QUEUES_MS.slice(0, 1),
  more: kindOf && [{ of: load, label: 'Load', unit: 'kbit/s', digits: 0 }],
  condition: (queueMs, lab) => ({
    leg: { delayMs: 10, up: { rateBits: rateBitsOf(lab), queueMs } },
    ...(kindOf && loading(kindOf(lab), rateBitsOf(lab), lab.blockSeconds)),
  }),
});

/** Queues of the asymmetric links: some fifty full packets at 10 and at 4 Mbit/s. */
const ASYMMETRIC_QUEUES_MS = [60, 150];

/**
 * @param {{ down: number, up: number, load: number }} rates of each leg, and of the load, in Mbit/s
 * @param {'tcp' | 'udp'} kind of load
 * @returns {Swept}
 */
const asymmetric = ({ down, up, load: rate }, kind) => ({
  ...besides(
    `${kind}-${down}-${up}`,
    `beside ${kind === 'tcp' ? 'a TCP flow' : `${rate} Mbit/s of UDP`} on ${down}/${up} Mbit/s`,
    `table ${down === 100 ? 6 : 7} and figure ${down === 100 ? 29 : 30} of Abelló Lozano (2012)`,
    () => (kind === 'tcp' ? { flows: 1 } : { udpBits: rate * 1e6 }),
  ),
  isExtra: true,
  values: ASYMMETRIC_QUEUES_MS,
  condition: (queueMs, lab) => ({
    leg: {
      delayMs: 10,
      up: { rateBits: up * 1e6, queueMs },
      down: { rateBits: down * 1e6, queueMs },
    },
    ...loading(kind === 'tcp' ? { flows: 1 } : { udpBits: rate * 1e6 }, up * 1e6, lab.blockSeconds),
  }),
});

/**
 * Queues up to those of figures 22 to 25, on their 1 Mbit/s, and the time of a block. In that time
 * a TCP flow fills what it can of them: at best a second's queue in a second.
 */
const LONG_QUEUES_MS = [1000, 2000, 5000, 10_000];
const LONG_KILOBITS = 1000;
const LONG_SECONDS = 45;

/** @type {Swept} */
const longQueues = {
  ...besides(
    'tcp-long',
    'beside a TCP flow on 1 Mbit/s',
    'figures 22 to 25 of Abelló Lozano (2012), whose queues go to 10 s, and whose call is alone',
    () => ({ flows: 1 }),
  ),
  isExtra: true,
  values: LONG_QUEUES_MS,
  condition: (queueMs) => ({
    leg: { delayMs: 10, up: { rateBits: 1000 * LONG_KILOBITS, queueMs } },
    seconds: LONG_SECONDS,
    ...loading({ flows: 1 }, 1000 * LONG_KILOBITS, LONG_SECONDS),
  }),
};

/** The links of tables 6 and 7, with their loads. */
const LINKS = [
  { down: 100, up: 10, load: 10 },
  { down: 20, up: 4, load: 2 },
];

/** @type {readonly Swept[]} */
export const SWEEPS = Object.freeze([
  besides(
    'alone',
    'without a load',
    'figures 22 to 25 of Abelló Lozano (2012), whose rate is 1 Mbit/s',
  ),
  besides(
    'tcp',
    'beside a TCP flow',
    'tables 5 to 7 and figures 26 to 30 of Abelló Lozano (2012), and section 5.6 of RFC ' +
      '8867, "Media Flow Competing with a Long TCP Flow"',
    () => ({ flows: 1 }),
  ),
  besides('tcp3', 'beside three TCP flows', 'the same with three flows', () => ({ flows: 3 })),
  besides(
    'udp',
    "beside a UDP flow of the leg's whole rate",
    'tables 6 and 7 of Abelló Lozano (2012)',
    (lab) => ({ udpBits: rateBitsOf(lab) }),
  ),
  ...LINKS.flatMap((link) => [asymmetric(link, 'tcp'), asymmetric(link, 'udp')]),
  longQueues,
]);

export const loaded = gridScenario({
  name: 'loaded',
  title: 'Ways of carrying a packet, beside other traffic',
  description:
    'every way beside 0, 1 and 3 TCP flows and a UDP flow on its leg up, by the length of ' +
    'the queue (Abelló Lozano 2012; RFC 8867, section 5.6)',
  sweeps: SWEEPS,
  // The value is the queue's length, in ms. A connection ends in about a round trip, which is as
  // long.
  plan: (_ways, { disturb, value }) => ({
    moreSeconds: disturb ? LOAD_SECONDS + value / 1000 : 0,
  }),
  addOptions: (command) =>
    void command.option('--rate <kbit/s>', 'of each leg up', wholeNumber(100, 100_000), 2000),
  notes: [
    'Sweeps named by two rates, such as tcp-100-10, are of legs with the one down and the ' +
      'other up, in Mbit/s, and run only if they are named. Their TCP takes what CUBIC lets ' +
      'it, where Abelló Lozano names 10 and 2 Mbit/s of it. tcp-long, too, runs only if it is ' +
      'named: queues of 1 to 10 s on 1 Mbit/s, in blocks of 45 s, in which the flow fills them.',
    "Each way has a load of its own, from the sender's namespace to the hub: it shares the " +
      'leg up and its queue with the way, and with nothing else. Down, legs have no limit ' +
      'of their rate, but for asymmetric ones.',
    `Where the loads of all ways have more than ${PROCESSOR_BITS / 1e6} Mbit/s for each ` +
      'processor of the machine, ways run in groups, one after another, on legs of the same ' +
      'random numbers.',
    'Load: what its receiver at the hub got, without headers, from its first byte to its ' +
      'last. A TCP flow sends as much as CUBIC lets it, from two seconds before the packets ' +
      'that count; the UDP flow sends packets of 1 228 bytes at random times (Poisson), on ' +
      "average of the leg's whole rate, so that what the way sends is more than there is.",
    "Sent, up: all that was sent on the leg, the load's packets too, those included that " +
      'its queue dropped.',
    'The queue is drop-tail: a packet that would wait longer is dropped.',
    ...GRID_NOTES,
  ],
});
