/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, count, Joining } from '../support/web-socket.js';

/** Interval between visits, in milliseconds. */
const EVERY_MS = 1000 / 220;

/**
 * Joins and leaves the room beside, again and again. A permanent member counts the messages about
 * it.
 * @type {Attack} options: { addresses: how many it comes from }
 */
export async function attack(target, { addresses }) {
  /** @type {Record<string, number>} */
  const answers = {};
  const listener = new Joining(target, { room: 'beside', name: 'Cid', from: addressOf(2 ** 20) });
  await listener.answer;
  const { bytes } = listener;
  /** @type {Promise<void>[]} */
  const visits = [];
  const started = performance.now();
  for (let i = 0; !target.isOver(); i++) {
    const eve = new Joining(target, {
      room: 'beside',
      from: addresses === 1 ? target.from : addressOf(i % addresses),
    });
    visits.push(
      eve.answer.then((answer) => {
        count(answers, answer);
        eve.leave();
      }),
    );
    await pause(Math.max(0, started + i * EVERY_MS - performance.now()));
  }
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(visits);
  const told = {
    bytesPerSecond: Math.round((listener.bytes - bytes) / seconds),
    perSecond: listener.messages.length / seconds,
  };
  listener.leave();
  return { answers, told };
}
