import { PersonTile } from './person-tile.js';

/**
 * @import { Person } from './person-tile.js'
 *
 * @typedef {object} VolumeActions
 * @property {(id: string) => number} volumeOf           how loud one other person is made, for oneself; 1: as everybody
 * @property {(id: string, gain: number) => void} volume  makes them so loud
 */

/** How loud is shown as full, and as nothing, in -dBov (RFC 6465: 0 is the loudest, 127 silence). */
const LOUD = 15;
const QUIET = 60;

/** The people in the room, as a list: one tile each, kept while the person stays. */
export class PeopleList {
  /** @type {Map<Person['id'], PersonTile>} */
  #tiles = new Map();
  #list;
  #actions;

  /**
   * @param {HTMLUListElement} list
   * @param {VolumeActions} actions
   */
  constructor(list, actions) {
    this.#list = list;
    this.#actions = actions;
  }

  /**
   * @param {Person[]} people
   * @param {Person['id'] | null} you
   * @param {boolean} [recording]
   */
  show(people, you, recording = false) {
    const here = new Set(people.map(({ id }) => id));
    for (const [id, { element }] of this.#tiles) {
      if (here.has(id)) continue;
      element.remove();
      this.#tiles.delete(id);
    }
    for (const person of people) {
      this.#tileOf(person.id).show(person, { you: person.id === you, recording });
    }
    this.#list.dataset.count = String(Math.min(people.length, 7));
  }

  /**
   * Who speaks just now, and how loud.
   * @param {{ id: string, level: number, voice: boolean }[]} speakers level in -dBov; the others are silent
   */
  speakers(speakers) {
    const speaking = new Map(speakers.map((one) => [one.id, one]));
    for (const [id, tile] of this.#tiles) {
      const one = speaking.get(id);
      tile.speaks(one ? shareOf(one.level) : 0, one?.voice ?? false);
    }
  }

  /** @param {Person['id']} id */
  #tileOf(id) {
    let tile = this.#tiles.get(id);
    if (!tile) {
      tile = new PersonTile(this.#actions.volumeOf(id), (gain) => this.#actions.volume(id, gain));
      this.#tiles.set(id, tile);
      this.#list.append(tile.element);
    }
    return tile;
  }
}

/** @param {number} level in -dBov */
const shareOf = (level) => Math.min(1, Math.max(0, (QUIET - level) / (QUIET - LOUD)));
