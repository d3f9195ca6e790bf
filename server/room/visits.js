/**
 * @import { Mix } from '../mix/tick-mix.js'
 * @import { Participant } from './member.js'
 * @import { People } from './roster.js'
 * @import { RoomDelay } from '../clock/room-delay.js'
 * @import { StatsLog } from './stats-log.js'
 */

import { figuresOf, qualityOf, ToldQualities } from './quality.js';

/** What is done for each person of a room once a second, and when all have been visited. */
export class Visits {
  #people;
  #delay;
  #mix;
  #statsLog;
  #qualities = new ToldQualities();
  /** What is being told of the quality of connections. @type {{ id: string, quality: number }[]} */
  #told = [];

  /** @param {{ people: People, delay: RoomDelay, mix: Mix, statsLog: StatsLog }} room */
  constructor({ people, delay, mix, statsLog }) {
    this.#people = people;
    this.#delay = delay;
    this.#mix = mix;
    this.#statsLog = statsLog;
  }

  /**
   * @param {Participant} person
   * @param {number} now on the monotonic clock, in milliseconds
   */
  visit(person, now) {
    person.endSecond(now);
    this.#delay.tell(person);
    const stats = this.#delay.statsOf(person);
    person.session.sendControl({ type: 'stats', ...stats });
    if (this.#told.length > 0) person.session.sendControl({ type: 'qualities', people: this.#told });
    person.measuredQuality = qualityOf(figuresOf(person, stats));
  }

  /** @param {number} now on the monotonic clock, in milliseconds */
  endRound(now) {
    const people = this.#people.present;
    this.#delay.review(people.values());
    this.#mix.redundancyChanged();
    this.#statsLog.endSecond(people.values());
    // Told in the next round, as each is visited: all at once would hold up the mix of a big room.
    this.#told = this.#qualities.take(people.values(), now);
  }
}
