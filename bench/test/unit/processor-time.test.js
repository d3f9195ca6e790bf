import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { descendants, Quota, SharedCore } from '../../participants/processor-time.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @type {(() => unknown)[]} */
const closers = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A process that is busy, and says so. @param {string} [script] */
async function busyProcess(
  script = "console.log('busy'); for (const endMs = Date.now() + 20_000; Date.now() < endMs; );",
) {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  closers.push(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { pid: Number(child.pid), line: String(line).trim() };
}

/**
 * Processor time of a process since its start, in milliseconds: proc(5), fields 14 and 15, in ticks
 * of 10 ms.
 * @param {number} pid
 */
function processorMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

const isLinux = process.platform === 'linux';
const onLinux = requireOrSkip(isLinux, 'there is no /proc', ofTheMachine);
onLinux.it('finds the processes that a process has started', async () => {
  const script =
    "const child = require('node:child_process').spawn('sleep', ['20']); " +
    "console.log(child.pid); process.on('exit', () => child.kill()); setTimeout(() => {}, 20_000);";
  const { pid, line } = await busyProcess(script);
  closers.push(() => process.kill(Number(line), 'SIGKILL'));
  expect(descendants(pid)).toEqual([pid, Number(line)]);
  expect(descendants(process.pid)).toEqual(expect.arrayContaining([pid, Number(line)]));
});

/** @returns {string} why not; empty where it can */
function whyNoQuota() {
  try {
    new Quota(0.5).close();
    return '';
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

const noQuota = whyNoQuota();
const withQuota = requireOrSkip(noQuota === '', noQuota, ofTheMachine);
withQuota.it('lets processes have no more than a share of a core, and lets them go', async () => {
  const { pid } = await busyProcess();
  const quota = new Quota(0.1);
  closers.push(() => quota.close());
  quota.add([pid]);
  await undisturbed(async () => {
    const [fromMs, usedMs] = [performance.now(), processorMs(pid)];
    await pause(1000);
    // Up to one more period's share, and a tick of the clock: where ticks are late, it is stopped
    // as late.
    expect(processorMs(pid) - usedMs).toBeLessThan(0.1 * (performance.now() - fromMs) + 30);
  });
  // A busy loop uses up its share in each period but the one that it came in, and the one that goes
  // on.
  expect(quota.stoppedPercent()).toBeGreaterThan(50);
  const group = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  expect(group).toContain('aloud-');
  quota.close();
  expect(readFileSync(`/proc/${pid}/cgroup`, 'utf8')).not.toContain('aloud-');
});

withQuota.it('makes as many groups as are wanted at once', () => {
  const quotas = Array.from({ length: 5 }, () => new Quota(0.5));
  closers.push(() => quotas.forEach((quota) => quota.close()));
  expect(quotas.map((quota) => quota.stoppedPercent())).toEqual([0, 0, 0, 0, 0]);
});

const hasTaskset = ['/usr/bin/taskset', '/bin/taskset'].some((file) => existsSync(file));
const withTaskset = requireOrSkip(isLinux && hasTaskset, 'there is no taskset', ofTheMachine);
withTaskset.it('has processes share one core with a busy loop, and lets them go', async () => {
  const { pid } = await busyProcess();
  const coresOf = () =>
    /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const before = coresOf();
  const core = new SharedCore();
  closers.push(() => core.close());
  await core.add([pid]);
  expect(coresOf()).toBe('0');
  await core.close();
  expect(coresOf()).toBe(before);
});

it('says why there can be no control group', () => {
  if (noQuota) expect(noQuota).toMatch(/control group/);
  else expect(() => new Quota(0)).toThrow(/^no control group can be made/);
});
