/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { answerOf } from '../support/answer.js';
import { makeNoise, packetOf, zeroOf } from '../support/noise-packets.js';
import { addressOf, count, Joining } from '../support/web-socket.js';
import { JoiningsByWebTransport } from '../support/web-transport.js';

/** The pause after which one who was refused tries again, in milliseconds. */
const AGAIN_MS = 200;

/**
 * Many sessions that send noise without a pause.
 * @type {Attack} options: { sessions, perRoom, addresses: their number; overHttp3: true for
 *   WebTransport instead, from one address; frameMs: of their rooms' frames, the server's without }
 */
export async function attack(target, { sessions, perRoom, addresses, overHttp3 = false, frameMs }) {
  const { frames, periodMs } = await makeNoise(frameMs);
  const zeroMs = await zeroOf(target.origin);
  const { transports } = await answerOf(`${target.origin}/api/config`);
  const http3 = overHttp3 ? new JoiningsByWebTransport(target, transports.webtransport) : null;
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {(Joining | ReturnType<JoiningsByWebTransport['join']>)[]} */
  const inside = [];
  let [sent, next] = [0, 0];
  /** @type {(number: number) => Promise<void>} */
  const join = async (number) => {
    const room = `noise-${Math.floor(number / perRoom)}`;
    const eve =
      http3?.join({ room, frameMs }) ??
      new Joining(target, { room, from: addressOf(number % addresses), frameMs });
    const answer = await eve.answer;
    count(answers, answer);
    if (answer === 'welcome') {
      inside.push(eve);
      return;
    }
    eve.leave();
    await pause(AGAIN_MS);
    if (!target.isOver()) await join(number);
  };
  // All in one moment: the many handshakes and joins are part of the attack.
  const joins = Array.from({ length: sessions }, (_, number) => join(number));
  const frameAt = (/** @type {number} */ ms) => Math.floor((ms - zeroMs) / periodMs);
  for (let frame = frameAt(performance.now()); !target.isOver();) {
    const now = performance.now();
    // A timer may be late by several short frames.
    for (
      const last = Math.min(frameAt(now), frame + frames.length);
      frame < last;
      frame++, next++
    ) {
      for (let i = 0; i < inside.length; i++) {
        if (inside[i].send(packetOf(frame + 1, next, frames[(next + i) % frames.length])))
          sent += 1;
      }
    }
    await pause(Math.max(1, periodMs - (performance.now() - now)));
  }
  await Promise.all(joins);
  const received = inside.reduce((sum, { packets }) => sum + packets, 0);
  for (const eve of inside) eve.leave();
  await http3?.close();
  return { answers, sent, received };
}
