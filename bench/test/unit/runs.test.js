import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { limitOf, runNode, runScenario } from '../../scenarios/runs.js';

const never = new AbortController().signal;

/** For the start of a program on a busy machine. */
const PATIENCE_MS = 60_000;

/** @param {string} script */
const run = (script) => runNode(['-e', script], 60, never);

it(
  'a program that breaks off may say why',
  async () => {
    expect(
      await run(
        "console.log('half'); process.send({ brokeOff: 'no root here' }); process.exitCode = 1",
      ),
    ).toEqual({ output: 'half\n', code: 1, reason: 'no root here' });
    expect(await run("console.log('whole')")).toEqual({
      output: 'whole\n',
      code: 0,
      reason: undefined,
    });
  },
  PATIENCE_MS,
);

it(
  'a program that takes too long is ended, and that is the reason',
  async () => {
    const script =
      "process.on('SIGTERM', () => { process.send({ brokeOff: 'interrupted' }); " +
      'process.exit(1); }); setInterval(() => {}, 1000)';
    expect(await runNode(['-e', script], 0, never)).toMatchObject({
      reason: 'it was ended after 0 s',
    });
  },
  PATIENCE_MS,
);

it(
  'a scenario that breaks off before it has a folder says why',
  async ({ onTestFinished }) => {
    const out = await mkdtemp(join(tmpdir(), 'aloud-runs-'));
    onTestFinished(() => rm(out, { recursive: true }));
    vi.stubEnv('CHROMIUM_PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const broken = runScenario({ argv: ['shipped'], out, signal: never });
    await expect(broken).rejects.toThrow(
      '--browser needs Chromium, and there is none: install it, or set CHROMIUM_PATH to ' +
        'its program.',
    );
  },
  PATIENCE_MS,
);

it('a run is given more than a fifth over its told time before it is ended', () => {
  for (const [argv, told] of [
    [['throughput'], 470],
    [['soak'], 3600],
    [['rtt', '--duration', '1', '--repetitions', '1'], 10],
  ])
    expect(limitOf(/** @type {string[]} */ (argv))).toBeGreaterThan(1.5 * Number(told));
});
