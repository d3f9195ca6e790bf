import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '@aloud/native';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canBuildNative, requireOrSkip } from '../skip.js';

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
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ALOUD_')));
    this.process = spawn(process.execPath, [MAIN, ...args], { env: { ...clean, ...env } });
    this.process.stdout.on('data', (bytes) => (this.stdout += bytes));
    this.process.stderr.on('data', (bytes) => (this.stderr += bytes));
    /** @type {Promise<number | string | null>} the exit code, or the signal that ended it */
    this.exit = new Promise((resolve) => this.process.on('close', (code, signal) => resolve(code ?? signal)));
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
      if (ended && !pattern.test(this.stdout)) throw new Error(`it ended without ${pattern}: ${this.stderr}`);
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

/** @param {string[]} args */
const startServer = (args) => start(['--port', '0', '--h3-port', '0', '--cert-dir', directory, ...args]);

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
  /** @type {[string[], Record<string, string>, string][]} */
  const cases = [
    [['--port', '99999'], {}, '--port: "99999": allowed is a whole number from 0 to 65535'],
    [['--prot', '1'], {}, '--prot: there is no such option; did you mean --port?'],
    [[], { ALOUD_SERVER_DELAY_MS: 'abc' }, '--server-delay-ms: "abc" (from ALOUD_SERVER_DELAY_MS): allowed is auto or a number from 0 to 2000 (ms)'],
    [[], { ALOUD_NONSENSE: '1' }, 'ALOUD_NONSENSE (from the environment): there is no such option; --help lists them all'],
    [['--cert', '/nowhere.pem', '--key', '/nowhere.pem'], {}, `--cert: "/nowhere.pem": it can't be read (ENOENT); allowed is a readable PEM file of a certificate that is valid now`],
  ];

  it.each(cases)('%j %j says so in one line, with exit code 2', async (args, env, line) => {
    const command = start(args, env);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toBe(`${line}\n`);
    expect(command.stdout).toBe('');
  });

  it('for a config file that is not JSON names the file', async () => {
    const file = join(directory, 'aloud.json');
    writeFileSync(file, '{"port":');
    const command = start(['--config', file]);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toBe(
      `--config: ${JSON.stringify(file)}: it is not JSON; allowed is the path of a JSON file that holds one object\n`,
    );
  });

  it('for a port in use names it, without a stack', async () => {
    const taken = createServer();
    await new Promise((resolve) => void taken.listen(0, '::', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (taken.address());
    const command = startServer(['--port', String(port), '--log-level', 'debug']);
    expect(await command.exit).toBe(2);
    expect(command.stderr).toMatch(new RegExp(`^--port: ${port}: .*in use.*\\n$`));
    await new Promise((resolve) => void taken.close(resolve));
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
    expect(command.stderr).toMatch(/^\S+ info SIGTERM: closing[^\n]*\n$/);
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
      const joined = await fetch(`${url}/api/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { token } = await joined.json();
      // A line of it is logged.
      expect((await fetch(`${url}/api/sessions/${token}`, { method: 'DELETE' })).status).toBe(204);
    }
    command.process.kill('SIGTERM');
    expect(await command.exit).toBe(0);
  });

  it('takes its options from the environment and a file', async () => {
    const file = join(directory, 'aloud.json');
    writeFileSync(file, JSON.stringify({ port: 0, 'h3-port': 0, engine: 'none', 'cert-dir': directory, 'log-level': 'error' }));
    const command = start([], { ALOUD_CONFIG: file, ALOUD_SAMPLE_RATE: '16000' });
    const [, url] = await command.printed(/(http:\/\/localhost:\d+)/);
    expect(await (await fetch(`${url}/api/clock`)).json()).toMatchObject({ sampleRate: 16000 });
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(0);
    expect(command.stderr).toBe('');
  });
});

describe('aloud token', () => {
  const ALOUD_KEYS = 'key:a-secret-of-more-than-32-characters';

  it('prints a token with which one joins a server that has the keys', async () => {
    const made = start(['token', '--room', 'tea', '--name', 'Ann'], { ALOUD_KEYS });
    expect([await made.exit, made.stderr]).toEqual([0, '']);
    const server = start(['--port', '0', '--h3-port', '0', '--engine', 'none'], { ALOUD_KEYS });
    const [, url] = await server.printed(/(http:\/\/localhost:\d+)/);
    const ask = async (/** @type {string | undefined} */ token) => {
      const body = JSON.stringify({ type: 'join', version: 1, room: 'tea', name: 'Eve', token });
      const answer = await fetch(`${url}/api/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return [answer.status, await answer.json()];
    };
    expect(await ask(made.stdout.trim())).toMatchObject([201, { messages: [{ people: [{ name: 'Ann' }] }] }]);
    expect(await ask(undefined)).toMatchObject([401, { code: 'token-needed' }]);
    server.process.kill('SIGINT');
    expect(await server.exit).toBe(0);
    expect(server.stdout + server.stderr).not.toContain('a-secret');
  });

  it('says what is missing, in one line, without the secret', async () => {
    const made = start(['token', '--name', 'Ann'], { ALOUD_KEYS });
    expect([await made.exit, made.stdout, made.stderr]).toEqual([2, '', '--room: missing; --help says what it is\n']);
    const wrong = start(['token', '--room', 'tea', '--name', 'Ann'], { ALOUD_KEYS: 'key:too-short-a-secret' });
    expect(await wrong.exit).toBe(2);
    expect(wrong.stderr).toMatch(/^--keys \(from ALOUD_KEYS\): allowed is id:secret/);
  });
});

requireOrSkip(isBuilt(), 'the native HTTP/3 engine is not built', canBuildNative).describe('a start with HTTP/3', () => {
  it('says where it is, refuses a second one there, and ends with its threads', async () => {
    const first = startServer(['--engine', 'native']);
    const [, port] = await first.printed(/WebTransport is on[^\n]* UDP port (\d+)[^\n]*native/);
    const second = startServer(['--h3-port', port]);
    expect(await second.exit).toBe(2);
    expect(second.stderr).toMatch(new RegExp(`^--h3-port: ${port}: .*in use.*\\n$`));
    first.process.kill('SIGINT');
    expect(await first.exit).toBe(0);
  });
});
