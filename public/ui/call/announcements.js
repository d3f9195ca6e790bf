import { calledOf } from '../people/person-tile.js';
import { texts } from '../../texts.js';

/**
 * @import { Person } from '../people/person-tile.js'
 */

/**
 * What has changed about the others, in sentences for those who listen to the page, and who came and went.
 * @param {Person[]} before
 * @param {Person[]} after
 * @param {string} you
 * @returns {{ sentences: string[], came: number, went: number }}
 */
export function changesOf(before, after, you) {
  const sentences = [];
  const was = new Map(before.map((person) => [person.id, person]));
  let came = 0;
  for (const person of after) {
    const earlier = was.get(person.id);
    const name = calledOf(person);
    was.delete(person.id);
    if (person.id === you) continue;
    if (earlier) sentences.push(...changesOfOne(earlier, person, name));
    else {
      came += 1;
      sentences.push(texts.joined(name));
    }
  }
  for (const person of was.values()) sentences.push(texts.left(calledOf(person)));
  return { sentences, came, went: was.size };
}

/**
 * @param {Person} before
 * @param {Person} after
 * @param {string} name
 */
function changesOfOne(before, after, name) {
  const sentences = [];
  if (Boolean(before.away) !== Boolean(after.away)) sentences.push(after.away ? texts.nowAway(name) : texts.nowBack(name));
  if (before.muted !== after.muted) sentences.push(after.muted ? texts.nowMuted(name) : texts.nowUnmuted(name));
  if (Boolean(before.hand) !== Boolean(after.hand)) {
    sentences.push(after.hand ? texts.raisedHand(name) : texts.loweredHand(name));
  }
  return sentences;
}
