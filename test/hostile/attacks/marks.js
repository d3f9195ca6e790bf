/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, count, Joining } from '../support/web-socket.js';

/** Nearly 16 KiB of letters that have nearly a heap of marks each: what took longest to look at. */
const MARKS = ('a' + '\u0301\u0323'.repeat(14)).repeat(275);

/** Interval between joins, in milliseconds. */
const EVERY_MS = 1000 / 30;

/**
 * Joins with a name full of combining marks, each from another address, writes a chat of them, and
 * leaves.
 * @type {Attack}
 */
export async function attack(target) {
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {Promise<void>[]} */
  const visits = [];
  const started = performance.now();
  for (let i = 0; !target.isOver(); i++) {
    visits.push(visit(target, i, answers));
    await pause(Math.max(0, started + i * EVERY_MS - performance.now()));
  }
  await Promise.all(visits);
  return { answers };
}

/**
 * @param {Parameters<Attack>[0]} target
 * @param {number} number
 * @param {Record<string, number>} answers
 */
async function visit(target, number, answers) {
  const eve = new Joining(target, {
    room: `marks-${number % 5}`,
    name: MARKS,
    from: addressOf(number),
  });
  const answer = await eve.answer;
  count(answers, answer);
  if (answer === 'welcome') for (let i = 0; i < 5; i++) eve.say({ type: 'chat', text: MARKS });
  await pause(50);
  eve.leave();
}
