/** How good a person's connection is. @enum {number} */
export const Quality = Object.freeze({ unknown: 0, bad: 1, fair: 2, good: 3 });

/** Changes are told no sooner than so long after those before, in milliseconds, and so many at most. */
const TOLD_EVERY_MS = 2000;
const MAX_TOLD = 50;

/** What is still good, and what is still fair. @type {Readonly<Record<keyof QualityFigures, number>>} */
const GOOD = Object.freeze({ receivedPercent: 98.5, lostPercent: 2, roundTripMs: 250, latenessMs: 150 });
/** @type {Readonly<Record<keyof QualityFigures, number>>} */
const FAIR = Object.freeze({ receivedPercent: 93, lostPercent: 8, roundTripMs: 600, latenessMs: 400 });

/**
 * @typedef {object} QualityFigures  null where it isn't known
 * @property {number | null} receivedPercent of the frames sent of late, those that were there for their mix
 * @property {number | null} lostPercent     of the packets of late, the worse of the two ways
 * @property {number | null} roundTripMs
 * @property {number | null} latenessMs      of the latest one in a hundred of the frames
 */

/**
 * @param {import('./member.js').Participant} person
 * @param {ReturnType<import('../clock/room-delay.js').RoomDelay['statsOf']>} stats
 */
export function figuresOf({ reportedLossPercent: lostPercent }, stats) {
  const { receivedPercent10s: receivedPercent, roundTripMs, latenessP99Ms: latenessMs } = stats;
  return { receivedPercent, lostPercent, roundTripMs, latenessMs };
}

/**
 * The worst of the figures counts: a connection is as good as what is heard of it.
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

/** What the people of a room are told of each other's connections. */
export class ToldQualities {
  #toldMs = -Infinity;

  /**
   * @param {Iterable<{ id: string, quality: number, measuredQuality: number }>} people
   *   quality is what the others know; changed to what they are told now
   * @param {number} nowMs
   * @returns {{ id: string, quality: number }[]} what they are to be told; mostly nothing
   */
  take(people, nowMs) {
    /** @type {{ id: string, quality: number }[]} */
    const changes = [];
    if (nowMs - this.#toldMs < TOLD_EVERY_MS) return changes;
    for (const person of people) {
      if (person.quality === person.measuredQuality) continue;
      // The rest of a big room waits for its turn: a message is no longer than this.
      if (changes.length === MAX_TOLD) break;
      person.quality = person.measuredQuality;
      changes.push({ id: person.id, quality: person.quality });
    }
    if (changes.length > 0) this.#toldMs = nowMs;
    return changes;
  }
}
