/**
 * @import { Person } from '../../fakes/conference.js'
 * @import { Target } from '../target.js'
 */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import express from 'express';
import { RoomsByThread } from '../../../server/host/rooms-by-thread.js';
import { createOperatorApi } from '../../../server/operator/api.js';
import { ROUTES } from '../../../server/operator/routes.js';
import { error } from '../../../server/operator/schemas.js';
import { Conference } from '../../fakes/conference.js';
import { bytesOf, check } from '../target.js';

const TOKEN = 'token-of-the-operator';

/** The routes that take a body, and what operators send there. */
const routes = ROUTES.filter(({ body }) => body);
const BODIES = Object.freeze({
  '/rooms/:room': [
    '{"serverDelayMs":"auto"}',
    '{"serverDelayMs":62.5,"locked":true,"lobby":true,"chat":"moderators",' +
      '"record":"everybody","password":"correct horse"}',
    '{"password":null,"locked":false}',
  ],
  '/rooms/:room/people/:id': [
    '{"muted":true}',
    '{"muted":false,"role":"listener","hand":0}',
    '{"role":"moderator"}',
  ],
  '/rooms/:room/bans': ['{"person":"1","seconds":60}', '{"person":"9","seconds":1.5}'],
});

/** A room with one person in it, and the API over it. */
class World {
  conference = new Conference();
  app = express();
  /** @type {Person | null} */
  ann = null;

  constructor() {
    const rooms = new RoomsByThread(this.conference);
    const log = { info() {}, warn() {} };
    /** @type {any} no body is for these */
    const others = { recordings: null, readiness: null, status: () => null };
    this.app.use(createOperatorApi({ rooms, ...others, operatorToken: TOKEN, version: '0', log }));
  }

  static async open() {
    const world = new World();
    world.ann = await world.conference.join('Ann');
    return world;
  }
}

/** @type {World | null} */
let world = null;

/**
 * @param {World} world
 * @param {string} method
 * @param {string} url
 * @param {Uint8Array} body
 * @returns {Promise<{ status: number, text: string }>}
 */
async function ask({ app }, method, url, body) {
  let got = '';
  const socket = /** @type {any} */ (
    new Duplex({ read() {}, write: (bytes, _encoding, done) => done(void (got += bytes)) })
  );
  const request = /** @type {any} */ (new IncomingMessage(socket));
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  Object.assign(request, { method, url, headers, complete: true });
  request.push(Buffer.from(body));
  request.push(null);
  const response = /** @type {any} */ (new ServerResponse(request));
  response.assignSocket(socket);
  /** @type {unknown} */
  let failed = null;
  await new Promise((/** @type {(done: void) => void} */ resolve) => {
    response.once('finish', resolve);
    app(request, response, (/** @type {unknown} */ reason) => {
      failed = reason ?? new Error(`${method} ${url} is nobody's`);
      resolve();
    });
  });
  socket.destroy();
  if (failed) throw failed;
  return { status: response.statusCode, text: got.slice(got.indexOf('\r\n\r\n') + 4) };
}

/**
 * An operator's bodies are refused, or do what they may. The first byte says for which route.
 * @type {Target}
 */
export const operatorBodies = {
  name: 'operator-bodies',
  cost: 400,
  valid: routes.flatMap(({ path }, i) =>
    BODIES[/** @type {keyof typeof BODIES} */ (path)].map((text) =>
      bytesOf(String.fromCharCode(i) + text),
    ),
  ),
  async run(input) {
    const { method, path, answer, status: done = 200 } = routes[(input[0] ?? 0) % routes.length];
    world ??= await World.open();
    const { conference, ann } = world;
    const url = path.replace(':room', 'lab').replace(':id', ann?.id);
    const { status, text } = await ask(world, method.toUpperCase(), url, input.subarray(1));
    check(
      status === done || (status >= 400 && status < 500),
      `it is done or refused, not ${status}`,
    );
    const schema = status === done ? answer : error;
    check(
      schema ? schema.safeParse(JSON.parse(text)).success : text === '',
      `${text} is an answer of ${path}`,
    );
    conference.pass(1);
    check(
      conference.logged.length === 0,
      `nothing is logged as an error, such as ${String(conference.logged[0])}`,
    );
    const isThere = ann?.session.closed === null;
    check(isThere || path.endsWith('/bans'), 'nobody is removed but by a ban');
    if (!isThere) world = null;
  },
};
