/**
 * @import { Lateness } from './lateness.js'
 */

import { LATENESS_BINS_MS } from '../../public/shared/wire/control.js';

/** Span of `receivedPercent10s`, in seconds. */
const RECENT_SECONDS = 10;

/** Weight of one packet in the mean lateness. */
const LATENESS_WEIGHT = 1 / 50;

/** Weight of one packet in the jitter (RFC 3550, section 6.4.1). */
const JITTER_WEIGHT = 1 / 16;

/** Fewest missing packets that count as loss, in 20 seconds: fewer don't justify more delay. */
const FEW_LOST = 3;

/** Time for which a repaired loss is remembered, in seconds. */
const LOSS_MEMORY_SECONDS = 20;

/** Number of sequence numbers tracked one by one, back from the highest; a power of two. */
const WINDOW = 1024;

/**
 * Distance behind the highest number beyond which the sender has restarted (RFC 3550, appendix
 * A.1).
 */
const MAX_BEHIND = 256;

/** Distance ahead of the highest number above which the sender counts as restarted. */
const MAX_AHEAD = 3000;

/** Fewest seconds and packets to compute loss over; MOST_SECONDS is the longest span. */
const LOSS_SECONDS = 5;
const LOSS_PACKETS = 100;
const MOST_SECONDS = 20;

/**
 * Sequence numbers of one sender's packets: counts arrived and lost packets. The sender numbers
 * packets, not frames, so the numbers show loss although silent frames aren't sent.
 */
export class SequenceTracker {
  #highest = -1;
  #seen = new Uint32Array(WINDOW / 32);
  #sent = 0;
  #came = 0;
  /** Pairs of sent and arrived packets, at the ends of the last seconds. */
  #seconds = new Float64Array(2 * (MOST_SECONDS + 1));
  #second = 0;
  /**
   * True when the last packet's number directly follows the previous highest: nothing between is
   * missing.
   */
  follows = false;

  /** @param {number} sequence modulo 2^16 @returns {boolean} false when it came before */
  arrived(sequence) {
    if (this.#highest < 0) this.#begin(sequence);
    const ahead = ((sequence - this.#highest) << 16) >> 16;
    this.follows = ahead === 1;
    if (ahead < -MAX_BEHIND || ahead > MAX_AHEAD) this.#begin(sequence);
    else if (ahead > 0) this.#advance(ahead);
    const at = sequence & (WINDOW - 1);
    const bit = 1 << (at & 31);
    if (this.#seen[at >>> 5] & bit) return false;
    this.#seen[at >>> 5] |= bit;
    this.#came += 1;
    return true;
  }

  /** @param {number} sequence  of the first packet */
  #begin(sequence) {
    this.#highest = sequence;
    this.#seen.fill(0);
    this.#sent += 1;
  }

  /** @param {number} steps */
  #advance(steps) {
    this.#sent += steps;
    if (steps >= WINDOW) this.#seen.fill(0);
    else for (let i = 1; i <= steps; i++) this.#forget((this.#highest + i) & (WINDOW - 1));
    this.#highest = (this.#highest + steps) & 0xffff;
  }

  /** @param {number} at */
  #forget(at) {
    this.#seen[at >>> 5] &= ~(1 << (at & 31));
  }

  /** Number of packets that were sent, according to their numbers. */
  get sent() {
    return this.#sent;
  }

  get lost() {
    return this.#sent - this.#came;
  }

  endSecond() {
    this.#second = (this.#second + 1) % (MOST_SECONDS + 1);
    this.#seconds[2 * this.#second] = this.#sent;
    this.#seconds[2 * this.#second + 1] = this.#came;
  }

  /**
   * Loss over the last seconds.
   * @param {number} [seconds] the least; extended if they had few packets
   * @returns {{ sent: number, lost: number }} packets
   */
  recent(seconds = LOSS_SECONDS) {
    let sent = 0;
    let came = 0;
    for (let back = seconds; back <= MOST_SECONDS; back++) {
      const then = 2 * ((this.#second + MOST_SECONDS + 1 - back) % (MOST_SECONDS + 1));
      sent = this.#sent - this.#seconds[then];
      came = this.#came - this.#seconds[then + 1];
      if (sent >= LOSS_PACKETS) break;
    }
    return { sent, lost: Math.max(0, sent - came) };
  }
}

/** Statistics of the packets and frames of one participant. */
export class ReceiverStats {
  /** Sequence numbers of all readable packets. */
  sequences = new SequenceTracker();
  #inTime = 0;
  #late = 0;
  #duplicate = 0;
  #concealed = 0;
  #recovered = 0;
  #unmixed = 0;
  #garbage = 0;
  #latenessMs = 0;
  #jitterMs = 0;
  #previousLatenessMs = NaN;
  /** Numbers of packets that were dropped unread, by reason. */
  #dropped = {
    unheard: 0,
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
  /** Most payloads that one packet repeated, in this second and the one before. */
  #redundancy = 0;
  #redundancyBefore = 0;
  /**
   * Number of frames that only the second repetition brought, now and at the ends of the last
   * seconds.
   */
  #deep = 0;
  #deepSeconds = new Float64Array(LOSS_MEMORY_SECONDS);
  #deepSecond = 0;
  /** Pairs of received and sent frames, at the ends of the last seconds. */
  #seconds = new Float64Array(2 * RECENT_SECONDS);
  #second = 0;

  /** @param {Lateness} lateness  new; filled by the source */
  constructor(lateness) {
    this.lateness = lateness;
  }

  /**
   * Counts the first packet for a frame.
   * @param {boolean} inTime true when its frame wasn't mixed yet
   * @param {number} latenessMs
   * @param {number} redundancy number of payloads that it repeats
   */
  arrived(inTime, latenessMs, redundancy) {
    if (inTime) this.#inTime += 1;
    else this.#late += 1;
    if (redundancy > this.#redundancy) this.#redundancy = redundancy;
    this.#latenessMs += (latenessMs - this.#latenessMs) * LATENESS_WEIGHT;
    const change = Math.abs(latenessMs - this.#previousLatenessMs);
    if (change >= 0) this.#jitterMs += (change - this.#jitterMs) * JITTER_WEIGHT;
    this.#previousLatenessMs = latenessMs;
  }

  /**
   * Counts a frame that came in the next one's packet, as its sender intended.
   * @param {boolean} inTime true when it wasn't mixed yet
   */
  packed(inTime) {
    if (inTime) this.#inTime += 1;
    else this.#late += 1;
  }

  /**
   * Counts a frame whose first copy was a repetition.
   * @param {number} repetition 1 in the next frame's packet, 2 in the one after it
   */
  repeated(repetition) {
    if (repetition > 1) this.#deep += 1;
  }

  /**
   * Counts an unused packet.
   * @param {keyof ReturnType<ReceiverStats['snapshot']>['dropped'] | 'duplicate'} reason
   */
  drop(reason) {
    if (reason === 'duplicate') this.#duplicate += 1;
    else this.#dropped[reason] += 1;
  }

  /** Counts a frame that the decoder made up. */
  concealed() {
    this.#concealed += 1;
  }

  /** Counts a frame that was ready for its mix because a later packet repeated it. */
  recovered() {
    this.#recovered += 1;
  }

  /** Counts a frame of sound that was left out of the mix for louder ones. */
  unmixed() {
    this.#unmixed += 1;
  }

  /** Counts a payload that isn't Opus of the room's format. */
  garbled() {
    this.#garbage += 1;
  }

  /**
   * @returns {{ sent: number, lost: number, inTime: number }} frames; recovered frames are in time
   */
  #sums() {
    const { lost } = this.sequences;
    const sent = this.#inTime + this.#late + lost + this.#dropped.early + this.#dropped.past;
    return { sent, lost, inTime: Math.min(sent, this.#inTime + this.#recovered) };
  }

  /**
   * Reports the shares of frames that wait for a first and a second repetition to the lateness.
   * Both are 0 without repetitions or with hardly any loss.
   */
  #planRepetitions() {
    const redundancy = Math.max(this.#redundancy, this.#redundancyBefore);
    this.#redundancyBefore = this.#redundancy;
    this.#redundancy = 0;
    const short = this.sequences.recent();
    const long = this.sequences.recent(LOSS_MEMORY_SECONDS);
    const first = redundancy > 0 ? Math.max(lossOf(short), lossOf(long)) : 0;
    this.#deepSecond = (this.#deepSecond + 1) % LOSS_MEMORY_SECONDS;
    const deep = this.#deep - this.#deepSeconds[this.#deepSecond];
    this.#deepSeconds[this.#deepSecond] = this.#deep;
    // Losses in a row need the second repetition more often than independent losses.
    const together = deep >= FEW_LOST ? deep / long.sent : 0;
    const second = redundancy > 1 ? Math.max(first * first, together) : 0;
    this.lateness.planRepetitions(first, second);
  }

  /** Ends a second. @param {number} nowMs @param {number | null} roundTripMs null when unknown */
  endSecond(nowMs, roundTripMs) {
    this.sequences.endSecond();
    this.#planRepetitions();
    this.lateness.review(nowMs, roundTripMs);
    const { sent, inTime } = this.#sums();
    this.#second = (this.#second + 1) % RECENT_SECONDS;
    this.#seconds[2 * this.#second] = inTime;
    this.#seconds[2 * this.#second + 1] = sent;
  }

  /** @param {Traffic} traffic */
  addTo(traffic) {
    traffic.received += this.#inTime + this.#late;
    traffic.late += this.#late;
    traffic.lost += this.sequences.lost;
    traffic.concealed += this.#concealed;
    traffic.recovered += this.#recovered;
    traffic.unmixed += this.#unmixed;
    traffic.garbled += this.#garbage;
    traffic.drop('duplicate', this.#duplicate);
    for (const [reason, count] of Object.entries(this.#dropped)) traffic.drop(reason, count);
  }

  /** Figures to show: packets, frames, and the share of the sent frames that were mixed. */
  snapshot() {
    const { sent, lost, inTime } = this.#sums();
    const oldest = 2 * ((this.#second + 1) % RECENT_SECONDS);
    const recent = this.sequences.recent();
    return {
      received: this.#inTime,
      late: this.#late,
      lost,
      duplicate: this.#duplicate,
      concealed: this.#concealed,
      recovered: this.#recovered,
      unmixed: this.#unmixed,
      garbage: this.#garbage,
      early: this.#dropped.early,
      lostPercent5s: percentOf(recent.lost, recent.sent),
      receivedPercent: percentOf(inTime, sent),
      receivedPercent10s: percentOf(
        inTime - this.#seconds[oldest],
        sent - this.#seconds[oldest + 1],
      ),
      latenessMs: this.#latenessMs,
      jitterMs: this.#jitterMs,
      latenessP50Ms: this.lateness.quantile(0.5),
      latenessP99Ms: this.lateness.quantile(0.99),
      latenessBins: this.lateness.histogram(LATENESS_BINS_MS),
      neededDelayMs: this.lateness.needMs,
      delayWaits: !this.lateness.excluded,
      dropped: { ...this.#dropped },
    };
  }
}

/**
 * @param {number} received
 * @param {number} sent
 * @returns {number | null} null when nothing was sent
 */
const percentOf = (received, sent) =>
  sent > 0 ? Math.min(100, Math.max(0, (100 * received) / sent)) : null;

/**
 * @param {{ sent: number, lost: number }} packets
 * @returns {number} 0 to 1; 0 for too few packets to judge
 */
const lossOf = ({ sent, lost }) => (lost >= FEW_LOST ? lost / sent : 0);

/** Sums of the packets and frames of many participants, present and past. */
export class Traffic {
  /** Audio packets that arrived and were used. */
  received = 0;
  /** Used packets whose frame had been mixed before. */
  late = 0;
  /** Packets that never arrived, according to their numbers. */
  lost = 0;
  /** Unused packets and messages, by reason. @type {Record<string, number>} */
  dropped = {};
  /** Frames that the decoder made up. */
  concealed = 0;
  /** Frames that were ready for their mix because a later packet repeated them. */
  recovered = 0;
  /** Frames of sound that were left out of the mix for louder ones. */
  unmixed = 0;
  /** Payloads that weren't Opus of the room's format. */
  garbled = 0;
  /** Packets to participants that weren't sent because the path was blocked. */
  unsent = 0;
  /** Packets to participants that the transport reports lost. */
  lostOut = 0;

  /** @param {string} reason one of a bounded set, since this code names it @param {number} count */
  drop(reason, count) {
    this.dropped[reason] = (this.dropped[reason] ?? 0) + count;
  }

  copy() {
    return Object.assign(new Traffic(), this, { dropped: { ...this.dropped } });
  }
}
