/**
 * Rules by which the server chooses the rate of a recording's next segment, and when it is sent:
 * basic, simple and static of "Media streaming over WebTransport" (paper 001, table 4.4), and one
 * of our own.
 *
 * @typedef {object} Situation
 * @property {readonly number[]} rates    in bits a second, rising
 * @property {number} wanted              index of the highest rate that the client asks for
 * @property {number} current             index of the rate before; −1 at first
 * @property {number | null} throughput bits a second that the way to the client delivers, as
 *   estimated; null where that isn't known
 * @property {number} level               seconds of sound that the client has, as estimated
 * @property {number} underway            seconds of sound on the way to it
 * @property {number} min                 seconds that the client asks for at least
 * @property {number} max                 seconds that it asks for at most
 *
 * @typedef {{ rate: number, waitSeconds: number }} Choice rate: an index; waitSeconds: of sound
 *   played, before the segment is sent
 *
 * @typedef {'basic' | 'simple' | 'static' | 'careful'} Rule
 */

/** The length of a segment, in seconds. */
const SEGMENT_SECONDS = 1;

/**
 * The share of the throughput that our rule counts on: the rest is for what else the connection
 * carries.
 */
const SHARE = 0.7;

/**
 * The highest rate that fits a throughput.
 * @param {Situation} situation
 * @param {number} throughput
 */
function highest({ rates, wanted }, throughput) {
  let found = 0;
  for (let i = 1; i <= wanted; i++) if (rates[i] <= throughput) found = i;
  return found;
}

/**
 * Up to the most that the client asks for; then one segment for each that is played.
 * @param {Situation} situation
 */
const fillUp = ({ level, underway, max }) =>
  level + underway + SEGMENT_SECONDS > max ? SEGMENT_SECONDS : 0;

/** @type {Readonly<Record<Rule, (situation: Situation) => Choice>>} */
export const RULES = Object.freeze({
  /**
   * As fast as possible below the least buffer, then one segment for each that is played; never
   * another rate.
   */
  basic: ({ wanted, level, underway, min }) => ({
    rate: wanted,
    waitSeconds: level + underway < min ? 0 : SEGMENT_SECONDS,
  }),

  /** The highest rate that the throughput has room for, up to the fullest buffer. */
  simple: (situation) => ({
    rate: highest(situation, situation.throughput ?? 0),
    waitSeconds: fillUp(situation),
  }),

  /** Like simple, and never another rate. */
  static: (situation) => ({ rate: situation.wanted, waitSeconds: fillUp(situation) }),

  /**
   * Begins low, goes up one rate at a time while the buffer is there for it and the throughput has
   * room to spare, and down only where the buffer runs low or the throughput is less than half of
   * the rate: what a short dip costs the buffer pays.
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

export const DEFAULT_RULE = 'careful';
