/**
 * Counts of the whole process for its metrics: refusals by code, and ended sessions by reason.
 * Counts belong to the process, as Prometheus counters do, so any module counts with one call.
 * Labels are bounded: they come from this code, never from a peer.
 *
 * @import { ErrorCode } from '../public/shared/errors.js'
 *
 * @typedef {'join' | 'command' | 'http' | 'upgrade'} RefusedThing join: a session that asked to
 *   join; command: a participant's request; http: a request; upgrade: a request to begin a
 *   session over WebSocket or WebTransport
 *
 * @typedef {{ of: RefusedThing, code: string, count: number }} RefusalCount
 * @typedef {{ transport: string, code: string, count: number }} EndCount
 */

import { errorOfClose } from '../public/shared/errors.js';

/** By `of`, then by code. @type {Map<RefusedThing, Map<string, number>>} */
const refused = new Map();

/** By transport, then by code. @type {Map<string, Map<string, number>>} */
const ended = new Map();

let joined = 0;
let leftOutLines = 0;
let fileShortages = 0;

/**
 * @template K
 * @param {Map<K, Map<string, number>>} table
 * @param {K} row
 * @param {string} column
 */
function add(table, row, column) {
  let counts = table.get(row);
  if (counts === undefined) table.set(row, (counts = new Map()));
  counts.set(column, (counts.get(column) ?? 0) + 1);
}

/**
 * Counts a refusal.
 * @param {RefusedThing} of
 * @param {ErrorCode} code
 */
export function countRefusal(of, code) {
  add(refused, of, code);
}

/**
 * Returns the label for a session's close number: 'left' for a normal end, a code of the registry,
 * or 'other'. A peer may close with any number.
 * @param {number} close
 */
export const endOf = (close) => (close === 0 ? 'left' : (errorOfClose(close) ?? 'other'));

/**
 * Counts a session that has ended.
 * @param {string} transport  its name
 * @param {number} close  its close number
 */
export function countSessionEnd(transport, close) {
  add(ended, transport, endOf(close));
}

/** Counts a participant who joined or resumed. */
export function countJoin() {
  joined += 1;
}

/** Counts a line that the log left out. */
export function countLeftOutLine() {
  leftOutLines += 1;
}

/** Counts a moment at which no more files could be opened. */
export function countFileShortage() {
  fileShortages += 1;
}

/**
 * @returns {{ refusals: RefusalCount[], sessionEnds: EndCount[], joins: number, leftOutLines:
 *   number, fileShortages: number }}
 */
export function counted() {
  const refusals = [...refused].flatMap(([of, codes]) =>
    [...codes].map(([code, count]) => ({ of, code, count })),
  );
  const sessionEnds = [...ended].flatMap(([transport, codes]) =>
    [...codes].map(([code, count]) => ({ transport, code, count })),
  );
  return { refusals, sessionEnds, joins: joined, leftOutLines, fileShortages };
}
