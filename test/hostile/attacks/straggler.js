/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { LateSender } from '../../../testkit/participants/participant.js';
import { makeNoise, packetOf, zeroOf } from '../support/noise-packets.js';
import { Joining } from '../support/web-socket.js';

/**
 * Speaks in the room beside, and sends each frame when it ends, but now and then one late, so that
 * everybody waits.
 * @type {Attack} options: Late
 */
export async function attack(target, options) {
  const { frames, periodMs } = await makeNoise();
  const zeroMs = await zeroOf(target.origin);
  const eve = new Joining(target, { room: 'beside' });
  const answer = await eve.answer;
  const first = Math.ceil((performance.now() - zeroMs) / periodMs);
  const sender = new LateSender(options, (bytes) => eve.send(bytes));
  for (let i = 0; !target.isOver(); i++) {
    const endMs = zeroMs + (first + i + 1) * periodMs;
    await pause(Math.max(0, endMs - performance.now()));
    sender.send(packetOf(first + i, i, frames[i % frames.length]));
  }
  eve.leave();
  // Delays that the room reported, at the join and each second.
  const told = eve.messages.filter(
    ({ type }) => type === 'welcome' || type === 'stats' || type === 'delay',
  );
  const delaysMs = told.map(({ serverDelayMs }) => serverDelayMs);
  const offsetMs = Math.max(0, ...told.map((message) => message.offsetMs ?? 0));
  return {
    answer,
    late: sender.sentLate,
    beforeMs: delaysMs[0],
    mostMs: Math.max(...delaysMs),
    offsetMs,
  };
}
