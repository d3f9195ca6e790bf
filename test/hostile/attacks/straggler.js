/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { makeNoise, packetOf, zeroOf } from '../support/noise-packets.js';
import { Joining } from '../support/web-socket.js';

/**
 * Speaks in the room beside, and sends each frame when it ends, but now and then one late, so that everybody waits.
 * @type {Attack} options: { everyFrames: from one late frame to the next; lateMs }
 */
export async function attack(target, { everyFrames, lateMs }) {
  const { frames, periodMs } = await makeNoise();
  const zeroMs = await zeroOf(target.origin);
  const eve = new Joining(target, { room: 'beside' });
  const answer = await eve.answer;
  const first = Math.ceil((performance.now() - zeroMs) / periodMs);
  let late = 0;
  for (let i = 0; !target.isOver(); i++) {
    const endMs = zeroMs + (first + i + 1) * periodMs;
    await pause(Math.max(0, endMs - performance.now()));
    const bytes = packetOf(first + i, i, frames[i % frames.length]);
    if (i % everyFrames === everyFrames - 1) setTimeout(() => void (late += Number(eve.send(bytes))), lateMs);
    else eve.send(bytes);
  }
  eve.leave();
  // What the room has told of its delay, at the join and each second.
  const told = eve.messages.filter(({ type }) => type === 'welcome' || type === 'stats' || type === 'delay');
  const delaysMs = told.map(({ serverDelayMs }) => serverDelayMs);
  const offsetMs = Math.max(0, ...told.map((message) => message.offsetMs ?? 0));
  return { answer, late, beforeMs: delaysMs[0], mostMs: Math.max(...delaysMs), offsetMs };
}
