/**
 * A server of the operator's API whose rooms are on a fake clock, so that a test sees their
 * people's messages.
 */

import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { createApp } from '../../server/http/app.js';
import { RoomsByThread } from '../../server/host/rooms-by-thread.js';
import { createOperatorApi } from '../../server/operator/api.js';
import { Readiness } from '../../server/operator/status.js';
import { Conference } from '../fakes/conference.js';
import { errorsTo } from '../../testkit/log-lines.js';

/** @import { AddressInfo } from 'node:net' */

export const TOKEN = 'a-token-of-more-than-16';

/** Starts a server with one room and one person in it. @param {string | null} [operatorToken] */
export async function start(operatorToken = TOKEN) {
  /** @type {string[]} */
  const logged = [];
  /** @type {any[]} */
  const audit = [];
  const line = (/** @type {object} */ fields, /** @type {string} */ message) =>
    void audit.push({ message, ...fields });
  const log = errorsTo(logged);
  const conference = new Conference({
    serverDelayMs: 'auto',
    log: { ...log, info: line },
  });
  const ann = await conference.join('Ann');
  const readiness = new Readiness({ isDraining: () => false, drain: () => {} });
  const operatorApi = createOperatorApi({
    rooms: new RoomsByThread(conference),
    recordings: { list: async () => [], remove: async () => false },
    readiness,
    status: () => {
      throw new Error('nobody asks');
    },
    operatorToken,
    version: '0.0.0',
    log: { info: line, warn: line },
  });
  const app = createApp({
    certificate: { hashes: [] },
    h3Port: null,
    sessionPath: '/session',
    unavailable: {},
    http1: { handle: (_request, _response, next) => next() },
    rooms: new RoomsByThread(conference),
    sampleClock: conference.sampleClock,
    operatorApi,
    log,
  });
  const server = createServer(app);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
  const { port } = /** @type {AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/api`;
  const patch = async (
    /** @type {unknown} */ body,
    { room = 'lab', ...headers } = /** @type {any} */ ({}),
  ) => {
    const response = await fetch(`${url}/rooms/${room}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, answer: await response.json() };
  };
  const get = async (
    /** @type {string} */ path,
    /** @type {Record<string, string>} */ headers = {},
  ) => {
    const response = await fetch(`${url}${path}`, { headers });
    return { status: response.status, answer: await response.json() };
  };
  /** Asks as the operator. @param {string} method @param {string} path @param {unknown} [body] */
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      answer: response.status === 204 ? null : await response.json(),
    };
  };
  const moderations = () => audit.filter(({ event }) => event === 'moderation');
  const remove = async (/** @type {string} */ path, token = TOKEN) => {
    const response = await fetch(`${url}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    return response.status === 204 ? 204 : (await response.json()).code;
  };
  return { conference, ann, ask, moderations, url, patch, get, remove, port, logged, audit };
}
