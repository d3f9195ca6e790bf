/** Requests as people, proxies and load balancers really send them, over real sockets. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../deploy/cluster-processes.js';
import { errors } from '../../../public/shared/errors.js';
import { loadConfig } from '../../../server/config/config.js';
import { createServer } from '../../../server/server.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import { errorsTo } from '../../../testkit/log-lines.js';
import { dial } from '../../support/paths.js';

/** @type {string[]} */
const logged = [];
const log = errorsTo(logged);

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(logged.splice(0)).toEqual([]);
});

/** @param {string[]} argv */
async function start(...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--engine', 'none', '--host', '127.0.0.1', ...argv],
    env: {},
  });
  const server = await createServer(config, { log });
  open.push(() => server.close());
  return server;
}

/**
 * Sends a request as it stands.
 * @param {number} port
 * @param {string} target
 * @param {{ method?: string, headers?: string[] }} [more]
 * @returns {Promise<{ status: number, location: string | undefined, got: string }>}
 */
async function say(port, target, { method = 'GET', headers = ['Host: localhost'] } = {}) {
  const socket = dial(port, open);
  socket.write(
    [`${method} ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'),
  );
  await new Promise((resolve) => void socket.once('close', resolve));
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(socket.got) ?? [];
  return {
    status: Number(status),
    location: /^location: (.*)\r$/im.exec(socket.got)?.[1],
    got: Buffer.from(socket.got, 'latin1').toString(),
  };
}

/** Brings somebody into a room, who says nothing. @param {string} url @param {string} room */
async function enter(url, room) {
  const body = JSON.stringify({ type: 'join', version: 1, room, name: 'Ann' });
  expect(
    (
      await fetch(`${url}/api/sessions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
    ).status,
  ).toBe(201);
}

describe('a request’s target', () => {
  it.each([
    ['//', 200],
    ['///', 404],
    ['//evil.example/listen/tea', 404],
    ['//[', 404],
    ['/\\evil.example/listen/tea', 404],
    ['/%zz', 404],
    ['/r/%zz', 400],
    ['/recordings/%zz', 400],
    ['/listen/%zz', 400],
    ['/listen/tea?%zz=%', 404],
    ['/public/%zz', 404],
    ['/admin/%', 404],
    ['/?%zz', 200],
    ['/%', 404],
    ['http://localhost/api/clock', 200],
    ['HTTP://localhost/api/clock', 200],
    ['http://localhost', 200],
    ['http://localhost?x', 200],
    ['http://evil.example/api/clock', 421],
    ['http:///api/clock', 400],
    ['ftp://localhost/', 400],
    ['*', 400],
  ])('%s is answered %d, and logs nothing', async (target, status) => {
    const { port } = await start();
    expect((await say(port, target)).status).toBe(status);
  });

  it('with a host of its own is of that host, whatever the Host header says', async () => {
    const { port } = await start();
    expect(
      (await say(port, 'http://localhost/api/clock', { headers: ['Host: evil.example'] })).status,
    ).toBe(200);
    expect((await say(port, 'http://evil.example/', { headers: ['Host: localhost'] })).status).toBe(
      421,
    );
  });

  it.each([
    ['/r/tea/?listen', '/r/tea?listen'],
    ['/R/Tea', '/r/Tea'],
    ['//r//tea//?x=//evil.example', '/r/tea?x=//evil.example'],
    ['/listen/tea/', '/listen/tea'],
    ['/LISTEN/tea.OGG?rate=32', '/listen/tea.ogg?rate=32'],
    ['/recordings/aBc/', '/recordings/aBc'],
    ['/admin/', '/admin'],
    ['/Lab', '/lab'],
    ['http://localhost/r/tea/', '/r/tea'],
  ])('%s is led to %s', async (target, location) => {
    const { port } = await start();
    expect(await say(port, target)).toMatchObject({ status: 302, location });
    expect(await say(port, target, { method: 'HEAD' })).toMatchObject({ status: 302, location });
    expect((await say(port, location)).location).toBe(undefined);
  });
});

describe('credentials of another kind', () => {
  const paths = ['/api/health', '/api/ready', '/api/rooms/tea', '/api/config', '/'];

  it.each([[[]], [['--operator-token', 'a-token-of-the-operators']]])(
    'change nothing where none are needed: %j',
    async (argv) => {
      const { port, url } = await start(...argv);
      await enter(url, 'tea');
      for (const kind of ['Basic YTpi', 'Digest username="a"', 'Negotiate abc', 'garbage']) {
        for (const path of paths) {
          expect([
            path,
            (await say(port, path, { headers: ['Host: localhost', `Authorization: ${kind}`] }))
              .status,
          ]).toEqual([path, 200]);
        }
      }
    },
  );

  it('are ignored where all see the same; a token counts where operators see more', async () => {
    const headers = ['Host: localhost', 'Authorization: Bearer not-the-operators'];
    const known = await start('--operator-token', 'a-token-of-the-operators');
    await enter(known.url, 'tea');
    const status = async (/** @type {number} */ port, /** @type {string} */ path) =>
      (await say(port, path, { headers })).status;
    expect([
      await status(known.port, '/api/health'),
      await status(known.port, '/api/ready'),
    ]).toEqual([200, 200]);
    expect([
      await status(known.port, '/api/rooms/tea'),
      await status(known.port, '/api/status'),
    ]).toEqual([401, 401]);
    const none = await start();
    await enter(none.url, 'tea');
    // The page learns by it that the server has no operator.
    expect([
      await status(none.port, '/api/rooms/tea'),
      await status(none.port, '/api/status'),
    ]).toEqual([403, 403]);
  });
});

describe('a place where nothing is', () => {
  const NOTHING = 'There is nothing at this address.';
  const browser = ['Host: localhost', 'Accept: text/html,application/xhtml+xml,*/*;q=0.8'];

  it.each([
    ['/r/', 404, NOTHING],
    ['/r', 404, NOTHING],
    ['/listen/', 404, NOTHING],
    ['/nothing', 404, NOTHING],
    ['/public/nothing.html', 404, NOTHING],
    [
      '/recordings/nothing',
      404,
      'There is no such recording. Perhaps the link isn’t whole, or the recording was deleted.',
    ],
    ['/listen/tea', 404, 'Nobody is in this room. Try again once somebody is there.'],
    ['/listen/a%20b', 400, errors['room-name'].message],
    ['/r/%zz', 400, errors['bad-request'].message],
  ])('%s is a page for a browser, and a sentence for a program', async (path, status, sentence) => {
    const { port } = await start();
    const page = await say(port, path, { headers: browser });
    expect(page.status).toBe(status);
    expect(page.got).toMatch(/^content-type: text\/html; charset=utf-8\r$/im);
    expect(page.got).toContain('<a id="start" class="button primary large" href="/">');
    const told = await say(port, path);
    expect(told.status).toBe(status);
    expect(told.got).toMatch(/^content-type: text\/plain; charset=utf-8\r$/im);
    expect(told.got.split('\r\n\r\n')[1]).toBe(`${sentence}\n`);
    expect(page.got).toContain(`>${sentence}</h1>`);
  });

  it('of a disallowed host is plain text for a browser too: a page would not load', async () => {
    const { port } = await start();
    const told = await say(port, '/', { headers: ['Host: call.example.org', ...browser.slice(1)] });
    expect([told.status, told.got.split('\r\n\r\n')[1]]).toEqual([
      421,
      `${errors['host-not-allowed'].message}\n`,
    ]);
    expect(told.got).toMatch(/^content-type: text\/plain; charset=utf-8\r$/im);
  });

  it('of the API is JSON', async () => {
    const { port } = await start();
    const told = await say(port, '/api/nothing', { headers: browser });
    expect([told.status, JSON.parse(told.got.split('\r\n\r\n')[1]).code]).toEqual([
      404,
      'not-found',
    ]);
  });
});

describe('OPTIONS', () => {
  it.each(['/', '*', '/r/tea', '/listen/tea', '/admin', '/lab', '/recordings/a', '/embed.js'])(
    'of %s lists the allowed methods',
    async (target) => {
      const { port } = await start();
      const { status, got } = await say(port, target, { method: 'OPTIONS' });
      const sends = target.startsWith('/listen/') ? ', PUT, SOURCE' : '';
      expect([status, /^allow: (.*)\r$/im.exec(got)?.[1]]).toEqual([
        204,
        `GET, HEAD, OPTIONS${sends}`,
      ]);
    },
  );

  it('of nothing is 404', async () => {
    const { port } = await start();
    expect((await say(port, '/nothing', { method: 'OPTIONS' })).status).toBe(404);
  });
});

/**
 * Runs a proxy until the test ends.
 * @param {string} command
 * @param {(file: string) => string[]} args
 * @param {(directory: string) => string} configuration
 */
async function runProxy(command, args, configuration) {
  const directory = await mkdtemp(join(tmpdir(), 'aloud-proxy-'));
  open.push(() => rm(directory, { recursive: true }));
  const file = join(directory, 'proxy.conf');
  await writeFile(file, configuration(directory));
  const child = spawn(command, args(file), { stdio: 'ignore' });
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  open.push(() => (child.kill('SIGTERM'), ended));
}

/** @param {string} url @returns {Promise<Response>} the first answer of a proxy that has started */
async function fetchOnceUp(url) {
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer) return answer;
    await pass(50);
  }
}

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

it('behind the proxy of docs/deploying.md the name that people use is answered', async () => {
  const page = await readFile(new URL('../../../docs/deploying.md', import.meta.url), 'utf8');
  const [, options] = /^aloud (--host .*--trust-proxy .*)$/m.exec(page) ?? ['', ''];
  const [, name] = /server_name (\S+);/.exec(page) ?? [];
  // The certificate that is made has the name, and must not be there for other tests.
  const certificates = await mkdtemp(join(tmpdir(), 'aloud-doors-'));
  open.push(() => rm(certificates, { recursive: true }));
  const own = ['--port', '0', '--cert-dir', certificates];
  const { port } = await start(...options.split(' '), ...own);
  expect((await say(port, '/', { headers: [`Host: ${name}`] })).status).toBe(200);
});

requireOrSkip(hasHaproxy, 'HAProxy is not installed', ofTheMachine).it(
  'HAProxy takes the server for alive by its check as it is by default',
  async () => {
    const { port } = await start();
    const front = await freePort();
    await runProxy(
      'haproxy',
      (file) => ['-db', '-f', file],
      () => `
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
  timeout check 5s
frontend page
  bind 127.0.0.1:${front}
  default_backend aloud
backend aloud
  option httpchk
  server one 127.0.0.1:${port} check inter 250ms
`,
    );
    await fetchOnceUp(`http://127.0.0.1:${front}/api/health`);
    // Three checks that fail take a server out.
    await pass(2000);
    expect((await fetch(`http://127.0.0.1:${front}/api/health`)).status).toBe(200);
  },
);

requireOrSkip(hasNginx, 'nginx is not installed', ofTheMachine).it(
  'a silent room’s sound begins at once behind a plain nginx',
  async () => {
    const { port, url } = await start();
    await enter(url, 'tea');
    const front = await freePort();
    await runProxy(
      'nginx',
      (file) => ['-c', file],
      (directory) => `
daemon off;
pid ${directory}/pid;
error_log /dev/null;
events {}
http {
  access_log off;
  client_body_temp_path ${directory};
  proxy_temp_path ${directory};
  fastcgi_temp_path ${directory};
  uwsgi_temp_path ${directory};
  scgi_temp_path ${directory};
  server { listen 127.0.0.1:${front}; location / { proxy_pass http://127.0.0.1:${port}; } }
}
`,
    );
    await fetchOnceUp(`http://127.0.0.1:${front}/api/health`);
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${front}/listen/tea`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/ogg']);
    const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value ?? []).toString('latin1', 0, 4)).toBe('OggS');
    expect(performance.now() - begun).toBeLessThan(3000);
    await reader.cancel();
  },
);
