import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { probe } from '@aloud/native';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../server/config/config.js';
import { createServer } from '../../../server/server.js';
import { requireOrSkip } from '../../../testkit/skip.js';

/** @typedef {(path: string) => void} WriteAddon */

const HOME = fileURLToPath(new URL('../../..', import.meta.url));

/** @type {string} */
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aloud-probe-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a module that is tried in a process of its own', () => {
  /** @type {[string, string, string | null][]} */
  const cases = [
    ['loads', 'export default 1;', null],
    ['aborts', 'process.abort();', 'it ends the process that loads it (SIGABRT)'],
    ['ends', 'process.exit(3);', 'it ends the process that loads it (exit code 3)'],
    [
      'has another processor’s instructions',
      "process.kill(process.pid, 'SIGILL'); for (;;);",
      'it uses instructions that this processor lacks',
    ],
    ['hangs', 'for (;;);', 'it did not load within 2 s'],
    [
      'needs a newer libc',
      `throw new Error("/lib/libc.so.6: version \`GLIBC_9.9' not found (required by x.node)");`,
      'it needs glibc 9.9, and this system has ',
    ],
  ];
  it.each(cases)('%s', async (name, source, reason) => {
    const file = join(folder, 'module.mjs');
    writeFileSync(file, source);
    // A busy machine takes its time to start a process.
    const found = await probe(file, { limitMs: name === 'hangs' ? 2000 : 30_000 });
    if (reason === null) expect(found).toBeNull();
    else expect(found).toContain(reason);
  });

  it('is a file that is no library', async () => {
    const file = join(folder, 'aloud.node');
    writeFileSync(file, 'no library at all');
    expect(await probe(file)).toMatch(/^it does not load \(.*aloud\.node.*\)$/);
  });
});

/** Lays out an installed package whose addon is another file. @param {WriteAddon} writeAddon */
function layOut(writeAddon) {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@aloud', 'native'), { recursive: true });
  for (const name of ['server', 'public', 'worklets', 'programs', 'package.json'])
    cpSync(join(HOME, name), join(folder, name), { recursive: true });
  for (const name of readdirSync(join(HOME, 'node_modules')))
    if (name !== '@aloud') symlinkSync(join(HOME, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(HOME, 'native')).filter((file) => /\.js(on)?$/.test(file)))
    cpSync(join(HOME, 'native', name), join(modules, '@aloud', 'native', name));
  writeAddon(join(modules, '@aloud', 'native', 'aloud.node'));
}

/**
 * Starts an installed package whose addon is another file.
 * @param {WriteAddon} writeAddon
 * @returns {Promise<string>} its report
 */
async function startWith(writeAddon) {
  layOut(writeAddon);
  const options = ['--port', '0', '--h3-port', '0', '--cert-dir', folder, '--workers', '1'];
  const server = spawn(process.execPath, [join(folder, 'server', 'main.js'), ...options]);
  const ended = new Promise((resolve) => server.on('close', resolve));
  let report = '';
  try {
    await new Promise((resolve, reject) => {
      server.stderr.on('data', (bytes) => reject(new Error(String(bytes))));
      server.on('close', (code, signal) => reject(new Error(`it ended: ${code ?? signal}`)));
      server.stdout.on('data', (bytes) => {
        report += bytes;
        if (/WebSocket and HTTP\/1 are on/.test(report)) resolve(undefined);
      });
    });
    const [url] = /http:\S+/.exec(report) ?? [''];
    expect((await fetch(url)).status).toBe(200);
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
  return report;
}

describe('a server whose addon is broken', () => {
  it('says so and how to build it, and runs without it', async () => {
    const report = await startWith((path) => writeFileSync(path, '\x7fELF, and nothing else'));
    expect(report).toMatch(/WebTransport is off: the engine native is unavailable \(it does not/);
    expect(report).toMatch(/To turn it on:\n {2}\S/);
    expect(report).toMatch(/The Opus codec is libopus-wasm/);
  });
});

/**
 * Makes an addon that does something while it is loaded.
 * @param {string} include
 * @param {string} statement  in C
 * @returns {WriteAddon}
 */
function compiled(include, statement) {
  const file = join(folder, 'addon.c');
  writeFileSync(
    file,
    `${include}\n__attribute__((constructor)) static void begin(void) { ${statement} }\n`,
  );
  return (path) => {
    const { status } = spawnSync('cc', ['-shared', '-fPIC', '-o', path, file]);
    expect(status).toBe(0);
  };
}

/** A program that joins a room, says over what, and writes a sound file. */
const PROGRAM = `
import { join, writeSound } from './programs/client.js';
const call = await join({ url: process.argv[2], room: 'tea' });
console.log(call.state);
await call.leave();
const sound = await writeSound('./sound.opus', { sampleRate: 48000, channels: 1 });
await sound.write(new Float32Array(4800));
sound.end();
console.log('written');
`;

const hasCompiler = spawnSync('cc', ['--version']).status === 0 && process.platform === 'linux';
requireOrSkip(hasCompiler, 'there is no C compiler').describe('a server whose addon', () => {
  /** @type {[string, string, string][]} */
  const cases = [
    ['aborts', '#include <stdlib.h>\nabort();', 'it ends the process that loads it (SIGABRT)'],
    [
      'has an illegal instruction',
      '#include <signal.h>\nraise(SIGILL);',
      'it uses instructions that this processor lacks',
    ],
  ];
  it.each(cases)('%s runs without it', async (_name, source, reason) => {
    const [include, statement] = source.split('\n');
    const report = await startWith(compiled(include, statement));
    expect(report).toContain(`the engine native is unavailable (${reason})`);
  });

  it('aborts doesn’t end a program that uses aloud/client', async () => {
    layOut(compiled('#include <stdlib.h>', 'abort();'));
    writeFileSync(join(folder, 'program.js'), PROGRAM);
    const argv = ['--port', '0', '--engine', 'none', '--codec', 'libopus-wasm'];
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const server = await createServer(loadConfig({ argv, env: {} }), { log });
    try {
      const program = spawn(process.execPath, ['program.js', server.url], { cwd: folder });
      let told = '';
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (bytes) => (told += bytes));
      const end = await new Promise((resolve) =>
        program.on('close', (code, signal) => resolve(code ?? signal)),
      );
      expect([end, told]).toEqual([0, 'joined\nwritten\n']);
    } finally {
      await server.close();
    }
  });
});
