import { mkdtemp, rm, utimes, writeFile, mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StaticFiles } from '../../../server/http/static-files.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** @import { AddressInfo } from 'node:net' */

const TEXT = 'export const answer = 42;\n'.repeat(100);

let directory = '';
const clock = new FakeClock();
/** @type {import('node:http').Server} */
let server;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'aloud-files-'));
  await writeFile(join(directory, 'a.js'), TEXT);
  await writeFile(join(directory, 'small.svg'), '<svg/>');
  await writeFile(join(directory, '.hidden'), 'secret');
  await mkdir(join(directory, 'sub'));
  await writeFile(join(directory, 'sub', 'b c.css'), 'p { margin: 0 }');
  const files = new StaticFiles({
    directories: { '/public': directory },
    headersOf: () => ({ 'X-Own': 'yes' }),
    clock,
  });
  server = createServer((asked, answer) =>
    files.handle(asked, answer, (error) => void answer.writeHead(error ? 500 : 404).end()),
  );
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(directory, { recursive: true });
});

/**
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {string} [method]
 * @returns {Promise<{ status?: number, headers: import('node:http').IncomingHttpHeaders, body:
 *   Buffer }>}
 */
function ask(path, headers = {}, method = 'GET') {
  const { port } = /** @type {AddressInfo} */ (server.address());
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers, method }, async (response) => {
      resolve({
        status: response.statusCode,
        headers: response.headers,
        body: Buffer.concat(await response.toArray()),
      });
    });
    asked.on('error', reject).end();
  });
}

describe('a file', () => {
  it('is served whole, with its type, its length and what every answer has', async () => {
    const { status, headers, body } = await ask('/public/a.js?x');
    expect([status, body.toString()]).toEqual([200, TEXT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(TEXT.length),
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding, Origin',
      'x-own': 'yes',
    });
    expect((await ask('/public/sub/b%20c.css')).body.toString()).toBe('p { margin: 0 }');
  });

  it('is compressed as the client wishes, but for a small one', async () => {
    const br = await ask('/public/a.js', { 'accept-encoding': 'gzip, br' });
    const gzip = await ask('/public/a.js', { 'accept-encoding': 'gzip' });
    expect([br.headers['content-encoding'], brotliDecompressSync(br.body).toString()]).toEqual([
      'br',
      TEXT,
    ]);
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.body).toString()]).toEqual([
      'gzip',
      TEXT,
    ]);
    expect(Number(br.headers['content-length'])).toBe(br.body.length);
    expect(
      (await ask('/public/small.svg', { 'accept-encoding': 'br' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  it('is only described to HEAD', async () => {
    const { status, headers, body } = await ask('/public/a.js', {}, 'HEAD');
    expect([status, headers['content-length'], body.length]).toEqual([200, String(TEXT.length), 0]);
  });

  it('is not sent again to who has it', async () => {
    const { headers } = await ask('/public/a.js');
    const etag = String(headers.etag);
    const statusFor = async (/** @type {Record<string, string>} */ given) =>
      (await ask('/public/a.js', given)).status;
    expect(await statusFor({ 'if-none-match': etag })).toBe(304);
    expect(await statusFor({ 'if-none-match': `"other", ${etag}` })).toBe(304);
    expect(await statusFor({ 'if-none-match': etag.slice(2) })).toBe(304);
    expect(await statusFor({ 'if-none-match': '*' })).toBe(304);
    expect(await statusFor({ 'if-none-match': '"other"' })).toBe(200);
    expect(await statusFor({ 'if-modified-since': String(headers['last-modified']) })).toBe(304);
    expect(await statusFor({ 'if-modified-since': new Date(0).toUTCString() })).toBe(200);
    expect(await statusFor({ 'if-modified-since': 'nonsense' })).toBe(200);
    expect((await ask('/public/a.js', { 'if-none-match': etag })).headers).toMatchObject({
      etag,
      'x-own': 'yes',
    });
  });

  it('that has changed is served as it is a second later, with another tag', async () => {
    const before = await ask('/public/a.js', { 'accept-encoding': 'br' });
    await writeFile(join(directory, 'a.js'), `${TEXT}// more\n`);
    expect((await ask('/public/a.js')).body.toString()).toBe(TEXT);
    clock.advance(1000);
    const after = await ask('/public/a.js', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(after.body).toString()).toBe(`${TEXT}// more\n`);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('that was rewritten with the same content has the same tag', async () => {
    const { headers } = await ask('/public/a.js');
    await utimes(join(directory, 'a.js'), new Date(0), new Date(0));
    clock.advance(1000);
    expect((await ask('/public/a.js', { 'if-none-match': String(headers.etag) })).status).toBe(304);
  });

  it('that is gone is not served, and one that is new is', async () => {
    expect((await ask('/public/new.js')).status).toBe(404);
    await writeFile(join(directory, 'new.js'), 'new');
    expect((await ask('/public/new.js')).status).toBe(200);
    await rm(join(directory, 'new.js'));
    clock.advance(1000);
    expect((await ask('/public/new.js')).status).toBe(404);
  });
});

it.each([
  '/public',
  '/public/',
  '/public/sub',
  '/public/sub/',
  '/public//a.js',
  '/public/a.js/',
  '/public/.hidden',
  '/public/..',
  '/public/../public/a.js',
  '/public/%2e%2e/a.js',
  '/public/sub/..%2fa.js',
  '/public/%2ehidden',
  '/public/a.js%00',
  '/public/%zz',
  '/public/sub%5c..%5ca.js',
  '/publica.js',
  '/other/a.js',
  '/',
])('the server serves nothing at %s', async (path) => {
  expect((await ask(path)).status).toBe(404);
});

it.each(['POST', 'DELETE', 'OPTIONS'])('the server does not answer %s', async (method) => {
  expect((await ask('/public/a.js', {}, method)).status).toBe(404);
});
