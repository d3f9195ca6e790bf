import { Agent, createServer, request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { errorOfClose, errors } from '../../../public/shared/errors.js';
import {
  MAX_LIST_BYTES,
  readList,
  writeListEntry,
} from '../../../public/shared/wire/packet-list.js';
import { readControl, writeControl } from '../../../public/shared/wire/control.js';
import { Packet, PacketType, packetType, readPacket } from '../../../public/shared/wire/packet.js';
import { HTTP1_SERVER_OPTIONS } from '../../../server/http/server.js';
import { createHttp1Transport } from '../../../server/transport/http1.js';
import { MAX_CONTROL_BYTES, prepareControl } from '../../../server/session/session.js';
import { random } from '../../fakes/random.js';
import {
  closeAfter,
  IDLE_TIMEOUT_MS,
  packetOf,
  pause,
  script,
  sharedCases,
  until,
} from '../../../testkit/transport-cases.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { Session } from '../../../server/session/session.js'
 * @import { Options, Peer } from '../../../testkit/transport-cases.js'
 *
 * @typedef {(path: string, options?: { method?: string, type?: string | null, body?: Uint8Array |
 *   string }) => Promise<{ status: number, bytes: Uint8Array, json: any, type: string }>} Post
 */

const JOIN = { type: 'join', version: 1, room: 'a', name: 'b' };
const LIST = 'application/octet-stream';
const JSON_TYPE = 'application/json';

/** @param {Options} [options] */
async function start(options) {
  const { heard, clock, errors: logged, options: given } = script(options);
  const transport = createHttp1Transport(given);
  const app = express().use(transport.router);
  const server = createServer(HTTP1_SERVER_OPTIONS, app);
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
  const { port } = /** @type {AddressInfo} */ (server.address());
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const post = poster(port, agent);
  /** @type {Peer[]} */
  const peers = [];
  const connect = async () => {
    const peer = await connectPeer(post);
    peers.push(peer);
    return peer;
  };
  const close = async () => {
    for (const peer of peers) peer.vanish();
    await transport.close();
    agent.destroy();
    await new Promise((done) => server.close(done));
  };
  return { transport, heard, clock, errors: logged, connect, post, port, close, server };
}

/** @param {number} port @param {Agent} agent @returns {Post} */
function poster(port, agent) {
  return (path, { method = 'POST', type = LIST, body = '' } = {}) =>
    new Promise((resolve, reject) => {
      /** @type {Record<string, string | number>} */
      const headers = { 'content-length': Buffer.byteLength(body) };
      if (type) headers['content-type'] = type;
      const request = httpRequest(
        { host: '127.0.0.1', port, path, method, agent, headers },
        async (response) => {
          const bytes = Uint8Array.from(Buffer.concat(await response.toArray()));
          const answered = String(response.headers['content-type'] ?? '');
          const json = answered.startsWith(JSON_TYPE)
            ? JSON.parse(Buffer.from(bytes).toString())
            : null;
          resolve({ status: response.statusCode ?? 0, bytes, json, type: answered });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
}

/** @param {Uint8Array[]} packets */
function listOf(packets) {
  const out = new Uint8Array(packets.reduce((bytes, { length }) => bytes + 2 + length, 0));
  packets.reduce((at, packet) => writeListEntry(out, at, packet), 0);
  return out;
}

/** @param {Uint8Array} list */
function packetsOf(list) {
  /** @type {Uint8Array[]} */
  const packets = [];
  expect(readList(list, (packet) => packets.push(packet.slice()))).toBe(true);
  return packets;
}

/**
 * @param {Post} post
 * @returns {Promise<Peer & { token: string }>}
 */
async function connectPeer(post) {
  const opened = await post('/api/sessions', { type: JSON_TYPE, body: JSON.stringify(JOIN) });
  const packets = /** @type {Uint8Array[]} */ ([]);
  const messages = /** @type {any[]} */ (opened.json.messages ?? []);
  /** @type {(code: number) => void} */
  let end = () => {};
  const ended = new Promise((/** @type {(code: number) => void} */ resolve) => (end = resolve));
  if (opened.status !== 201)
    end(errors[/** @type {keyof typeof errors} */ (opened.json.code)].close);
  const { token } = opened.json;
  const exchange = async (/** @type {Uint8Array[]} */ list) => {
    const answer = await post(`/api/sessions/${token}/packets`, { body: listOf(list) });
    if (answer.json) end(errors[/** @type {keyof typeof errors} */ (answer.json.code)].close);
    else sort(answer.bytes);
  };
  const sort = (/** @type {Uint8Array} */ list) => {
    for (const packet of packetsOf(list)) {
      if (packetType(packet) === PacketType.control) messages.push(readControl(packet));
      else packets.push(packet);
    }
  };
  let last = Promise.resolve();
  const send = (/** @type {Uint8Array[]} */ ...list) =>
    void (last = last.then(() => exchange(list)).catch(() => {}));
  // A client that wants to hear something has to ask.
  const asking = { on: false };
  const ask = async () => {
    if (asking.on || !token) return;
    for (asking.on = true; asking.on; await pause(20)) await exchange([]).catch(() => {});
  };
  const stop = () => void (asking.on = false);
  ended.then(stop);
  return {
    token,
    packets,
    get messages() {
      void ask();
      return messages;
    },
    get ended() {
      void ask();
      return ended;
    },
    send,
    sendControl: (message) => send(writeControl(message)),
    close: () => {
      stop();
      post(`/api/sessions/${token}`, { method: 'DELETE', type: null }).catch(() => {});
    },
    vanish: stop,
  };
}

/** @param {Options} [options] */
async function joined(options) {
  const setup = closeAfter(await start(options));
  const { json } = await setup.post('/api/sessions', {
    type: JSON_TYPE,
    body: JSON.stringify(JOIN),
  });
  const path = `/api/sessions/${json.token}`;
  return { ...setup, token: String(json.token), path, one: setup.heard[0] };
}

describe('HTTP/1', () => {
  sharedCases(start);

  it('answers a join with a token and the first message', async () => {
    const { post, heard } = closeAfter(await start());
    const { status, json } = await post('/api/sessions', {
      type: 'application/json; charset=utf-8',
      body: JSON.stringify(JOIN),
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      token: expect.stringMatching(/^[\w-]{24,}$/),
      messages: [{ type: 'echo', of: JOIN }],
    });
    expect(heard[0].messages).toEqual([JOIN]);
    expect(heard[0].session.transport.replyOnly).toBe(true);
    expect(heard[0].session.peer).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it.each(/** @type {const} */ (['room-name', 'room-full', 'too-many-rooms', 'protocol-version']))(
    'answers a join that is refused with the status of %s',
    async (code) => {
      const onAccept = (/** @type {Session} */ session) => {
        session.handler = {
          packet: () => {},
          closed: () => {},
          control: async () => {
            await pause(5);
            session.sendControl(prepareControl({ type: 'refused', code, message: 'x' }));
            session.close(errors[code].close, 'x');
          },
        };
      };
      const { post } = closeAfter(await start({ onAccept }));
      const { status, json } = await post('/api/sessions', {
        type: JSON_TYPE,
        body: JSON.stringify(JOIN),
      });
      expect([status, json]).toEqual([
        errors[code].status,
        { code, message: errors[code].message },
      ]);
    },
  );

  it('answers a join when its session ends without a word', async () => {
    const onAccept = (/** @type {Session} */ { handler }) =>
      void (handler && (handler.control = () => {}));
    const { post, clock, heard } = closeAfter(await start({ onAccept }));
    const answer = post('/api/sessions', { type: JSON_TYPE, body: JSON.stringify(JOIN) });
    await until(() => heard.length === 1);
    clock.advance(IDLE_TIMEOUT_MS);
    expect((await answer).json.code).toBe('idle-timeout');
  });

  it('forgets who hangs up before the join is answered', async () => {
    const onAccept = (/** @type {Session} */ { handler }) =>
      void (handler && (handler.control = () => {}));
    const { port, heard } = closeAfter(await start({ onAccept }));
    const socket = connectTcp(port, '127.0.0.1');
    socket.write(
      `POST /api/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
        `${JSON_TYPE}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    await until(() => heard.length === 1);
    socket.destroy();
    await until(() => heard[0].closed.length === 1);
    expect(heard[0].closed[0].code).toBe(0);
  });

  it('gives every session a token of its own that cannot be guessed', async () => {
    const { connect } = closeAfter(await start());
    const peers = await Promise.all(
      Array.from({ length: 20 }, () => /** @type {any} */ (connect())),
    );
    expect(new Set(peers.map(({ token }) => token)).size).toBe(20);
  });

  it('answers several packets in one list, control messages behind them', async () => {
    const { post, path, one } = await joined();
    one.session.sendControl(prepareControl({ type: 'stats' }));
    const body = listOf([packetOf(3), writeControl({ type: 'mute', muted: true }), packetOf(5)]);
    const { status, bytes, type } = await post(`${path}/packets`, { body });
    expect([status, type]).toEqual([200, LIST]);
    const packets = packetsOf(bytes);
    expect(packets.slice(0, 2)).toEqual([packetOf(3), packetOf(5)]);
    expect(packets.slice(2).map(readControl)).toEqual([
      { type: 'stats' },
      { type: 'echo', of: { type: 'mute', muted: true } },
    ]);
  });

  it('answers requests that are in flight together, each with its own', async () => {
    const { post, path } = await joined();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        post(`${path}/packets`, { body: listOf([packetOf(9, i)]) }),
      ),
    );
    for (const [i, { bytes }] of answers.entries())
      expect(packetsOf(bytes)).toEqual([packetOf(9, i)]);
  });

  it('reads a body that comes in many pieces', async () => {
    const { port, path, one } = await joined();
    const body = listOf([packetOf(700), packetOf(40)]);
    const socket = connectTcp(port, '127.0.0.1').setNoDelay();
    socket.write(
      `POST ${path}/packets HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
        `${LIST}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let at = 0; at < body.length; at += 100) {
      const piece = body.subarray(at, at + 100);
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
      await pause(1);
    }
    socket.write('0\r\n\r\n');
    await until(() => one.packets.length === 2);
    expect(one.packets).toEqual([packetOf(700), packetOf(40)]);
    socket.destroy();
  });

  it('has no way to push: packets that answer nothing are dropped and counted', async () => {
    const { transport, one } = await joined();
    expect(one.session.send(packetOf(3))).toBe(false);
    transport.sendMany([one.session], packetOf(3));
    expect(one.session.stats().droppedOut).toBe(2);
  });

  it('answers no more than a list holds, and counts the rest', async () => {
    const { post, path, one } = await joined();
    /** @type {NonNullable<Session['handler']>} */ (one.session.handler).packet = () =>
      void one.session.send(packetOf(1000));
    const { bytes } = await post(`${path}/packets`, {
      body: listOf(Array(2000).fill(packetOf(1))),
    });
    expect(bytes.length).toBeLessThanOrEqual(MAX_LIST_BYTES);
    expect(packetsOf(bytes).length + one.session.stats().droppedOut).toBe(2000);
  });

  it('keeps what is well in a list that is cut off, and counts its end as truncated', async () => {
    const { post, path, one } = await joined();
    const body = listOf([packetOf(4), packetOf(6)]).subarray(0, -1);
    expect((await post(`${path}/packets`, { body })).status).toBe(200);
    expect(one.packets[0]).toEqual(packetOf(4));
    expect(one.packets.slice(1).map((packet) => readPacket(packet, new Packet()))).toEqual([
      'truncated',
    ]);
  });

  it('passes on what is no control message, for the room to count', async () => {
    const { post, path, one } = await joined();
    const tooLong = writeControl({ text: 'x'.repeat(MAX_CONTROL_BYTES) });
    const body = listOf([Uint8Array.of(0x14, 0x7b), tooLong, Uint8Array.of(0x14)]);
    expect((await post(`${path}/packets`, { body })).status).toBe(200);
    expect(one.messages).toEqual([JOIN, undefined, undefined, undefined]);
    expect(one.closed).toEqual([]);
  });

  it('reads at most 100 control messages of one list, and passes on the rest unread', async () => {
    const { post, path, one } = await joined();
    one.messages.length = 0;
    const mute = writeControl({ type: 'mute', muted: true });
    const { status } = await post(`${path}/packets`, {
      body: listOf(Array.from({ length: 1500 }, () => mute)),
    });
    expect(status).toBe(200);
    expect(one.messages.length).toBe(1500);
    expect(one.messages.filter((message) => message !== undefined).length).toBe(100);
  });

  it('survives any list of bytes', async () => {
    const { post, path, one } = await joined();
    const next = random(11);
    for (let i = 0; i < 150; i++) {
      const body = packetOf(Math.floor(next() * 3000), i);
      // Short lengths, so that there are entries.
      for (let at = 0; at < body.length; at += 1 + Math.floor(next() * 40)) body[at] = 0;
      expect((await post(`${path}/packets`, { body })).status).toBe(200);
    }
    expect(one.closed).toEqual([]);
  });

  it.each([
    ['an unknown token', 404, 'session-unknown', '/api/sessions/unknown/packets', {}],
    ['no token', 404, 'session-unknown', '/api/sessions//packets', {}],
    ['a token of an object', 404, 'session-unknown', '/api/sessions/__proto__/packets', {}],
    ['leaving what is unknown', 404, 'session-unknown', '/api/sessions/unknown/leave', {}],
    [
      'deleting what is unknown',
      404,
      'session-unknown',
      '/api/sessions/unknown',
      { method: 'DELETE' },
    ],
    [
      'a join that is no JSON',
      400,
      'bad-request',
      '/api/sessions',
      { type: JSON_TYPE, body: '{"a"' },
    ],
    ['a join of nothing', 400, 'bad-request', '/api/sessions', { type: JSON_TYPE }],
    [
      'a join of another type',
      415,
      'content-type',
      '/api/sessions',
      { type: 'text/plain', body: '{}' },
    ],
    ['a join of no type', 415, 'content-type', '/api/sessions', { type: null, body: '{}' }],
    [
      'a join that is too long',
      413,
      'body-too-large',
      '/api/sessions',
      { type: JSON_TYPE, body: ' '.repeat(MAX_CONTROL_BYTES + 1) },
    ],
  ])('answers %s with %i', async (_what, status, code, path, options) => {
    const { post, heard } = closeAfter(await start());
    const answer = await post(path, options);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(answer.json.message).toBe(errors[/** @type {keyof typeof errors} */ (code)].message);
    expect(heard).toEqual([]);
  });

  it('answers packets of another content type with 415, and too many with 413', async () => {
    const { post, path, one } = await joined();
    const wrong = await post(`${path}/packets`, {
      type: 'text/plain',
      body: listOf([packetOf(3)]),
    });
    expect([wrong.status, wrong.json.code]).toEqual([415, 'content-type']);
    const large = await post(`${path}/packets`, { body: new Uint8Array(MAX_LIST_BYTES + 1) });
    expect([large.status, large.json.code]).toEqual([413, 'body-too-large']);
    expect((await post(`${path}/packets`, { body: new Uint8Array(MAX_LIST_BYTES) })).status).toBe(
      200,
    );
    expect(one.closed).toEqual([]);
  });

  it('stops reading a body that never ends', async () => {
    const { port, path } = await joined();
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (data) => (answer += data));
    socket.write(
      `POST ${path}/packets HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
        `${LIST}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000),
      Buffer.from('\r\n'),
    ]);
    const writing = setInterval(() => socket.write(chunk), 1);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(writing);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['a beacon', '/leave', { type: 'text/plain;charset=UTF-8', body: 'bye' }],
    ['DELETE', '', { method: 'DELETE', type: null }],
  ])('lets go who leaves by %s', async (_what, suffix, options) => {
    const { post, path, one } = await joined();
    expect((await post(path + suffix, options)).status).toBe(204);
    expect(one.closed).toEqual([{ code: 0, reason: 'left' }]);
    expect((await post(`${path}/packets`, {})).json.code).toBe('session-unknown');
    expect((await post(path + suffix, options)).status).toBe(404);
  });

  it.each(/** @type {const} */ (['idle-timeout', 'server-closing', 'internal']))(
    'tells a session that ended by %s why, at its next request',
    async (code) => {
      const { post, path, one } = await joined();
      one.session.close(errors[code].close, errors[code].message);
      const { status, json } = await post(`${path}/packets`, { body: listOf([packetOf(2)]) });
      expect([status, json.code]).toEqual([errors[code].status, code]);
      expect(errorOfClose(one.closed[0].code)).toBe(code);
    },
  );

  it('keeps a limited number of reasons of ends', async () => {
    const { connect, heard, post } = closeAfter(await start({ maxSessions: 3 }));
    /** @type {string[]} */
    const tokens = [];
    for (let i = 0; i < 5; i++) {
      const peer = /** @type {Peer & { token: string }} */ (await connect());
      tokens.push(peer.token);
      heard[i].session.close(errors['idle-timeout'].close, '');
    }
    const codes = [];
    for (const token of tokens)
      codes.push((await post(`/api/sessions/${token}/packets`)).json.code);
    expect(codes).toEqual([
      'session-unknown',
      'session-unknown',
      'idle-timeout',
      'idle-timeout',
      'idle-timeout',
    ]);
  });

  it('sends control messages again whose answer did not get through, and none twice', async () => {
    const { post, path, one, server } = await joined();
    const handler = /** @type {NonNullable<Session['handler']>} */ (one.session.handler);
    /** @type {import('node:net').Socket[]} */
    const sockets = [];
    server.on('request', ({ socket }) => sockets.push(socket));
    one.session.sendControl(prepareControl({ n: 1 }));
    one.session.sendControl(prepareControl({ n: 2 }));
    handler.packet = () => sockets.forEach((socket) => socket.destroy());
    await expect(post(`${path}/packets`, { body: listOf([packetOf(1)]) })).rejects.toThrow();
    one.session.sendControl(prepareControl({ n: 3 }));
    const first = packetsOf((await post(`${path}/packets`)).bytes).map(readControl);
    const second = packetsOf((await post(`${path}/packets`)).bytes);
    expect(first).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(second).toEqual([]);
  });

  it('ends a session that never fetches its control messages', async () => {
    const { one } = await joined();
    for (let i = 0; i < 100 && one.closed.length === 0; i++)
      one.session.sendControl(prepareControl({ text: 'x'.repeat(8000) }));
    expect(one.closed.map(({ code }) => errorOfClose(code))).toEqual(['idle-timeout']);
  });

  it('refuses to join once it is closed', async () => {
    const { post, transport } = closeAfter(await start());
    await transport.close();
    const { status, json } = await post('/api/sessions', { type: JSON_TYPE, body: '{}' });
    expect([status, json.code]).toEqual([503, 'server-closing']);
  });

  it('leaves other paths and methods to others', async () => {
    const { post } = await joined();
    for (const path of [
      '/',
      '/api',
      '/api/sessions/a/b/c',
      '/api/sessionsx',
      '/x/api/sessions',
      '//sessions',
    ]) {
      expect((await post(path)).type).toContain('text/html');
    }
    expect((await post('/api/sessions', { method: 'GET', type: null })).status).toBe(404);
    expect((await post('/api/sessions/a/packets', { method: 'PUT' })).status).toBe(404);
  });

  it('holds batches of 20 ms of 25 people', async () => {
    const { post, connect, heard } = closeAfter(await start());
    const tokens = await Promise.all(
      Array.from({ length: 25 }, async () => {
        const peer = /** @type {Peer & { token: string }} */ (await connect());
        return peer.token;
      }),
    );
    const body = listOf([packetOf(90)]);
    /** @type {Promise<any>[]} */
    const answers = [];
    for (let k = 0; k < 50; k++) {
      for (const token of tokens) answers.push(post(`/api/sessions/${token}/packets`, { body }));
      await pause(20);
    }
    for (const { status, bytes } of await Promise.all(answers)) {
      expect([status, bytes.length]).toEqual([200, body.length]);
    }
    for (const { packets } of heard) expect(packets).toHaveLength(50);
  });
});
