/** @import { Attack, Target } from '../support/attack-process.js' */

import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { addressOf, count } from '../support/web-socket.js';

/**
 * Joins by POST on many connections, as fast as it is answered, and comes never again; at the end
 * somebody else joins.
 * @type {Attack} options: { connections: number, bodyBytes: of padding in each join }
 */
export async function attack(target, { connections = 100, bodyBytes = 0 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** @type {Record<string, number>} */
  const answers = {};
  let joins = 0;
  const run = async () => {
    while (!target.isOver()) {
      const message = {
        type: 'join',
        version: 1,
        room: `posted-${joins++ % 50}`,
        name: 'Eve',
        padding: 'x'.repeat(bodyBytes),
      };
      count(answers, (await post(target, target.from, message, agent)).answer);
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  agent.destroy();
  const from = addressOf(2 ** 20);
  const honest = await post(
    target,
    from,
    { type: 'join', version: 1, room: 'honest', name: 'Ann' },
    false,
  );
  if (honest.token) await post(target, from, null, false, `/${honest.token}/leave`);
  return { answers, honest: honest.answer };
}

/**
 * @param {Target} target
 * @param {string} localAddress
 * @param {object | null} message
 * @param {Agent | false} agent
 * @param {string} [path]
 * @returns {Promise<{ answer: string, token?: string }>} answer: 'welcome', a code, or 'broken off'
 */
function post({ host, port }, localAddress, message, agent, path = '') {
  return new Promise((resolve) => {
    const options = {
      host,
      port,
      localAddress,
      agent,
      method: 'POST',
      path: `/api/sessions${path}`,
      headers: { 'content-type': 'application/json' },
    };
    const asked = request(options, async (response) => {
      const body = /** @type {any} */ (await json(response).catch(() => ({})));
      resolve({
        answer: body.code ?? body.messages?.[0]?.type ?? String(response.statusCode),
        token: body.token,
      });
    });
    asked.once('error', () => resolve({ answer: 'broken off' }));
    asked.end(message === null ? '' : JSON.stringify(message));
  });
}
