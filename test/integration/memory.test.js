import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SERVER = new URL('../../server/server.js', import.meta.url);
const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const MIB = 1024 * 1024;

/** Prints the size of V8's young generation, in bytes, at a signal. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  import { getHeapSpaceStatistics } from 'node:v8';
  const young = (space) => space.space_name === 'new_space';
  const size = () => getHeapSpaceStatistics().find(young).space_size;
  process.on('SIGUSR2', () => console.log('young', size()));
`)}`;

/** @param {string[]} nodeOptions @returns {Promise<number>} bytes of the young generation */
async function youngBytes(nodeOptions) {
  const child = spawn(
    process.execPath,
    [...nodeOptions, '--import', TELLS, MAIN, '--port', '0', '--engine', 'none'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('aloud is at')) child.kill('SIGUSR2');
      if (line.startsWith('young')) return Number(line.split(' ')[1]);
    }
    throw new Error('the server ended');
  } finally {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

describe('a server that has just started', () => {
  it('has loaded no client of NATS or ACME, and no writer of certificates', async () => {
    const script = `
      import { createRequire } from 'node:module';
      await import(${JSON.stringify(SERVER.href)});
      const all = Object.keys(createRequire(${JSON.stringify(SERVER.href)}).cache);
      console.log(JSON.stringify(all));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      script,
    ]);
    const loaded = /** @type {string[]} */ (JSON.parse(stdout));
    expect(loaded.some((file) => file.includes('/express/'))).toBe(true);
    expect(loaded.filter((file) => /\/(acme-client|@nats-io|@peculiar)\//.test(file))).toEqual([]);
  });

  it('has a small young generation, unless Node.js was given a size', async () => {
    expect(await youngBytes([])).toBeLessThan(5 * MIB);
    expect(await youngBytes(['--min-semi-space-size=8'])).toBeGreaterThan(15 * MIB);
  });
});
