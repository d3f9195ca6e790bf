import { Endpoint, isBuilt } from '@aloud/native';
import { SignJWT, UnsecuredJWT } from 'jose';
import { AccessToken } from 'livekit-server-sdk';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { webTransportOn } from '../../programs/scope.js';
import { moderate } from '../../public/client/call/moderate.js';
import { Http1Connection } from '../../public/client/connection/http1.js';
import { fetchConfig } from '../../public/client/connection/join.js';
import { WebSocketConnection } from '../../public/client/connection/websocket.js';
import { WebTransportConnection } from '../../public/client/connection/webtransport.js';
import { writeControl } from '../../public/shared/wire/control.js';
import { systemClock } from '../../public/shared/clock.js';
import { errors } from '../../public/shared/errors.js';
import { AUDIO_HEADER_BYTES, Packet, writeAudioHeader } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { tokenCommand } from '../../server/token-command.js';
import { logTo } from '../../testkit/log-lines.js';

const SECRET = 'a-secret-of-at-least-32-characters';
const OTHER = 'another-secret-of-32-characters-or-more';
const KEYS = `main:${SECRET}`;
const codec = await loadCodec('libopus-wasm');
const {
  channels: [voice],
} = await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url));
const transports = /** @type {const} */ ([
  ...(isBuilt() ? ['webtransport'] : []),
  'websocket',
  'http1',
]);

/**
 * Access waits more than it works, so several tests run at once, and each closes what it opened.
 * @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test
 */

/** @param {Test} test @param {string[]} argv */
async function startServer(test, ...argv) {
  /** @type {string[]} */
  const lines = [];
  const given = [
    '--port',
    '0',
    '--h3-port',
    '0',
    '--workers',
    '0',
    '--recording-limit',
    '0MB',
    ...argv,
  ];
  const server = await createServer(loadConfig({ argv: given, env: {} }), { log: logTo(lines) });
  test.onTestFinished(() => server.close());
  return Object.assign(server, { lines });
}

/** @param {string} room @param {string} name @param {string} [role] @param {string[]} more */
async function tokenFor(room, name, role = 'speaker', ...more) {
  const { token } = await tokenCommand(
    ['--room', room, '--name', name, '--role', role, '--keys', KEYS, ...more],
    { env: {} },
  );
  return token;
}

/**
 * @param {Test} test
 * @param {{ url: string }} server
 * @param {string} name
 * @param {any} transport
 * @param {{ token?: string, password?: string, lasting?: boolean, speech?: Float32Array }}
 *   [options]
 */
async function joined(test, server, name, transport, { lasting, speech, ...options } = {}) {
  const headless = new Headless({ codec, recordSeconds: 10, lasting, speech });
  test.onTestFinished(() => headless.close());
  await headless.join(
    /** @type {any} */ ({ origin: server.url, room: 'tea', name, transport, ...options }),
  );
  return headless;
}

/**
 * Level of the loudest sample that somebody heard, in dB of full scale.
 * @param {Headless} headless
 */
const loudness = ({ recording, recorded }) =>
  20 *
  Math.log10(recording.subarray(0, recorded).reduce((most, x) => Math.max(most, Math.abs(x)), 0));

/** The last control message of a type. @param {Headless} headless @param {string} type */
const last = ({ controls }, type) => controls.findLast((message) => message.type === type);

/** @param {Record<string, unknown>} claims @param {string} [secret] */
const signed = (claims, secret = SECRET) =>
  new SignJWT({
    iss: 'main',
    sub: 'eve',
    exp: Date.now() / 1000 + 60,
    video: { room: 'tea', roomJoin: true },
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));

/** @type {[string, () => Promise<string | undefined>, string][]} */
const BAD = [
  ['no token', async () => undefined, 'token-missing'],
  ['an expired token', () => signed({ exp: Date.now() / 1000 - 60 }), 'token-expired'],
  ['a token that begins later', () => signed({ nbf: Date.now() / 1000 + 60 }), 'token-early'],
  ['a token without an end', () => signed({ exp: undefined }), 'token-endless'],
  ['a token of a foreign key', () => signed({ iss: 'theirs' }, OTHER), 'token-foreign'],
  ['a token signed by somebody else', () => signed({}, OTHER), 'token-invalid'],
  [
    'a token for another room',
    () => signed({ video: { room: 'coffee', roomJoin: true } }),
    'token-room',
  ],
  [
    'a token that was tampered with',
    async () => {
      const [head, body, signature] = (
        await signed({ video: { room: 'coffee', roomJoin: true } })
      ).split('.');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
      const changed = Buffer.from(
        JSON.stringify({ ...claims, video: { room: 'tea', roomJoin: true } }),
      ).toString('base64url');
      return `${head}.${changed}.${signature}`;
    },
    'token-invalid',
  ],
  [
    'a token with alg none',
    async () =>
      new UnsecuredJWT({
        iss: 'main',
        sub: 'eve',
        exp: Date.now() / 1000 + 60,
        video: { room: 'tea', roomJoin: true },
      }).encode(),
    'token-invalid',
  ],
];

/**
 * A connection that heeds no refusal: it sends sound and messages until it is closed.
 * @param {Test} test
 * @param {{ url: string }} server
 * @param {string} transport
 */
async function intruder(test, server, transport) {
  const { now } = systemClock;
  const signal = new AbortController().signal;
  const { transports: offered } = await fetchConfig(server.url);
  if (transport === 'http1')
    return Http1Connection.open({
      url: new URL('/api/sessions', server.url).href,
      clock: systemClock,
    });
  if (transport === 'websocket') {
    const url = new URL('/session', server.url).href.replace('http', 'ws');
    return WebSocketConnection.open({
      url,
      now,
      signal,
      WebSocket: /** @type {any} */ (WebSocket),
    });
  }
  const endpoint = new Endpoint({ ioThreads: 1 });
  test.onTestFinished(() => endpoint.close());
  const { port, certificateHashes } = /** @type {any} */ (offered.webtransport);
  const url = `https://localhost:${port}/session`;
  return WebTransportConnection.open({
    url,
    certificateHashes,
    now,
    signal,
    WebTransport: webTransportOn(endpoint),
  });
}

/** A packet of sound, as far as anybody looks before it is decoded. @param {number} frame */
function soundOf(frame) {
  const packet = Object.assign(new Packet(), {
    frame,
    sequence: frame & 0xffff,
    level: 10,
    voice: true,
  });
  const bytes = new Uint8Array(AUDIO_HEADER_BYTES + 100);
  const end = writeAudioHeader(bytes, packet);
  bytes[end] = 3;
  return bytes.slice(0, end + 4);
}

describe.concurrent.each(transports)('a server with --keys, over %s', (transport) => {
  it.concurrent.for(BAD)(
    '%s lets nobody in, and nothing passes either way',
    async ([, make, code], test) => {
      const server = await startServer(test, '--keys', KEYS);
      const ann = await joined(test, server, 'Ann', 'websocket', {
        token: await tokenFor('tea', 'Ann'),
      });
      const connection = await intruder(test, server, transport);
      test.onTestFinished(async () => connection.close());
      /** @type {any[]} */
      const messages = [];
      let packets = 0;
      /** @type {string[]} */
      const ends = [];
      connection.handler = {
        onPacket: () => void (packets += 1),
        onControl: (message) => void messages.push(message),
        onClosed: (end) => void ends.push(end),
      };
      connection.join({ type: 'join', version: 1, room: 'tea', name: 'Eve', token: await make() });
      for (let i = 0; i < 25; i++) {
        connection.send(soundOf(i));
        connection.sendControl({ type: 'chat', text: 'let me in' });
        await pause(10);
      }
      await vi.waitFor(
        () =>
          expect(messages).toMatchObject([
            {
              type: 'refused',
              code,
              message: errors[/** @type {keyof typeof errors} */ (code)].message,
            },
          ]),
        15_000,
      );
      expect(packets).toBe(0);
      expect(ann.people.map(({ name }) => name)).toEqual(['Ann']);
      expect(ann.controls.filter(({ type }) => type === 'chat')).toEqual([]);
      expect(server.rooms.people).toBe(1);
      expect(server.rooms.get('tea')?.describe().people.length).toBe(1);
      expect(server.lines.join('\n')).not.toContain(SECRET);
    },
  );

  it.concurrent('a client receives the reason with its code', async (test) => {
    const server = await startServer(test, '--keys', KEYS);
    const token = await tokenFor('coffee', 'Ann');
    await expect(joined(test, server, 'Ann', transport, { token })).rejects.toMatchObject({
      code: 'token-room',
      refused: true,
    });
    await expect(joined(test, server, 'Ann', transport)).rejects.toMatchObject({
      code: 'token-missing',
      refused: true,
    });
  });

  it.concurrent(
    'tokens of aloud and of LiveKit let people in, with their names, roles and rights',
    async (test) => {
      const server = await startServer(test, '--keys', `old:${OTHER},${KEYS}`);
      const livekit = new AccessToken('main', SECRET, {
        identity: 'bob-1',
        name: 'Bob',
        ttl: '10m',
      });
      livekit.addGrant({ room: 'tea', roomJoin: true, canPublish: false });
      const ann = await joined(test, server, 'somebody', transport, {
        token: await tokenFor('tea', 'Ann', 'moderator'),
      });
      const bob = await joined(test, server, 'somebody', transport, {
        token: await livekit.toJwt(),
      });
      // One who only listens is in nobody's list, unless a transport can't push.
      const isSeen = transport === 'http1';
      const bobs = isSeen ? [{ name: 'Bob', role: 'listener', muted: true }] : [];
      await vi.waitFor(
        () => expect(ann.people).toMatchObject([{ name: 'Ann', role: 'moderator' }, ...bobs]),
        15_000,
      );
      expect(server.rooms.get('tea')?.publicView).toMatchObject({
        present: 2,
        listeners: isSeen ? 0 : 1,
      });
      expect(last(bob, 'welcome')).toMatchObject({
        role: 'listener',
        people: expect.arrayContaining([expect.objectContaining({ name: 'Bob' })]),
      });
      expect(last(bob, 'welcome')?.may).toEqual(['listen', 'chat']);
      bob.sendControl(moderate.lock(true));
      await vi.waitFor(
        () => expect(last(bob, 'refused')).toMatchObject({ of: 'moderate', code: 'not-allowed' }),
        15_000,
      );
      expect(server.rooms.get('tea')?.rules.told.locked).toBe(false);
    },
  );

  it.concurrent(
    'a token that lets neither hear nor speak lets no sound pass either way',
    async (test) => {
      const server = await startServer(test, '--keys', KEYS);
      const ann = await joined(test, server, 'Ann', 'websocket', {
        token: await tokenFor('tea', 'Ann'),
        speech: voice,
      });
      const video = {
        room: 'tea',
        roomJoin: true,
        canPublish: false,
        canSubscribe: false,
        canPublishData: false,
      };
      const eve = await joined(test, server, 'Eve', transport, {
        token: await signed({ name: 'Eve', video }),
        speech: voice,
      });
      expect(last(eve, 'welcome')?.may).toEqual([]);
      const bob = await joined(test, server, 'Bob', transport, {
        token: await tokenFor('tea', 'Bob'),
      });
      // Packets to somebody who may hear, in the same room and over the same transport.
      await vi.waitFor(() => expect(loudness(bob)).toBeGreaterThan(-50), 10_000);
      for (const message of [
        { type: 'mute', muted: false },
        { type: 'chat', text: 'let me' },
        { type: 'record', on: true },
        moderate.lock(true),
      ]) {
        eve.sendControl(message);
      }
      const statsOf = (/** @type {string} */ name) =>
        server.rooms
          .get('tea')
          ?.describe()
          .people.find((person) => person.name === name)?.stats;
      await vi.waitFor(
        () =>
          expect(eve.controls.filter(({ type }) => type === 'refused').map(({ of }) => of)).toEqual(
            ['chat', 'record', 'moderate'],
          ),
        15_000,
      );
      await vi.waitFor(() => expect(statsOf('Eve')?.dropped.unheard).toBeGreaterThan(20), 15_000);
      expect([loudness(eve), eve.stats()?.detail.playout.played]).toEqual([-Infinity, 0]);
      expect(loudness(ann)).toBe(-Infinity);
      expect(ann.people.find(({ name }) => name === 'Eve')).toMatchObject({ muted: true });
      expect([...ann.controls, ...bob.controls].filter(({ type }) => type === 'chat')).toEqual([]);
    },
  );

  it.concurrent(
    'a ban holds against the same token, and against another one of the same identity',
    async (test) => {
      const server = await startServer(test, '--keys', KEYS);
      const ann = await joined(test, server, 'Ann', transport, {
        token: await tokenFor('tea', 'Ann', 'moderator'),
      });
      const token = await tokenFor('tea', 'Eve', 'speaker', '--identity', 'eve');
      const eve = await joined(test, server, 'Eve', transport, { token, lasting: true });
      await vi.waitFor(() => expect(ann.people.length).toBe(2), 15_000);
      ann.sendControl(moderate.remove(ann.people[1].id, 3600));
      await vi.waitFor(() => expect(eve.ended?.code).toBe('banned'), 15_000);
      await expect(joined(test, server, 'Eve', transport, { token })).rejects.toMatchObject({
        code: 'banned',
      });
      const another = await tokenFor('tea', 'Eva', 'moderator', '--identity', 'eve');
      await expect(
        joined(test, server, 'Eva', transport, { token: another }),
      ).rejects.toMatchObject({ code: 'banned' });
      // The request comes from the same address, and isn't banned for that.
      await joined(test, server, 'Bob', transport, { token: await tokenFor('tea', 'Bob') });
      expect(server.lines.filter((line) => line.startsWith('moderated'))).toHaveLength(1);
    },
  );
});

describe.concurrent.each(transports)('a server without keys, over %s', (transport) => {
  it.concurrent(
    'a moderator mutes, lets somebody in from the lobby, and removes them',
    async (test) => {
      const server = await startServer(test, '--idle-timeout-ms', '5000');
      const ann = await joined(test, server, 'Ann', transport);
      ann.sendControl(moderate.lobby(true));
      await vi.waitFor(() => expect(last(ann, 'room')).toMatchObject({ lobby: true }), 15_000);
      const coming = joined(test, server, 'Bob', transport, { lasting: true });
      await vi.waitFor(
        () => expect(last(ann, 'knocks')?.people).toMatchObject([{ name: 'Bob' }]),
        15_000,
      );
      // Longer than a client waits for the answer to its join, and than the server bears silence.
      await pause(6000);
      ann.sendControl(moderate.admit(last(ann, 'knocks')?.people[0].id));
      const bob = await coming;
      await vi.waitFor(() => expect(ann.people.length).toBe(2), 15_000);
      const { id } = ann.people[1];
      ann.sendControl(moderate.mute(id, true));
      await vi.waitFor(
        () => expect(last(bob, 'moderated')).toMatchObject({ action: 'muted', by: 'Ann' }),
        15_000,
      );
      await vi.waitFor(
        () => expect(ann.people[1]).toMatchObject({ muted: true, silenced: true }),
        15_000,
      );
      bob.mute(false);
      await vi.waitFor(
        () =>
          expect(last(bob, 'refused')).toMatchObject({ of: 'mute', code: 'muted-by-moderator' }),
        15_000,
      );
      ann.sendControl(moderate.remove(id));
      await vi.waitFor(() => expect(bob.ended?.code).toBe('removed'), 15_000);
      expect(bob.states.at(-1)).toBe('ended');
      expect(ann.ended).toBe(null);
    },
  );

  it.concurrent('a password is asked, and the lobby turns away', async (test) => {
    const server = await startServer(test);
    const ann = await joined(test, server, 'Ann', transport);
    ann.sendControl(moderate.setPassword('tea-time'));
    await vi.waitFor(() => expect(last(ann, 'room')).toMatchObject({ password: true }), 15_000);
    await expect(joined(test, server, 'Bob', transport)).rejects.toMatchObject({
      code: 'password-missing',
    });
    await expect(
      joined(test, server, 'Bob', transport, { password: 'coffee' }),
    ).rejects.toMatchObject({ code: 'password-wrong' });
    await joined(test, server, 'Bob', transport, { password: 'tea-time' });
    ann.sendControl(moderate.lobby(true));
    await vi.waitFor(() => expect(last(ann, 'room')).toMatchObject({ lobby: true }), 15_000);
    const coming = joined(test, server, 'Eve', transport, { password: 'tea-time' });
    const refusal = expect(coming).rejects.toMatchObject({ code: 'turned-away' });
    await vi.waitFor(
      () => expect(last(ann, 'knocks')?.people).toMatchObject([{ name: 'Eve' }]),
      15_000,
    );
    ann.sendControl(moderate.turnAway(last(ann, 'knocks')?.people[0].id));
    await refusal;
  });
});

describe('thirty people behind one address', () => {
  it.each(['0', '2'])(
    'all get in with the right password, and ten wrong ones are the last (%s workers)',
    async (workers) => {
      const server = await startServer(
        { onTestFinished },
        '--engine',
        'none',
        '--workers',
        workers,
      );
      const sessions = new URL('/api/sessions', server.url).href;
      const join = async (/** @type {number} */ i, /** @type {object} */ wish) => {
        const body = JSON.stringify({
          type: 'join',
          version: 1,
          room: 'tea',
          name: `P${i}`,
          ...wish,
        });
        const response = await fetch(sessions, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        const { token, code = 'joined' } = await response.json();
        return { token, code };
      };
      const together = (/** @type {number} */ count, /** @type {object} */ wish) =>
        Promise.all(Array.from({ length: count }, async (_, i) => (await join(i, wish)).code));
      const { token } = await join(0, {});
      const message = writeControl(moderate.setPassword('tea-time'));
      const list = Uint8Array.from([message.length >>> 8, message.length & 0xff, ...message]);
      await fetch(`${sessions}/${token}/packets`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: list,
      });
      await vi.waitFor(
        async () => expect((await join(0, {})).code).toBe('password-missing'),
        15_000,
      );
      expect(await together(30, { password: 'tea-time' })).toEqual(
        Array.from({ length: 30 }, () => 'joined'),
      );
      const guesses = await together(30, { password: 'coffee' });
      expect(guesses.filter((code) => code === 'password-wrong').length).toBeLessThanOrEqual(11);
      expect(new Set(guesses)).toEqual(new Set(['password-wrong', 'password-flood']));
      expect(await together(1, { password: 'tea-time' })).toEqual(['password-flood']);
    },
  );
});
