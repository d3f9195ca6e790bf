/**
 * Requests by names that aren't the server's, from pages of others, in other protocols, and what is
 * no request.
 * @import { Attack, Target } from '../support/attack-process.js'
 */

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { count } from '../support/web-socket.js';

/** Interval between requests, in milliseconds. */
const EVERY_MS = 20;

/** The time that an answer is waited for, in milliseconds. */
const ANSWER_MS = 2000;

const FOREIGN = 'attacker.example';
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ' +
  '13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

/**
 * Requests by name, to a server that is reached as `host`.
 * @type {Record<string, (host: string) => string>}
 */
const DOORS = {
  'a foreign host': () => `GET /api/config HTTP/1.1\r\nHost: ${FOREIGN}\r\n\r\n`,
  'a page that was rebound': () =>
    `GET /session HTTP/1.1\r\nHost: ${FOREIGN}\r\nOrigin: http://${FOREIGN}\r\n${UPGRADE}\r\n`,
  'a foreign page': (host) =>
    `GET /session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${FOREIGN}\r\n${UPGRADE}\r\n`,
  'HTTP/2 in the clear': (host) =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ` +
    `h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  'a tunnel': () => `CONNECT ${FOREIGN}:443 HTTP/1.1\r\nHost: ${FOREIGN}:443\r\n\r\n`,
  'two hosts': (host) => `GET /api/config HTTP/1.1\r\nHost: ${host}\r\nHost: ${FOREIGN}\r\n\r\n`,
  'no HTTP': () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n',
};

/** Counts the answers, each by what was asked and its status. @type {Attack} */
export async function attack(target) {
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {Promise<void>[]} */
  const asked = [];
  while (!target.isOver()) {
    for (const [door, request] of Object.entries(DOORS)) {
      asked.push(
        statusOf(target, request(`${target.host}:${target.port}`)).then((status) =>
          count(answers, `${door}: ${status}`),
        ),
      );
      await pause(EVERY_MS);
    }
  }
  await Promise.all(asked);
  return { answers };
}

/**
 * @param {Pick<Target, 'host' | 'port' | 'from'>} target
 * @param {string} request
 * @returns {Promise<string>} the answer's status, or 'closed' without one
 */
function statusOf({ host, port, from }, request) {
  return new Promise((resolve) => {
    const socket = connect(
      { host, port, localAddress: from },
      () => void socket.write(request, 'latin1'),
    );
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.once('data', (data) => {
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 'no HTTP');
      socket.destroy();
    });
    socket.once('close', () => resolve('closed'));
  });
}
