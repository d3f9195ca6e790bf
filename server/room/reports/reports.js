/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Log } from '../../log.js'
 * @import { Member } from '../people/member.js'
 */

/** How often everybody is visited, in milliseconds. */
const ROUND_MS = 1000;

/**
 * The fewest members that are visited at once, and the most visits of a round. Each visit wakes the
 * thread, to code and figures that no cache has any more; a long one makes a mix wait.
 */
const AT_ONCE = 12;
const MAX_VISITS = 50;

/**
 * The most members of whom all are told their own figures in each round. Where there are more,
 * those who are silent take turns, so many in a round or a LONGEST_TURN-th of them all, so that
 * what is told grows less than the room (as RTCP's reports, RFC 3550, section 6.2). Who speaks is
 * told in each: a client repeats frames by what it is told is lost.
 */
const TOLD_A_ROUND = 20;
const LONGEST_TURN = 5;

/**
 * The shortest time between two messages about connections' quality, in milliseconds, and the most
 * people in one.
 */
const QUALITY_EVERY_MS = 2000;
const MAX_QUALITIES = 50;

/** How often everybody's figures are logged at the level `debug`, in rounds. */
const LOG_ROUNDS = 10;

/** How good a participant's connection is. @enum {number} */
export const Quality = Object.freeze({ unknown: 0, bad: 1, fair: 2, good: 3 });

/**
 * @typedef {object} QualityFigures  null where it isn't known
 * @property {number | null} receivedPercent of the recent frames, those that were there for their
 *   mix
 * @property {number | null} lostPercent  of the recent packets, in the worse of the two directions
 * @property {number | null} roundTripMs
 * @property {number | null} latenessMs  the 99th percentile
 */

/**
 * The limits of what is good, and of what is fair.
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

/**
 * Reports to each member: how they are received, and how good the others' connections are. All are
 * visited once a second, a few at a time where they are many, so that no mix waits until all have
 * been told.
 */
export class Reports {
  #clock;
  #members;
  #visit;
  #onRound;
  #room;
  #log;
  /** Those of this round, and how many of them have been visited. @type {Member[]} */
  #round = [];
  #visited = 0;
  #atOnce = AT_ONCE;
  #rounds = 0;
  /** In one of how many rounds a silent member is told its figures. */
  #turn = 1;
  /**
   * Each member's last frame with sound, as it was in the last round.
   * @type {WeakMap<Member, number>}
   */
  #soundThrough = new WeakMap();
  /** @type {unknown} */
  #timer = null;
  /**
   * The changes of connections' quality that are told in this round.
   * @type {{ id: string, quality: number }[]}
   */
  #qualities = [];
  #qualitiesMs = -Infinity;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {ReadonlyMap<string, Member>} options.members  those of the room, as they come and go
   * @param {(member: Member, nowMs: number) => boolean} options.visit
   *   called once a second for each, before they are told; false when they have gone
   * @param {(nowMs: number) => void} options.onRound  called when all have been visited
   * @param {number} [options.phase]  of a round, 0 to 1, by which the first begins earlier
   * @param {string} options.room  its name, for the log
   * @param {Partial<Pick<Log, 'debug'>>} options.log  debug where those lines are wanted
   */
  constructor({ clock, members, visit, onRound, phase = 0, room, log }) {
    this.#clock = clock;
    this.#members = members;
    this.#visit = visit;
    this.#onRound = onRound;
    this.#room = room;
    this.#log = log;
    this.#later(ROUND_MS * (1 - phase));
  }

  /** @param {number} ms */
  #later(ms) {
    this.#timer = this.#clock.setTimeout(() => this.#go(), ms);
  }

  #go() {
    const now = this.#clock.now();
    if (this.#visited === this.#round.length) this.#begin();
    // Before the visits: the last one may end the room, and its reports with it.
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
    this.#visited = 0;
    this.#atOnce = Math.max(AT_ONCE, Math.ceil(this.#round.length / MAX_VISITS));
    this.#turn = Math.min(LONGEST_TURN, Math.max(1, Math.ceil(this.#round.length / TOLD_A_ROUND)));
  }

  /** @param {Member} member */
  #report(member) {
    if (this.#qualities.length > 0) member.tell({ type: 'qualities', people: this.#qualities });
    if (!this.#hasSpoken(member) && Number(member.id) % this.#turn !== this.#rounds % this.#turn)
      return;
    const stats = member.stats();
    member.tell({ type: 'stats', ...stats });
    const {
      receivedPercent10s: receivedPercent = null,
      roundTripMs,
      latenessP99Ms: latenessMs,
      downLostPercent,
    } = stats;
    member.rate(
      qualityOf({ receivedPercent, lostPercent: downLostPercent, roundTripMs, latenessMs }),
    );
  }

  /**
   * @param {Member} member
   * @returns {boolean} whether there was sound since the last round; true in the first
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
        this.#log.debug('session', this.#fieldsOf(member));
    }
    // Told in the next round, as each is visited: all at once would hold up the mix of a big room.
    this.#qualities = this.#takeQualities(now);
  }

  /** @param {number} now @returns {{ id: string, quality: number }[]} mostly none */
  #takeQualities(now) {
    /** @type {{ id: string, quality: number }[]} */
    const changes = [];
    if (now - this.#qualitiesMs < QUALITY_EVERY_MS) return changes;
    for (const member of this.#members.values()) {
      // The rest of a big room waits for its turn: a message is no longer than this.
      if (changes.length === MAX_QUALITIES) break;
      if (member.takeQuality()) changes.push({ id: member.id, quality: member.quality });
    }
    if (changes.length > 0) this.#qualitiesMs = now;
    return changes;
  }

  /**
   * What the log has of a session's end.
   * @param {Member} member  whose session has ended, and who still has their figures
   */
  endOf(member) {
    const { name, session, visit } = member;
    return {
      event: 'session-end',
      name,
      peer: session.peer,
      ...rounded(visit),
      ...this.#fieldsOf(member),
    };
  }

  /**
   * A member's figures, as the log has them.
   * @param {Member} member
   * @returns {Record<string, unknown>}
   */
  #fieldsOf(member) {
    const { id, session, delivery } = member;
    const stats = { ...member.stats(), connection: session.stats() };
    return rounded({
      room: this.#room,
      person: id,
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
 * Rounds the numbers of an object, and of those in it, to hundredths: a log is read by people.
 * @param {object} figures
 * @returns {any}
 */
const rounded = (figures) =>
  JSON.parse(
    JSON.stringify(figures, (_, value) =>
      typeof value === 'number' ? Math.round(value * 100) / 100 : value,
    ),
  );
