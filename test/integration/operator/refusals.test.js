/**
 * Every code of the registry of errors: its close number, HTTP status and sentence. The metrics
 * count each refusal once.
 */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { failureTexts } from '../../../public/texts/texts.js';
import { makeToken, TokenVerifier } from '../../../server/access/token.js';
import { SILENCE } from '../../../server/bus/bus.js';
import { ClusterMessageReader, subjectsOf } from '../../../server/bus/messages.js';
import { loadConfig } from '../../../server/config/config.js';
import { createHttpCounts } from '../../../server/http/gate.js';
import { ownTracks } from '../../../server/http/recordings-api.js';
import { createOperatorApi } from '../../../server/operator/api.js';
import { ClusterRooms } from '../../../server/operator/cluster-rooms.js';
import { Metrics } from '../../../server/operator/metrics.js';
import { createStatus, Readiness } from '../../../server/operator/status.js';
import { RoomsByThread } from '../../../server/host/rooms-by-thread.js';
import { Recordings } from '../../../server/recording/recordings.js';
import { Arrivals } from '../../../server/host/arrivals.js';
import { createServer } from '../../../server/server.js';
import { BaseSession, prepareControl } from '../../../server/session/session.js';
import { Conference, settle } from '../../fakes/conference.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { putRecording } from '../../fakes/recorded.js';
import { OPERATOR_TOKEN, WITH_OPERATOR } from '../../support/operator.js';
import { openStreamRoom } from '../../support/stream-room.js';

/** @import { ErrorCode } from '../../../public/shared/errors.js' */

const SECRET = 'a-secret-of-at-least-32-characters';
const NOW = 1_800_000_000_000;

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A session as all transports have it, whose other end is the test. */
class Session extends BaseSession {
  /** @type {any[]} */
  messages = [];

  /** @param {object} message */
  sendControl(message) {
    this.messages.push(prepareControl(message).message);
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    this.end(code, reason);
  }

  send() {
    return true;
  }

  /** @param {object} message */
  say(message) {
    this.receiveControl(message, 0);
  }

  /** @param {string} type */
  last(type) {
    return this.messages.findLast((message) => message.type === type);
  }
}

/** Rooms on a fake clock, with Ann in one of them, who is its moderator. */
class World {
  /**
   * @param {ConstructorParameters<typeof Conference>[0]} [options]
   * @param {TokenVerifier | null} [verifier]
   * @param {any} [roomsByNode]
   */
  constructor(options, verifier = null, roomsByNode = null) {
    this.conference = new Conference({ maxParticipants: 200, ...options });
    const { rooms, clock } = this.conference;
    this.arrivals = new Arrivals({ rooms, clock, log: { error: () => {} }, verifier, roomsByNode });
    this.clock = clock;
    this.rooms = rooms;
  }

  /** @param {string} [peer] */
  arrive(peer = '192.0.2.1:1') {
    const session = new Session({
      transport: this.conference.transport,
      peer,
      log: { error: () => {} },
      now: 0,
      onEnd: () => {},
    });
    this.arrivals.accept(/** @type {any} */ (session));
    return session;
  }

  /** @param {Record<string, unknown>} [wishes] @param {string} [peer] */
  async join({ name = 'Ann', ...wishes } = {}, peer) {
    const session = this.arrive(peer);
    session.say({ type: 'join', version: 1, room: 'lab', name, ...wishes });
    await settle();
    return session;
  }

  /** Ann and Bob. */
  async two() {
    return { ann: await this.join(), bob: await this.join({ name: 'Bob' }) };
  }
}

/** @param {Session} session @param {Record<string, unknown>} message */
const moderate = (session, message) => session.say({ type: 'moderate', ...message });

/** Waits for what is computed on another thread. @param {Session} session @param {string} type */
const told = (session, type) => vi.waitFor(() => expect(session.last(type)).toBeDefined());

/** A world in which joining needs a token. @param {number} [now] */
const withKeys = (now = NOW) =>
  new World({}, new TokenVerifier(new Map([['main', SECRET]]), () => now));

/** @param {Record<string, unknown>} [own] */
const tokenOf = (own) =>
  makeToken({
    keyId: 'main',
    secret: SECRET,
    room: 'lab',
    name: 'Ann',
    identity: 'ann-1',
    role: 'speaker',
    ttlSeconds: 60,
    now: NOW,
    ...own,
  });

/** @param {World} world @param {string | undefined} token */
async function joinWith(world, token) {
  const session = await world.join({ token });
  await told(session, 'refused');
}

/**
 * A room whose recordings can't begin.
 * @param {string | null} code why; null where they begin and fail
 */
const recordingThat = (code) =>
  /** @type {any} */ ({
    offered: true,
    refusal: () => (code === null ? null : { code }),
    begin: () => {
      throw new Error('no disk');
    },
    logFailure: () => {},
  });

/** @param {string | null} code */
async function record(code) {
  const world = new World({ recordings: recordingThat(code) });
  const ann = await world.join();
  ann.say({ type: 'record', on: true });
  await told(ann, 'refused');
}

/**
 * Refusals of sessions, without a socket.
 * @type {Partial<Record<ErrorCode, () => Promise<unknown>>>}
 */
const inRooms = {
  'bad-request': () => new World().join({ room: 5 }),
  'protocol-version': () => new World().join({ version: 2 }),
  'room-name': () => new World().join({ room: 'not a name' }),
  'user-name': () => new World().join({ name: '' }),
  'room-full': () => new World({ maxParticipants: 1 }).two(),
  'too-many-rooms': async () => {
    const world = new World({ maxRooms: 1 });
    await world.join();
    await world.join({ room: 'tea' });
  },
  'server-full': () => new World({ maxPeople: 1 }).two(),
  'server-closing': async () => {
    const world = new World();
    world.rooms.close();
    await world.join();
  },
  'cluster-unreachable': async () => {
    await new World({}, null, {
      isHere: () => false,
      find: async () => 'cluster-unreachable',
    }).join();
  },
  draining: async () => {
    const world = new World();
    world.rooms.drain(30);
    await world.join();
  },
  'join-timeout': async () => {
    const world = new World();
    world.arrive();
    world.clock.advance(10_000);
  },
  'join-flood': async () => {
    const world = new World();
    for (let i = 0; i < 101; i++) await world.join({ name: `P${i}` });
  },
  'server-busy': async () => {
    const world = new World({ effort: { complexity: 5, share: 0.95 } });
    await world.two();
    for (let i = 0; i < 60; i++) {
      world.clock.stall(70);
      world.clock.advance(1);
    }
    await world.join({ name: 'Cid' });
  },
  internal: async () => {
    const world = new World();
    world.rooms.join = () => {
      throw new Error('a mistake');
    };
    await world.join();
  },
  'token-missing': () => joinWith(withKeys(), undefined),
  'token-invalid': () => joinWith(withKeys(), 'abc'),
  'token-expired': async () => joinWith(withKeys(NOW + 3_600_000), await tokenOf()),
  'token-early': async () => joinWith(withKeys(NOW - 3_600_000), await tokenOf()),
  'token-endless': async () => {
    const claims = { iss: 'main', sub: 'ann-1', video: { room: 'lab', roomJoin: true } };
    await joinWith(
      withKeys(),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(SECRET)),
    );
  },
  'token-foreign': async () => joinWith(withKeys(), await tokenOf({ keyId: 'theirs' })),
  'token-room': async () => joinWith(withKeys(), await tokenOf({ room: 'other' })),
  banned: async () => {
    const world = new World();
    const { ann, bob } = await world.two();
    moderate(ann, { action: 'remove', person: bob.last('welcome').you, banSeconds: 60 });
    await world.join({ name: 'Bob' });
  },
  'room-locked': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'lock', on: true });
    await world.join({ name: 'Bob' });
  },
  'password-missing': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'password', password: 'tea' });
    await told(await world.join({ name: 'Bob' }), 'refused');
  },
  'password-wrong': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'password', password: 'tea' });
    await told(await world.join({ name: 'Bob', password: 'coffee' }), 'refused');
  },
  'password-flood': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'password', password: 'tea' });
    for (let i = 0; i < 11; i++)
      await told(await world.join({ name: 'Bob', password: 'coffee' }), 'refused');
  },
  'lobby-full': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'lobby', on: true });
    for (let i = 0; i < 11; i++) await world.join({ name: `P${i}` });
  },
  'turned-away': async () => {
    const world = new World();
    const ann = await world.join();
    moderate(ann, { action: 'lobby', on: true });
    await world.join({ name: 'Bob' });
    moderate(ann, { action: 'turn-away', knock: '1' });
  },
  'forward-only': async () =>
    void (await new World({ mode: 'forward' }).join({ delivery: 'reply' })),
  'forward-reply': async () => {
    const world = new World();
    const { ann } = await world.two();
    await world.join({ name: 'Web', delivery: 'reply' });
    moderate(ann, { action: 'mode', mode: 'forward' });
  },
  'broadcast-mix': async () =>
    moderate(await new World().join({ e2e: true }), { action: 'broadcast', on: true }),
  'groups-limit': async () => moderate(await new World().join(), { action: 'groups', count: 21 }),
  'groups-broadcast': async () => {
    const ann = await new World().join();
    moderate(ann, { action: 'broadcast', on: true });
    moderate(ann, { action: 'groups', count: 2 });
  },
  'group-unknown': async () => {
    const { ann, bob } = await new World().two();
    moderate(ann, { action: 'groups', count: 2 });
    moderate(ann, { action: 'group', person: bob.last('welcome').you, group: 3 });
  },
  'language-tag': async () => {
    const { ann, bob } = await new World().two();
    moderate(ann, { action: 'broadcast', on: true });
    moderate(ann, { action: 'interpret', person: bob.last('welcome').you, language: 'es_MX' });
  },
  'language-broadcast': async () => {
    const { ann, bob } = await new World().two();
    moderate(ann, { action: 'interpret', person: bob.last('welcome').you, language: 'es' });
  },
  'languages-limit': async () => {
    const world = new World();
    const ann = await world.join();
    const people = [];
    for (let i = 0; i < 9; i++) people.push(await world.join({ name: `Person ${i}` }));
    moderate(ann, { action: 'broadcast', on: true });
    for (const [i, tag] of ['ar', 'de', 'el', 'en', 'es', 'fr', 'it', 'ja', 'pt'].entries())
      moderate(ann, { action: 'interpret', person: people[i].last('welcome').you, language: tag });
  },
  'language-unknown': async () => {
    const world = new World();
    moderate(await world.join(), { action: 'broadcast', on: true });
    (await world.join({ name: 'Lea' })).say({ type: 'language', language: 'es' });
  },
  'language-relay': async () => {
    const world = new World();
    const { ann, bob } = await world.two();
    moderate(ann, { action: 'broadcast', on: true });
    const lea = await world.join({ name: 'Lea' });
    Object.assign(lea, { transport: { ...lea.transport, isRelay: true } });
    moderate(ann, { action: 'interpret', person: bob.last('welcome').you, language: 'es' });
    lea.say({ type: 'language', language: 'es' });
  },
  'e2e-room': async () =>
    moderate(await new World().join({ e2e: true }), { action: 'mode', mode: 'mix' }),
  'e2e-only': async () => {
    const world = new World();
    await world.join({ e2e: true });
    await world.join({ name: 'Eve' });
  },
  'e2e-not-here': async () => {
    const world = new World();
    await world.join();
    await world.join({ name: 'Bob', e2e: true });
  },
  'ban-place': async () => {
    const world = new World();
    const ann = await world.join();
    const own = await world.join({ name: 'Own' }, '127.0.0.1:5');
    moderate(ann, { action: 'remove', person: own.last('welcome').you, banSeconds: 60 });
  },
  'not-allowed': async () => moderate((await new World().two()).bob, { action: 'lock', on: true }),
  'person-unknown': async () =>
    moderate(await new World().join(), { action: 'mute', person: '99', muted: true }),
  'muted-by-moderator': async () => {
    const { ann, bob } = await new World().two();
    moderate(ann, { action: 'mute', person: bob.last('welcome').you, muted: true });
    bob.say({ type: 'mute', muted: false });
  },
  'chat-flood': async () => {
    const world = new World();
    const ann = await world.join();
    for (let i = 0; i < 200 && !ann.last('refused'); i++) {
      if (i % 10 === 9) world.clock.advance(500);
      ann.say({ type: 'chat', text: `${i}` });
    }
  },
  'captions-off': async () =>
    (await new World().join()).say({ type: 'caption', text: 'Hello', lang: 'en' }),
  'captions-taken': async () => {
    const { ann, bob } = await new World().two();
    for (const one of [ann, bob]) one.say({ type: 'captions', want: false, write: true });
  },
  'caption-long': async () => {
    const ann = await new World().join();
    ann.say({ type: 'captions', want: true });
    ann.say({ type: 'caption', text: 'x'.repeat(241), lang: 'en' });
  },
  'tracks-full': async () => {
    const world = new World();
    for (const room of ['a', 'b', 'c'])
      (await world.join({ room })).say({
        type: 'track',
        action: 'offer',
        name: 'song',
        seconds: 900,
      });
  },
  'recording-off': async () => {
    const ann = await new World().join();
    ann.say({ type: 'record', on: true });
  },
  'recording-limit': () => record('recording-limit'),
  'recording-share': () => record('recording-share'),
  'recording-busy': () => record('recording-busy'),
  'recording-failed': () => record(null),
  'recording-others': async () => {
    const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
    open.push(() => rm(directory, { recursive: true, force: true }));
    const log = { warn: () => {}, error: () => {} };
    const recordings = new Recordings({
      directory,
      limitBytes: 1e9,
      keepHours: 1,
      clock: new FakeClock(),
      wallNow: Date.now,
      log,
    });
    open.push(() => recordings.close());
    const world = new World({ recordings });
    open.push(() => world.rooms.close());
    const { ann, bob } = await world.two();
    ann.say({ type: 'record', on: true });
    await told(bob, 'recording');
    bob.say({ type: 'record', on: false });
  },
};

/** @param {string[]} argv */
async function startServer(argv = [...WITH_OPERATOR]) {
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--engine', 'none', ...argv], env: {} }),
    { log },
  );
  open.push(() => server.close());
  return server.url;
}

const json = { 'content-type': 'application/json' };
const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...json };

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {Promise<number>} the status
 */
async function rawly(url, headers) {
  const asked = request(url, { headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

/**
 * Refusals over HTTP: each answers with its status.
 * @type {Partial<Record<ErrorCode, () => Promise<number>>>}
 */
const overHttp = {
  'bad-request': async () =>
    (
      await fetch(`${await startServer()}/api/sessions`, {
        method: 'POST',
        headers: json,
        body: '{',
      })
    ).status,
  'content-type': async () =>
    (await fetch(`${await startServer()}/api/sessions`, { method: 'POST', headers: {}, body: 'x' }))
      .status,
  'body-too-large': async () =>
    (
      await fetch(`${await startServer()}/api/sessions`, {
        method: 'POST',
        headers: json,
        body: 'x'.repeat(200_000),
      })
    ).status,
  'not-found': async () => (await fetch(`${await startServer()}/nothing`)).status,
  'session-unknown': async () =>
    (
      await fetch(`${await startServer()}/api/sessions/${'x'.repeat(24)}/packets`, {
        method: 'POST',
      })
    ).status,
  'operator-off': async () => (await fetch(`${await startServer([])}/api/rooms`)).status,
  'operator-token': async () => (await fetch(`${await startServer()}/api/rooms`)).status,
  'host-not-allowed': async () => rawly(await startServer(), { host: 'evil.example' }),
  'too-many-requests': async () => {
    const url = await startServer();
    let status = 200;
    // A connection's bucket may fill up in the meantime if the machine is slow.
    for (let i = 0; i < 3000 && status === 200; i++) ({ status } = await fetch(`${url}/api/clock`));
    return status;
  },
  'origin-not-allowed': async () => {
    const socket = new WebSocket(`${(await startServer()).replace('http', 'ws')}/session`, {
      origin: 'http://evil.example',
    });
    const [, response] = await once(socket, 'unexpected-response');
    socket.on('error', () => {}).terminate();
    return response.statusCode;
  },
  'recording-deleted': async () => {
    const { path } = await recordedServer();
    await fetch(path, { method: 'DELETE', headers: asOperator });
    return (await fetch(path)).status;
  },
  'range-beyond': async () =>
    (await fetch(`${(await recordedServer()).path}/mix.opus`, { headers: { Range: 'bytes=99-' } }))
      .status,
  'stream-key': async () => stream((await openStreamRoom()).server.url, 'wrong'),
  'stream-format': async () => {
    const { server, key } = await openStreamRoom();
    return stream(server.url, key, 'audio/mpeg');
  },
  'stream-taken': async () => {
    const { server, key } = await openStreamRoom();
    const first = request(`${server.url}/listen/tea`, { method: 'PUT', headers: asSource(key) });
    open.push(() => first.on('error', () => {}).destroy());
    first.flushHeaders();
    await once(first, 'response');
    return stream(server.url, key);
  },
  'offer-without-opus': async () =>
    (
      await fetch(`${await startServer()}/whip/tea`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp' },
        body: offerOf('PCMU/8000'),
      })
    ).status,
  'own-refused': () => putOwn({ place: null }),
  'own-invalid': () => putOwn({ refusal: 'own-invalid' }),
  'webrtc-off': async () =>
    (
      await fetch(`${await startServer()}/whep/tea`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp' },
        body: offerOf('opus/48000/2'),
      })
    ).status,
  'node-silent': () => askThroughCluster(SILENCE),
  'node-answer': () => askThroughCluster({ version: 1 }),
  // A join is refused over HTTP/1 with its code's status, and counted once all the same.
  'room-name': async () => {
    const body = JSON.stringify({ type: 'join', version: 1, room: 'not a name', name: 'Ann' });
    return (
      await fetch(`${await startServer()}/api/sessions`, { method: 'POST', headers: json, body })
    ).status;
  },
  'person-unknown': async () => {
    const url = await startServer();
    const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' });
    await fetch(`${url}/api/sessions`, { method: 'POST', headers: json, body });
    return (
      await fetch(`${url}/api/rooms/lab/people/99`, { method: 'DELETE', headers: asOperator })
    ).status;
  },
};

/** An offer of one way of sound. @param {string} format */
const offerOf = (format) =>
  [
    ...['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111'],
    ...['a=mid:0', 'a=ice-ufrag:a', 'a=ice-pwd:b', `a=rtpmap:111 ${format}`, ''],
  ].join('\r\n');

/** @param {string} key of the room's stream */
const asSource = (key) => ({
  Authorization: `Basic ${Buffer.from(`source:${key}`).toString('base64')}`,
});

/**
 * Sends nothing to the room, as a program that sends to an Icecast server.
 * @param {string} url
 * @param {string} key
 * @param {string} [type]
 */
const stream = async (url, key, type = 'audio/ogg') => {
  const headers = { ...asSource(key), 'Content-Type': type };
  return (await fetch(`${url}/listen/tea`, { method: 'PUT', headers, body: '' })).status;
};

/**
 * The operator asks for a room of another node, of which the bus gives this.
 * @param {unknown} answer
 */
async function askThroughCluster(answer) {
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const wire = {
    bus: { state: 'connected', request: async () => answer },
    subjects: subjectsOf('test'),
    reader: new ClusterMessageReader(log),
  };
  const node = { id: 'a', url: 'http://a.example', h3Port: null, certificateHashes: [] };
  const rooms = new ClusterRooms({
    local: new RoomsByThread(new Conference()),
    wire: /** @type {any} */ (wire),
    nodes: () => [node],
    isHere: () => false,
  });
  const api = createOperatorApi({
    operatorToken: OPERATOR_TOKEN,
    version: '0',
    log,
    .../** @type {any} */ ({ rooms }),
  });
  const server = createHttpServer(express().use('/api', api)).listen(0, '127.0.0.1');
  open.push(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return (await fetch(`http://127.0.0.1:${port}/api/rooms/lab`, { headers: asOperator })).status;
}

/**
 * A person sends a recording of their own.
 * @param {{ place?: object | null, refusal?: ErrorCode }} how  place: that of their token
 */
async function putOwn({ place = { id: '1', grant: {} }, refusal }) {
  const recordings = { roomOf: async () => 'tea', addOwn: async () => refusal };
  const handle = ownTracks(
    /** @type {any} */ ({ recordings, tokens: { read: () => place }, isBanned: () => false }),
  );
  const server = createHttpServer(express().put('/:id/own', handle)).listen(0, '127.0.0.1');
  open.push(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return (await fetch(`http://127.0.0.1:${port}/x/own?at=0`, { method: 'PUT', body: 'x' })).status;
}

/** A server with a recording of one byte. */
async function recordedServer() {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  open.push(() => rm(directory, { recursive: true, force: true }));
  const id = await putRecording(directory, { mix: Buffer.from('x'), seconds: 1 });
  const url = await startServer([...WITH_OPERATOR, '--recording-dir', directory]);
  return { path: `${url}/api/recordings/${id}` };
}

/**
 * Ends of sessions that were not refused.
 * @type {Partial<Record<ErrorCode, () => Promise<unknown>>>}
 */
const ends = {
  'idle-timeout': async () => {
    const world = new World();
    await world.join();
    world.clock.advance(12_000);
  },
  'session-lost': async () => (await new World().join()).closeWith('session-lost'),
  'room-reopened': async () => (await new World().join()).closeWith('room-reopened'),
  'stream-stalled': async () => (await new World().join()).closeWith('stream-stalled'),
  'resumed-elsewhere': async () => {
    const world = new World();
    const ann = await world.join();
    await world.join({ resume: ann.last('welcome').resume });
  },
  moved: async () => {
    await new World({}, null, {
      isHere: () => false,
      find: async () => ({
        node: { id: 'b', url: 'http://b', h3Port: null, certificateHashes: [] },
      }),
    }).join();
  },
  removed: async () => {
    const { ann, bob } = await new World().two();
    moderate(ann, { action: 'remove', person: bob.last('welcome').you });
  },
  'room-ended': async () => moderate(await new World().join(), { action: 'end' }),
};

/** The metrics as they are scraped, of this process. */
function openMetrics() {
  const status = createStatus({
    rooms: new RoomsByThread(new Conference()),
    recordings: { usage: { bytes: 0, limitBytes: 0, open: 0 } },
    readiness: new Readiness({ isDraining: () => false, drain: () => {} }),
    now: () => 0,
    build: { version: '0', codec: 'none', engine: null },
    limits: { rooms: 1, people: 1 },
    requests: /** @type {any} */ ({ byStatus: () => ({}) }),
    httpCounts: createHttpCounts(),
    admissions: () => null,
    certificateEnd: () => new Date(NOW),
  });
  const metrics = new Metrics(status);
  /** The sum of a metric over all labels but the code. @param {string} name @param {string} code */
  return async (name, code) => {
    const lines = (await metrics.collect())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && line.includes(`code="${code}"`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
}

const codes = /** @type {ErrorCode[]} */ (Object.keys(errors));

describe('the registry of errors', () => {
  it.each(codes)(
    'has all of %s: a number of its own, a status, a sentence, and one on the page',
    (code) => {
      const { close, status, message } = errors[code];
      expect(codes.filter((other) => errors[other].close === close)).toEqual([code]);
      expect(close).toBeGreaterThan(0);
      // A WebSocket's own are 4000 to 4999.
      expect(close).toBeLessThan(1000);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(message).toMatch(/^[A-Z].*[.]$/s);
      expect(failureTexts).toHaveProperty(code, expect.stringMatching(/\.$/));
    },
  );

  it('has no code that is not tried below', () => {
    const tried = [inRooms, overHttp, ends].flatMap((table) => Object.keys(table));
    expect([...new Set(tried)].sort()).toEqual([...codes].sort());
  });
});

describe('a refusal is counted once, in the metrics', () => {
  it.each(Object.entries(inRooms))('of %s, to a session', async (code, provoke) => {
    const count = openMetrics();
    const before = await count('aloud_refusals_total', code);
    await provoke();
    expect((await count('aloud_refusals_total', code)) - before).toBe(1);
  });

  it.each(Object.entries(overHttp))('of %s, over HTTP with its status', async (code, provoke) => {
    const count = openMetrics();
    const before = await count('aloud_refusals_total', code);
    expect(await provoke()).toBe(errors[/** @type {ErrorCode} */ (code)].status);
    expect((await count('aloud_refusals_total', code)) - before).toBe(1);
  });
});

describe('a session’s end is counted once, in the metrics', () => {
  it.each(Object.entries(ends))('for %s', async (code, provoke) => {
    const count = openMetrics();
    const before = await count('aloud_sessions_ended_total', code);
    await provoke();
    expect((await count('aloud_sessions_ended_total', code)) - before).toBe(1);
  });
});
