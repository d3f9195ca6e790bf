import { readFileSync } from 'node:fs';

/** Display names of the people of one room, each unlike all others. */
export class Labels {
  /** Skeletons of labels in use. @type {Set<string>} */
  #taken = new Set();
  /**
   * By a name's skeleton: number of people of that name, and the least suffix that may be free. It
   * saves counting through a thousand people of one name for each of them.
   * @type {Map<string, { count: number, next: number }>}
   */
  #names = new Map();

  /**
   * Makes a label: the name itself, or with a number if another one looks like it.
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

  /** @param {string} name @param {string} label */
  take(name, label) {
    this.#taken.add(skeleton(label));
    const base = skeleton(name);
    const known = this.#names.get(base);
    if (known) known.count += 1;
    else this.#names.set(base, { count: 1, next: 1 });
  }

  /** @param {string} name @param {string} label */
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

/**
 * Unicode's table of characters that look alike. Each prototype has a line, with the distance of
 * each character that looks like it from the one before.
 */
const TABLE = readFileSync(new URL('look-alikes.txt', import.meta.url), 'utf8');

const numbersOf = (/** @type {string} */ hex) =>
  hex.split(' ').map((number) => Number.parseInt(number, 16));

/** Prototypes of the characters that look like others. @type {ReadonlyMap<string, string>} */
const PROTOTYPES = new Map(
  TABLE.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [prototype, distances] = line.split(':').map(numbersOf);
      const characters = String.fromCodePoint(...prototype);
      let number = 0;
      return distances.map(
        (distance) =>
          /** @type {const} */ ([String.fromCodePoint((number += distance)), characters]),
      );
    }),
);

/**
 * Skeleton of a name (UTS #39, section 4), only for comparing: names that look alike have the same
 * one. Adjacent spaces count as one, as a page shows them.
 * @param {string} name  without marks that change the direction of text
 */
export function skeleton(name) {
  const seen = name.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  let prototypes = '';
  for (const character of seen) prototypes += PROTOTYPES.get(character) ?? character;
  return prototypes.normalize('NFD').replace(/\s+/gu, ' ').trim();
}
