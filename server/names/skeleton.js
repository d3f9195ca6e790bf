import { readFileSync } from 'node:fs';

/**
 * Unicode's table of characters that look alike: a line for each prototype, with the characters
 * that look like it.
 */
const TABLE = readFileSync(new URL('look-alikes.txt', import.meta.url), 'utf8');

const charactersOf = (/** @type {string} */ hex) =>
  String.fromCodePoint(...hex.split(' ').map((number) => Number.parseInt(number, 16)));

/**
 * The prototype of a character that looks like another, or others.
 * @type {ReadonlyMap<string, string>}
 */
const PROTOTYPES = new Map(
  TABLE.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [prototype, characters] = line.split(':').map(charactersOf);
      return [...characters].map((character) => /** @type {const} */ ([character, prototype]));
    }),
);

/**
 * The skeleton of a name (UTS #39, section 4): names with the same one look alike. It is for
 * comparing alone. Spaces count as one, as a page shows them.
 * @param {string} name  without marks that change the direction of text
 */
export function skeleton(name) {
  const seen = name.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  let prototypes = '';
  for (const character of seen) prototypes += PROTOTYPES.get(character) ?? character;
  return prototypes.normalize('NFD').replace(/\s+/gu, ' ').trim();
}
