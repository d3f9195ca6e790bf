import { createServer, request as httpRequest } from 'node:http';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../server/http/app.js';
import { closeAfter } from '../../../testkit/transport-cases.js';
import { logTo } from '../../../testkit/log-lines.js';

/** @import { AddressInfo } from 'node:net' */

const page = readFileSync(new URL('../../../public/index.html', import.meta.url), 'utf8');

/** @param {object} [options] */
async function start(options) {
  /** @type {string[]} */
  const logged = [];
  const handle = (
    /** @type {any} */ request,
    /** @type {any} */ response,
    /** @type {() => void} */ next,
  ) => (request.url === '/api/sessions' ? void response.end('http1') : next());
  const app = createApp({
    certificate: { hashes: ['aGFzaA=='] },
    http3: null,
    h3Port: 4433,
    sessionPath: '/session',
    unavailable: {},
    http1: { handle },
    rooms: {
      inRoom: async () => 'not-found',
      trackPiece: async () => undefined,
      putTrackPiece: async () => 'not-found',
      bans: /** @type {any} */ ({ has: () => false }),
    },
    sampleClock: { now: () => 12345.25, sampleRate: 48000 },
    log: logTo(logged),
    ...options,
  });
  const server = createServer(app);
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
  closeAfter({
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  });
  const { port } = /** @type {AddressInfo} */ (server.address());
  const get = (/** @type {string} */ path, /** @type {RequestInit} */ init = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, init);
  return { get, port, logged };
}

/**
 * fetch tidies up paths and adds headers of its own; this doesn't.
 * @param {number} port
 * @param {string} path
 * @param {Record<string, string>} [headers]
 */
function getAsIs(port, path, headers) {
  return new Promise(
    (/** @type {(answer: { status?: number, text: string }) => void} */ resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path, headers }, async (response) => {
        resolve({
          status: response.statusCode,
          text: Buffer.concat(await response.toArray()).toString(),
        });
      });
      request.on('error', reject);
      request.end();
    },
  );
}

describe('the app', () => {
  it('lets only the listeners’ page be framed, and other sites load embed.js', async () => {
    const { get } = await start({ embedOrigins: ['https://blog.example'] });
    const policyOf = async (/** @type {string} */ path) =>
      (await get(path)).headers.get('content-security-policy')?.match(/frame-ancestors.*/)?.[0];
    const paths = ['/', '/r/tea', '/r/tea?listen', '/admin', '/lab', '/embed.js'];
    expect(await Promise.all(paths.map(policyOf))).toEqual(
      paths.map(() => "frame-ancestors 'none'"),
    );
    expect(await policyOf('/r/tea?listen&embed')).toBe('frame-ancestors https://blog.example');
    const policies = await Promise.all(
      ['/embed.js', '/r/tea?listen&embed', '/r/tea'].map(async (path) =>
        (await get(path)).headers.get('cross-origin-resource-policy'),
      ),
    );
    expect(policies).toEqual(['cross-origin', 'cross-origin', 'same-origin']);
  });

  it.each([
    '/',
    '/r/abc',
    '/r/abc?name=x&transport=http1',
    '/r/not%20allowed%20%C3%A9',
    `/r/${'x'.repeat(300)}`,
  ])('serves the page at %s', async (path) => {
    const { get } = await start();
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toBe(page);
  });

  it.each([
    '/',
    '/api/config',
    '/api/nothing',
    '/nothing',
    '/public/icon.svg',
    '/public/client/call/worker.js',
    '/r/%zz',
    '/api/rooms/%zz',
  ])('isolates %s from other origins, and says so', async (path) => {
    const { get } = await start();
    const { headers } = await get(path);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('permissions-policy')).toBe('microphone=(self)');
    expect(headers.get('x-powered-by')).toBeNull();
    const policy = String(headers.get('content-security-policy'));
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(policy).not.toContain('unsafe-inline');
  });

  it('sends the rules of a page with no module or style sheet that the page loads', async () => {
    const { get } = await start();
    for (const path of [
      '/public/app.js',
      '/public/client/call/call-client.js',
      '/public/style.css',
    ]) {
      const { headers } = await get(path);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBeNull();
      expect(headers.get('cross-origin-embedder-policy')).toBeNull();
    }
  });

  it('sends them with the script of each worker, which sets its own', async () => {
    const { get } = await start();
    const scripts = await readdir('public', { recursive: true });
    const sources = scripts.filter((file) => file.endsWith('.js'));
    const workers = new Set();
    for (const file of sources)
      for (const [, path] of (await readFile(join('public', file), 'utf8')).matchAll(
        /(?:new Worker|startWorker)\((?:new URL\()?'([^']+)'/g,
      ))
        workers.add(new URL(path, `http://host/public/${file}`).pathname);
    expect(workers.size).toBeGreaterThanOrEqual(4);
    for (const path of workers)
      expect((await get(path)).headers.get('content-security-policy'), path).not.toBeNull();
  });

  it.each([
    ['/public/app.js', 'javascript', 'public/app.js'],
    ['/public/shared/wire/packet.js', 'javascript', 'public/shared/wire/packet.js'],
    ['/public/style.css', 'css', 'public/style.css'],
    ['/lab', 'html', 'public/lab/index.html'],
    ['/vendor/uplot/uPlot.esm.js', 'javascript', 'node_modules/uplot/dist/uPlot.esm.js'],
    ['/vendor/libopus-wasm/index.js', 'javascript', 'node_modules/libopus-wasm/dist/index.js'],
    ['/vendor/libopus-wasm/generated/libopus.generated.mjs', 'javascript', null],
  ])('serves %s as on disk, to be asked for again', async (path, type, file) => {
    const { get, port } = await start();
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const text = await response.text();
    if (file) expect(text).toBe(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));
    const etag = String(response.headers.get('etag'));
    expect((await getAsIs(port, path, { 'if-none-match': etag })).status).toBe(304);
  });

  it('serves nothing else from the disk', async () => {
    const { port } = await start();
    const paths = [
      '/package.json',
      '/server/http/app.js',
      '/public/../package.json',
      '/public/%2e%2e/package.json',
      '/public/..%2fpackage.json',
      '/public/',
      '/public',
      '/worklets',
      '/public/.git',
      '/vendor/libopus-wasm/../package.json',
      '/public/app.js/',
      '/public/%00',
      '/public/a%0ab',
    ];
    for (const path of paths) {
      const { status, text } = await getAsIs(port, path);
      expect([path, status]).toEqual([
        path,
        expect.toSatisfy((/** @type {number} */ code) => code >= 400 && code < 500),
      ]);
      expect(text).not.toContain('"name"');
      expect(text).not.toMatch(/\bat .*\.js|node_modules/);
    }
  });

  it('serves the folder of a plugin’s module for the page /lab, and names it', async () => {
    const labModule = '/testkit/plugin.js';
    const { get } = await start({ labModule });
    expect((await (await get('/api/config')).json()).labModule).toBe(labModule);
    for (const path of [labModule, '/testkit/skip.js']) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toContain('javascript');
    }
    const plain = await start();
    expect((await plain.get(labModule)).status).toBe(404);
  });

  it('describes its transports', async () => {
    const { get } = await start();
    const response = await get('/api/config');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      limits: { roomName: 64, userName: 40, packetBytes: 1200 },
      transports: {
        webtransport: {
          url: '/session',
          recordings: null,
          port: 4433,
          certificateHashes: ['aGFzaA=='],
        },
        websocket: { path: '/session' },
        http1: { path: '/api/sessions' },
      },
      unavailable: {},
    });
  });

  it('says why there is no WebTransport', async () => {
    const { get } = await start({ h3Port: null, unavailable: { webtransport: 'It is off.' } });
    const { transports, unavailable } = await (await get('/api/config')).json();
    expect(transports.webtransport).toBeNull();
    expect(unavailable).toEqual({ webtransport: 'It is off.' });
  });

  it('gives the hash of an older certificate still served, unless none is needed', async () => {
    const http3 = { certificateHash: () => 'b2xk' };
    const { get } = await start({ http3 });
    expect(
      (await (await get('/api/config')).json()).transports.webtransport.certificateHashes,
    ).toEqual(['aGFzaA==', 'b2xk']);
    const trusted = await start({ http3, certificate: { hashes: [] } });
    expect(
      (await (await trusted.get('/api/config')).json()).transports.webtransport.certificateHashes,
    ).toEqual([]);
  });

  it('tells the sample clock, in the body and in a header', async () => {
    const { get } = await start();
    const response = await get('/api/clock');
    const reading = { clock: 12345.25, sampleRate: 48000 };
    expect(await response.json()).toEqual(reading);
    expect(JSON.parse(String(response.headers.get('x-audio-metadata')))).toEqual({
      ...reading,
      server_clock: 12345.25,
      server_sample_rate: 48000,
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it("tells a room's own sample clock, and the server's where there is no such room", async () => {
    const inRoom = async (/** @type {string} */ name) =>
      name === 'a' ? { clock: 7.5, sampleRate: 48000 } : 'not-found';
    const { get } = await start({ rooms: /** @type {any} */ ({ inRoom }) });
    const clockAt = async (/** @type {string} */ path) => (await (await get(path)).json()).clock;
    expect(await clockAt('/api/clock?room=a')).toBe(7.5);
    expect(await clockAt('/api/clock?room=b')).toBe(12345.25);
    expect(await clockAt('/api/clock?room=a&room=a')).toBe(12345.25);
  });

  it('has HTTP/1 in front', async () => {
    const { get } = await start();
    expect(await (await get('/api/sessions', { method: 'POST' })).text()).toBe('http1');
  });

  it.each([
    ['/api', 404, 'not-found'],
    ['/api/nothing', 404, 'not-found'],
    ['/api/rooms/__proto__', 404, 'not-found'],
  ])('answers %s with %i and a code', async (path, status, code) => {
    const { get } = await start();
    const response = await get(path);
    expect([response.status, (await response.json()).code]).toEqual([status, code]);
  });

  it.each([
    ['/nothing', 404],
    ['/r/', 404],
    ['/r/a/b', 404],
    ['/r/%zz', 400],
    ['/public/%zz', 404],
    ['/apix', 404],
  ])('answers %s with %i and a sentence', async (path, status) => {
    const { get } = await start();
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toMatch(/^[A-Z][^<>]+\.\n$/);
  });

  it('tells the log of its own mistakes, and the client no more than that', async () => {
    const sampleClock = {
      now: () => {
        throw new Error('secret words');
      },
      sampleRate: 48000,
    };
    const { get, logged } = await start({ sampleClock });
    const response = await get('/api/clock?token=an-invitation');
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([500, 'internal']);
    expect(text).not.toContain('secret');
    expect(logged.join()).toContain('secret words');
    expect(logged.join()).not.toContain('an-invitation');
  });
});
