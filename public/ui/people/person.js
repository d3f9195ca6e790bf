import { texts } from '../../texts/texts.js';

/** @typedef {import('../../client/call/roster.js').Person} Person */

/** Name under which a person is shown. @param {Person} person */
export const labelOf = ({ label, name }) => label || name;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Initials of a person: the first letters of the name's first and last word.
 * @param {string} name
 * @returns {string} at most two graphemes; '?' when there is none
 */
export function initials(name) {
  const words = name
    .trim()
    .split(/[\s_-]+/)
    .filter(Boolean);
  const ends = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return ends.map(firstCharacter).join('').toUpperCase() || '?';
}

const firstCharacter = (/** @type {string} */ word) => {
  for (const { segment } of graphemes.segment(word)) return segment;
  return '';
};

/**
 * Hue of a person, a hash of the name: FNV-1a of its UTF-16 units. It is mixed once more, so that
 * names with different last letters get distant hues.
 * @param {string} name
 * @returns {number} degrees, 0 to 359
 */
export function hue(name) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % 360;
}

/**
 * The label of the person whose shared sound somebody is; empty for people.
 * @param {Person} person
 * @param {Person[]} people
 */
export function ownerLabel({ owner }, people) {
  const found = owner ? people.find(({ id }) => id === owner) : undefined;
  return found ? labelOf(found) : '';
}

/** Most changes of one kind that are announced one by one. */
const MOST_NAMED = 5;

/**
 * Describes changes of the other people.
 * @param {Person[]} before
 * @param {Person[]} after
 * @param {string} you
 * @returns {{ sentences: string[], came: number, went: number }} came, went: numbers of people
 */
export function changesOf(before, after, you) {
  const sentences = [];
  const was = new Map(before.map((person) => [person.id, person]));
  const joined = [];
  for (const person of after) {
    const earlier = was.get(person.id);
    const name = labelOf(person);
    was.delete(person.id);
    if (person.id === you) continue;
    if (earlier) sentences.push(...changesOfOne(earlier, person, name));
    else if (person.owner) sentences.push(texts.shareCame(ownerLabel(person, after)));
    else joined.push(texts.joined(name));
  }
  const [shared, gone] = [true, false].map((isShared) =>
    [...was.values()].filter(({ owner }) => Boolean(owner) === isShared),
  );
  sentences.push(...shared.map((person) => texts.shareWent(ownerLabel(person, before))));
  const left = gone.map((person) => texts.left(labelOf(person)));
  // Reading a crowd's names aloud would take minutes.
  sentences.splice(MOST_NAMED);
  sentences.push(...(joined.length > MOST_NAMED ? [texts.manyCame(joined.length)] : joined));
  sentences.push(...(left.length > MOST_NAMED ? [texts.manyLeft(left.length)] : left));
  return { sentences, came: joined.length, went: left.length };
}

/**
 * @param {Person} before
 * @param {Person} after
 * @param {string} name
 */
function changesOfOne(before, after, name) {
  const sentences = [];
  if (Boolean(before.away) !== Boolean(after.away))
    sentences.push(after.away ? texts.nowAway(name) : texts.nowBack(name));
  if (before.muted !== after.muted)
    sentences.push(after.muted ? texts.nowMuted(name) : texts.nowUnmuted(name));
  if (before.role !== 'moderator' && after.role === 'moderator')
    sentences.push(texts.nowModerates(name));
  if (Boolean(before.hand) !== Boolean(after.hand)) {
    sentences.push(after.hand ? texts.raisedHand(name) : texts.loweredHand(name));
  }
  return sentences;
}
