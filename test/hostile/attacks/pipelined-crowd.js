/** @import { Attack } from '../support/attack-process.js' */

import { attack as pipelinedGets } from './pipelined-gets.js';
import { count, Joining } from '../support/web-socket.js';

/** Number of people in the requested room. */
const PEOPLE = 98;

/** The addresses that they come from: one network may not join as often. */
const addressOf = (/** @type {number} */ number) => `127.7.0.${1 + (number % 50)}`;

/**
 * Fills a room, and asks about it by many requests in one write.
 * @type {Attack} options: as pipelined-gets
 */
export async function attack(target, options) {
  const room = `crowd-${Math.floor(performance.now())}`;
  /** @type {Record<string, number>} */
  const joined = {};
  const people = Array.from(
    { length: PEOPLE },
    (_, i) => new Joining(target, { room, name: `P${i}`, from: addressOf(i) }),
  );
  for (const { answer } of people) count(joined, await answer);
  const counts = await pipelinedGets(target, { ...options, paths: [`/api/rooms/${room}`] });
  for (const one of people) one.leave();
  return { ...counts, joined };
}
