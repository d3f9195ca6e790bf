import { skeleton } from '../../names/skeleton.js';

/** The names with which the people of one room are shown: each unlike all others. */
export class Labels {
  /** The skeletons of labels that somebody has. @type {Set<string>} */
  #taken = new Set();
  /**
   * By a name's skeleton: how many have the name, and the least number behind it that may be free,
   * so that a thousand of one name aren't counted through for each of them.
   * @type {Map<string, { count: number, next: number }>}
   */
  #names = new Map();

  /**
   * The name that a person is to be shown with: their own, or where somebody has one that looks
   * like it, with a number.
   * @param {string} name
   * @returns {string} "Ada", "Ada (2)", "Ada (3)"
   */
  labelFor(name) {
    const base = skeleton(name);
    const known = this.#names.get(base);
    let number = known?.next ?? 1;
    while (this.#taken.has(skeleton(labelOf(name, number)))) number += 1;
    if (known) known.next = number;
    return labelOf(name, number);
  }

  /** @param {string} name @param {string} label  somebody has it from now on */
  take(name, label) {
    this.#taken.add(skeleton(label));
    const base = skeleton(name);
    const known = this.#names.get(base);
    if (known) known.count += 1;
    else this.#names.set(base, { count: 1, next: 1 });
  }

  /** @param {string} name @param {string} label  nobody has it any more */
  free(name, label) {
    this.#taken.delete(skeleton(label));
    const base = skeleton(name);
    const known = this.#names.get(base);
    if (!known) return;
    known.count -= 1;
    known.next = Math.min(
      known.next,
      label === name ? 1 : Number(/ \((\d+)\)$/.exec(label)?.[1] ?? 1),
    );
    if (known.count === 0) this.#names.delete(base);
  }
}

/** @param {string} name @param {number} number */
const labelOf = (name, number) => (number === 1 ? name : `${name} (${number})`);
