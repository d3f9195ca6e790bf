import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '@aloud/native';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OLD_OPTIONS } from '../../server/config/old-options.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));

/** The command as a person starts it, in a process of its own. */
class Command {
  stdout = '';
  stderr = '';

  /**
   * @param {string[]} args
   * @param {Record<string, string>} [env]
   */
  constructor(args, env = {}) {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('ALOUD_')),
    );
    this.process = spawn(process.execPath, [MAIN, ...args], { env: { ...clean, ...env } });
    this.process.stdout.on('data', (bytes) => (this.stdout += bytes));
    this.process.stderr.on('data', (bytes) => (this.stderr += bytes));
    /** @type {Promise<number | string | null>} the exit code, or the signal that ended it */
    this.exit = new Promise((resolve) =>
      this.process.on('close', (code, signal) => resolve(code ?? signal)),
    );
  }

  /**
   * @param {RegExp} pattern
   * @returns {Promise<RegExpExecArray>} once the output has it
   */
  async printed(pattern) {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) return found;
      const event = new Promise((resolve) => void this.process.stdout.once('data', resolve));
      const ended = await Promise.race([event.then(() => false), this.exit.then(() => true)]);
      if (ended && !pattern.test(this.stdout))
        throw new Error(`it ended without ${pattern}: ${this.stderr}`);
    }
  }
}

/** @type {Command[]} */
let commands;
/** @type {string} */
let directory;

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
function start(args, env) {
  const command = new Command(args, env);
  commands.push(command);
  return command;
}

/** True when this machine has an address that others on its network reach. */
const hasNetwork = Object.values(networkInterfaces()).some((addresses = []) =>
  addresses.some(({ internal }) => !internal),
);

/** @param {string[]} args */
const startServer = (args) =>
  start(['--port', '0', '--h3-port', '0', '--cert-dir', directory, ...args]);

beforeEach(() => {
  commands = [];
  directory = mkdtempSync(join(tmpdir(), 'aloud-cli-'));
});

afterEach(async () => {
  for (const command of commands) command.process.kill('SIGKILL');
  await Promise.all(commands.map(({ exit }) => exit));
  rmSync(directory, { recursive: true, force: true });
});

describe('a start that cannot be', () => {
  /**
   * One from each side; what is refused is shown in test/unit/server/config.test.js.
   * @type {[string[], Record<string, string>, string][]}
   */
  const cases = [
    [['--port', '99999'], {}, '--port must be a whole number from 0 to 65535; it is "99999".'],
    [
      [],
      { ALOUD_NONSENSE: '1' },
      'There is no option ALOUD_NONSENSE (from the environment); --help lists them all.',
    ],
    [
      ['--cert', '/nowhere.pem', '--key', '/nowhere.pem'],
      {},
      '--cert must be a readable PEM file of a certificate that is valid now; ' +
        `"/nowhere.pem": it can't be read (ENOENT).`,
    ],
    [['tokn'], {}, 'There is no command tokn; did you mean aloud token?'],
    [
      ['token'],
      {},
      'aloud token needs --room and --name, as in: aloud token --room tea --name Ann',
    ],
  ];

  it.each(cases)('%j %j says so in one line, with exit code 2', async (args, env, line) => {
    const command = start(args, env);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toBe(`${line}\n`);
    expect(command.stdout).toBe('');
  });

  it('for a port in use names it, without a stack', async () => {
    const taken = createServer();
    await new Promise((resolve) => void taken.listen(0, '::', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (taken.address());
    const command = startServer(['--port', String(port), '--log', 'debug']);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toMatch(new RegExp(`^--port ${port} is already in use; .*\\n$`));
    const onNetwork = startServer(['--port', String(port), '--lan']);
    expect(await onNetwork.exit).toBe(2);
    // Without a network --lan itself can't be.
    const line = hasNetwork ? `--port ${port} is already in use` : '--lan needs an address';
    expect(onNetwork.stderr).toMatch(new RegExp(`^${line}.*\\n$`));
    await new Promise((resolve) => void taken.close(resolve));
  });

  it('for an address with --lan that is another machine’s names it', async () => {
    const command = startServer(['--lan', '--host', '203.0.113.9']);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toMatch(/^--host 203\.0\.113\.9 is no address .*\n$/);
  });
});

describe('a clone without its packages', () => {
  it('says in one line how to install them', async () => {
    const home = fileURLToPath(new URL('../..', import.meta.url));
    for (const name of ['server', 'public', 'package.json'])
      cpSync(join(home, name), join(directory, name), { recursive: true });
    const server = spawn(process.execPath, [join(directory, 'server', 'main.js')]);
    let told = '';
    server.stderr.on('data', (bytes) => (told += bytes));
    expect(await new Promise((resolve) => void server.on('close', resolve))).toBe(1);
    expect(told).toMatch(
      /^aloud: the package \S+ is missing: npm ci in \S+ installs all of them\n$/,
    );
  });
});

describe('information', () => {
  it('--help and --version print it and end well', async () => {
    const help = start(['--help']);
    const version = start(['--version']);
    expect(await help.exit).toBe(0);
    expect(help.stdout).toContain('--server-delay-ms <ms>');
    expect(await version.exit).toBe(0);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('an invitation', () => {
  it('is printed with its link, and a secret that won’t do is not', async () => {
    const secret = 'a-secret-of-at-least-32-characters';
    const made = start(['token', '--room', 'tea', '--name', 'Ann'], {
      ALOUD_KEYS: `main:${secret}`,
    });
    expect(await made.exit).toBe(0);
    const [, token] =
      /^([\w-]+\.[\w-]+\.[\w-]+)\nhttp:\/\/localhost:8080\/r\/tea#token=\1\n$/.exec(made.stdout) ??
      [];
    expect(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())).toMatchObject({
      iss: 'main',
      name: 'Ann',
    });
    const short = start(['--keys', 'main:too-short-a-secret']);
    expect(await short.exit).toBe(2);
    expect(short.stderr).toMatch(/^--keys must be ID:SECRET, .*32 to 256 .*\n$/);
    expect(short.stderr).not.toContain('too-short');
  });
});

describe('a start', () => {
  it('prints the address and what is on, serves the page, and ends with SIGTERM', async () => {
    const command = startServer(['--engine', 'none']);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    await command.printed(/WebTransport is off[^\n]*--engine/);
    await command.printed(/WebSocket[^\n]* on/);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    await page.text();
    command.process.kill('SIGTERM');
    expect(await command.exit).toBe(0);
    // No terminal: one object a line.
    expect(JSON.parse(command.stderr)).toMatchObject({
      level: 'info',
      event: 'closing',
      signal: 'SIGTERM',
    });
    await expect(fetch(url)).rejects.toThrow();
  });

  it('goes on when nobody reads what it writes any more', async () => {
    const command = startServer(['--engine', 'none']);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    await command.printed(/HTTPS is off/);
    command.process.stdout.destroy();
    command.process.stderr.destroy();
    for (let i = 0; i < 2; i++) {
      const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' });
      const joined = await fetch(`${url}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const { token } = await joined.json();
      // A line of it is logged.
      expect((await fetch(`${url}/api/sessions/${token}`, { method: 'DELETE' })).status).toBe(204);
    }
    command.process.kill('SIGTERM');
    expect(await command.exit).toBe(0);
  });

  it('of a node whose NATS is not there says so in one line, and serves alone', async () => {
    const command = startServer([
      '--engine',
      'none',
      '--cluster',
      'nats://127.0.0.1:1',
      '--cluster-key',
      'k'.repeat(32),
    ]);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    await command.printed(
      /This is a node of the cluster aloud; browsers reach it at http:\/\/localhost:\d+\./,
    );
    const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' });
    const joined = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const {
      messages: [welcome],
    } = await joined.json();
    expect(welcome).toMatchObject({ type: 'welcome', nodes: [{ url, h3Port: null }] });
    const told = () =>
      command.stderr
        .trim()
        .split('\n')
        .filter((line) => line.includes('NATS'));
    await expect.poll(told).not.toEqual([]);
    // The node tries again, and says no more about it.
    await new Promise((resolve) => void setTimeout(resolve, 1500));
    expect(told().map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        event: 'nats-unreachable',
        servers: ['127.0.0.1:1'],
        msg: 'NATS is unreachable: this node serves alone, and tries again',
      }),
    ]);
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(0);
  });

  it('takes its options from the environment and a file', async () => {
    const file = join(directory, 'aloud.json');
    writeFileSync(
      file,
      JSON.stringify({
        port: 0,
        'h3-port': 0,
        engine: 'none',
        'cert-dir': directory,
        log: 'error',
      }),
    );
    const command = start([], { ALOUD_CONFIG: file, ALOUD_SAMPLE_RATE: '16000' });
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    expect(await (await fetch(`${url}/api/clock`)).json()).toMatchObject({ sampleRate: 16000 });
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(0);
    expect(command.stderr).toBe('');
  });
});

describe('options of the release before', () => {
  /** @type {Record<string, string | number | boolean | string[]>} */
  const values = {
    echo: true,
    'relay-from': 500,
    'forward-way': 'now',
    'max-server-delay-ms': 250,
    'received-target': 99,
    'opus-frames': 2,
    'listener-stride': 2,
    'acme-directory': 'https://ca.example/dir',
    'allowed-hosts': ['old.example'],
    'recording-limit-mb': 7,
    'recording-keep-hours': 7,
    'proxy-header': 'forwarded',
    'cluster-name': 'north',
    'log-level': 'info',
    'log-format': 'json',
    'metrics-port': 0,
    'metrics-host': '127.0.0.2',
  };
  const names = Object.keys(values);
  const variableOf = (/** @type {string} */ name) =>
    `ALOUD_${name.toUpperCase().replaceAll('-', '_')}`;

  it('are all tried here', () =>
    expect(names.toSorted()).toEqual(OLD_OPTIONS.map(({ row }) => row.name).toSorted()));

  it.each([
    ['flags', (/** @type {string} */ name) => `--${name} ${values[name]}`],
    ['variables', (/** @type {string} */ name) => `${variableOf(name)}=${values[name]}`],
    ['a file', (/** @type {string} */ name) => `"${name}": ${JSON.stringify(values[name])}`],
  ])('start a server as %s, and the log says what to write now', async (place, writtenAs) => {
    const file = join(directory, 'old.json');
    writeFileSync(file, JSON.stringify({ ...values, 'trust-proxy': '1' }));
    const asFlags = names.flatMap((name) => [`--${name}`, String(values[name])]);
    const asVariables = Object.fromEntries(
      names.map((name) => [variableOf(name), String(values[name])]),
    );
    const given = ['--port', '0', '--engine', 'none', '--cert-dir', directory];
    if (place === 'a file') given.push('--config', file);
    else given.push('--trust-proxy', '1');
    const command = start(
      place === 'flags' ? [...given, ...asFlags] : given,
      place === 'variables' ? asVariables : {},
    );
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    const [metrics] = await command.printed(/http:\/\/127\.0\.0\.2:\d+\/metrics/);
    expect((await fetch(metrics)).status).toBe(200);
    const welcome = await welcomeOf(url, { host: 'old.example' });
    expect(welcome).toMatchObject({ echo: true, format: { frameMs: 20, opusFrames: 2 } });
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(0);
    const warned = command.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'old-option');
    expect(warned.map(({ option }) => option).toSorted()).toEqual(names.map(writtenAs).toSorted());
    for (const { level, write } of warned) {
      expect(level).toBe('warn');
      expect(write).not.toBe('');
    }
  });
});

/**
 * The answer to somebody who joins.
 * @param {string} url  of the server
 * @param {Record<string, string>} headers
 * @returns {Promise<object>}
 */
function welcomeOf(url, headers) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/session`, { headers });
  const message = { type: 'join', version: 1, room: 'lab', name: 'Ann' };
  socket.on('open', () => socket.send(JSON.stringify(message)));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const answer = JSON.parse(String(data));
      if (answer.type !== 'welcome') return;
      socket.terminate();
      resolve(answer);
    });
  });
}

describe('a stop', () => {
  /**
   * @param {string} url
   * @returns {Promise<{ socket: WebSocket, messages: any[], closed: Promise<number> }>}
   */
  async function joinOver(url) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/session`);
    /** @type {any[]} */
    const messages = [];
    socket.on(
      'message',
      (data, isBinary) => void (isBinary || messages.push(JSON.parse(String(data)))),
    );
    const closed = new Promise(
      (/** @type {(code: number) => void} */ resolve) => void socket.once('close', resolve),
    );
    await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Ann' }));
    await expect.poll(() => messages.map(({ type }) => type)).toContain('welcome');
    return { socket, messages, closed };
  }

  /** @param {string} url */
  async function refusal(url) {
    const body = JSON.stringify({ type: 'join', version: 1, room: 'lab', name: 'Bob' });
    const answer = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return [answer.status, (await answer.json()).code];
  }

  it('by SIGTERM tells calls, lets nobody new in, and is over once the last has left', async () => {
    const command = startServer(['--engine', 'none']);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    const { socket, messages } = await joinOver(url);
    command.process.kill('SIGTERM');
    await expect.poll(() => messages).toContainEqual({ type: 'draining', seconds: 25 });
    expect(await refusal(url)).toEqual([503, 'draining']);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const begun = performance.now();
    socket.send('{"type":"leave"}');
    expect(await command.exit).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(command.stderr).toMatch(
      /"event":"closing","signal":"SIGTERM","drainSeconds":30,"msg":"closing; another signal stops/,
    );
  });

  const operator = 'the-operators-own-token';

  /** @type {[string, (command: Command, url: string) => Promise<unknown>][]} */
  const doors = [
    ['SIGTERM', async (command) => command.process.kill('SIGTERM')],
    [
      'POST /api/drain',
      (_command, url) =>
        fetch(`${url}/api/drain`, {
          method: 'POST',
          headers: { authorization: `Bearer ${operator}` },
        }),
    ],
  ];

  it.each(doors)('by %s ends calls when their time is over', async (_name, stop) => {
    const command = startServer([
      '--engine',
      'none',
      '--drain-seconds',
      '7',
      '--operator-token',
      operator,
    ]);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    const { closed, messages } = await joinOver(url);
    const begun = performance.now();
    await stop(command, url);
    await expect.poll(() => messages).toContainEqual({ type: 'draining', seconds: 2 });
    expect(await refusal(url)).toEqual([503, 'draining']);
    // Asked for again over HTTP, it is the same end; after that the first SIGTERM is too.
    await doors[1][1](command, url);
    if (stop !== doors[0][1]) command.process.kill('SIGTERM');
    expect(await closed).toBe(4012);
    expect(command.stderr).toMatch(
      /"event":"closing","signal":"SIGTERM","drainSeconds":7,"msg":"closing; another signal stops/,
    );
    expect(performance.now() - begun).toBeGreaterThan(1900);
    expect(await command.exit).toBe(0);
    expect(performance.now() - begun).toBeLessThan(7000);
  });

  it.each([
    ['a second SIGTERM', 'SIGTERM', 143],
    ['SIGINT after SIGTERM', 'SIGINT', 130],
  ])('by %s is at once', async (_name, second, code) => {
    const command = startServer(['--engine', 'none']);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    const { messages } = await joinOver(url);
    command.process.kill('SIGTERM');
    await expect.poll(() => messages).toContainEqual({ type: 'draining', seconds: 25 });
    const begun = performance.now();
    command.process.kill(/** @type {NodeJS.Signals} */ (second));
    expect(await command.exit).toBe(code);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('by SIGINT, from the keyboard, waits for nobody', async () => {
    const command = startServer(['--engine', 'none']);
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    const { closed } = await joinOver(url);
    const begun = performance.now();
    command.process.kill('SIGINT');
    expect(await closed).toBe(4012);
    expect(await command.exit).toBe(0);
    expect(performance.now() - begun).toBeLessThan(6000);
  });
});

requireOrSkip(isBuilt(), 'the native HTTP/3 engine is not built', canBuildNative).describe(
  'a start with HTTP/3',
  () => {
    it('says where it is, refuses a second one there, and ends with its threads', async () => {
      const first = startServer(['--engine', 'native']);
      const [, port] = await first.printed(/WebTransport is on[^\n]* UDP port (\d+)[^\n]*native/);
      const second = startServer(['--h3-port', port]);
      expect(await second.exit).toBe(2);
      expect(second.stderr).toMatch(new RegExp(`^--h3-port ${port} is already in use; .*\\n$`));
      first.process.kill('SIGINT');
      expect(await first.exit).toBe(0);
    });
  },
);
