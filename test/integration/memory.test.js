import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nativeTests } from '../../testkit/native.js';

const SERVER = new URL('../../server/server.js', import.meta.url);
const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const MIB = 1024 * 1024;

/** Resident pages of files, in KiB, in JavaScript. Linux only. */
const FILES = `Number(/^RssFile:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])`;

/**
 * Prints at a signal, in bytes: the size of V8's young generation, what a collection takes from the
 * old one, and resident pages of files.
 */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  import { getHeapSpaceStatistics } from 'node:v8';
  const space = (name) => getHeapSpaceStatistics().find((one) => one.space_name === name);
  const used = () => space('old_space').space_used_size;
  process.on('SIGUSR2', () => {
    const files = process.platform === 'linux' ? ${FILES} : NaN;
    const [young, before] = [space('new_space').space_size, used()];
    gc();
    console.log('heap', young, before - used(), 1024 * files);
  });
`)}`;

/**
 * @param {string[]} [nodeOptions]
 * @returns {Promise<{ young: number, garbage: number, files: number }>} bytes, in a server that has
 *   started
 */
async function heapOf(nodeOptions = []) {
  const child = spawn(
    process.execPath,
    ['--expose-gc', ...nodeOptions, '--import', TELLS, MAIN, '--port', '0', '--engine', 'none'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('aloud is at')) child.kill('SIGUSR2');
      const [word, young, garbage, files] = line.split(' ');
      if (word === 'heap')
        return { young: Number(young), garbage: Number(garbage), files: Number(files) };
    }
    throw new Error('the server ended');
  } finally {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

describe('a server that has just started', () => {
  it('has loaded no package that only some servers use', async () => {
    // Modules of the second kind are in no cache: Node.js's loader asks a hook for each.
    const hook = `
      import { writeSync } from 'node:fs';
      export async function resolve(specifier, context, next) {
        const resolved = await next(specifier, context);
        writeSync(1, resolved.url + '\\n');
        return resolved;
      }
    `;
    const script = `
      import { createRequire, register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
      await import(${JSON.stringify(SERVER.href)});
      for (const file of Object.keys(createRequire(${JSON.stringify(SERVER.href)}).cache))
        console.log(file);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      script,
    ]);
    const loaded = stdout.split('\n');
    expect(loaded.some((file) => file.includes('/express/'))).toBe(true);
    expect(loaded.some((file) => file.includes('/zod/'))).toBe(true);
    const rare = /\/(acme-client|@nats-io|@peculiar|prom-client|libopus-wasm)\//;
    expect(loaded.filter((file) => rare.test(file))).toEqual([]);
  });

  it('has a small young generation, unless Node.js was given a size', async () => {
    expect((await heapOf()).young).toBeLessThan(5 * MIB);
    expect((await heapOf(['--min-semi-space-size=8'])).young).toBeGreaterThan(15 * MIB);
  });

  it('has collected the garbage of its start', async () => {
    expect((await heapOf()).garbage).toBeLessThan(MIB);
  });
});

nativeTests.describe('a server that has just started, with the addon', () => {
  it.runIf(process.platform === 'linux')(
    'has unmapped the code that only a start uses',
    async () => {
      const { files } = await heapOf();
      const script = `import { readFileSync } from 'node:fs'; console.log(1024 * ${FILES})`;
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        script,
      ]);
      // The addon and the system's libraries are among its files.
      expect(files).toBeLessThan(0.6 * Number(stdout));
    },
  );
});
