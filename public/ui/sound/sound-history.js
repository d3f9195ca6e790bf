/**
 * @import { ClientStats } from '../../client/call/call-stats.js'
 *
 * @typedef {object} Sample  one second of a call; null for what isn't known
 * @property {number} second                 since the call began
 * @property {number | null} roundTripMs
 * @property {number | null} receivedPercent of sound heard here
 * @property {number | null} serverDelayMs
 * @property {number | null} playoutDelayMs
 * @property {number | null} lostDownPercent
 * @property {number | null} lostUpPercent   as the server counts it
 * @property {number | null} upKbps
 * @property {number | null} downKbps
 */

/** Length of the plotted history, in seconds. */
export const HISTORY_SECONDS = 120;

/** Length of the kept history, which can be exported, in seconds: some 1 MB. */
export const KEPT_SECONDS = 2 * 3600;

/** Time over which loss is averaged, in seconds: a single second's varies too much. */
const LOSS_SECONDS = 5;

/** A call's statistics, second by second. */
export class SoundHistory {
  /** All that is kept. @type {Sample[]} the oldest first */
  kept = [];
  /**
   * Earlier totals of the statistics.
   * @type {{ ms: number, up: number, down: number, lost: number, received: number }[]}
   */
  #sums = [];
  #beginMs = NaN;

  /** @returns {Sample[]} the plotted samples, the oldest first */
  get samples() {
    return this.kept.slice(-HISTORY_SECONDS);
  }

  /** Time of second 0, in milliseconds; NaN before the first sample. */
  get beginMs() {
    return this.#beginMs;
  }

  /** Forgets the call, before another one. */
  clear() {
    this.kept = [];
    this.#sums = [];
    this.#beginMs = NaN;
  }

  /**
   * @param {ClientStats} stats
   * @param {number} nowMs
   */
  add(stats, nowMs) {
    const { roundTripMs, receivedPercent, delayParts, bytes, detail } = stats;
    const { lost, received } = detail.playout;
    const before = this.#sums.at(-1);
    // A new connection counts from 0.
    if (before && bytes.down < before.down) this.#sums = [];
    this.#sums.push({ ms: nowMs, up: bytes.up, down: bytes.down, lost, received });
    if (this.#sums.length > LOSS_SECONDS + 1) this.#sums.shift();
    if (Number.isNaN(this.#beginMs)) this.#beginMs = nowMs;
    this.kept.push({
      second: (nowMs - this.#beginMs) / 1000,
      roundTripMs,
      receivedPercent,
      serverDelayMs: numberOr(delayParts.serverDelayMs),
      playoutDelayMs: numberOr(delayParts.playoutMs),
      lostDownPercent: this.#lostPercent(),
      lostUpPercent: numberOr(detail.server?.lostPercent5s),
      ...this.#rates(),
    });
    if (this.kept.length > KEPT_SECONDS) this.kept.shift();
  }

  #rates() {
    const [before, now] = this.#sums.slice(-2);
    if (!now || now.ms <= before.ms) return { upKbps: null, downKbps: null };
    const rate = (/** @type {'up' | 'down'} */ way) =>
      (8 * (now[way] - before[way])) / (now.ms - before.ms);
    return { upKbps: rate('up'), downKbps: rate('down') };
  }

  #lostPercent() {
    const first = this.#sums[0];
    const last = this.#sums[this.#sums.length - 1];
    const lost = last.lost - first.lost;
    const due = lost + last.received - first.received;
    return due > 0 ? Math.max(0, (100 * lost) / due) : null;
  }
}

/** @param {unknown} value */
const numberOr = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/**
 * Returns the ends of a plot's axis, rounded outwards so that they seldom change.
 * @param {(number | null)[]} values
 * @param {{ least: number, isPercent?: boolean }} row least: the axis' least length; isPercent:
 *   it ends at 100 and its lower end varies, else it begins at 0
 * @returns {[number, number]}
 */
export function rangeOf(values, { least, isPercent = false }) {
  const known = values.filter((value) => value !== null);
  if (isPercent) {
    const low = Math.min(100 - least, ...known);
    return [Math.max(0, Math.floor(low / 5) * 5), 100];
  }
  const high = Math.max(least, ...known) * 1.1;
  const step = 10 ** Math.floor(Math.log10(high)) / 2;
  return [0, Math.ceil(high / step) * step];
}
