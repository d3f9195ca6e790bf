/** Who may come in, and what moderators do, over real sockets and on every transport. */

import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Endpoint, isBuilt } from '@aloud/native';
import { UnsecuredJWT } from 'jose';
import { AccessToken } from 'livekit-server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openConnection } from '../../bench/participants/connection.js';
import { Headless } from '../../bench/participants/headless.js';
import { levelDb } from '../../bench/stats/signal.js';
import { readWav } from '../../bench/stats/wav.js';
import { errors } from '../../public/shared/errors.js';
import { Packet, writeAudioHeader, writeClockRequest } from '../../public/shared/packet.js';
import { Tokens } from '../../server/access/tokens.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../skip.js';

const SECRET = 'a-secret-of-more-than-32-characters';
const FOREIGN = 'another-secret-of-more-than-32-chars';
const KEYS = [`key:${SECRET}`];
const tokens = new Tokens(KEYS, Date.now);
const codec = await loadCodec('libopus-wasm');
const [speech] = (await readWav(new URL('../fixtures/speech-low.wav', import.meta.url))).channels;

/** What the servers of a test have logged. @type {string[]} */
const logged = [];
const write = (/** @type {string} */ line) => void logged.push(line);
const log = { error: write, warn: write, info: write, debug: write };

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  const text = logged.splice(0).join('\n');
  for (const secret of [SECRET, FOREIGN, 'eyJ', 'open sesame']) expect(text).not.toContain(secret);
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', '--log-level', 'debug', ...argv], env: {} });
  const server = await createServer(config, { log });
  open.push(() => server.close());
  return server;
}

const keyedServer = () => startServer('--keys', KEYS.join(','));

/** @param {string} name @param {import('../../server/access/grants.js').Role} [role] @param {string} [room] */
const tokenFor = (name, role = 'speaker', room = 'lab') =>
  tokens.make({ room, name, subject: name.toLowerCase(), role, seconds: 600 });

/** @param {{ url: string }} server @param {string} name @param {any} transport @param {object} [wishes] @param {Float32Array} [sound] */
function visitor(server, name, transport, wishes = {}, sound) {
  const headless = new Headless({ codec, speech: sound, recordSeconds: 20 });
  open.push(() => headless.close());
  return { headless, joining: headless.join({ origin: server.url, room: 'lab', name, transport, ...wishes }) };
}

/** @param {Parameters<typeof visitor>} given */
async function joined(...given) {
  const { headless, joining } = visitor(...given);
  await joining;
  return headless;
}

/** @param {Headless} headless @param {string} type */
const last = ({ controls }, type) => controls.findLast((message) => message.type === type);

/** @param {Headless} witness @param {string} name @returns {any} */
const person = (witness, name) => witness.people.find((one) => one.name === name);

/**
 * Asks to join without a client's rules, and sends packets and messages without waiting for the answer.
 * @param {string} origin @param {any} transport @param {object} wishes
 */
async function ask(origin, transport, wishes) {
  const endpoint = transport === 'webtransport' ? new Endpoint({ ioThreads: 1 }) : null;
  if (endpoint) open.push(() => endpoint.close());
  const config = await (await fetch(`${origin}/api/config`)).json();
  const connection = await openConnection(transport, { origin, config, endpoint });
  const seen = { packets: 0, messages: /** @type {any[]} */ ([]), ended: '' };
  connection.handler = {
    onPacket: () => void (seen.packets += 1),
    onControl: (message) => void seen.messages.push(message),
    onClosed: (code) => void (seen.ended = code),
  };
  connection.join({ type: 'join', version: 1, room: 'lab', name: 'Eve', ...wishes });
  const clock = new Uint8Array(4);
  writeClockRequest(clock, 7);
  for (let i = 0; i < 20; i++) for (const bytes of [loudPacket(), clock]) connection.send(bytes);
  // Over HTTP/1 nothing can be sent before the answer.
  if (transport !== 'http1') connection.sendControl({ type: 'chat', text: 'psst' });
  await vi.waitFor(() => expect(seen.messages.length > 0 || seen.ended !== '').toBe(true), 5000);
  await pause(20);
  connection.close();
  const [{ type, code } = { type: '', code: seen.ended }] = seen.messages;
  return { code: type === 'welcome' ? type : code, seen };
}

/** An audio packet that says that it is loud. */
function loudPacket() {
  const bytes = new Uint8Array(60);
  const packet = Object.assign(new Packet(), { frame: 1, level: 1, voice: true });
  bytes.fill(0x78, writeAudioHeader(bytes, packet));
  return bytes;
}

/** @param {Record<string, unknown>} payload @param {string} [secret] @param {object} [header] */
function signed(payload, secret = SECRET, header = { alg: 'HS256' }) {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const nowS = () => Math.floor(Date.now() / 1000);
const claims = () => ({ iss: 'key', sub: 'eve', exp: nowS() + 600, video: { room: 'lab', roomJoin: true } });

/** @param {string} token */
function tampered(token) {
  const [header, payload, signature] = token.split('.');
  const changed = JSON.parse(Buffer.from(payload, 'base64url').toString());
  changed.video.roomAdmin = true;
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}

/** @type {[string, () => string | undefined, import('../../public/shared/errors.js').ErrorCode][]} */
const BAD_TOKENS = [
  ['no token', () => undefined, 'token-needed'],
  ['one that has expired', () => signed({ ...claims(), exp: nowS() - 60 }), 'token-expired'],
  ['one that isn\'t valid yet', () => signed({ ...claims(), nbf: nowS() + 600 }), 'token-early'],
  ['a foreign one', () => signed(claims(), FOREIGN), 'token-invalid'],
  ['one of a key that isn\'t there', () => signed({ ...claims(), iss: 'other' }), 'token-invalid'],
  ['one for another room', () => signed({ ...claims(), video: { room: 'tea', roomJoin: true } }), 'token-room'],
  ['one that is no leave to join', () => signed({ ...claims(), video: { room: 'lab' } }), 'token-room'],
  ['one that was tampered with', () => tampered(signed(claims())), 'token-invalid'],
  ['one without exp', () => signed({ ...claims(), exp: undefined }), 'token-invalid'],
  ['one of alg none', () => new UnsecuredJWT(claims()).encode(), 'token-invalid'],
  ['one of alg none with a signature', () => signed(claims(), SECRET, { alg: 'none' }), 'token-invalid'],
];

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
  const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };

  describeIf(`a server with keys, over ${transport}`, () => {
    it('refuses bad tokens with a code, and nothing passes either way', async () => {
      const server = await keyedServer();
      const ann = await joined(server, 'Ann', 'websocket', { token: await tokenFor('Ann', 'moderator') }, speech);
      for (const [what, token, code] of BAD_TOKENS) {
        const answer = await ask(server.url, transport, { token: token() });
        expect([what, answer.code]).toEqual([what, code]);
        const { packets, messages } = answer.seen;
        expect([what, packets, messages.length]).toEqual([what, 0, 1]);
      }
      expect(ann.people.map(({ name }) => name)).toEqual(['Ann']);
      expect(ann.controls.map(({ type }) => type)).toEqual(['welcome']);
      expect(server.rooms.get('lab')?.size).toBe(1);
      expect(server.rooms.people).toBe(1);
    });

    it('lets in those whom LiveKit\'s SDK gave a token, with its name and grant', async () => {
      const server = await keyedServer();
      const token = new AccessToken('key', SECRET, { identity: 'ann@example.org', name: 'Ann' });
      token.addGrant({ roomJoin: true, room: 'lab', roomAdmin: true });
      const ann = await joined(server, 'whatever', transport, { token: await token.toJwt() });
      expect(person(ann, 'Ann')).toMatchObject({ role: 'moderator', you: true });
      const mirror = await joined(server, 'Ann', transport, { token: await token.toJwt(), mirror: true, room: 'mirror' });
      expect(mirror.people.length).toBe(1);
      expect((await ask(server.url, transport, { mirror: true })).code).toBe('token-needed');
    });
  });

  describeIf(`moderating over ${transport}`, () => {
    it('mutes for all to hear, and the muted can\'t undo it until allowed', async () => {
      const server = await startServer('--server-delay-ms', '150');
      const ann = await joined(server, 'Ann', transport);
      const bob = await joined(server, 'Bob', transport, {}, speech);
      const loudness = async () => {
        const from = ann.recorded;
        await pause(700);
        return levelDb(ann.recording.subarray(from, ann.recorded));
      };
      await vi.waitFor(async () => expect(await loudness()).toBeGreaterThan(-50), { timeout: 15_000, interval: 100 });
      const { id } = person(ann, 'Bob');
      ann.sendControl({ type: 'muteOther', person: id, muted: true });
      // The client goes on sending: it is the server that leaves it out.
      await vi.waitFor(() => expect(last(bob, 'moderated')).toMatchObject({ what: 'muted' }), 5000);
      bob.sendControl({ type: 'mute', muted: false });
      await vi.waitFor(() => expect(last(bob, 'refused')).toMatchObject({ of: 'mute', code: 'silenced' }), 5000);
      expect(person(ann, 'Bob')).toMatchObject({ muted: true, silenced: true });
      await vi.waitFor(async () => expect(await loudness()).toBeLessThan(-80), { timeout: 15_000, interval: 100 });
      ann.sendControl({ type: 'muteOther', person: id, muted: false });
      await vi.waitFor(() => expect(last(bob, 'moderated')).toMatchObject({ what: 'allowed' }), 5000);
      bob.sendControl({ type: 'mute', muted: false });
      await vi.waitFor(async () => expect(await loudness()).toBeGreaterThan(-50), { timeout: 15_000, interval: 100 });
    }, 60_000);

    it('removes, bans, locks, asks for a password and ends for all, each told by its code', async () => {
      const server = await startServer();
      const ann = await joined(server, 'Ann', transport);
      const bob = await joined(server, 'Bob', transport);
      ann.sendControl({ type: 'remove', person: person(ann, 'Bob').id });
      await vi.waitFor(() => expect(bob.ended?.code).toBe('removed'), 5000);
      await vi.waitFor(() => expect(ann.people.length).toBe(1), 5000);
      ann.sendControl({ type: 'lock', on: true });
      await vi.waitFor(() => expect(last(ann, 'rules')?.rules.locked).toBe(true), 5000);
      expect((await ask(server.url, transport, {})).code).toBe('room-locked');
      ann.sendControl({ type: 'lock', on: false });
      ann.sendControl({ type: 'password', password: 'open sesame' });
      await vi.waitFor(() => expect(last(ann, 'rules')?.rules).toMatchObject({ locked: false, password: true }), 5000);
      expect((await ask(server.url, transport, {})).code).toBe('password-needed');
      expect((await ask(server.url, transport, { password: 'sesame' })).code).toBe('password-wrong');
      const cid = await joined(server, 'Cid', transport, { password: 'open sesame' });
      const dot = await joined(server, 'Dot', transport, { password: 'open sesame' });
      await vi.waitFor(() => expect(ann.people.length).toBe(3), 5000);
      ann.sendControl({ type: 'remove', person: person(ann, 'Dot').id, ban: { by: 'address', seconds: 60 } });
      await vi.waitFor(() => expect(dot.ended?.code).toBe('banned'), 5000);
      expect((await ask(server.url, transport, { password: 'open sesame' })).code).toBe('banned');
      ann.sendControl({ type: 'endForAll' });
      await vi.waitFor(() => expect([ann.ended?.code, cid.ended?.code]).toEqual(['room-ended', 'room-ended']), 5000);
      expect(server.rooms.get('lab')).toBeUndefined();
    }, 30_000);

    it('has people wait in the lobby, admitted, turned away or gone', async () => {
      const server = await startServer('--idle-timeout-ms', '2000');
      const ann = await joined(server, 'Ann', transport);
      ann.sendControl({ type: 'lobby', on: true });
      await vi.waitFor(() => expect(last(ann, 'rules')?.rules.lobby).toBe(true), 5000);
      const waits = async (/** @type {string} */ name) => {
        const { headless, joining } = visitor(server, name, transport);
        const outcome = joining.then(() => 'welcome', (error) => error.code);
        await vi.waitFor(() => expect(last(ann, 'knocks')?.knocks.map((/** @type {any} */ one) => one.name)).toEqual([name]), 5000);
        return { headless, outcome, knock: last(ann, 'knocks')?.knocks[0].id };
      };
      const bob = await waits('Bob');
      // Longer than the time after which one who isn't heard of is gone.
      await pause(3500);
      ann.sendControl({ type: 'admit', knock: bob.knock });
      expect(await bob.outcome).toBe('welcome');
      await vi.waitFor(() => expect(person(ann, 'Bob')).toBeDefined(), 5000);
      await vi.waitFor(() => expect(last(ann, 'knocks')?.knocks).toEqual([]), 5000);
      const cid = await waits('Cid');
      ann.sendControl({ type: 'turnAway', knock: cid.knock });
      expect(await cid.outcome).toBe('turned-away');
      await vi.waitFor(() => expect(last(ann, 'knocks')?.knocks).toEqual([]), 5000);
      const dot = await waits('Dot');
      await dot.headless.close();
      expect(await dot.outcome).toBe('connection-lost');
      await vi.waitFor(() => expect(last(ann, 'knocks')?.knocks).toEqual([]), 8000);
      expect(ann.people.length).toBe(2);
    }, 40_000);
  });
}

describe('a bad join over HTTP/1', () => {
  it('has its code\'s status', async () => {
    const server = await keyedServer();
    for (const [, token, code] of BAD_TOKENS) {
      const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Eve', token: token() });
      const answer = await fetch(`${server.url}/api/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect([answer.status, await answer.json()]).toMatchObject([errors[code].status, { code }]);
    }
  });
});
