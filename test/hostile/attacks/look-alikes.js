/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, count, Joining } from '../support/web-socket.js';

/**
 * Names that look like that of somebody in the room: Cyrillic and fullwidth letters, what isn't
 * seen, spaces at the end.
 */
const NAMES = ['Ann', '\u0410nn', 'A\u200bnn', '\uff21nn', 'Ann\u00a0', 'A\u2060n\ufeffn'];

/** Interval between joins, in milliseconds. */
const EVERY_MS = 50;

/**
 * Joins the room beside under names that look like Ann's, and counts the labels that others are
 * shown.
 * @type {Attack}
 */
export async function attack(target) {
  /** @type {Record<string, number>} */
  const labels = {};
  /** @type {Promise<void>[]} */
  const visits = [];
  for (let i = 0; !target.isOver(); i++) {
    const eve = new Joining(target, {
      room: 'beside',
      name: NAMES[i % NAMES.length],
      from: addressOf(i),
    });
    visits.push(
      eve.answer.then((answer) => {
        const { you, people = [] } = eve.messages[0] ?? {};
        const own = people.find((/** @type {any} */ { id }) => id === you);
        count(labels, answer === 'welcome' ? own.label.replace(/\d+/, 'n') : answer);
        eve.leave();
      }),
    );
    await pause(EVERY_MS);
  }
  await Promise.all(visits);
  return { labels };
}
