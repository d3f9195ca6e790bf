/**
 * A server of the operator's API whose rooms are on a fake clock, so that a test sees what their
 * people are told.
 */

import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { createApp } from '../../server/http/app.js';
import { Directory } from '../../server/host/directory.js';
import { createOperatorApi } from '../../server/operator/api.js';
import { Readiness } from '../../server/operator/readiness.js';
import { Conference } from '../fakes/conference.js';

/** @import { AddressInfo } from 'node:net' */

export const TOKEN = 'a-token-of-more-than-16';

/** A server with one room, which has one person in it. @param {string | null} [operatorToken] */
export async function start(operatorToken = TOKEN) {
  /** @type {string[]} */
  const logged = [];
  /** @type {any[]} */
  const audit = [];
  const line = (/** @type {string} */ message, /** @type {object} */ fields = {}) =>
    void audit.push({ message, ...fields });
  const conference = new Conference({
    serverDelayMs: 'auto',
    log: { error: (message) => void logged.push(message), info: line },
  });
  const ann = await conference.join('Ann');
  const readiness = new Readiness({ isDraining: () => false, drain: () => {} });
  const operatorApi = createOperatorApi({
    rooms: new Directory(conference),
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
    rooms: new Directory(conference),
    sampleClock: conference.sampleClock,
    operatorApi,
    log: { error: (message) => void logged.push(message) },
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
