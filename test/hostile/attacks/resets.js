/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, count, Joining } from '../support/web-socket.js';

/** Number of connections until the next pause: 400 a second. */
const AT_ONCE = 4;
const PAUSE_MS = 10;

/**
 * Opens WebSockets, joins and resets them; at the end somebody else joins.
 * @type {Attack} options: { addresses: how many it comes from }
 */
export async function attack(target, { addresses }) {
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {Promise<void>[]} */
  const visits = [];
  for (let i = 0; !target.isOver(); i++) {
    const eve = new Joining(target, { room: `resets-${i % 50}`, from: addressOf(i % addresses) });
    visits.push(
      eve.answer.then((answer) => {
        count(answers, answer);
        eve.reset();
      }),
    );
    if (i % AT_ONCE === 0) await pause(PAUSE_MS);
  }
  await Promise.all(visits);
  await pause(200);
  const honest = new Joining(target, { room: 'resets-1', from: addressOf(2 ** 20) });
  const answer = await honest.answer;
  const people = honest.messages[0]?.people?.length ?? 0;
  honest.leave();
  return { answers, honest: { answer, people } };
}
