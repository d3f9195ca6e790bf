import { readFileSync } from 'node:fs';

/** Unicode's table of characters that look alike: prototypes, and the characters that look like each. */
const TABLE = JSON.parse(readFileSync(new URL('confusables.json', import.meta.url), 'utf8'));

const charactersOf = (/** @type {string} */ hex) =>
  String.fromCodePoint(...hex.split(' ').map((number) => Number.parseInt(number, 16)));

/** The prototype of a character that looks like another, or others. @type {ReadonlyMap<string, string>} */
const PROTOTYPES = new Map(
  Object.entries(/** @type {Record<string, string>} */ (TABLE.prototypes)).flatMap(([prototype, characters]) =>
    [...charactersOf(characters)].map((character) => /** @type {const} */ ([character, charactersOf(prototype)])),
  ),
);

/**
 * The skeleton of a name (UTS #39, section 4): names with the same one look alike. It is for comparing alone. Spaces count
 * as one, as a page shows them.
 * @param {string} name  without marks that change the direction of text
 */
export function skeleton(name) {
  const seen = name.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  let prototypes = '';
  for (const character of seen) prototypes += PROTOTYPES.get(character) ?? character;
  return prototypes.normalize('NFD').replace(/\s+/gu, ' ').trim();
}
