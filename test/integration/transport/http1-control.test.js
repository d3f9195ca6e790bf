/**
 * Control messages over HTTP/1, whose requests and answers get lost: each is done once, in order,
 * in both directions.
 */

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Http1Connection } from '../../../public/client/connection/http1.js';
import { systemClock } from '../../../public/shared/clock.js';
import { readControl, writeControl } from '../../../public/shared/wire/control.js';
import {
  MAX_LIST_BYTES,
  readList,
  writeListEntry,
} from '../../../public/shared/wire/packet-list.js';
import { HTTP1_SERVER_OPTIONS } from '../../../server/http/server.js';
import { loadConfig } from '../../../server/config/config.js';
import { createServer as createAloud } from '../../../server/server.js';
import { createHttp1Transport } from '../../../server/transport/http1.js';
import { random } from '../../fakes/random.js';
import { closeAfter, packetOf, script, until } from '../../../testkit/transport-cases.js';
import { prepareControl } from '../../../server/session/session.js';

const LIST = 'application/octet-stream';
const JOIN = { type: 'join', version: 1, room: 'a', name: 'b' };
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** Messages that may be under way at once, in the test of a network that loses some. */
const MOST_WAITING = 16;

/** @param {object[]} messages */
function listOf(messages) {
  const out = new Uint8Array(MAX_LIST_BYTES);
  return out.slice(
    0,
    messages.reduce(
      (/** @type {number} */ at, message) => writeListEntry(out, at, writeControl(message)),
      0,
    ),
  );
}

/** @param {Uint8Array} list */
function messagesOf(list) {
  /** @type {any[]} */
  const messages = [];
  readList(list, (packet) => messages.push(readControl(packet)));
  return messages;
}

/** @param {string} url  of a session @param {string} query @param {object[]} [messages] */
async function post(url, query, messages = []) {
  const response = await fetch(`${url}/packets${query}`, {
    method: 'POST',
    headers: { 'content-type': LIST },
    body: listOf(messages),
  });
  const type = response.headers.get('content-type');
  const isList = response.status === 200;
  return {
    status: response.status,
    type,
    messages: isList
      ? messagesOf(new Uint8Array(await response.arrayBuffer()))
      : await response.json(),
  };
}

/** @param {string} sessions  their address */
async function join(sessions, message = JOIN) {
  const response = await fetch(sessions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  return `${sessions}/${(await response.json()).token}`;
}

/**
 * A transport whose rooms answer as those of other threads do where `settle` is given.
 * @param {(done: () => void) => void} [settle]
 */
async function start(settle) {
  const onAccept = (/** @type {any} */ session) =>
    void (settle && Object.assign(session.handler, { settle }));
  const { heard, options } = script({ onAccept });
  const transport = createHttp1Transport(options);
  const server = createServer(HTTP1_SERVER_OPTIONS, (request, response) =>
    transport.handle(request, response, () => response.writeHead(404).end()),
  );
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (connections -= 1));
  });
  await new Promise(
    (/** @type {(done: void) => void} */ done) => void server.listen(0, '127.0.0.1', done),
  );
  closeAfter({
    close: async () => {
      await transport.close();
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    heard,
    port,
    sessions: `http://127.0.0.1:${port}/api/sessions`,
    connections: () => connections,
  };
}

/**
 * Posts a list, and resets the connection before it is answered.
 * @param {Awaited<ReturnType<typeof start>>} server
 * @param {string} url
 * @param {string} query
 * @param {() => boolean} hasCome  true once the server has the list
 */
async function postAndReset({ port, connections }, url, query, hasCome) {
  const before = connections();
  const socket = connect(port, '127.0.0.1');
  await new Promise(
    (/** @type {(done: void) => void} */ done) => void socket.once('connect', done),
  );
  const body = listOf([{ type: 'one' }]);
  const path = new URL(url).pathname;
  socket.write(
    `POST ${path}/packets${query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ` +
      `${LIST}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await until(hasCome);
  socket.resetAndDestroy();
  await until(() => connections() <= before);
}

describe('a session over HTTP/1 whose room is on another thread', () => {
  it.each(['', '?read=0'])(
    'has its control messages after a request (%j) was reset while it waited',
    async (query) => {
      /** @type {(() => void)[]} */
      const waiting = [];
      let isSlow = true;
      const server = await start((done) => (isSlow ? void waiting.push(done) : done()));
      const { heard, sessions } = server;
      const url = await join(sessions);
      waiting.splice(0).forEach((done) => done());
      heard[0].session.sendControl(prepareControl({ n: 1 }));
      await postAndReset(server, url, query, () => waiting.length > 0);
      expect(waiting).toHaveLength(1);
      waiting.splice(0).forEach((done) => done());
      isSlow = false;
      heard[0].session.sendControl(prepareControl({ n: 2 }));
      const { messages } = await post(url, query);
      expect(messages).toContainEqual({ n: 1 });
      expect(messages.at(-1)).toEqual({ n: 2 });
    },
  );

  it('refuses lists beyond the queue’s limit, so that none is lost silently', async () => {
    /** @type {(() => void)[]} */
    const waiting = [];
    const { heard, sessions } = await start((done) => void waiting.push(done));
    const url = await join(sessions);
    let answered = 0;
    const posts = Array.from({ length: 70 }, async (_, i) => {
      const answer = await post(url, '', [{ type: 'n', n: i }]);
      answered += 1;
      return answer;
    });
    // Lists beyond the limit are answered at once: all others wait by then.
    await until(() => answered === 5);
    const answerAll = setInterval(() => waiting.splice(0).forEach((done) => done()), 1);
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    clearInterval(answerAll);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    // The join is the first message.
    expect(heard[0].messages).toHaveLength(1 + 65);
  });

  it('of a real server with worker threads likewise', async () => {
    const config = loadConfig({
      argv: ['--port', '0', '--h3-port', '0', '--engine', 'none', '--workers', '2'],
      env: {},
    });
    const server = await createAloud(config, { log: quiet });
    onTestFinished(() => server.close());
    const url = await join(new URL('/api/sessions', server.url).href);
    const { port } = server;
    // Some of them are reset while the other thread has them.
    for (let i = 0; i < 12; i++) {
      const socket = connect(port, 'localhost');
      await new Promise(
        (/** @type {(done: void) => void} */ done) => void socket.once('connect', done),
      );
      const body = listOf([{ type: 'hand', raised: i % 2 === 0 }]);
      socket.write(
        `POST ${new URL(url).pathname}/packets HTTP/1.1\r\nHost: localhost\r\nContent-Type: ` +
          `${LIST}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body, () => socket.resetAndDestroy());
      await pause(10);
    }
    const { messages } = await post(url, '', [{ type: 'mute', muted: true }]);
    /** @type {any[]} */
    const all = [...messages];
    await vi.waitFor(async () => {
      all.push(...(await post(url, '')).messages);
      expect(all.some(({ person }) => person?.muted)).toBe(true);
    });
  });
});

describe('numbered control messages', () => {
  it('are done once, however often they are sent', async () => {
    const { heard, sessions } = await start();
    const url = await join(sessions);
    const sent = (/** @type {number} */ from, /** @type {number} */ to) =>
      Array.from({ length: to - from + 1 }, (_, i) => ({ type: 'n', n: from + i }));
    await post(url, '?read=0&control=1', sent(1, 3));
    await post(url, '?read=0&control=1', sent(1, 3));
    await post(url, '?read=0&control=2', sent(2, 5));
    // The oldest that waited was given up.
    await post(url, '?read=0&control=7', sent(7, 8));
    await post(url, '?read=0&control=1', sent(1, 8));
    expect(heard[0].messages.slice(1).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 7, 8]);
  });

  it.each([
    '',
    '?control=x',
    '?control=-1',
    '?control=1e3',
    '?control=',
    '?read=9999999999999999',
    '?lost',
    '?%',
  ])('are each done where the query is %j', async (query) => {
    const { heard, sessions } = await start();
    const url = await join(sessions);
    for (let i = 0; i < 2; i++)
      expect((await post(url, query, [{ type: 'n', n: 1 }])).status).toBe(200);
    expect(heard[0].messages).toHaveLength(3);
  });

  it('are answered until they were read', async () => {
    const { heard, sessions } = await start();
    const url = await join(sessions);
    for (const n of [1, 2]) heard[0].session.sendControl(prepareControl({ n }));
    // The join is echoed before them, which isn't numbered.
    expect(await post(url, '?read=0')).toEqual({
      status: 200,
      type: `${LIST}; control=1`,
      messages: [{ n: 1 }, { n: 2 }],
    });
    heard[0].session.sendControl(prepareControl({ n: 3 }));
    // That answer may still come.
    expect(await post(url, '?read=0')).toEqual({ status: 200, type: LIST, messages: [] });
    expect(await post(url, '?read=0&lost')).toEqual({
      status: 200,
      type: `${LIST}; control=1`,
      messages: [{ n: 1 }, { n: 2 }, { n: 3 }],
    });
    expect(await post(url, '?read=2&lost')).toEqual({
      status: 200,
      type: `${LIST}; control=3`,
      messages: [{ n: 3 }],
    });
    expect(await post(url, '?read=3&lost')).toEqual({ status: 200, type: LIST, messages: [] });
    // A client without numbers gets what was sent as before.
    heard[0].session.sendControl(prepareControl({ n: 4 }));
    expect(await post(url, '')).toEqual({ status: 200, type: LIST, messages: [{ n: 4 }] });
  });
});

describe('the client', () => {
  /**
   * A network on which every third request or so goes wrong, in one of all ways.
   * @param {number} seed
   */
  function unreliable(seed) {
    const next = random(seed);
    const wrong = { notSent: 0, refused: 0, unavailable: 0, notAnswered: 0, slow: 0 };
    const isOn = { value: true };
    const fetchSome = async (/** @type {any} */ to, /** @type {any} */ init) => {
      const chance = isOn.value && String(to).includes('/packets') ? next() : 1;
      if (chance < 0.06) {
        wrong.notSent += 1;
        throw new TypeError('no network');
      }
      if (chance < 0.12) {
        wrong.refused += 1;
        return new Response('{"code":"too-many-requests"}', { status: 429 });
      }
      if (chance < 0.18) {
        wrong.unavailable += 1;
        return new Response('<h1>Bad gateway</h1>', { status: 502 });
      }
      const response = await fetch(to, init);
      if (chance < 0.28) {
        wrong.notAnswered += 1;
        await response.arrayBuffer();
        throw new TypeError('the connection was reset');
      }
      if (chance > 0.4 && chance < 0.45) {
        wrong.slow += 1;
        await pause(60);
      }
      return response;
    };
    return { fetch: /** @type {typeof globalThis.fetch} */ (fetchSome), wrong, isOn };
  }

  it.each([1, 2, 3])(
    'and the server do each message once, in order, where a third is lost (seed %i)',
    async (seed) => {
      const { heard, sessions } = await start();
      const network = unreliable(seed);
      const connection = await Http1Connection.open({
        url: sessions,
        clock: systemClock,
        fetch: network.fetch,
      });
      onTestFinished(() => void connection.close());
      /** @type {any[]} */
      const read = [];
      connection.handler = /** @type {any} */ ({
        onPacket() {},
        onControl: (/** @type {any} */ message) => void read.push(message),
        onClosed: (/** @type {any} */ code) => void read.push(code),
      });
      connection.join(JOIN);
      await vi.waitFor(() => expect(read).toHaveLength(1));
      const tolds = () => read.filter(({ told }) => told !== undefined).length;
      let count = 0;
      // A slow machine sends fewer requests in the same time, so that fewer of them go wrong.
      const isEnough = () => count >= 150 && Object.values(network.wrong).every((one) => one > 3);
      for (; !isEnough(); count++) {
        connection.sendControl({ type: 'n', n: count });
        heard[0].session.sendControl(prepareControl({ told: count }));
        do {
          connection.send(packetOf(40));
          await pause(4);
          // Either side keeps a limited number of messages that wait.
        } while (count - heard[0].messages.length > MOST_WAITING || count - tolds() > MOST_WAITING);
      }
      network.isOn.value = false;
      await vi.waitFor(() => {
        connection.send(packetOf(40));
        expect(tolds()).toBe(count);
        expect(read.filter(({ of }) => of?.type === 'n')).toHaveLength(count);
        expect(heard[0].messages).toHaveLength(1 + count);
      });
      const numbers = Array.from({ length: count }, (_, n) => n);
      expect(heard[0].messages.slice(1).map(({ n }) => n)).toEqual(numbers);
      expect(read.filter(({ told }) => told !== undefined).map(({ told }) => told)).toEqual(
        numbers,
      );
      expect(read.filter(({ of }) => of?.type === 'n').map(({ of }) => of.n)).toEqual(numbers);
    },
  );

  it('sends no more in one list than the server reads', async () => {
    const { heard, sessions } = await start();
    const network = unreliable(1);
    network.isOn.value = false;
    const connection = await Http1Connection.open({
      url: sessions,
      clock: systemClock,
      fetch: network.fetch,
    });
    onTestFinished(() => void connection.close());
    connection.handler = /** @type {any} */ ({ onPacket() {}, onControl() {}, onClosed() {} });
    connection.join(JOIN);
    await vi.waitFor(() => expect(connection.leaveUrl).not.toBe(null));
    const text = 'x'.repeat(7000);
    for (let n = 0; n < 20; n++) connection.sendControl({ type: 'n', n, text });
    await vi.waitFor(() =>
      expect(heard[0].messages.slice(1).map(({ n }) => n)).toEqual(
        Array.from({ length: 20 }, (_, n) => n),
      ),
    );
  });
});
