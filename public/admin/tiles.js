/**
 * @import { Look, RecentRates } from './rates.js'
 *
 * @typedef {Look & { people: number, away: number, rooms: number, limits: { people: number, rooms:
 *   number }, sessions: Record<string, number>, load: { complexity: number }, delay: { medianMs:
 *   number | null, maxMs: number }, recordings: { bytes: number, limitBytes: number, open: number
 *   }, state: string, version: string, codec: string, engine: string | null, webhooks: { url:
 *   string, delivered: number, dropped: number, waiting: number, problem: string | null
 *   }[] }} StatusAnswer  to GET /api/status
 */

import { build, makeDrawing, setText } from '../ui/kit/element.js';
import { adminTexts as texts, megabytes, milliseconds, percentage } from './texts.js';

/** Number of values in a line: a minute of them. Fewer values are drawn equally wide. */
const MAX_POINTS = 60;

/** A number with its name, its whole, and optionally a line of the last minute. */
class Tile {
  #value = build('span', { class: 'tile-value' });
  #of = build('span', { class: 'tile-of' });
  /** @type {number[]} */
  #points = [];
  #drawing;
  #most;

  /**
   * @param {string} name
   * @param {number} [most] value at the top of the line; without it there is no line
   */
  constructor(name, most) {
    this.#most = most;
    this.#drawing = most === undefined ? null : makeDrawing('spark', '0 0 59 20', '');
    this.#drawing?.setAttribute('aria-hidden', 'true');
    this.#drawing?.setAttribute('preserveAspectRatio', 'none');
    const figure = build('dd', {}, this.#value, this.#of);
    if (this.#drawing) figure.append(this.#drawing);
    this.element = build('div', { class: 'tile' }, build('dt', {}, name), figure);
  }

  /**
   * @param {string} value
   * @param {string} of
   * @param {{ point?: number | null, isBad?: boolean }} [more] point: for the line
   */
  show(value, of, { point = null, isBad = false } = {}) {
    setText(this.#value, value);
    setText(this.#of, of);
    this.element.classList.toggle('is-bad', isBad);
    if (!this.#drawing || this.#most === undefined || point === null) return;
    this.#points.push(Math.min(1, Math.max(0, point / this.#most)));
    if (this.#points.length > MAX_POINTS) this.#points.shift();
    const step = (MAX_POINTS - 1) / Math.max(1, this.#points.length - 1);
    const path = this.#points
      .map(
        (share, i) =>
          `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)} ${(19 - 18 * share).toFixed(1)}`,
      )
      .join('');
    this.#drawing.firstElementChild?.setAttribute('d', path);
  }
}

/** The server's figures. */
export class Tiles {
  #people = new Tile(texts.people);
  #rooms = new Tile(texts.rooms);
  #sessions = new Tile(texts.sessions);
  #mixing = new Tile(texts.mixing, 100);
  #late = new Tile(texts.lateTicks, 10);
  #delay = new Tile(texts.delay);
  #lost = new Tile(texts.lost, 10);
  #disk = new Tile(texts.disk);

  /** @param {HTMLElement} list */
  constructor(list) {
    const tiles = [
      this.#people,
      this.#rooms,
      this.#sessions,
      this.#delay,
      this.#mixing,
      this.#late,
      this.#lost,
      this.#disk,
    ];
    list.append(...tiles.map(({ element }) => element));
  }

  /** @param {StatusAnswer} status @param {RecentRates} rates */
  show({ people, away, rooms, limits, sessions, load, delay, recordings }, rates) {
    const { mixingPercent, lateTickPercent, lostPercent, latePercent } = rates;
    const connected = Object.values(sessions).reduce((sum, count) => sum + count, 0);
    this.#people.show(people.toLocaleString('en'), texts.peopleOf(limits.people, away), {
      isBad: people >= 0.95 * limits.people,
    });
    this.#rooms.show(rooms.toLocaleString('en'), texts.roomsOf(limits.rooms), {
      isBad: rooms >= 0.95 * limits.rooms,
    });
    this.#sessions.show(connected.toLocaleString('en'), texts.sessionsOf(sessions));
    this.#mixing.show(percentage(mixingPercent), texts.mixingOf(load.complexity), {
      point: mixingPercent,
      isBad: (mixingPercent ?? 0) > 85,
    });
    this.#late.show(percentage(lateTickPercent), texts.lateTicksOf, {
      point: lateTickPercent,
      isBad: (lateTickPercent ?? 0) > 1,
    });
    this.#delay.show(milliseconds(delay.medianMs), texts.delayOf(delay.maxMs));
    this.#lost.show(percentage(lostPercent), texts.lostOf(latePercent), {
      point: lostPercent,
      isBad: (lostPercent ?? 0) > 5,
    });
    const isFull = recordings.limitBytes > 0 && recordings.bytes >= 0.95 * recordings.limitBytes;
    this.#disk.show(
      megabytes(recordings.bytes),
      texts.diskOf(recordings.limitBytes, recordings.open),
      { isBad: isFull },
    );
  }
}
