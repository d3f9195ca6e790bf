/**
 * A certificate that an authority issues: Pebble asks this server's own port for the challenge, as
 * a public one would.
 */

import { spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from 'node:tls';
import acme from 'acme-client';
import { Endpoint, isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../public/shared/clock.js';
import { freePort } from '../../deploy/cluster-processes.js';
import { AcmeAuthority } from '../../server/certificate/acme-authority.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { DaySchedule } from '../../testkit/fake-clock.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { canInstallPebble, hasPebble, Pebble } from '../support/pebble.js';
import { textOf } from '../../testkit/log-lines.js';

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const DOMAIN = 'call.example.org';
const ISSUED_MS = 60_000;

/** @type {Pebble} */
let pebble;
/** @type {number} */
let httpPort;
/** @type {string} */
let root;
/** @type {string} */
let directory;
/** @type {DaySchedule} */
let schedule;
/** @type {(() => unknown)[]} */
let open;
/** @type {string[]} */
let lines;

/** @param {...string} argv */
const startServer = (...argv) => startServerOf(pebble.directoryUrl, ...argv);

/** @param {string} directoryUrl  of the authority @param {...string} argv */
async function startServerOf(directoryUrl, ...argv) {
  const ports = ['--port', '0', '--h3-port', '0', '--http-port', String(httpPort)];
  const authority = ['--domain', DOMAIN, '--acme-email', `ann@example.org,${directoryUrl}`];
  const config = loadConfig({
    argv: [...ports, ...authority, '--cert-dir', directory, ...argv],
    env: {},
  });
  const log = Object.fromEntries(
    ['error', 'warn', 'info', 'debug'].map((level) => [
      level,
      (/** @type {import('../../server/log.js').Fields} */ fields, /** @type {string} */ message) =>
        lines.push(`${level} ${textOf(fields, message)}`),
    ]),
  );
  const server = await createServer(config, {
    log: /** @type {any} */ (log),
    clock: schedule,
    wallNow: () => schedule.wallMs,
  });
  open.push(() => server.close());
  return server;
}

/**
 * The certificate that the server serves over TLS.
 * @param {number} port
 * @returns {Promise<X509Certificate>}
 */
const servedAt = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: '127.0.0.1', servername: DOMAIN, rejectUnauthorized: false },
      () => {
        const { raw } = socket.getPeerCertificate();
        socket.destroy();
        resolve(new X509Certificate(raw));
      },
    );
    socket.on('error', reject);
  });

/**
 * @param {number} port
 * @param {string} path
 * @returns {Promise<number | undefined>} the status, where the root is trusted
 */
const statusOf = (port, path) =>
  new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      servername: DOMAIN,
      ca: root,
      headers: { host: DOMAIN },
      agent: false,
    };
    request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });

const issued = () =>
  vi.waitFor(
    () => expect(lines).toContainEqual(expect.stringMatching(/^info certificate issued/)),
    ISSUED_MS,
  );

/** Every file below the directory, with its mode. */
function filesKept() {
  const names = /** @type {string[]} */ (readdirSync(directory, { recursive: true }));
  const files = names.map((name) => ({ name, status: statSync(join(directory, name)) }));
  return files
    .filter(({ status }) => status.isFile())
    .map(({ name, status }) => `${name.split('/').at(-1)} ${(status.mode & 0o777).toString(8)}`);
}

requireOrSkip(
  hasPebble(),
  'pebble is not installed: node test/support/pebble.js',
  canInstallPebble,
).describe('an ACME authority', () => {
  /** @type {string} */
  let pebbleDirectory;

  beforeAll(async () => {
    pebbleDirectory = mkdtempSync(join(tmpdir(), 'aloud-pebble-'));
    httpPort = await freePort();
    pebble = await Pebble.start(pebbleDirectory, httpPort);
    root = await pebble.root();
    acme.axios.defaults.httpsAgent = new Agent({ ca: pebble.ca });
    acme.axios.defaults.proxy = false;
  });

  afterAll(async () => {
    await pebble?.close();
    rmSync(pebbleDirectory, { recursive: true });
  });

  beforeEach(() => {
    schedule = new DaySchedule();
    directory = mkdtempSync(join(tmpdir(), 'aloud-acme-'));
    open = [];
    lines = [];
  });

  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
    rmSync(directory, { recursive: true });
    expect(schedule.waiting.size).toBe(0);
  });

  it('issues a certificate that is served, stored owner-only and reused on restart', async () => {
    const first = await startServer('--engine', 'none');
    expect(first.report.join('\n')).toMatch(/browsers warn/);
    await issued();
    const certificate = await servedAt(first.port);
    expect(certificate.checkHost(DOMAIN)).toBe(DOMAIN);
    expect(certificate.verify(new X509Certificate(root).publicKey)).toBe(false);
    expect(await statusOf(first.port, '/r/lab')).toBe(200);
    expect(filesKept().toSorted()).toEqual([
      'account.pem 600',
      'certificate.pem 600',
      'key.pem 600',
    ]);
    await first.close();

    lines = [];
    const second = await startServer('--engine', 'none');
    expect(second.report.join('\n')).toMatch(/The certificate is of localhost:\d+, valid until /);
    expect((await servedAt(second.port)).fingerprint256).toBe(certificate.fingerprint256);
    expect(lines).toEqual([]);
  });

  it('is answered on the port of plain HTTP, which leads everybody else to HTTPS', async () => {
    const { port } = await startServer('--engine', 'none');
    await issued();
    const answer = await fetch(`http://127.0.0.1:${httpPort}/r/lab?a=1`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      301,
      `https://${DOMAIN}:${port}/r/lab?a=1`,
    ]);
    const unknown = await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/nothing`, {
      redirect: 'manual',
    });
    expect(unknown.status).toBe(301);
    await unknown.text();
  });

  it.each([
    ['after two thirds of its life', () => schedule.pass(61), 0],
    ['when the authority asks for it', () => schedule.pass(1), 1],
  ])('renews it %s, while calls run', async (_name, wait, asked) => {
    const engine = isBuilt() ? 'native' : 'none';
    const { port, h3Port } = await startServer('--engine', engine);
    await issued();
    const first = await servedAt(port);
    const trusting = /** @type {import('ws').ClientOptions} */ ({
      ca: root,
      servername: DOMAIN,
      headers: { host: DOMAIN },
    });
    const socket = new WebSocket(`wss://127.0.0.1:${port}/session`, trusting);
    open.push(() => socket.terminate());
    await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
    const hashOf = (/** @type {X509Certificate} */ { raw }) =>
      createHash('sha256').update(raw).digest('base64');
    const client = isBuilt() ? new Endpoint() : null;
    if (client) open.push(() => client.close());
    const dial = (/** @type {X509Certificate} */ certificate) =>
      client?.connect(`https://localhost:${h3Port}/session`, {
        certificateHashes: [hashOf(certificate)],
      });
    const session = await dial(first);
    const onClosed = vi.fn();
    if (session) session.onClosed = onClosed;

    if (asked)
      await pebble.setRenewal(first.toString(), {
        start: new Date(Date.now() - 2000),
        end: new Date(Date.now() - 1000),
      });
    lines = [];
    wait();
    await issued();
    const second = await servedAt(port);
    expect(second.fingerprint256).not.toBe(first.fingerprint256);
    expect(await statusOf(port, '/r/lab')).toBe(200);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(onClosed).not.toHaveBeenCalled();
    if (client) {
      expect(await dial(second)).toBeDefined();
      await expect(dial(first)).rejects.toThrow();
    }
    // The log reports the leap of the calendar, as it should.
    const told = lines.filter(
      (line) => !line.startsWith('info') && !line.startsWith('warn clock was set'),
    );
    expect(told).toEqual([]);
  });

  it('that has had a certificate replaced already issues a further one', async () => {
    const challenges = new Map();
    const http = createHttpServer(({ url = '' }, response) =>
      response.end(challenges.get(url.split('/').at(-1))),
    ).listen(httpPort);
    open.push(() => http.close());
    const authority = new AcmeAuthority({
      directoryUrl: pebble.directoryUrl,
      email: 'ann@example.org',
      accountKey: await AcmeAuthority.newKey(),
      clock: systemClock,
    });
    open.push(() => authority.close());
    const order = async (/** @type {string | null} */ replaces) =>
      (await authority.order({ domains: [DOMAIN], challenges, replaces })).certPem;
    const first = await order(null);
    const second = await order(first);
    const third = await order(first);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(new X509Certificate(third).checkHost(DOMAIN)).toBe(DOMAIN);
  });

  it('is trusted by the command when NODE_EXTRA_CA_CERTS names its private root', async () => {
    const ports = [
      '--port',
      '0',
      '--h3-port',
      '0',
      '--http-port',
      String(httpPort),
      '--engine',
      'none',
    ];
    const args = [
      '--domain',
      DOMAIN,
      '--acme-email',
      `ann@example.org,${pebble.directoryUrl}`,
      '--cert-dir',
      directory,
    ];
    const start = async (/** @type {Record<string, string>} */ env) => {
      const child = spawn(process.execPath, [MAIN, ...ports, ...args], {
        env: { ...process.env, NO_PROXY: '*', ...env },
      });
      open.push(() => child.kill('SIGKILL'));
      let output = '';
      const exit = new Promise((resolve) => void child.on('close', resolve));
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (bytes) => (output += bytes));
      await vi.waitFor(() => expect(output).toMatch(/"certificate-(not-)?issued"/), ISSUED_MS);
      child.kill('SIGTERM');
      expect(await exit).toBe(0);
      return output;
    };
    const untrusted =
      'can\'t be reached (DEPTH_ZERO_SELF_SIGNED_CERT)","advice":' +
      '"NODE_EXTRA_CA_CERTS names the PEM file of a private root';
    expect(await start({})).toMatch(untrusted);
    expect(await start({ NODE_EXTRA_CA_CERTS: pebble.caFile })).toMatch(
      /"certificate-issued","domains":\["call\.example\.org"\]/,
    );
  });

  it('that refuses is logged in one line, with what to do', async () => {
    const { port } = await startServer('--engine', 'none', '--domain', 'blocked.example.org');
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), ISSUED_MS);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      new RegExp(
        '^error no certificate was issued.*' +
          '"domains":\\["call\\.example\\.org","blocked\\.example\\.org"\\],"reason":".+",' +
          '"advice":"the authority issues nothing for this name","retryInMinutes":5}$',
      ),
    );
    expect((await servedAt(port)).issuer).toBe('CN=aloud');
  });

  it('that does not find the name on this machine says so, and a later try succeeds', async () => {
    const [port] = [httpPort];
    httpPort = await freePort();
    const { close } = await startServer('--engine', 'none');
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), ISSUED_MS);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          '^error no certificate .*refused.*TCP port 80 of this machine has to be open ' +
            'to the Internet","retryInMinutes":5}$',
        ),
      ),
    ]);
    await close();
    httpPort = port;
    lines = [];
    await startServer('--engine', 'none');
    await issued();
  });

  it('that is missing is logged, and a closing server closes at once', async () => {
    const gone = `https://localhost:${await freePort()}/dir`;
    const server = await startServerOf(gone, '--engine', 'none');
    await vi.waitFor(
      () =>
        expect(lines).toEqual([
          expect.stringMatching(
            /can't be reached \(ECONNREFUSED\)","advice":"this machine needs a way to it/,
          ),
        ]),
      ISSUED_MS,
    );
    await server.close();
    const other = await startServer('--engine', 'none');
    const begun = performance.now();
    await other.close();
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(lines).toHaveLength(1);
  });
});
