/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, count, Joining } from '../support/web-socket.js';

/** The time that the answer to `record` is waited for, in milliseconds. */
const ANSWER_MS = 100;

/** Number of people who do it at once. */
const AT_ONCE = 10;

/**
 * Starts a recording in a room of its own, and leaves; then the next; at the end somebody else
 * starts one.
 * @type {Attack}
 */
export async function attack(target) {
  /** @type {Record<string, number>} */
  const answers = {};
  let rooms = 0;
  const again = async () => {
    while (!target.isOver())
      count(answers, await record(target, `recordings-${rooms++}`, target.from));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, again));
  return { answers, honest: await record(target, 'honest', addressOf(2 ** 20)) };
}

/**
 * @param {Parameters<Attack>[0]} target
 * @param {string} room
 * @param {string} from
 * @returns {Promise<string>} 'recorded', or a code
 */
async function record(target, room, from) {
  const eve = new Joining(target, { room, from });
  const joined = await eve.answer;
  if (joined !== 'welcome') {
    eve.leave();
    await pause(ANSWER_MS);
    return joined;
  }
  eve.say({ type: 'record', on: true });
  await pause(ANSWER_MS);
  const refused = eve.messages.find(({ type }) => type === 'refused');
  const began = eve.messages.some(({ type }) => type === 'recording');
  eve.leave();
  return refused?.code ?? (began ? 'recorded' : '');
}
