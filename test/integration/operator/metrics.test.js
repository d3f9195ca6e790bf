/**
 * An operator's tools: the metrics in Prometheus's format, and the API by its own description.
 */

import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { Endpoint, isBuilt } from '@aloud/native';
import { Validator } from '@seriousme/openapi-schema-validator';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { loadConfig } from '../../../server/config/config.js';
import { METRIC_NAMES } from '../../../server/operator/metrics.js';
import { ROUTES } from '../../../server/operator/routes.js';
import { createServer } from '../../../server/server.js';
import { Handshake } from '../../hostile/support/quic-initial.js';
import { canBuildNative, ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import { asOperator, WITH_OPERATOR } from '../../support/operator.js';

const DASHBOARD = new URL('../../../deploy/grafana/aloud.json', import.meta.url);

const promtool = process.env.PROMTOOL_PATH ?? 'promtool';
const havePromtool = spawnSync(promtool, ['--version']).status === 0;
const withPromtool = requireOrSkip(
  havePromtool,
  'promtool is not installed: set PROMTOOL_PATH',
  ofTheMachine,
);

const { version: VERSION } = createRequire(import.meta.url)('../../../package.json');

const withEngine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  expect(log.error).not.toHaveBeenCalled();
  vi.clearAllMocks();
});

/** @param {string[]} argv */
async function startServer(...argv) {
  const options = ['--port', '0', '--engine', 'none', '--metrics', '0', ...WITH_OPERATOR, ...argv];
  const server = await createServer(loadConfig({ argv: options, env: {} }), { log });
  open.push(() => server.close());
  return { ...server, metrics: `http://127.0.0.1:${server.metricsPort}/metrics` };
}

/**
 * Joins over WebSocket, and waits for the answer.
 * @param {string} url
 * @param {{ room: string, name: string }} who
 */
async function join(url, { room, name }) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/session`);
  open.push(() => socket.terminate());
  const answered = new Promise(
    (resolve) => void socket.once('message', (data) => resolve(JSON.parse(String(data)))),
  );
  await new Promise((resolve) => void socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'join', version: 1, room, name }));
  return { socket, answer: await answered };
}

/** @param {string} url */
const textOf = async (url) => (await fetch(url)).text();

/**
 * The values of a text of metrics, by name and labels.
 * @param {string} text
 * @returns {Record<string, number>}
 */
const valuesOf = (text) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );

describe('the metrics', () => {
  it('count people, refusals and requests, and name nobody', async () => {
    const { url, metrics } = await startServer();
    const before = valuesOf(await textOf(metrics));
    const ann = await join(url, { room: 'secret-room', name: 'Ann Secret' });
    expect(ann.answer.type).toBe('welcome');
    expect((await join(url, { room: 'not a name', name: 'Bob Secret' })).answer).toMatchObject({
      code: 'room-name',
    });
    await fetch(`${url}/api/nothing`);
    await fetch(`${url}/api/config`);
    const text = await textOf(metrics);
    const now = valuesOf(text);
    const rise = (/** @type {string} */ name) => now[name] - (before[name] ?? 0);
    expect(now).toMatchObject({
      aloud_ready: 1,
      aloud_rooms: 1,
      aloud_people: 1,
      aloud_people_away: 0,
      'aloud_sessions{transport="websocket"}': 1,
      'aloud_sessions_limited{by="unknown"}': 1,
      'aloud_sessions_limited{by="path"}': 0,
      'aloud_http_requests_total{status="404"}': 1,
      'aloud_http_requests_total{status="200"}': 1,
    });
    expect(rise('aloud_joins_total')).toBe(1);
    const left = now.aloud_certificate_expiry_timestamp_seconds - Date.now() / 1000;
    // The server makes its own for two weeks at most.
    expect([left > 86_400, left < 15 * 86_400]).toEqual([true, true]);
    expect(rise('aloud_refusals_total{of="join",code="room-name"}')).toBe(1);
    expect(rise('aloud_refusals_total{of="http",code="not-found"}')).toBe(1);
    // The room has mixed by then, or does soon.
    await expect
      .poll(async () => valuesOf(await textOf(metrics)).aloud_mix_cpu_seconds_total)
      .toBeGreaterThan(0);
    expect(text).not.toMatch(/secret/i);
    ann.socket.close();
    await expect
      .poll(
        async () =>
          valuesOf(await textOf(metrics))[
            'aloud_sessions_ended_total{transport="websocket",code="left"}'
          ] ?? 0,
      )
      .toBe((before['aloud_sessions_ended_total{transport="websocket",code="left"}'] ?? 0) + 1);
    const last = log.info.mock.calls.find(([, line]) => line === 'session ended');
    expect(last?.[0]).toMatchObject({
      event: 'session-end',
      room: 'secret-room',
      name: 'Ann Secret',
      why: 'left',
      transport: 'websocket',
    });
  });

  it('have their documented names, each with a sentence', async () => {
    const { url, metrics } = await startServer();
    await join(url, { room: 'lab', name: 'Ann' });
    const text = await textOf(metrics);
    const names = new Set([...text.matchAll(/^(aloud_\w+)/gm)].map(([, name]) => name));
    const ofEvents = [
      'aloud_refusals_total',
      'aloud_sessions_ended_total',
      'aloud_http_requests_total',
      'aloud_worker_mix_cpu_seconds_total',
      'aloud_worker_rooms',
    ];
    expect([...names, ...ofEvents].sort()).toEqual(
      expect.arrayContaining([...METRIC_NAMES].sort()),
    );
    for (const name of names) expect(METRIC_NAMES).toContain(name);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
      expect(text).toContain(`# HELP ${name} `);
  });

  withEngine.it('count QUIC connections that are begun and never ended', async () => {
    const { metrics, h3Port } = await startServer(
      '--engine',
      'native',
      '--h3-port',
      '0',
      '--max-sessions',
      '10',
    );
    const socket = createSocket('udp4');
    open.push(() => socket.close());
    for (let i = 0; i < 300; i++) socket.send(new Handshake().first(), Number(h3Port), '127.0.0.1');
    await expect
      .poll(async () => valuesOf(await textOf(metrics)).aloud_quic_retries_total)
      .toBeGreaterThan(0);
    expect(valuesOf(await textOf(metrics)).aloud_quic_connections_pending).toBeGreaterThan(0);
  });

  withEngine.it('count sessions over HTTP/3 that are refused before they begin', async () => {
    const { url, metrics, h3Port } = await startServer('--engine', 'native', '--h3-port', '0');
    const { webtransport } = (await (await fetch(`${url}/api/config`)).json()).transports;
    const endpoint = new Endpoint({ ioThreads: 1 });
    open.push(() => endpoint.close());
    const key = 'aloud_refusals_total{of="upgrade",code="not-found"}';
    const before = valuesOf(await textOf(metrics))[key] ?? 0;
    const { certificateHashes } = webtransport;
    await expect(
      endpoint.connect(`https://127.0.0.1:${h3Port}/nowhere`, { certificateHashes }),
    ).rejects.toThrow();
    expect(valuesOf(await textOf(metrics))[key]).toBe(before + 1);
  });

  withPromtool.it('are as Prometheus wants them, by promtool', async () => {
    const { url, metrics } = await startServer();
    await join(url, { room: 'lab', name: 'Ann' });
    await fetch(`${url}/api/nothing`);
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
      input: await textOf(metrics),
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('are served at their own port alone, and nothing else is', async () => {
    const { url, metrics } = await startServer();
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const { headers, status } = await fetch(metrics);
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    ]);
    expect((await fetch(metrics, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(metrics, { method: 'POST' })).status).toBe(405);
    for (const path of ['/', '/metrics/x', '/api/rooms', '/..%2fmetrics']) {
      expect((await fetch(new URL(path, metrics))).status).toBe(404);
    }
  });

  it('are off unless they are asked for', async () => {
    const server = await createServer(
      loadConfig({ argv: ['--port', '0', '--engine', 'none'], env: {} }),
      { log },
    );
    open.push(() => server.close());
    expect(server.metricsPort).toBeNull();
    expect(server.report.join()).not.toContain('Metrics');
  });

  it('stop the start where their port is taken, with the option’s name', async () => {
    const taken = createTcpServer();
    await new Promise((resolve) => void taken.listen(0, '127.0.0.1', () => resolve(undefined)));
    open.push(() => taken.close());
    const { port } = /** @type {import('node:net').AddressInfo} */ (taken.address());
    await expect(startServer('--metrics', String(port))).rejects.toThrow(
      new RegExp(`^--metrics ${port} is already in use`),
    );
    await expect(startServer('--metrics', '192.0.2.1:0')).rejects.toThrow(
      /^--metrics 192\.0\.2\.1 is no address of this machine/,
    );
  });
});

/** The queries of the dashboard. @returns {Promise<string[]>} */
async function queriesOfDashboard() {
  const dashboard = JSON.parse(await readFile(DASHBOARD, 'utf8'));
  return dashboard.panels.flatMap((/** @type {any} */ { targets = [] }) =>
    targets.map((/** @type {any} */ { expr }) => expr),
  );
}

describe('the dashboard', () => {
  it('asks for metrics that there are', async () => {
    const queries = await queriesOfDashboard();
    const { url, metrics } = await startServer();
    await join(url, { room: 'lab', name: 'Ann' });
    const told = new Set(
      [...(await textOf(metrics)).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name),
    );
    const known = new Set([...METRIC_NAMES, ...told]);
    expect(queries.length).toBeGreaterThan(15);
    const asked = new Set(
      queries.flatMap(
        (/** @type {string} */ query) => query.match(/\b(aloud|nodejs|process)_\w+/g) ?? [],
      ),
    );
    for (const name of asked) expect(known).toContain(name);
    for (const query of queries)
      expect([query, /\b(aloud|nodejs|process)_\w+/.test(query)]).toEqual([query, true]);
  });

  withPromtool.it('asks in Prometheus’ language, by promtool', async () => {
    const queries = await queriesOfDashboard();
    const plain = queries.map((query) =>
      query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    );
    const rules = plain.map((expr, i) => ({ record: `query:${i}`, expr }));
    const directory = await mkdtemp(joinPath(tmpdir(), 'aloud-rules-'));
    open.push(() => rm(directory, { recursive: true, force: true }));
    const file = joinPath(directory, 'rules.yml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});

withPromtool.it(
  'the alarms of docs/operating.md are rules of Prometheus, by promtool',
  async () => {
    const page = await readFile(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const [, alarms] = /```yaml\n(- alert:[^]*?)```/.exec(page) ?? ['', ''];
    const directory = await mkdtemp(joinPath(tmpdir(), 'aloud-alarms-'));
    open.push(() => rm(directory, { recursive: true, force: true }));
    const file = joinPath(directory, 'alarms.yml');
    await writeFile(file, `groups:\n- name: alarms\n  rules:\n${alarms.replace(/^/gm, '  ')}`);
    const { status, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);

describe('the API', () => {
  it('is described by OpenAPI 3.1 that a validator takes', async () => {
    const { url } = await startServer();
    const document = await (await fetch(`${url}/api/openapi.json`)).json();
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.components.schemas.Error.properties.code.enum).toEqual(Object.keys(errors));
    for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
      expect(operation.responses).toMatchObject({
        421: { description: '`host-not-allowed`' },
        429: { description: '`too-many-requests`' },
      });
    }
    // Every reference leads somewhere.
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
  });

  it('answers as it is described', async () => {
    const { url } = await startServer();
    await join(url, { room: 'lab', name: 'Ann' });
    const gets = ROUTES.filter(({ method }) => method === 'get');
    expect(gets.length).toBeGreaterThan(5);
    for (const { path, answer } of gets) {
      const response = await asOperator(url, path.replace(':room', 'lab'));
      expect([path, response.status]).toEqual([path, 200]);
      expect([path, answer?.safeParse(await response.json()).error?.message]).toEqual([
        path,
        undefined,
      ]);
    }
  });

  it('says that the server is there, and not ready any more once it drains', async () => {
    const onDrain = vi.fn();
    const config = loadConfig({
      argv: ['--port', '0', '--engine', 'none', ...WITH_OPERATOR],
      env: {},
    });
    const server = await createServer(config, { log, onDrain });
    open.push(() => server.close());
    const { url } = server;
    const get = async (/** @type {string} */ path) => {
      const response = await fetch(`${url}/api${path}`);
      return [response.status, await response.json()];
    };
    expect(await get('/health')).toEqual([200, { status: 'ok', version: VERSION }]);
    expect(await get('/ready')).toEqual([200, { status: 'ready' }]);
    expect((await fetch(`${url}/api/drain`, { method: 'POST' })).status).toBe(401);
    expect(await get('/ready')).toEqual([200, { status: 'ready' }]);
    const drained = await asOperator(url, '/drain', { method: 'POST' });
    expect([drained.status, await drained.json()]).toEqual([202, { status: 'draining' }]);
    await vi.waitFor(() => expect(onDrain).toHaveBeenCalledOnce());
    expect(await get('/ready')).toEqual([503, { status: 'draining' }]);
    expect(await get('/health')).toEqual([200, { status: 'ok', version: VERSION }]);
    expect(log.info.mock.calls.filter(([fields]) => fields.event === 'moderation')).toHaveLength(1);
  });
});
