/**
 * Rates of the last seconds from the server's counters: they only rise, so two readings give a
 * rate.
 *
 * @typedef {object} Look  the part of GET /api/status behind the rates
 * @property {number} uptimeSeconds
 * @property {{ mixCpuSeconds: number }} load
 * @property {{ received: number, late: number, lost: number }} packets
 * @property {{ count: number, bins: { upToMs: number, count: number }[] }} ticks
 * @property {{ of: string, code: string, count: number }[]} refusals
 *
 * @typedef {object} RecentRates  null while unknown
 * @property {number | null} mixingPercent   of one processor
 * @property {number | null} lateTickPercent
 * @property {number | null} lostPercent     of the packets that people sent
 * @property {number | null} latePercent     of the received packets
 */

/** Time span of the rates, in seconds. */
const SPAN_SECONDS = 10;

/** Time span of the refusals, in seconds. */
const REFUSAL_SECONDS = 60;

/** Lateness from which on a tick counts as late, in milliseconds; one of the server's bins. */
const LATE_MS = 20;

/** Readings of the server's counters in the last minute. */
export class Rates {
  /** The oldest first. @type {Look[]} */
  #looks = [];

  /** @param {Look} look */
  add(look) {
    const last = this.#looks.at(-1);
    // A restarted server counts from 0.
    if (last && look.uptimeSeconds < last.uptimeSeconds) this.#looks = [];
    this.#looks.push(look);
    while (
      this.#looks.length > 2 &&
      this.#looks[1].uptimeSeconds <= look.uptimeSeconds - REFUSAL_SECONDS
    )
      this.#looks.shift();
  }

  /** @param {number} seconds @returns {Look | undefined} the reading of that age, or the oldest */
  #before(seconds) {
    const now = this.#looks.at(-1);
    if (!now) return undefined;
    return (
      this.#looks.findLast(({ uptimeSeconds }) => uptimeSeconds <= now.uptimeSeconds - seconds) ??
      this.#looks[0]
    );
  }

  /** @returns {RecentRates} */
  get recent() {
    const now = this.#looks.at(-1);
    const then = this.#before(SPAN_SECONDS);
    if (!now || !then || now === then)
      return { mixingPercent: null, lateTickPercent: null, lostPercent: null, latePercent: null };
    const received = now.packets.received - then.packets.received;
    const lost = Math.max(0, now.packets.lost - then.packets.lost);
    const ticks = now.ticks.count - then.ticks.count;
    return {
      mixingPercent: share(
        now.load.mixCpuSeconds - then.load.mixCpuSeconds,
        now.uptimeSeconds - then.uptimeSeconds,
      ),
      lateTickPercent: share(ticks - (inTime(now) - inTime(then)), ticks),
      lostPercent: share(lost, received + lost),
      latePercent: share(now.packets.late - then.packets.late, received),
    };
  }

  /**
   * Refusals: those of the last minute first, then by count.
   * @returns {{ of: string, code: string, count: number, recent: number }[]}
   */
  get refusals() {
    const now = this.#looks.at(-1);
    const then = this.#before(REFUSAL_SECONDS);
    if (!now || !then) return [];
    const key = (/** @type {{ of: string, code: string }} */ { of, code }) => `${of} ${code}`;
    const before = new Map(then.refusals.map((refusal) => [key(refusal), refusal.count]));
    return now.refusals
      .map((refusal) => ({ ...refusal, recent: refusal.count - (before.get(key(refusal)) ?? 0) }))
      .sort((a, b) => b.recent - a.recent || b.count - a.count);
  }
}

/** @param {Look} look @returns {number} number of ticks in time */
const inTime = ({ ticks }) =>
  ticks.bins.find(({ upToMs }) => upToMs === LATE_MS)?.count ?? ticks.count;

/** @param {number} part @param {number} whole @returns {number | null} in percent */
const share = (part, whole) => (whole > 0 ? (100 * part) / whole : null);
