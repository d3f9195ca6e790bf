/**
 * @import { Lateness } from './lateness.js'
 */

/** Upper limits of the lateness histogram's bins that are told, in milliseconds; the last bin has none. */
export const LATENESS_BINS_MS = Object.freeze([0, 5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 400]);

/** Of so many seconds there is a figure of its own. */
const RECENT_SECONDS = 10;

/** How much one more packet moves the mean lateness. */
const LATENESS_WEIGHT = 1 / 50;

/** What the server counts of one participant's uplink. */
export class Reception {
  #firstSequence = -1;
  #highest = -1;
  #inTime = 0;
  #late = 0;
  /** What was received and sent by the end of each of the last seconds. */
  #seconds = new Float64Array(2 * RECENT_SECONDS);
  #second = 0;

  /** @param {Lateness} lateness of this participant's frames; filled by the participant */
  constructor(lateness) {
    this.lateness = lateness;
    /** Packets for a frame that was there already. */
    this.duplicate = 0;
    /** Frames that were made up by the decoder. */
    this.concealed = 0;
    /** Frames that were taken from a later packet's redundancy. */
    this.recovered = 0;
    /** Frames whose payload wasn't Opus of the room's format. */
    this.garbage = 0;
    /** Mean lateness in milliseconds: arrival less the end of the frame on the sample clock. */
    this.latenessMs = 0;
    /** Packets that were dropped unread, by reason. */
    this.dropped = {
      empty: 0,
      oversized: 0,
      version: 0,
      type: 0,
      truncated: 0,
      malformed: 0,
      early: 0,
      past: 0,
      flood: 0,
      control: 0,
    };
  }

  /**
   * A packet that was there before its frame was mixed.
   * @param {number} sequence
   * @param {number} latenessMs
   */
  inTime(sequence, latenessMs) {
    this.#inTime += 1;
    this.#arrived(sequence, latenessMs);
  }

  /**
   * A packet that missed its frame's mix.
   * @param {number} sequence
   * @param {number} latenessMs
   */
  late(sequence, latenessMs) {
    this.#late += 1;
    this.#arrived(sequence, latenessMs);
  }

  /**
   * @param {number} sequence modulo 2^16
   * @param {number} latenessMs
   */
  #arrived(sequence, latenessMs) {
    this.latenessMs += (latenessMs - this.latenessMs) * LATENESS_WEIGHT;
    if (this.#firstSequence < 0) {
      this.#firstSequence = sequence;
      this.#highest = sequence;
      return;
    }
    const ahead = ((sequence - this.#highest) << 16) >> 16;
    if (ahead > 0) this.#highest += ahead;
  }

  /** @returns {{ sent: number, lost: number, inTime: number }} recovered frames are in time */
  #sums() {
    const arrived = this.#inTime + this.#late;
    const expected = this.#highest - this.#firstSequence + 1;
    const lost = arrived === 0 ? 0 : Math.max(0, expected - arrived);
    const sent = arrived + lost;
    return { sent, lost, inTime: Math.min(sent, this.#inTime + this.recovered) };
  }

  /**
   * Ends a second.
   * @param {number} nowMs
   * @param {number | null} roundTripMs null where it isn't known
   */
  endSecond(nowMs, roundTripMs) {
    this.lateness.review(nowMs, roundTripMs);
    const { sent, inTime } = this.#sums();
    this.#second = (this.#second + 1) % RECENT_SECONDS;
    this.#seconds[2 * this.#second] = inTime;
    this.#seconds[2 * this.#second + 1] = sent;
  }

  /** The counters as they are shown: packets, frames, and the share of the sent frames that were mixed. */
  snapshot() {
    const { sent, lost, inTime } = this.#sums();
    const oldest = 2 * ((this.#second + 1) % RECENT_SECONDS);
    return {
      received: this.#inTime,
      late: this.#late,
      lost,
      duplicate: this.duplicate,
      concealed: this.concealed,
      recovered: this.recovered,
      garbage: this.garbage,
      early: this.dropped.early,
      receivedPercent: percentOf(inTime, sent),
      receivedPercent10s: percentOf(inTime - this.#seconds[oldest], sent - this.#seconds[oldest + 1]),
      latenessMs: this.latenessMs,
      latenessP50Ms: this.lateness.quantile(0.5),
      latenessP99Ms: this.lateness.quantile(0.99),
      latenessBins: this.lateness.histogram(LATENESS_BINS_MS),
      neededDelayMs: this.lateness.needMs,
      delayWaits: !this.lateness.excluded,
      dropped: { ...this.dropped },
    };
  }
}

/**
 * @param {number} received
 * @param {number} sent
 * @returns {number | null} null when nothing was sent
 */
const percentOf = (received, sent) => (sent > 0 ? Math.min(100, Math.max(0, (100 * received) / sent)) : null);
