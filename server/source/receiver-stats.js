/**
 * @import { Lateness } from './lateness.js'
 */

import { LATENESS_BINS_MS } from '../../public/shared/control.js';
import { Sequences } from './sequence-tracker.js';

/** Of so many seconds there is a figure of its own. */
const RECENT_SECONDS = 10;

/** How much one more packet moves the mean lateness. */
const LATENESS_WEIGHT = 1 / 50;

/** And the jitter (RFC 3550, section 6.4.1). */
const JITTER_WEIGHT = 1 / 16;

/** Fewer lost packets than this, in 20 seconds, are no loss that a delay would be for. */
const FEW_LOST = 3;

/** How long a loss is remembered that redundancy mends, in seconds. */
const LOSS_MEMORY_SECONDS = 20;

/** What the server counts of one participant's uplink. */
export class Reception {
  #inTime = 0;
  #late = 0;
  #previousLatenessMs = NaN;
  /** The most payloads that a packet of this second, and of the one before, repeated. */
  #redundancy = 0;
  #redundancyBefore = 0;
  /** How many frames only the second repetition brought, by the ends of the last seconds. */
  #deep = 0;
  #deepSeconds = new Float64Array(LOSS_MEMORY_SECONDS);
  #deepSecond = 0;
  /** What was received and sent by the end of each of the last seconds. */
  #seconds = new Float64Array(2 * RECENT_SECONDS);
  #second = 0;

  /** @param {Lateness} lateness of this participant's frames; filled by the participant */
  constructor(lateness) {
    this.lateness = lateness;
    /** Of all packets that could be read. */
    this.sequences = new Sequences();
    /** Packets for a frame that was there already. */
    this.duplicate = 0;
    /** Frames that were made up by the decoder. */
    this.concealed = 0;
    /** Frames that were there for their mix because a later packet repeated them. */
    this.recovered = 0;
    /** Frames of sound that were there and not mixed, since louder ones were. */
    this.unmixed = 0;
    /** Frames whose payload wasn't Opus of the room's format. */
    this.garbage = 0;
    /** Mean lateness in milliseconds: arrival less the end of the frame on the sample clock. */
    this.latenessMs = 0;
    /** How unevenly packets come, in milliseconds (RFC 3550, section 6.4.1). */
    this.jitterMs = 0;
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
   * A packet was the first for its frame.
   * @param {boolean} inTime      whether its frame wasn't mixed yet
   * @param {number} latenessMs
   * @param {number} redundancy  how many payloads it repeats
   */
  arrived(inTime, latenessMs, redundancy) {
    if (inTime) this.#inTime += 1;
    else this.#late += 1;
    if (redundancy > this.#redundancy) this.#redundancy = redundancy;
    this.latenessMs += (latenessMs - this.latenessMs) * LATENESS_WEIGHT;
    const change = Math.abs(latenessMs - this.#previousLatenessMs);
    if (change >= 0) this.jitterMs += (change - this.jitterMs) * JITTER_WEIGHT;
    this.#previousLatenessMs = latenessMs;
  }

  /**
   * A frame came first as a repetition.
   * @param {number} repetition  1 for that of the next frame's packet
   */
  repeated(repetition) {
    if (repetition > 1) this.#deep += 1;
  }

  /** @returns {{ sent: number, lost: number, inTime: number }} recovered frames are in time */
  #sums() {
    const { lost } = this.sequences;
    const sent = this.#inTime + this.#late + lost + this.dropped.early + this.dropped.past;
    return { sent, lost, inTime: Math.min(sent, this.#inTime + this.recovered) };
  }

  /**
   * What share of the frames must be waited for until a first repetition comes, and until a second: none
   * where nothing is repeated, or hardly anything is lost.
   */
  #planRepetitions() {
    const redundancy = Math.max(this.#redundancy, this.#redundancyBefore);
    this.#redundancyBefore = this.#redundancy;
    this.#redundancy = 0;
    const short = this.sequences.lately();
    const long = this.sequences.lately(LOSS_MEMORY_SECONDS);
    const first = redundancy > 0 ? Math.max(lossOf(short), lossOf(long)) : 0;
    this.#deepSecond = (this.#deepSecond + 1) % LOSS_MEMORY_SECONDS;
    const deep = this.#deep - this.#deepSeconds[this.#deepSecond];
    this.#deepSeconds[this.#deepSecond] = this.#deep;
    // Losses that come together need the second more often than those that come alone.
    const together = deep >= FEW_LOST ? deep / long.sent : 0;
    const second = redundancy > 1 ? Math.max(first * first, together) : 0;
    this.lateness.planRepetitions(first, second);
  }

  /**
   * Ends a second.
   * @param {number} nowMs
   * @param {number | null} roundTripMs null where it isn't known
   */
  endSecond(nowMs, roundTripMs) {
    this.sequences.endSecond();
    this.#planRepetitions();
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
    const lately = this.sequences.lately();
    return {
      received: this.#inTime,
      late: this.#late,
      lost,
      duplicate: this.duplicate,
      concealed: this.concealed,
      recovered: this.recovered,
      unmixed: this.unmixed,
      garbage: this.garbage,
      early: this.dropped.early,
      lostPercent5s: percentOf(lately.lost, lately.sent),
      receivedPercent: percentOf(inTime, sent),
      receivedPercent10s: percentOf(inTime - this.#seconds[oldest], sent - this.#seconds[oldest + 1]),
      latenessMs: this.latenessMs,
      jitterMs: this.jitterMs,
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

/** @param {{ sent: number, lost: number }} packets @returns {number} 0 to 1; 0 for so few that they say nothing */
const lossOf = ({ sent, lost }) => (lost >= FEW_LOST ? lost / sent : 0);
