/**
 * Clients of others' making, built from small programs beside this file into a folder that git
 * doesn't have. Each takes a session's URL, a line and a datagram in hex, and prints what came
 * back.
 */

import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/aloud-interop/', import.meta.url));

/** The most that a command prints which is kept. */
const KEPT_BYTES = 64 * 1024;

/** A client can't be had here; the message says why. */
export class Missing extends Error {}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number }} [options]
 * @returns {Promise<{ code: number | null, out: string, error: string }>} code is null when there
 *   is no such command
 */
export function run(command, args, { cwd = HERE, env = process.env, limitMs = 600_000 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
    });
    const said = { out: '', error: '' };
    child.stdout.on('data', (bytes) => void (said.out = (said.out + bytes).slice(-KEPT_BYTES)));
    child.stderr.on('data', (bytes) => void (said.error = (said.error + bytes).slice(-KEPT_BYTES)));
    child.on('error', () => resolve({ code: null, ...said }));
    child.on('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
}

/**
 * Runs a command that must succeed.
 * @param {string} what   that it is for, in words
 * @param {Parameters<typeof run>} command
 * @throws {Missing}
 */
async function must(what, ...command) {
  const { code, out, error } = await run(...command);
  if (code === null) throw new Missing(`there is no ${command[0]}`);
  if (code !== 0) throw new Missing(`${what}: ${(error || out).trim().split('\n').at(-1)}`);
  return out;
}

/**
 * aioquic, in a Python environment of its own.
 * @param {string} script in aioquic/
 * @returns {Promise<string[]>} a command
 */
export async function aioquic(script) {
  const home = join(CACHE, 'aioquic');
  const python = join(home, 'bin', 'python');
  const wanted = join(HERE, 'aioquic', 'requirements.txt');
  const has = join(home, 'requirements.txt');
  if (!existsSync(has) || readFileSync(has, 'utf8') !== readFileSync(wanted, 'utf8')) {
    mkdirSync(CACHE, { recursive: true });
    await must('python has no venv', 'python3', ['-m', 'venv', '--clear', home]);
    await must('aioquic can not be installed', python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--requirement',
      wanted,
    ]);
    copyFileSync(wanted, has);
  }
  return [python, join(HERE, 'aioquic', script)];
}

/**
 * A version of webtransport-go.
 * @param {string} version
 * @param {(moduleFolder: string) => void} [change]  changes a copy of the module's files
 * @returns {Promise<string[]>} a command
 */
export async function webtransportGo(version, change) {
  const home = join(HERE, `webtransport-go-${version}`);
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };
  const folder = join(CACHE, `webtransport-go-${version}`);
  rmSync(folder, { recursive: true, force: true });
  cpSync(home, folder, { recursive: true });
  const options = { cwd: folder, env };
  await must('webtransport-go can not be fetched', 'go', ['mod', 'download'], options);
  const module = 'github.com/quic-go/webtransport-go';
  if (change) {
    const found = await must(
      'go knows no such module',
      'go',
      ['list', '-m', '-f', '{{.Dir}}', module],
      options,
    );
    const copy = join(folder, 'changed');
    // The cache of modules can't be written to, and a copy as it is neither.
    await must(
      'the module can not be copied',
      'cp',
      ['-r', '--no-preserve=mode', found.trim(), copy],
      options,
    );
    change(copy);
    await must(
      'go.mod can not be edited',
      'go',
      ['mod', 'edit', `-replace=${module}=./changed`],
      options,
    );
  }
  const program = join(folder, 'client');
  await must('the client can not be built', 'go', ['build', '-o', program, '.'], options);
  return [program];
}

/** @returns {Promise<string[]>} a command: wtransport, of crates.io */
export async function wtransport() {
  const target = join(CACHE, 'wtransport');
  const args = ['build', '--quiet', '--locked', '--target-dir', target];
  await must('wtransport can not be built', 'cargo', args, { cwd: join(HERE, 'wtransport') });
  return [join(target, 'debug', 'interop')];
}
