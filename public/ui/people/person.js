/**
 * What stands for a person who has no picture: initials, and a colour of their own.
 */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The first letters of a name's first and last word.
 * @param {string} name
 * @returns {string} at most two characters as people count them; '?' when there is none
 */
export function initials(name) {
  const words = name.trim().split(/[\s_-]+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return ends.map(firstCharacter).join('').toUpperCase() || '?';
}

const firstCharacter = (/** @type {string} */ word) => {
  for (const { segment } of graphemes.segment(word)) return segment;
  return '';
};

/**
 * A hue that is always the same for a name: FNV-1a of its UTF-16 units, mixed once more, so that
 * names which differ in their last letter alone get hues far apart.
 * @param {string} name
 * @returns {number} degrees, 0 to 359
 */
export function hue(name) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % 360;
}
