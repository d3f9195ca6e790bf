import { build, makeField } from '../kit/element.js';
import { groupTexts as texts } from '../../texts/features.js';

/** @import { Person } from '../people/person.js' */

/** A choice of the room or one of its groups, for one person. */
export class GroupChoice {
  #select;
  #options = '';
  /** The person's group. */
  #group = 0;
  element;

  /**
   * @param {string} id  of the field
   * @param {string} label
   * @param {(group: number) => void} onChoice  0: the room
   */
  constructor(id, label, onChoice) {
    this.#select = build('select', { id });
    this.#select.addEventListener('change', () => {
      onChoice(Number(this.#select.value));
      // The request may be refused: until the person is there, the present group is shown.
      this.#select.value = String(this.#group);
    });
    this.element = makeField(label, this.#select);
  }

  /**
   * @param {number} count  of groups
   * @param {number} group  of the person
   * @param {readonly Person[]} people  everybody
   */
  show(count, group, people) {
    const sizes = Array.from(
      { length: count },
      (_, i) => people.filter((person) => person.group === i + 1 && person.owner === '').length,
    );
    const texted = sizes.map((size, i) => texts.groupWith(i + 1, size));
    const options = [texts.theRoom, ...texted];
    // An open list keeps its place: its options are made again only for other numbers.
    if (this.#options !== options.join()) {
      this.#options = options.join();
      this.#select.replaceChildren(
        ...options.map((text, value) => build('option', { value: String(value) }, text)),
      );
    }
    this.#group = group;
    this.#select.value = String(group);
  }
}
