import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, TestRunner, vi } from 'vitest';
import { describeDisturbance, OwnTime, sharesBetween } from '../../../testkit/machine.js';
import { undisturbed, undisturbedTest } from '../../../testkit/undisturbed.js';

const steady = { hasStalled: 0, longestMs: 0, stolenMs: 0, stolenShare: 0, othersShare: 0 };
const still = { ...steady, hasStalled: 2, longestMs: 61 };

/** @param {object} seen in each measurement */
const watchThatSees = (seen) => async () => () => ({ ...steady, ...seen });

it('a failing test blames the code at once where the machine was steady', async () => {
  let count = 0;
  const measure = async () => {
    count += 1;
    throw new Error('a gap of 20 ms');
  };
  await expect(undisturbed(measure, undefined, { watch: watchThatSees(steady) })).rejects.toThrow(
    /^a gap of 20 ms$/,
  );
  expect(count).toBe(1);
});

it('a failing test blames code that can’t run, however disturbed the machine was', async () => {
  let count = 0;
  const measure = async () => {
    count += 1;
    return /** @type {any} */ (undefined).exitCode;
  };
  await expect(undisturbed(measure, undefined, { watch: watchThatSees(still) })).rejects.toThrow(
    TypeError,
  );
  expect(count).toBe(1);
});

it('a test measures again where the machine stood still, after it cleaned up, and says so', async ({
  task,
}) => {
  const done = /** @type {string[]} */ ([]);
  const measure = async () => {
    if (done.push('measured') < 3) throw new Error('a gap of 20 ms');
    return 'steady';
  };
  expect(
    await undisturbed(measure, () => done.push('cleaned'), { watch: watchThatSees(still) }),
  ).toBe('steady');
  expect(done).toEqual(['measured', 'cleaned', 'measured']);
  const { measuredAgain } = /** @type {any} */ (task.meta);
  expect(measuredAgain).toEqual([
    'the machine stood still 2 times, for up to 61 ms: measured again after "a gap of 20 ms"',
  ]);
  measuredAgain.length = 0;
});

it('each try closes its resources, the latest first, and throws their errors', async ({ task }) => {
  const done = /** @type {string[]} */ ([]);
  const run = async (
    /** @type {{ onTestFinished: (close: () => Promise<void>) => void }} */ { onTestFinished },
  ) => {
    for (const name of ['server', 'client']) onTestFinished(async () => void done.push(name));
    if (done.length < 2) throw new Error('a gap of 20 ms');
  };
  const tried = (/** @type {object} */ seen) => undisturbedTest({ task }, run, watchThatSees(seen));
  await expect(tried(steady)).rejects.toThrow(/^a gap of 20 ms$/);
  expect(done.splice(0)).toEqual(['client', 'server']);
  await tried(still);
  expect(done).toEqual(['client', 'server', 'client', 'server']);
  /** @type {any} */ (task.meta).measuredAgain.length = 0;
});

it.each([
  [4, 'was never steady', still],
  [2, 'loses much to its host', { ...still, stolenMs: 3000, stolenShare: 0.5 }],
])('a test gives no verdict after %i measurements where the machine %s', async (most, _, seen) => {
  const task = /** @type {import('vitest').RunnerTestCase} */ (TestRunner.getCurrentTest());
  let count = 0;
  const measure = async () => {
    count += 1;
    throw new Error('a gap of 20 ms');
  };
  const skip = vi.spyOn(task.context, 'skip').mockImplementation((/** @type {any} */ note) => {
    throw new Error(`skipped: ${note}`);
  });
  const given = undisturbed(measure, undefined, { watch: watchThatSees(seen) });
  const words = new RegExp(
    `^skipped: no verdict in ${most} measurements: the last time the machine stood still ` +
      '.*, and "a gap of 20 ms"$',
  );
  await expect(given).rejects.toThrow(words);
  skip.mockRestore();
  expect(count).toBe(most);
  /** @type {any} */ (task.meta).measuredAgain.length = 0;
});

it('a test gives no verdict where another measurement would take longer than the test may', async ({
  task,
}) => {
  let count = 0;
  const measure = async () => {
    count += 1;
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 0.4 * task.timeout);
    throw new Error('a gap of 20 ms');
  };
  vi.spyOn(task.context, 'skip').mockImplementation((/** @type {any} */ note) => {
    throw new Error(`skipped: ${note}`);
  });
  const given = undisturbed(measure, undefined, { watch: watchThatSees(still) });
  await expect(given).rejects.toThrow(/^skipped: no verdict in 2 measurements: /);
  vi.restoreAllMocks();
  expect(count).toBe(2);
  /** @type {any} */ (task.meta).measuredAgain.length = 0;
});

it.each([
  [{ stolenMs: 20 }, ''],
  [{ stolenMs: 30 }, 'its host took 30 ms of processor time'],
  [{ othersShare: 0.2 }, ''],
  [{ othersShare: 0.97 }, 'other processes used 1.0 processors'],
])('the reading %j means "%s"', (seen, words) => {
  expect(describeDisturbance({ ...steady, ...seen })).toBe(words);
});

it("others' processor time is that of no process of the run, whichever of them have ended", () => {
  const ticks = (/** @type {Record<number, [number, number]>} */ all) =>
    new Map(Object.entries(all).map(([pid, [whole, self]]) => [Number(pid), { whole, self }]));
  const between = (/** @type {Map<number, any>[]} */ ...readings) => {
    const own = new OwnTime();
    const [ownMs] = readings.map((reading) => own.add(reading)).toReversed();
    return sharesBetween(
      { atMs: 0, usedMs: 0, stolenMs: 0, ownMs: 0 },
      { atMs: 1000, usedMs: 500, stolenMs: 20, ownMs },
    );
  };
  const before = ticks({ 1: [10, 10], 2: [3000, 3000] });
  // The second goes on; it ends, and its parent has its times; its parent has ended before it.
  for (const after of [
    ticks({ 1: [12, 12], 2: [3018, 3018] }),
    ticks({ 1: [3030, 12] }),
    ticks({ 1: [30, 30] }),
  ])
    expect(between(before, after)).toEqual({ stolenShare: 0.02, othersShare: expect.closeTo(0.3) });
  // The second begins and ends between readings, and nobody waits for it.
  const readings = [ticks({ 1: [10, 10] }), ticks({ 1: [10, 10], 2: [18, 18] })];
  expect(between(...readings, ticks({ 1: [12, 12] })).othersShare).toBeCloseTo(0.3);
});

it('one tick in a short last window is no share', () => {
  const times = (/** @type {number} */ atMs, /** @type {number} */ usedMs) => ({
    ...{ atMs, usedMs, stolenMs: usedMs, ownMs: 0 },
  });
  expect(sharesBetween(times(0, 0), times(20, 10), 5000).stolenShare).toBe(0.002);
});

it('the watch tells of the worst window, which the mean of a long run hides', async () => {
  const module = new URL('../../../testkit/machine.js', import.meta.url).href;
  const busy = 'const from = Date.now(); while (Date.now() - from < 1000);';
  // Its parent ends at once, so it is no process of the run.
  const script = `
    const { spawn } = await import('node:child_process');
    const { watchMachine } = await import(${JSON.stringify(module)});
    const end = await watchMachine({ windowMs: 500 });
    spawn('sh', ['-c', '"$0" -e "$1" &', process.execPath, ${JSON.stringify(busy)}]);
    setTimeout(() => {
      console.log(JSON.stringify(end()));
      process.exit();
    }, 4000);`;
  const { VITEST: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const [line] = await once(child.stdout, 'data');
  const { worst, othersShare } = JSON.parse(String(line));
  expect(worst.othersShare).toBeGreaterThan(0.5);
  expect(worst.othersShare).toBeGreaterThan(othersShare);
});

it('the watch sees that its process stood still', async () => {
  const module = new URL('../../../testkit/machine.js', import.meta.url).href;
  const script = `
    const { watchMachine } = await import(${JSON.stringify(module)});
    const end = await watchMachine();
    process.stdin.once('data', () => {
      console.log(JSON.stringify(end()));
      process.exit();
    });
    console.log('watching');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  child.stdin.write('enough');
  await pause(150);
  // Either of its threads may be the first to go on.
  child.kill('SIGCONT');
  const [line] = await once(child.stdout, 'data');
  const { hasStalled, longestMs } = JSON.parse(String(line));
  expect(hasStalled).toBeGreaterThan(0);
  expect(longestMs).toBeGreaterThan(100);
});
