/**
 * Attacks that no server withstands, to show that the harness notices harm.
 * @import { Attack } from '../support/attack-process.js'
 */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The time for which the server is stopped, in milliseconds. */
const STOP_MS = 300;

/**
 * Stops the server's process for a moment, or leaves connections open.
 * @type {Attack} options: { how: 'stop' | 'hold' }
 */
export async function attack({ host, port, pid, from, isOver }, { how }) {
  if (how === 'stop') {
    process.kill(pid, 'SIGSTOP');
    await pause(STOP_MS);
    process.kill(pid, 'SIGCONT');
  } else {
    for (let i = 0; i < 10; i++) connect({ host, port, localAddress: from }).on('error', () => {});
  }
  while (!isOver()) await pause(10);
  return {};
}
