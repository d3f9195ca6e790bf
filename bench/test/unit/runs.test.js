import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
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

describe('a signal', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Keeps signals from the process of the tests. @returns {string[]} their names */
  function signals() {
    /** @type {string[]} */
    const got = [];
    const { emit } = process;
    vi.spyOn(process, 'emit').mockImplementation(
      /** @type {any} */ (
        (/** @type {string} */ name, /** @type {unknown[]} */ ...rest) =>
          /^SIG/.test(name) ? got.push(name) > 0 : Reflect.apply(emit, process, [name, ...rest])
      ),
    );
    return got;
  }

  it.each([
    ['that ended a program', "process.kill(process.pid, 'SIGINT'); setTimeout(() => {}, 60_000)"],
    [
      'that a program says it was ended by',
      "process.send({ brokeOff: 'interrupted by SIGINT', interruptedBy: 'SIGINT' }); " +
        'process.exitCode = 1',
    ],
  ])(
    '%s interrupts what runs it too, as in a shell',
    async (_, script) => {
      const got = signals();
      expect(await run(script)).toMatchObject({ reason: 'interrupted by SIGINT' });
      expect(got).toEqual(['SIGINT']);
    },
    PATIENCE_MS,
  );

  it(
    'by which a program is ended from here interrupts nothing else',
    async () => {
      const got = signals();
      const over = new AbortController();
      over.abort(new Error('enough'));
      // Broken off before: the program is ended at once.
      await runNode(['-e', 'setTimeout(() => {}, 60_000)'], 60, over.signal);
      await runNode(['-e', 'setTimeout(() => {}, 60_000)'], 0, never);
      expect(got).toEqual([]);
    },
    PATIENCE_MS,
  );
});

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
    [['throughput'], 260],
    [['soak'], 3600],
    [['rtt', '--duration', '1', '--repetitions', '1'], 10],
  ])
    expect(limitOf(/** @type {string[]} */ (argv))).toBeGreaterThan(1.5 * Number(told));
});
