/**
 * Recordings over HTTP: their descriptions, and their files by ranges, whole, growing and deleted.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeToken } from '../../../server/access/token.js';
import { loadConfig } from '../../../server/config/config.js';
import { DESCRIPTION } from '../../../server/recording/recording-directory.js';
import { createServer } from '../../../server/server.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { oggOf, putRecording } from '../../fakes/recorded.js';
import { asOperator, WITH_OPERATOR } from '../../support/operator.js';

const codec = await loadCodec('libopus-wasm');

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A server without a recording; its clock stands still. @param {...string} more  options */
async function emptyServer(...more) {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  open.push(() => rm(directory, { recursive: true, force: true }));
  const argv = [
    '--port',
    '0',
    '--engine',
    'none',
    '--workers',
    '0',
    '--recording-dir',
    directory,
    ...WITH_OPERATOR,
    ...more,
  ];
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const server = await createServer(loadConfig({ argv, env: {} }), { log, clock: new FakeClock() });
  open.push(() => server.close());
  return { url: server.url, directory, server };
}

/** A server with one recording that has ended. */
async function serverWithRecording() {
  const { url, directory } = await emptyServer();
  const id = randomBytes(16).toString('base64url');
  const at = new Date().toISOString();
  await mkdir(join(directory, id));
  await writeFile(
    join(directory, id, DESCRIPTION),
    JSON.stringify({ id, room: 'tea', startedAt: at, stoppedAt: at, files: [] }),
  );
  return { url, id, path: `${url}/api/recordings/${id}` };
}

describe('the description of a recording', () => {
  it('is refused as soon as the recording is deleted, though cached for a second', async () => {
    const { url, id, path } = await serverWithRecording();
    const told = await fetch(path);
    expect([told.status, await told.json()]).toEqual([
      200,
      expect.objectContaining({ id, room: 'tea', on: false }),
    ]);
    expect((await asOperator(url, `/recordings/${id}`, { method: 'DELETE' })).status).toBe(204);
    const gone = await fetch(path);
    expect([gone.status, (await gone.json()).code]).toEqual([410, 'recording-deleted']);
    expect((await fetch(`${path}/mix.opus`)).status).toBe(410);
    expect((await fetch(`${url}/api/recordings/${'x'.repeat(22)}`)).status).toBe(404);
  });
});

/** @param {string} url @param {Record<string, string>} [headers] @param {string} [method] */
async function ask(url, headers = {}, method = 'GET') {
  const answer = await fetch(url, { method, headers });
  const body = Buffer.from(await answer.arrayBuffer());
  return {
    status: answer.status,
    of: (/** @type {string} */ name) => answer.headers.get(name),
    body,
  };
}

describe('a file of a recording', () => {
  const mix = Buffer.concat(
    oggOf(
      codec,
      Float32Array.from({ length: 48_000 }, (_, i) => 0.3 * Math.sin(i / 20)),
      12,
    ),
  );

  it('is sent whole, with what a client needs to fetch the rest of it later', async () => {
    const { url, directory } = await emptyServer();
    const id = await putRecording(directory, {
      mix,
      seconds: 12,
      others: { 'chapters.vtt': 'WEBVTT\n', 'peaks.json': '{"step":0.1,"peaks":[]}' },
    });
    const path = `${url}/api/recordings/${id}`;
    const all = await ask(`${path}/mix.opus`);
    expect([all.status, all.of('content-type'), all.of('accept-ranges')]).toEqual([
      200,
      'audio/ogg; codecs=opus',
      'bytes',
    ]);
    expect(all.body.equals(mix)).toBe(true);
    expect(all.of('etag')).toMatch(/^"[^"]+"$/);
    expect(all.of('content-disposition')).toBe('attachment; filename="mix.opus"');
    expect(Date.parse(String(all.of('last-modified')))).toBeGreaterThan(0);
    const head = await ask(`${path}/mix.opus`, {}, 'HEAD');
    expect([head.status, head.of('content-length'), head.body.length]).toEqual([
      200,
      String(mix.length),
      0,
    ]);
    expect(
      (
        await ask(`${path}/mix.opus`, {
          'If-None-Match': String(all.of('etag')),
          'Cache-Control': 'max-age=0',
        })
      ).status,
    ).toBe(304);
    const vtt = await ask(`${path}/chapters.vtt`);
    expect([vtt.of('content-type'), vtt.of('content-disposition')]).toEqual([
      'text/vtt; charset=utf-8',
      null,
    ]);
    expect((await (await fetch(path)).json()).seconds).toBe(12);
  });

  it('is sent by one range, even a hostile one, and whole if several are asked for', async () => {
    const { url, directory } = await emptyServer();
    const id = await putRecording(directory, { mix, seconds: 12 });
    const path = `${url}/api/recordings/${id}/mix.opus`;
    const etag = String((await ask(path, {}, 'HEAD')).of('etag'));
    const size = mix.length;
    const range = async (
      /** @type {string} */ asked,
      /** @type {Record<string, string>} */ more = {},
    ) => {
      const { status, of, body } = await ask(path, { Range: asked, ...more });
      return [
        status,
        of('content-range'),
        status === 416 ? JSON.parse(body.toString()).code : body.length,
      ];
    };
    expect(await range('bytes=0-99')).toEqual([206, `bytes 0-99/${size}`, 100]);
    expect(await range('bytes=100-')).toEqual([206, `bytes 100-${size - 1}/${size}`, size - 100]);
    expect(await range('bytes=-7')).toEqual([206, `bytes ${size - 7}-${size - 1}/${size}`, 7]);
    expect(await range(`bytes=0-${'9'.repeat(300)}`)).toEqual([
      206,
      `bytes 0-${size - 1}/${size}`,
      size,
    ]);
    expect(await range(`bytes=${size}-`)).toEqual([416, `bytes */${size}`, 'range-beyond']);
    expect(await range('bytes=9-1')).toEqual([416, `bytes */${size}`, 'range-beyond']);
    const many = Array.from({ length: 500 }, (_, i) => `${2 * i}-${2 * i}`).join(',');
    for (const asked of ['bytes=0-1,5-9', `bytes=${many}`, 'pages=1-2', 'bytes=a-b'])
      expect(await range(asked)).toEqual([200, null, size]);
    expect(await range('bytes=0-99', { 'If-Range': etag })).toEqual([
      206,
      `bytes 0-99/${size}`,
      100,
    ]);
    expect(await range('bytes=0-99', { 'If-Range': '"another"' })).toEqual([200, null, size]);
  });

  it('that is being written is sent as far as it is whole, without a validator', async () => {
    const { url, server } = await emptyServer();
    const opened = server.recordings.begin(
      { room: 'tea', identity: null, network: null },
      () => {},
    );
    const file = opened.addFile({
      file: 'mix.opus',
      label: 'Everybody',
      person: null,
      seconds: null,
    });
    const pages = oggOf(codec, new Float32Array(48_000), 6);
    const [last] = pages.splice(-1);
    for (const page of pages) file.write(page);
    file.write(last.subarray(0, 40));
    await opened.settled;
    const path = `${url}/api/recordings/${opened.description.id}`;
    const whole = Buffer.concat(pages);
    const { status, of, body } = await ask(`${path}/mix.opus`);
    expect([status, of('etag'), of('last-modified'), of('cache-control')]).toEqual([
      200,
      null,
      null,
      'no-store',
    ]);
    expect(body.equals(whole)).toBe(true);
    expect(
      (await ask(`${path}/mix.opus`, { Range: `bytes=${whole.length}-` })).of('content-range'),
    ).toBe(`bytes */${whole.length}`);
    const told = await (await fetch(path)).json();
    expect([told.on, Math.floor(told.seconds)]).toEqual([true, 5]);
    expect((await ask(`${path}/mix.webm`)).status).toBe(404);
    expect((await ask(`${path}/peaks.json`)).status).toBe(404);
    file.end(0);
    await opened.end();
  });

  it('is there as WebM too, made once, and none is made of what is no sound', async () => {
    const { url, directory, server } = await emptyServer();
    const id = await putRecording(directory, { mix, seconds: 12 });
    await server.recordings.sweep();
    const before = server.recordings.usage.bytes;
    const path = `${url}/api/recordings/${id}/mix.webm`;
    const [one, other] = await Promise.all([ask(path), ask(path, { Range: 'bytes=0-3' })]);
    expect([one.status, one.of('content-type'), other.status, other.body.toString('hex')]).toEqual([
      200,
      'audio/webm; codecs=opus',
      206,
      '1a45dfa3',
    ]);
    expect(server.recordings.usage.bytes).toBe(before + one.body.length);
    const noise = await putRecording(directory, { mix: randomBytes(5000), seconds: 1 });
    expect((await ask(`${url}/api/recordings/${noise}/mix.webm`)).status).toBe(404);
    expect((await ask(`${url}/api/recordings/${noise}/..%2f${id}%2fmix.opus`)).status).toBe(404);
  });
});

describe('a recording’s listener', () => {
  const SECRET = 'a-secret-of-thirty-two-characters';
  /** @param {string} room @param {Partial<Parameters<typeof makeToken>[0]>} [more] */
  const tokenFor = (room, more) =>
    makeToken({
      keyId: 'key',
      secret: SECRET,
      room,
      name: 'Ada',
      identity: 'ada',
      role: 'listener',
      ttlSeconds: 60,
      now: Date.now(),
      ...more,
    });
  const sound = { mix: Buffer.from('x'), seconds: 1 };

  /** @param {string} url @param {string} room @param {string} [token] */
  async function listed(url, room, token) {
    const answer = await fetch(`${url}/api/recordings?room=${room}`, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    });
    const body = await answer.json();
    return answer.ok ? body.recordings.map((/** @type {any} */ one) => one.id) : body.code;
  }

  it('has all of a room’s with its token, and otherwise only public ones', async () => {
    const { url, directory } = await emptyServer('--keys', `key:${SECRET}`);
    const own = await putRecording(directory, { ...sound });
    const known = await putRecording(directory, { ...sound, isPublic: true });
    const other = await putRecording(directory, { ...sound, room: 'other' });
    expect(await listed(url, 'tea')).toEqual([known]);
    expect(new Set(await listed(url, 'tea', await tokenFor('tea')))).toEqual(new Set([own, known]));
    expect(await listed(url, 'other', await tokenFor('other'))).toEqual([other]);
    expect(await listed(url, 'tea', await tokenFor('other'))).toBe('token-room');
    expect(
      await listed(
        url,
        'tea',
        await tokenFor('tea', { secret: 'another-secret-of-thirty-two-chars' }),
      ),
    ).toBe('token-invalid');
    expect(await listed(url, 'tea', await tokenFor('tea', { now: Date.now() - 3_600_000 }))).toBe(
      'token-expired',
    );
    expect(await listed(url, 'no%20room')).toBe('room-name');
    expect(await listed(url, 'empty')).toEqual([]);
    // The operator's list, without a room, stays the operator's.
    expect((await fetch(`${url}/api/recordings`)).status).toBe(401);
    expect((await (await asOperator(url, '/recordings')).json()).recordings.length).toBe(3);
  });

  it('is refused to people banned from the room, until the ban ends', async () => {
    const { url, directory, server } = await emptyServer('--keys', `key:${SECRET}`);
    const own = await putRecording(directory, { ...sound });
    const [ada, bob] = [await tokenFor('tea'), await tokenFor('tea', { identity: 'bob' })];
    server.rooms.bans.add('tea', 'Ada', { identity: 'ada', tokenId: null, network: null }, 60_000);
    expect([await listed(url, 'tea', ada), await listed(url, 'tea', bob)]).toEqual([
      'banned',
      [own],
    ]);
    const [{ id }] = server.roomsByThread.bans.list('tea');
    server.roomsByThread.bans.remove('tea', id);
    expect(await listed(url, 'tea', ada)).toEqual([own]);
  });

  it('is nobody from a network the room banned: by list, page, description and files', async () => {
    const { url, directory, server } = await emptyServer('--trust-proxy', '127.0.0.1');
    const id = await putRecording(directory, { ...sound, isPublic: true });
    server.rooms.bans.add(
      'tea',
      'Eve',
      { identity: null, tokenId: null, network: '203.0.113.9' },
      60_000,
    );
    const from = async (/** @type {string} */ address, /** @type {string} */ path) =>
      (await fetch(`${url}${path}`, { headers: { 'X-Forwarded-For': address } })).status;
    for (const path of [
      '/api/recordings?room=tea',
      `/recordings/${id}`,
      `/api/recordings/${id}`,
      `/api/recordings/${id}/mix.opus`,
    ]) {
      expect([path, await from('203.0.113.9', path), await from('203.0.113.8', path)]).toEqual([
        path,
        403,
        200,
      ]);
    }
    expect(await from('203.0.113.9', '/api/recordings?room=other')).toBe(200);
  });

  it('is nobody by a token where the server has no keys', async () => {
    const { url, directory } = await emptyServer();
    await putRecording(directory, { ...sound });
    expect(await listed(url, 'tea')).toEqual([]);
    expect(await listed(url, 'tea', await tokenFor('tea'))).toEqual([]);
  });

  it('is nobody who doesn\u2019t know its id: neither page, description nor any file', async () => {
    const { url, directory } = await emptyServer('--keys', `key:${SECRET}`);
    const id = await putRecording(directory, {
      ...sound,
      others: { 'peaks.json': '{}', 'chapters.vtt': 'WEBVTT\n' },
    });
    const wrong = id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A');
    const status = async (/** @type {string} */ path) => (await fetch(`${url}${path}`)).status;
    for (const path of ['', '/mix.opus', '/peaks.json', '/chapters.vtt']) {
      expect([
        await status(`/api/recordings/${id}${path}`),
        await status(`/api/recordings/${wrong}${path}`),
      ]).toEqual([200, 404]);
    }
    expect(await status(`/api/recordings/${id}/recording.json`)).toBe(404);
    expect([
      await status(`/recordings/${id}`),
      await status(`/recordings/${wrong}`),
      await status('/recordings/..%2f'),
    ]).toEqual([200, 404, 404]);
    expect((await asOperator(url, `/recordings/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await status(`/recordings/${id}`)).toBe(410);
  });
});
