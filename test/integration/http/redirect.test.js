import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { counted } from '../../../server/counts.js';
import { createRedirectServer } from '../../../server/http/redirect.js';
import { closeServer } from '../../../server/http/server.js';

/** @type {import('node:http').Server[]} */
const servers = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await closeServer(server);
});

/**
 * @param {Partial<Parameters<typeof createRedirectServer>[0]>} [options]
 * @returns {Promise<number>}
 */
function start(options) {
  const server = createRedirectServer({
    httpsPort: 443,
    names: ['a.example', 'b.example'],
    ...options,
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
    );
  });
}

/**
 * @param {number} port @param {string} path @param {string} host @param {string} [method]
 * @returns {Promise<{ status: number | undefined, location: string | undefined, text: string,
 *   connection?: string }>}
 */
const ask = (port, path, host, method = 'GET') =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers: { host } }, (answer) => {
      let text = '';
      answer.on('data', (bytes) => (text += bytes));
      const { location, connection } = answer.headers;
      answer.on('end', () => resolve({ status: answer.statusCode, location, text, connection }));
    })
      .on('error', reject)
      .end();
  });

describe('plain HTTP', () => {
  it.each([
    ['a.example', '/r/tea?x=1', 443, 'https://a.example/r/tea?x=1'],
    ['B.example:80', '/', 8443, 'https://b.example:8443/'],
    ['evil.example', '/', 443, 'https://a.example/'],
    ['127.0.0.1', '//evil.example/', 443, 'https://a.example//evil.example/'],
  ])('of "%s" %s leads to HTTPS on %d', async (host, path, httpsPort, location) => {
    const port = await start({ httpsPort });
    expect(await ask(port, path, host)).toMatchObject({
      status: 301,
      location,
      connection: 'close',
    });
  });

  it.each([
    ['calls.example:80', 301, 'https://calls.example/'],
    ['[::1]:80', 301, 'https://[::1]/'],
    ['192.0.2.1', 301, 'https://192.0.2.1/'],
    ['a b', 400, undefined],
    ['a.example@evil.example', 400, undefined],
    ['*.example', 400, undefined],
  ])('of a server without names leads "%s" to itself: %d', async (host, status, location) => {
    const port = await start({ names: null });
    expect(await ask(port, '/', host)).toMatchObject({ status, location });
  });

  it('answers challenges, by their own path only', async () => {
    const challenges = new Map([['token', 'token.proof']]);
    const port = await start({ challenges });
    expect(await ask(port, '/.well-known/acme-challenge/token', 'any')).toMatchObject({
      status: 200,
      text: 'token.proof',
    });
    expect(await ask(port, '/token', 'any')).toMatchObject({ status: 301 });
    challenges.clear();
    expect(await ask(port, '/.well-known/acme-challenge/token', 'any')).toMatchObject({
      status: 301,
    });
  });

  it('takes no other method', async () => {
    const refusals = () =>
      counted().refusals.find(({ of, code }) => of === 'http' && code === 'bad-request')?.count ??
      0;
    const before = refusals();
    expect(await ask(await start(), '/', 'a.example', 'OPTIONS')).toMatchObject({
      status: 204,
      text: '',
    });
    expect(await ask(await start(), '/', 'a.example', 'POST')).toMatchObject({ status: 405 });
    expect(refusals() - before).toBe(1);
  });

  it('gives one answer to many requests at once', async () => {
    const port = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'.repeat(200));
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    await new Promise((resolve) => void socket.on('close', resolve).on('error', resolve));
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});
