/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Log } from '../../log.js'
 * @import { Member } from '../people/member.js'
 */

import { TokenBucket } from '../../token-bucket.js';

/** Interval between two visits of one member, in milliseconds. */
const ROUND_MS = 1000;

/**
 * Fewest members that are visited together, and most visits of a round. Each visit wakes the
 * thread, to code and figures that no cache has any more; a long one delays a mix.
 */
const AT_ONCE = 12;
const MAX_VISITS = 50;

/**
 * Largest room in which all members get their own figures in each round. In a larger one, silent
 * members take turns: this many in a round, or a LONGEST_TURN-th of them all. So the traffic grows
 * less than the room (as RTCP's reports, RFC 3550, section 6.2). Speakers get theirs in each round:
 * a client repeats frames by its reported loss.
 */
const TOLD_A_ROUND = 20;
const LONGEST_TURN = 5;

/** Shortest time between two messages about quality, in milliseconds, and most people in one. */
const QUALITY_EVERY_MS = 2000;
const MAX_QUALITIES = 50;

/** Lateness of visits from which this process stood still, in milliseconds. */
const STALL_MS = 500;

/** Rounds between two lines of everybody's figures, at the log level `debug`. */
const LOG_ROUNDS = 10;

/** Quality of a participant's connection. @enum {number} */
export const Quality = Object.freeze({ unknown: 0, bad: 1, fair: 2, good: 3 });

/**
 * @typedef {object} QualityFigures  null when unknown
 * @property {number | null} receivedPercent  recent frames that came in time for their mix
 * @property {number | null} lostPercent  of recent packets, in the worse of the two directions
 * @property {number | null} roundTripMs
 * @property {number | null} latenessMs  the 99th percentile
 */

/**
 * Limits of a good connection, and of a fair one.
 * @type {Readonly<Record<keyof QualityFigures, number>>}
 */
const GOOD = Object.freeze({
  receivedPercent: 98.5,
  lostPercent: 2,
  roundTripMs: 250,
  latenessMs: 150,
});
/** @type {Readonly<Record<keyof QualityFigures, number>>} */
const FAIR = Object.freeze({
  receivedPercent: 93,
  lostPercent: 8,
  roundTripMs: 600,
  latenessMs: 400,
});

/**
 * Rates a connection by the worst of its figures.
 * @param {QualityFigures} figures
 * @returns {number} one of Quality; unknown while nothing was received
 */
export function qualityOf(figures) {
  if (figures.receivedPercent === null) return Quality.unknown;
  if (reaches(figures, GOOD)) return Quality.good;
  return reaches(figures, FAIR) ? Quality.fair : Quality.bad;
}

/**
 * @param {QualityFigures} figures
 * @param {Readonly<Record<keyof QualityFigures, number>>} bound
 */
function reaches({ receivedPercent, lostPercent, roundTripMs, latenessMs }, bound) {
  return (
    (receivedPercent ?? 100) >= bound.receivedPercent &&
    (lostPercent ?? 0) <= bound.lostPercent &&
    (roundTripMs ?? 0) <= bound.roundTripMs &&
    (latenessMs ?? 0) <= bound.latenessMs
  );
}

/** Delays of the microphones that are heard, as clients report them. */
class Microphones {
  /** In milliseconds. @type {Map<Member, number>} */
  #own = new Map();
  /** The same, rising. @type {number[]} */
  #delays = [];

  /** @param {Iterable<Member>} members */
  follow(members) {
    this.#own.clear();
    for (const member of members) {
      const { standing, source, figures } = member;
      if (!standing.muted && source !== null && figures.microphoneMs !== null)
        this.#own.set(member, figures.microphoneMs);
    }
    this.#delays = [...this.#own.values()].sort((a, b) => a - b);
  }

  /**
   * @param {Member} member
   * @returns {number | null} median of all others, in milliseconds; null without any
   */
  medianWithout(member) {
    const own = this.#delays.indexOf(this.#own.get(member) ?? -1);
    const count = this.#delays.length - (own < 0 ? 0 : 1);
    const middle = (count - 1) >> 1;
    return this.#delays[own < 0 || middle < own ? middle : middle + 1] ?? null;
  }
}

/**
 * Reports to each member their own reception, and the quality of the others' connections. Everybody
 * is visited once a second, in small groups, so that no mix waits for all of the reports.
 */
export class Reports {
  #clock;
  #members;
  #visit;
  #onRound;
  #onStall;
  #room;
  #log;
  /** Members of this round, and the number of them that have been visited. @type {Member[]} */
  #round = [];
  #visited = 0;
  #microphones = new Microphones();
  #atOnce = AT_ONCE;
  #rounds = 0;
  /** Number of rounds between two reports to a silent member. */
  #turn = 1;
  /** Last frame with sound of each member, in the round before. @type {WeakMap<Member, number>} */
  #soundThrough = new WeakMap();
  /** @type {unknown} */
  #timer = null;
  /** Due time of the timer. */
  #dueMs = 0;
  /** Qualities as last measured. @type {WeakMap<Member, number>} */
  #measured = new WeakMap();
  /** Changes of quality that go out in this round. @type {{ id: string, quality: number }[]} */
  #qualities = [];
  #qualitiesMs = -Infinity;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {ReadonlyMap<string, Member>} options.members  the room's people, as they come and go
   * @param {(member: Member, nowMs: number) => boolean} options.visit
   *   called once a second for each, before their report; false when they have gone
   * @param {(nowMs: number) => void} options.onRound  called when all have been visited
   * @param {(lateMs: number, nowMs: number) => void} [options.onStall]  called before the visits
   *   that come late because this process stood still
   * @param {number} [options.phase]  of a round, 0 to 1, by which the first begins earlier
   * @param {string} options.room  its name, for the log
   * @param {Partial<Pick<Log, 'debug'>>} options.log  without debug none is written
   */
  constructor({ clock, members, visit, onRound, onStall = () => {}, phase = 0, room, log }) {
    this.#clock = clock;
    this.#members = members;
    this.#visit = visit;
    this.#onRound = onRound;
    this.#onStall = onStall;
    this.#room = room;
    this.#log = log;
    this.#later(ROUND_MS * (1 - phase));
  }

  /** @param {number} ms */
  #later(ms) {
    this.#dueMs = this.#clock.now() + ms;
    this.#timer = this.#clock.setTimeout(() => this.#go(), ms);
  }

  #go() {
    const now = this.#clock.now();
    const lateMs = now - this.#dueMs;
    if (lateMs > STALL_MS) this.#onStall(lateMs, now);
    if (this.#visited === this.#round.length) this.#begin();
    // Scheduled before the visits: the last one may end the room, and its reports with it.
    this.#later(ROUND_MS / Math.max(1, Math.ceil(this.#round.length / this.#atOnce)));
    const end = Math.min(this.#round.length, this.#visited + this.#atOnce);
    while (this.#visited < end) {
      const member = this.#round[this.#visited++];
      if (this.#members.get(member.id) === member && this.#visit(member, now)) this.#report(member);
    }
    if (end === this.#round.length) this.#endRound(now);
  }

  #begin() {
    this.#round = [...this.#members.values()];
    this.#microphones.follow(this.#round);
    this.#visited = 0;
    this.#atOnce = Math.max(AT_ONCE, Math.ceil(this.#round.length / MAX_VISITS));
    this.#turn = Math.min(LONGEST_TURN, Math.max(1, Math.ceil(this.#round.length / TOLD_A_ROUND)));
  }

  /** @param {Member} member */
  #report(member) {
    if (this.#qualities.length > 0) member.tell({ type: 'qualities', people: this.#qualities });
    if (!this.#hasSpoken(member) && Number(member.id) % this.#turn !== this.#rounds % this.#turn)
      return;
    const stats = member.figures.stats();
    const microphoneMs = this.#microphones.medianWithout(member);
    member.tell({ type: 'stats', ...stats, microphoneMs });
    const {
      receivedPercent10s: receivedPercent = null,
      roundTripMs,
      latenessP99Ms: latenessMs,
      downLostPercent,
    } = stats;
    this.#measured.set(
      member,
      qualityOf({ receivedPercent, lostPercent: downLostPercent, roundTripMs, latenessMs }),
    );
  }

  /**
   * @param {Member} member
   * @returns {boolean} true in the first round, and after sound since the last
   */
  #hasSpoken(member) {
    const through = member.source?.soundThrough ?? -1;
    if (this.#soundThrough.get(member) === through) return false;
    this.#soundThrough.set(member, through);
    return true;
  }

  /** @param {number} now */
  #endRound(now) {
    this.#rounds += 1;
    this.#onRound(now);
    if (this.#log.debug && this.#rounds % LOG_ROUNDS === 0) {
      for (const member of this.#members.values())
        this.#log.debug({ event: 'session', ...this.#fieldsOf(member) }, 'session');
    }
    // Told in the next round, at each visit: all at once would delay the mix of a big room.
    this.#qualities = this.#takeQualities(now);
  }

  /** @param {number} now @returns {{ id: string, quality: number }[]} mostly none */
  #takeQualities(now) {
    /** @type {{ id: string, quality: number }[]} */
    const changes = [];
    if (now - this.#qualitiesMs < QUALITY_EVERY_MS) return changes;
    for (const member of this.#members.values()) {
      // The rest of a big room waits for the next message.
      if (changes.length === MAX_QUALITIES) break;
      const quality = this.#measured.get(member) ?? member.figures.quality;
      if (quality === member.figures.quality) continue;
      member.figures.quality = quality;
      changes.push({ id: member.id, quality });
    }
    if (changes.length > 0) this.#qualitiesMs = now;
    return changes;
  }

  /**
   * Fields of the log line of a session's end.
   * @param {Member} member
   */
  endOf(member) {
    const { name, session, visit } = member;
    return {
      name,
      peer: session.peer,
      ...rounded(visit),
      ...this.#fieldsOf(member),
    };
  }

  /** @param {Member} member @returns {Record<string, unknown>} fields of a log line */
  #fieldsOf(member) {
    const { id, session, delivery } = member;
    const stats = { ...member.figures.stats(), connection: session.stats() };
    return rounded({
      room: this.#room,
      participant: id,
      transport: session.transport.name,
      delivery,
      ...stats,
    });
  }

  /** Idempotent. */
  stop() {
    this.#clock.clearTimeout(this.#timer);
  }
}

/**
 * Rounds all numbers in an object to hundredths, for readers of the log.
 * @param {object} figures
 * @returns {Record<string, unknown>}
 */
const rounded = (figures) =>
  JSON.parse(
    JSON.stringify(figures, (_, value) =>
      typeof value === 'number' ? Math.round(value * 100) / 100 : value,
    ),
  );

/** Longest short visit, in milliseconds. */
const SHORT_MS = 2000;

/** Limit of short visits that are logged one by one: a burst, and then a second. */
const LINES = Object.freeze({ atOnce: 20, perSecond: 1 });

/**
 * Logs the end of each session; many short visits in one line, so that they can't fill the disk.
 */
export class SessionLog {
  #log;
  #clock;
  #lines;
  #unlogged = 0;
  #short = 0;

  /**
   * @param {object} options
   * @param {Pick<Log, 'info'>} options.log
   * @param {Clock} options.clock
   */
  constructor({ log, clock }) {
    this.#log = log;
    this.#clock = clock;
    this.#lines = new TokenBucket({ ...LINES, nowMs: clock.now() });
  }

  /** Number of short visits. */
  get short() {
    return this.#short;
  }

  /**
   * @param {number} stayedMs  time of the session in its room
   * @param {() => Readonly<Record<string, unknown>>} fields  of the log line, computed only for a
   *   line that is written
   * @param {string | null} network
   */
  ended(stayedMs, fields, network) {
    if (stayedMs < SHORT_MS) {
      this.#short += 1;
      if (this.#lines.take(this.#clock.now()) > 0) {
        this.#unlogged += 1;
        return;
      }
    }
    this.flush();
    this.#log.info({ event: 'session-end', ...fields() }, 'session ended', { network });
  }

  /** Logs the number of short visits that weren't logged one by one. */
  flush() {
    if (this.#unlogged === 0) return;
    this.#log.info(
      { event: 'short-sessions', count: this.#unlogged, withinSeconds: SHORT_MS / 1000 },
      'more sessions ended shortly after joining',
    );
    this.#unlogged = 0;
  }
}
