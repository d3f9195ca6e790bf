/**
 * Rules for the rate and the time of a recording's next segment. Basic, simple and static are from
 * P. Nys, "Design and Implementation of Media Streaming using WebTransport and QUIC", 2024, table
 * 4.4; careful is our own.
 *
 * @import { SEGMENT_RULES } from '../../public/shared/messages/segment-messages.js'
 *
 * @typedef {object} Situation
 * @property {readonly number[]} rates  in bits per second, ascending
 * @property {number} wanted  index of the highest rate that the client wants
 * @property {number} current  index of the previous rate; −1 at first
 * @property {number | null} throughput estimated throughput to the client in bits per second; null
 *   if unknown
 * @property {number} level  estimated seconds of sound at the client
 * @property {number} underway  seconds of sound in flight
 * @property {number} min  seconds that the client wants at least
 * @property {number} max  seconds that it wants at most
 *
 * @typedef {{ rate: number, waitSeconds: number }} Choice rate: an index; waitSeconds: sound to be
 *   played before the segment is sent
 */

const SEGMENT_SECONDS = 1;

/** Share of the throughput that our rule uses; the rest is for other traffic of the connection. */
const SHARE = 0.7;

/**
 * Highest rate that fits a throughput.
 * @param {Situation} situation
 * @param {number} throughput
 */
function highest({ rates, wanted }, throughput) {
  let found = 0;
  for (let i = 1; i <= wanted; i++) if (rates[i] <= throughput) found = i;
  return found;
}

/**
 * Fills the buffer to the client's maximum, then waits for a segment to be played.
 * @param {Situation} situation
 */
const fillUp = ({ level, underway, max }) =>
  level + underway + SEGMENT_SECONDS > max ? SEGMENT_SECONDS : 0;

/** @type {Readonly<Record<typeof SEGMENT_RULES[number], (situation: Situation) => Choice>>} */
export const RULES = Object.freeze({
  /**
   * Sends as fast as possible below the minimum buffer, then one segment per segment played, always
   * at one rate.
   */
  basic: ({ wanted, level, underway, min }) => ({
    rate: wanted,
    waitSeconds: level + underway < min ? 0 : SEGMENT_SECONDS,
  }),

  /** Takes the highest rate that fits the throughput, up to the maximum buffer. */
  simple: (situation) => ({
    rate: highest(situation, situation.throughput ?? 0),
    waitSeconds: fillUp(situation),
  }),

  /** Works like simple, but at one rate. */
  static: (situation) => ({ rate: situation.wanted, waitSeconds: fillUp(situation) }),

  /**
   * Begins low, and goes up one rate at a time while the buffer and the throughput have reserves.
   * Goes down only if the buffer runs low or the throughput is less than half of the rate: the
   * buffer covers a short dip.
   */
  careful: (situation) => {
    const { current, throughput, level, underway, min, max, rates, wanted } = situation;
    const waitSeconds = Math.max(0, level + underway + SEGMENT_SECONDS - max);
    if (throughput === null || current < 0) return { rate: 0, waitSeconds };
    const fits = highest(situation, SHARE * throughput);
    const now = Math.min(current, wanted);
    if (fits > now) return { rate: level + underway >= min / 2 ? now + 1 : now, waitSeconds };
    const mustFall = level < min || throughput < rates[now] / 2;
    return { rate: mustFall ? fits : now, waitSeconds };
  },
});
