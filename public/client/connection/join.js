/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerConfig } from './choose.js'
 * @import { NodeAddress } from './nodes.js'
 * @import { Connection, ConnectionHandler } from './connection.js'
 */

import { systemClock } from '../../shared/clock.js';
import { CONTROL_VERSION } from '../../shared/wire/control.js';
import { errors } from '../../shared/errors.js';
import { ConnectionError } from './connection.js';

/** The time in which the server must answer a join, in milliseconds. */
const JOIN_MS = 5000;

/**
 * How often one who waits in the lobby is heard from, in milliseconds: over HTTP/1 that fetches the
 * answer too.
 */
const KNOCK_MS = 1000;

/**
 * The join message. Its token is always the latest: where one transport fails after it has joined,
 * the next takes up its place.
 * @param {{ room: string, name: string, mirror?: boolean, frameMs?: number, channels?: number,
 *   token?: string, password?: string, listen?: boolean, stage?: string, nearness?: string, mode?:
 *   string, e2e?: boolean }} wish
 * @param {() => string | undefined} token of the place to be taken up
 */
export function joinMessage(wish, token) {
  return {
    type: 'join',
    version: CONTROL_VERSION,
    ...wish,
    get resume() {
      return token();
    },
  };
}

/**
 * Joins a room over a connection that is open, and hands the connection to its handler, which gets
 * the `welcome` as its first message, or a `lobby` before it, when somebody must let them in.
 *
 * @param {Connection} connection
 * @param {object} message the join message
 * @param {ConnectionHandler} handler
 * @param {Clock} clock
 * @param {() => boolean} [wanted] asked while they wait in the lobby: false when nobody wants to
 *   join any more
 * @returns {Promise<void>} rejects with a ConnectionError; the connection is closed then
 */
export async function join(connection, message, handler, clock, wanted = () => true) {
  /** @type {unknown} */
  let timer = null;
  try {
    await new Promise((resolve, reject) => {
      const silent = new ConnectionError(
        'connection-failed',
        'The server did not answer the wish to join.',
      );
      timer = clock.setTimeout(() => reject(silent), JOIN_MS);
      const knock = () => {
        if (!wanted())
          reject(new ConnectionError('connection-lost', 'Nobody wants to join any more.', true));
        connection.sendControl({ type: 'knock' });
        timer = clock.setTimeout(knock, KNOCK_MS);
      };
      connection.handler = {
        onPacket: () => {},
        onControl: (answer) => {
          const {
            type,
            code,
            message: sentence,
          } = /** @type {Record<string, any>} */ (answer ?? {});
          if (type === 'refused') reject(refusal(code, sentence));
          if (type === 'moved')
            reject(new MovedError(/** @type {Record<string, any>} */ (answer).node));
          if (type === 'lobby') {
            clock.clearTimeout(timer);
            timer = clock.setTimeout(knock, KNOCK_MS);
            handler.onControl(answer);
          }
          if (type !== 'welcome') return;
          connection.handler = handler;
          handler.onControl(answer);
          resolve(undefined);
        },
        onClosed: (code, reason) => reject(refusal(code, reason)),
      };
      connection.join(message);
    });
  } catch (error) {
    connection.close(false);
    throw error;
  } finally {
    clock.clearTimeout(timer);
  }
}

/** The room is another node's. */
export class MovedError extends ConnectionError {
  /** @param {NodeAddress | null} [node]  whose, where it is told */
  constructor(node = null) {
    super('moved', errors.moved.message, true);
    this.node = node;
  }
}

/**
 * @param {unknown} code
 * @param {unknown} sentence
 */
function refusal(code, sentence) {
  const text =
    typeof sentence === 'string' && sentence ? sentence : 'The server ended the connection.';
  if (code === 'moved') return new MovedError();
  if (isErrorCode(code)) return new ConnectionError(code, errors[code].message, true);
  return new ConnectionError('connection-failed', text);
}

/**
 * @param {unknown} code
 * @returns {code is import('../../shared/errors.js').ErrorCode}
 */
const isErrorCode = (code) => typeof code === 'string' && Object.hasOwn(errors, code);

/** The time in which the server must answer, in milliseconds. */
const ANSWER_MS = 4000;

/**
 * Fetches what the server offers.
 * @param {string} origin
 * @param {typeof globalThis.fetch} [fetch]
 * @param {Clock} [clock]
 * @param {string} [room]  that is to be joined: a cluster's answer says which node has it
 * @returns {Promise<ServerConfig>} rejects with a ConnectionError when there is no answer
 */
export async function fetchConfig(origin, fetch = globalThis.fetch, clock = systemClock, room) {
  const url = new URL(
    room === undefined ? '/api/config' : `/api/config?room=${encodeURIComponent(room)}`,
    origin,
  ).href;
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const response = await fetch(url, { cache: 'no-store', signal: controller.signal });
    const config = response.ok ? await response.json() : null;
    if (typeof config?.transports === 'object' && config.transports !== null) return config;
  } catch {
    // Told below: whatever went wrong, the server could not be reached.
  } finally {
    clock.clearTimeout(timer);
  }
  throw new ConnectionError(
    'connection-failed',
    `The server could not be reached: ${url} gave no answer.`,
  );
}
