/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerConfig } from './choose.js'
 * @import { NodeAddress } from './nodes.js'
 * @import { Connection, ConnectionHandler, MessageReaders } from './connection.js'
 * @import { ClientOptions } from '../call/types.js'
 */

import { systemClock } from '../../shared/clock.js';
import { CONTROL_VERSION } from '../../shared/wire/control.js';
import { ConnectionError, errors } from '../../shared/errors.js';
import { readMessage } from './connection.js';

/** Time in which the server must answer a join, in milliseconds. */
const JOIN_MS = 5000;

/**
 * Interval of messages from a client that waits in the lobby, in milliseconds: over HTTP/1 they
 * fetch the answer too.
 */
const KNOCK_MS = 1000;

/**
 * Makes the join message with the latest token: if one transport fails after it has joined, the
 * next takes over its place.
 * @param {ClientOptions} options
 * @param {() => string | undefined} token of the place to take over
 */
export function joinMessage({ join: fields, e2eKey }, token) {
  return {
    type: 'join',
    version: CONTROL_VERSION,
    ...fields,
    // Only this flag is sent; the key never leaves the client.
    ...(e2eKey !== undefined && { e2e: true }),
    get resume() {
      return token();
    },
  };
}

/**
 * Joins a room over an open connection, and passes the connection to its handler. The handler's
 * first message is `welcome`, or `lobby` before it when a moderator must admit the person.
 *
 * @param {Connection} connection
 * @param {object} message the join message
 * @param {ConnectionHandler} handler
 * @param {Clock} clock
 * @param {() => boolean} [isWanted] asked while they wait in the lobby: false cancels the join
 * @returns {Promise<void>} rejects with a ConnectionError; the connection is closed then
 */
export async function join(connection, message, handler, clock, isWanted = () => true) {
  /** @type {unknown} */
  let timer = null;
  try {
    await new Promise((resolve, reject) => {
      const silent = new ConnectionError(
        'connection-failed',
        'The server did not answer the join message.',
      );
      timer = clock.setTimeout(() => reject(silent), JOIN_MS);
      const knock = () => {
        if (!isWanted())
          reject(new ConnectionError('connection-lost', 'Nobody wants to join any more.', true));
        connection.sendControl({ type: 'knock' });
        timer = clock.setTimeout(knock, KNOCK_MS);
      };
      /** @type {MessageReaders<void>} */
      const answers = {
        refused: (answer) => reject(refusal(answer.code, answer.message)),
        moved: ({ node }) => reject(new MovedError(node)),
        lobby: (answer) => {
          clock.clearTimeout(timer);
          timer = clock.setTimeout(knock, KNOCK_MS);
          handler.onControl(answer);
        },
        welcome: (answer) => {
          // If the handler throws, the connection ends, which this promise must learn.
          handler.onControl(answer);
          connection.handler = handler;
          resolve(undefined);
        },
      };
      connection.handler = {
        onPacket: () => {},
        onControl: (received) => readMessage(received, answers),
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

/** Error of a join to a room that another node has. */
export class MovedError extends ConnectionError {
  /** @param {NodeAddress | null} [node] which one, if known */
  constructor(node = null) {
    super('moved', errors.moved.message, true);
    this.node = node;
  }
}

/** @param {unknown} code @param {unknown} sentence */
function refusal(code, sentence) {
  const text =
    typeof sentence === 'string' && sentence ? sentence : 'The server ended the connection.';
  if (code === 'moved') return new MovedError();
  if (isErrorCode(code)) return new ConnectionError(code, errors[code].message, true);
  return new ConnectionError('connection-failed', text);
}

/** @param {unknown} code @returns {code is import('../../shared/errors.js').ErrorCode} */
const isErrorCode = (code) => typeof code === 'string' && Object.hasOwn(errors, code);

/** Time in which the server must answer, in milliseconds. */
const ANSWER_MS = 4000;

/**
 * Fetches the server's configuration.
 * @param {string} origin
 * @param {typeof globalThis.fetch} [fetch]
 * @param {Clock} [clock]
 * @param {string} [room] to be joined: a cluster's answer names its node
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
    // Every error means that the server could not be reached: see below.
  } finally {
    clock.clearTimeout(timer);
  }
  throw new ConnectionError(
    'connection-failed',
    `The server could not be reached: ${url} gave no answer.`,
  );
}
