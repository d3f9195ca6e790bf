/**
 * @import { SessionStats } from '../../session/session.js'
 * @import { Traffic } from '../../source/receiver-stats.js'
 * @import { Source } from '../../source/source.js'
 * @import { Member, MemberSound } from './member.js'
 */

import { Quality } from '../record/reports.js';

/** Figures of a member's packets and hearing, and the client's own. */
export class MemberFigures {
  #member;
  #sound;
  /** Dropped packets of a light member, by reason. @type {Map<string, number> | null} */
  #dropped = null;
  /** Figures that only the client knows: null until reported. */
  #reported = {
    downLostPercent: /** @type {number | null} */ (null),
    playoutDelayMs: /** @type {number | null} */ (null),
    soundLatencyMs: /** @type {number | null} */ (null),
    driftPpm: /** @type {number | null} */ (null),
  };

  /** True when the client's computer gets too little processor time. */
  isWeak = false;
  /** Delay of the microphone, in milliseconds; null until reported. @type {number | null} */
  microphoneMs = null;
  /** One of Quality, as the others know it. @type {number} */
  quality = Quality.unknown;

  /** @param {Member} member @param {MemberSound} sound */
  constructor(member, sound) {
    this.#member = member;
    this.#sound = sound;
    /** The transport's round trip, in milliseconds; null when it doesn't know it. */
    this.roundTripMs = () => member.session.pathStats().rttMs;
  }

  /** Loss that the client reported last, in percent; null before. */
  get downLostPercent() {
    return this.#reported.downLostPercent;
  }

  /**
   * Takes a report of the client; a figure that is left out stays as it was.
   * @param {{ lostPercent: number, playoutDelayMs?: number, soundLatencyMs?: number, driftPpm?:
   *   number, microphoneMs?: number, isWeak?: boolean }} report
   */
  report({ lostPercent, playoutDelayMs, soundLatencyMs, driftPpm, microphoneMs, isWeak }) {
    const reported = this.#reported;
    this.isWeak = isWeak ?? this.isWeak;
    this.microphoneMs = microphoneMs ?? this.microphoneMs;
    reported.downLostPercent = lostPercent;
    reported.playoutDelayMs = playoutDelayMs ?? reported.playoutDelayMs;
    reported.soundLatencyMs = soundLatencyMs ?? reported.soundLatencyMs;
    reported.driftPpm = driftPpm ?? reported.driftPpm;
    this.#member.listener?.reportLoss(lostPercent, this.roundTripMs());
  }

  /** Counts a dropped packet. @param {Parameters<Source['drop']>[0]} reason */
  drop(reason) {
    const { source } = this.#member;
    if (source !== null) source.drop(reason);
    else (this.#dropped ??= new Map()).set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** Ends a second of the statistics. @param {number} nowMs  on the monotonic clock */
  endSecond(nowMs) {
    const { listener, source } = this.#member;
    if (!listener?.isLight) listener?.endSecond(this.#sound.sampleAt(nowMs));
    source?.endSecond(nowMs, this.roundTripMs());
  }

  /** All figures, as plain data. */
  stats() {
    const { listener, session, source, serverDelayMs } = this.#member;
    const { droppedOut, rttMs: roundTripMs } = session.pathStats();
    // Assigning in place costs a fraction of a spread with this many fields.
    const received = /** @type {ReturnType<Source['stats']>} */ (source?.stats() ?? {});
    const offsetMs = source?.offsetMs ?? 0;
    const othersDelayMs = this.#sound.delayWithoutMs(this.#member);
    const stats = Object.assign(received, this.#reported, {
      droppedOut,
      roundTripMs,
      serverDelayMs,
      othersDelayMs,
      offsetMs,
    });
    return Object.assign(stats, listener?.isLight ? null : listener?.stats());
  }

  /**
   * Adds the figures of the member's packets to a sum.
   * @param {Traffic} traffic
   * @param {SessionStats} [stats]  of the session
   */
  addTo(traffic, { droppedOut, droppedIn, lostPackets } = this.#member.session.stats()) {
    this.#member.source?.addTo(traffic);
    for (const [reason, count] of this.#dropped ?? []) traffic.drop(reason, count);
    traffic.unsent += droppedOut;
    traffic.lostOut += lostPackets;
    traffic.drop('queue', droppedIn);
  }
}
