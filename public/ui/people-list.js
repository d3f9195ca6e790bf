import { hue, initials } from './avatar.js';
import { make, makeIcon, setText } from './element.js';
import { connectionNames, texts } from '../texts.js';

const MUTED_PATH =
  'M9 9v2a3 3 0 0 0 4.6 2.5M15 10.5V6a3 3 0 0 0-5.9-.8M5.5 11.5a6.5 6.5 0 0 0 10.4 5.2M18.5 11.5' +
  'a6.5 6.5 0 0 1-.6 2.7M12 18v3M4 4l16 16';

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} transport
 * @property {boolean} muted
 */

/** The people in the room, as a list: one item each, kept while the person stays. */
export class PeopleList {
  /** @type {Map<Person['id'], PersonItem>} */
  #items = new Map();
  #list;

  /**
   * @param {HTMLUListElement} list
   */
  constructor(list) {
    this.#list = list;
  }

  /**
   * @param {Person[]} people
   * @param {Person['id'] | null} you
   */
  show(people, you) {
    const here = new Set(people.map(({ id }) => id));
    for (const [id, { element }] of this.#items) {
      if (here.has(id)) continue;
      element.remove();
      this.#items.delete(id);
    }
    for (const person of people) this.#itemOf(person.id).show(person, person.id === you);
  }

  /**
   * @param {Person['id']} id
   */
  #itemOf(id) {
    let item = this.#items.get(id);
    if (!item) {
      item = new PersonItem();
      this.#items.set(id, item);
      this.#list.append(item.element);
    }
    return item;
  }
}

class PersonItem {
  constructor() {
    this.avatar = make('span', 'avatar');
    this.name = make('span');
    this.you = make('span', 'person-you', ` (${texts.you})`);
    this.how = make('span', 'person-how');
    this.muted = make('span', 'person-muted');
    this.muted.append(makeIcon(MUTED_PATH));

    const nameLine = make('span', 'person-name');
    nameLine.append(this.name, this.you);
    const text = make('div', 'person-text');
    text.append(nameLine, this.how);
    this.element = make('li', 'person');
    this.element.append(this.avatar, text, this.muted);
  }

  /**
   * @param {Person} person
   * @param {boolean} you
   */
  show({ name, transport, muted }, you) {
    // Drawn by the stylesheet: initials are not part of what the list says.
    this.avatar.dataset.initials = initials(name);
    setText(this.name, name);
    setText(this.how, [connectionNames[transport], muted && texts.muted].filter(Boolean).join(' · '));
    this.element.style.setProperty('--hue', String(hue(name)));
    this.you.hidden = !you;
    this.muted.hidden = !muted;
  }
}
