/**
 * @import { ClientStats } from '../../client/call/client-stats.js'
 *
 * @typedef {object} Sample  one second of a call; null where it isn't known
 * @property {number} second                 since the call began
 * @property {number | null} roundTripMs
 * @property {number | null} receivedPercent of what is heard here
 * @property {number | null} serverDelayMs
 * @property {number | null} playoutDelayMs
 * @property {number | null} lostDownPercent
 * @property {number | null} lostUpPercent   as the server says
 * @property {number | null} upKbps
 * @property {number | null} downKbps
 */

/** So many seconds are kept: what the plots show. */
export const HISTORY_SECONDS = 120;

/** Loss is a share of the packets of so many seconds: of fewer packets it would jump. */
const LOSS_SECONDS = 5;

/** What a call's statistics say, second by second. */
export class SoundHistory {
  /** @type {Sample[]} the oldest first */
  samples = [];
  /** @type {{ ms: number, up: number, down: number, lost: number, received: number }[]} sums, as they were */
  #sums = [];
  #beginMs = NaN;

  /** Forgets everything, before another call. */
  clear() {
    this.samples = [];
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
    // Sums that go down are those of a connection that is new.
    if (before && bytes.down < before.down) this.#sums = [];
    this.#sums.push({ ms: nowMs, up: bytes.up, down: bytes.down, lost, received });
    if (this.#sums.length > LOSS_SECONDS + 1) this.#sums.shift();
    if (Number.isNaN(this.#beginMs)) this.#beginMs = nowMs;
    this.samples.push({
      second: (nowMs - this.#beginMs) / 1000,
      roundTripMs,
      receivedPercent,
      serverDelayMs: numberOr(delayParts.serverDelayMs),
      playoutDelayMs: numberOr(delayParts.playoutMs),
      lostDownPercent: this.#lostPercent(),
      lostUpPercent: numberOr(detail.server?.lostPercent5s),
      ...this.#rates(),
    });
    if (this.samples.length > HISTORY_SECONDS) this.samples.shift();
  }

  #rates() {
    const [before, now] = this.#sums.slice(-2);
    if (!now || now.ms <= before.ms) return { upKbps: null, downKbps: null };
    const rate = (/** @type {'up' | 'down'} */ way) => (8 * (now[way] - before[way])) / (now.ms - before.ms);
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
