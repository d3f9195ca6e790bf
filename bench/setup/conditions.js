/**
 * The conditions under which setups are measured: round trip, loss and rate, one varied at a time.
 * @import { TransportName } from '../../public/client/connection/connection.js'
 *
 * @typedef {'new' | 'resumed' | 'kept'} ConnectionKind with a new TLS session, a resumed one, or
 *   over the connection that fetched the page
 *
 * @typedef {object} Condition  each figure is 'own' where the link stays as its profile has it
 * @property {number | 'own'} roundTripMs
 * @property {number | 'own'} lossPercent  each way
 * @property {number | 'own'} rateKbits    each way; 0 without a limit
 *
 * @typedef {object} Sweep
 * @property {string} name                 a word in camelCase
 * @property {'Round trip' | 'Loss' | 'Rate' | 'Link'} label
 * @property {keyof Condition} factor      the one that is varied
 * @property {string} unit
 * @property {(condition: Condition) => boolean} holds  true if a condition is one of the sweep's
 * @property {(at: number | string) => string} where    begins a sentence
 *
 */

/**
 * The kinds of connection that are compared where the round trip is varied; elsewhere all are new.
 */
export const KINDS = Object.freeze(
  /** @type {Record<TransportName, readonly ConnectionKind[]>} */ ({
    webtransport: ['new'],
    websocket: ['new', 'resumed'],
    http1: ['new', 'resumed', 'kept'],
  }),
);

/** The round trip at which loss and rate are varied, in milliseconds. */
export const BASE_MS = 50;

/** @type {Condition} */
const BASE = Object.freeze({ roundTripMs: BASE_MS, lossPercent: 0, rateKbits: 0 });

/** The link as its profile has it. @type {Condition} */
export const AS_IS = Object.freeze({ roundTripMs: 'own', lossPercent: 'own', rateKbits: 'own' });

/** @type {readonly Sweep[]} */
export const SWEEPS = Object.freeze([
  {
    name: 'roundTrip',
    label: 'Round trip',
    factor: 'roundTripMs',
    unit: 'ms',
    where: (at) => `At ${at} ms round trip`,
    holds: ({ lossPercent, rateKbits }) => lossPercent === 0 && rateKbits === 0,
  },
  {
    name: 'loss',
    label: 'Loss',
    factor: 'lossPercent',
    unit: '%',
    where: (at) => `With ${at} % loss each way`,
    holds: ({ roundTripMs, rateKbits }) => roundTripMs === BASE_MS && rateKbits === 0,
  },
  {
    name: 'rate',
    label: 'Rate',
    factor: 'rateKbits',
    unit: 'kbit/s',
    where: (at) => `At ${at} kbit/s`,
    holds: ({ roundTripMs, lossPercent, rateKbits }) =>
      roundTripMs === BASE_MS && lossPercent === 0 && rateKbits !== 0,
  },
  {
    name: 'asIs',
    label: 'Link',
    factor: 'roundTripMs',
    unit: '',
    where: () => 'On this link',
    holds: ({ roundTripMs }) => roundTripMs === 'own',
  },
]);

/**
 * Each condition once.
 * @param {{ roundTrips: readonly number[], losses: readonly number[], rates: readonly number[] }}
 *   lists
 * @returns {Condition[]}
 */
export function conditionsOf({ roundTrips, losses, rates }) {
  const all = [
    ...roundTrips.map((roundTripMs) => ({ ...BASE, roundTripMs })),
    ...losses.map((lossPercent) => ({ ...BASE, lossPercent })),
    ...rates.map((rateKbits) => ({ ...BASE, rateKbits })),
  ];
  return [...new Map(all.map((condition) => [keyOf(condition), condition])).values()];
}

/** @param {Condition} condition */
export const keyOf = ({ roundTripMs, lossPercent, rateKbits }) =>
  [roundTripMs, lossPercent, rateKbits].join(' ');

/** The condition in words. @param {Condition} condition */
export function wordsOf({ roundTripMs, lossPercent, rateKbits }) {
  if (roundTripMs === 'own') return 'the link as it is';
  const loss = lossPercent ? `, ${lossPercent} % loss` : '';
  return `${roundTripMs} ms${loss}${rateKbits ? `, ${rateKbits} kbit/s` : ''}`;
}

/**
 * Settings that give a link a condition, or null if it stays unchanged.
 * @param {Condition} condition
 */
export function settingsOf({ roundTripMs, lossPercent, rateKbits }) {
  if (roundTripMs === 'own') return null;
  return { delayMs: roundTripMs / 2, lossPercent, rateBits: Number(rateKbits) * 1000 };
}

/** Bytes of data in a ping: nearly a whole packet, so that its round trip shows the rate too. */
export const PING_BYTES = 1400;

/** Bytes of the headers of IP and of ICMP or UDP. */
const PING_HEADER_BYTES = 28;

/**
 * Time by which the least round trip may exceed the link's, in milliseconds: the ping's own time,
 * and the emulator's lateness on a busy machine.
 */
const PING_SPARE_MS = 3;

/**
 * Describes the fault of a link's round trip or rate.
 * @param {Condition} condition @param {{ minMs: number }} ping  of packets with PING_BYTES
 * @returns {string | null} null if it is as requested
 */
export function faultOfPing({ roundTripMs, rateKbits }, { minMs }) {
  if (roundTripMs === 'own') return null;
  const onTheLine =
    rateKbits === 0 ? 0 : (2 * 8 * (PING_BYTES + PING_HEADER_BYTES)) / Number(rateKbits);
  const planned = roundTripMs + onTheLine;
  if (minMs > planned - 1 && minMs < planned + PING_SPARE_MS) return null;
  return (
    `a ping of ${PING_BYTES} bytes took ${minMs.toFixed(1)} ms at least, where the link ` +
    `should make it ${planned.toFixed(1)} ms`
  );
}

/**
 * Standard deviations by which a share of losses may differ from the requested one: by chance
 * it happens once in 16 000 times.
 */
const LOSS_DEVIATIONS = 4;

/**
 * Describes the fault of a link's losses.
 * @param {Condition} condition
 * @param {{ arrived: number, lost: number }} counts of packets, both ways
 * @returns {string | null} null if they are as requested
 */
export function faultOfLoss({ lossPercent }, { arrived, lost }) {
  if (lossPercent === 'own') return null;
  const share = lossPercent / 100;
  const spare = LOSS_DEVIATIONS * Math.sqrt(arrived * share * (1 - share));
  if (Math.abs(lost - share * arrived) <= spare) return null;
  return `the link lost ${lost} of ${arrived} packets, where ${lossPercent} % was asked for`;
}
