import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { pingLink, probeLink, startLoad } from '../../link/measure.js';
import { openLink } from '../../link/link.js';
import { run } from '../../../testkit/network-namespace.js';
import { starOf } from '../../link/star.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @typedef {import('../../link/emulator.js').LinkStats} LinkStats */
/** @typedef {import('../../link/measure.js').ProbeResult} ProbeResult */

const CRATE = fileURLToPath(new URL('../../link/', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../link/command.js', import.meta.url));
const OWNER = fileURLToPath(new URL('../fixtures/link-owner.js', import.meta.url));

const trial = await openLink({ parameters: { delayMs: 1 }, seed: 1 });
await trial.close();
const needsLink = requireOrSkip(trial.available, trial.reason ?? '', ofTheMachine);
const needsCargo = requireOrSkip(
  (await run('cargo', ['--version'])).code === 0,
  'there is no cargo',
  ofTheMachine,
);

/** @type {Set<{ close(): Promise<unknown> }>} */
const open = new Set();
async function closeAll() {
  await Promise.all([...open].map((link) => link.close()));
  open.clear();
}
afterEach(closeAll);

/** @param {() => Promise<void>} measure */
const measured = (measure) => () => undisturbed(measure, closeAll);

/** @param {object} parameters @param {object} [options] */
async function linkWith(parameters, options = {}) {
  const link = await openLink({ parameters, seed: 7, ...options });
  open.add(link);
  expect(link.reason).toBeUndefined();
  return link;
}

/** @param {import('../../link/link.js').Link} link */
const statsOf = async (link) => /** @type {LinkStats} */ (await link.stats());

/** @param {ProbeResult} result @param {number} count */
function missing(result, count) {
  const came = new Set((result.packets ?? []).map(([, sequence]) => sequence));
  return Array.from({ length: count }, (_, i) => i).filter((i) => !came.has(i));
}

const ONE_STREAM = {
  streams: 1,
  rate: 800,
  bytes: 100,
  seconds: 1.25,
  lingerMs: 300,
  record: true,
};
const COUNT = ONE_STREAM.rate * ONE_STREAM.seconds;

/** @param {LinkStats['up']} stats */
const accounted = (stats) =>
  stats.delivered.packets +
  stats.lostRandom.packets +
  stats.lostBurst.packets +
  stats.droppedQueue.packets +
  stats.droppedFull.packets +
  stats.failed.packets +
  stats.held;

/** Starts a process that owns a link. @param {object} [options] of spawn */
async function startOwner(options = {}) {
  const child = spawn(process.execPath, [OWNER], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  open.add({ close: async () => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL') });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(line) };
}

const namespaces = async () => (await run('ip', ['netns', 'list'])).stdout;

/** True when an emulator for this namespace is running. @param {string} name */
const emulates = async (name) =>
  (await run('pgrep', ['-f', `aloud-link link --client ${name}`])).code === 0;

/** @param {() => Promise<boolean>} condition */
async function until(condition) {
  const end = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('it never came true');
    await sleep(20);
  }
}

needsCargo.describe('the model', () => {
  it('passes its own tests', async () => {
    const args = ['test', '--locked', '--manifest-path', join(CRATE, 'Cargo.toml')];
    const { code, stdout, stderr } = await run('nice', ['cargo', ...args]);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/test result: ok\. \d\d+ passed/);
  }, 180_000);
});

needsLink.describe('a link', () => {
  it(
    'delivers everything, in order, after its delay',
    measured(async () => {
      const link = await linkWith({ delayMs: 20 });
      const { up, down, sent } = await probeLink(link, {
        streams: 10,
        rate: 50,
        acks: 5,
        seconds: 2,
      });
      const stats = await statsOf(link);
      for (const [result, side, count] of /** @type {const} */ ([
        [up, 'up', sent.up],
        [down, 'down', sent.down],
      ])) {
        expect(result.received).toBe(count);
        expect(result.outOfOrder).toBe(0);
        expect(result.delay.minUs).toBeGreaterThanOrEqual(20_000);
        // Others may be using the processors; the lab's own check has the bar.
        expect(result.delay.p50Us).toBeLessThan(21_500);
        expect(stats[side].arrived.packets).toBe(count);
        expect(stats[side].delivered.packets).toBe(count);
        expect(stats[side].delivered.bytes).toBe(count * 28 + (count / 3) * (2 * 120 + 40));
        expect(stats[side].lateness.count).toBe(count);
        expect(stats[side].lateness.p50Us).toBeLessThan(1000);
        console.log(
          `${side}: measured p99 ${result.delay.p99Us} µs for 20000, own lateness p99 ` +
            `${stats[side].lateness.p99Us} µs`,
        );
      }
    }),
  );

  it(
    'loses what its seed says',
    measured(async () => {
      const lossy = { up: { lossPercent: 10 } };
      const lost = await Promise.all(
        [7, 7, 8].map(async (seed) => {
          const link = await linkWith(lossy, { seed });
          const { up, down } = await probeLink(link, ONE_STREAM);
          expect(down.received).toBe(COUNT);
          const stats = await statsOf(link);
          expect(stats.up.lostRandom.packets).toBe(COUNT - up.received);
          expect(accounted(stats.up)).toBe(stats.up.arrived.packets);
          return missing(up, COUNT);
        }),
      );
      // 100 ± 9.5; five deviations.
      expect(lost[0].length).toBeGreaterThan(52);
      expect(lost[0].length).toBeLessThan(148);
      expect(lost[1]).toEqual(lost[0]);
      expect(lost[2]).not.toEqual(lost[0]);
    }),
  );

  it(
    'loses in bursts',
    measured(async () => {
      const link = await linkWith({
        down: { burstEnter: 0.02, burstLeave: 0.2, badLossPercent: 100 },
      });
      const { down } = await probeLink(link, ONE_STREAM);
      const lost = missing(down, COUNT);
      const bursts = lost.filter((n, i) => n !== lost[i - 1] + 1).length;
      expect(lost.length).toBeGreaterThan(20);
      expect(lost.length / bursts).toBeGreaterThan(2);
      expect((await statsOf(link)).down.lostBurst.packets).toBe(lost.length);
    }),
  );

  it(
    'jitters without reordering, and with it when asked',
    measured(async () => {
      const jitter = { delayMs: 30, jitter: 'normal', jitterMs: 8 };
      const link = await linkWith({ up: jitter, down: { ...jitter, reorder: true } });
      const { up, down } = await probeLink(link, ONE_STREAM);
      expect(up.received).toBe(COUNT);
      expect(up.outOfOrder).toBe(0);
      expect(up.delay.deviationUs).toBeGreaterThan(1000);
      expect(down.received).toBe(COUNT);
      expect(down.outOfOrder).toBeGreaterThan(100);
      const stats = await statsOf(link);
      expect(stats.up.reordered.packets).toBe(0);
      expect(stats.down.reordered.packets).toBe(down.outOfOrder);
      // Nothing holds the others up here, so the mean is the delay's.
      expect(Math.abs(down.delay.meanUs - 30_000)).toBeLessThan(2000);
    }),
  );

  it(
    'carries as much as its rate, for TCP too',
    measured(async () => {
      const link = await linkWith({
        delayMs: 5,
        queueMs: 50,
        up: { rateBits: 5e6 },
        down: { rateBits: 10e6 },
      });
      const { up, down } = await link.bandwidth({ seconds: 1.5 });
      expect(up.bitsPerSecond / 5e6).toBeGreaterThan(0.75);
      expect(up.bitsPerSecond / 5e6).toBeLessThan(1);
      expect(down.bitsPerSecond / 10e6).toBeGreaterThan(0.75);
      expect(down.bitsPerSecond / 10e6).toBeLessThan(1);
    }),
  );

  it(
    "drops what its queue can't hold, and counts it",
    measured(async () => {
      // 8 Mbit/s come, 4 Mbit/s go.
      const link = await linkWith({ up: { rateBits: 4e6, queuePackets: 20 } });
      const { up, sent } = await probeLink(link, {
        streams: 1,
        rate: 1000,
        bytes: 972,
        seconds: 1.5,
      });
      const stats = await statsOf(link);
      expect(stats.up.arrived.packets).toBe(sent.up);
      expect(up.received / sent.up).toBeGreaterThan(0.45);
      expect(up.received / sent.up).toBeLessThan(0.6);
      expect(stats.up.droppedQueue.packets).toBe(sent.up - up.received);
      expect(stats.up.maxQueue).toBe(21);
      // Twenty wait, each for 2 ms, behind the one that is on the line.
      expect(up.delay.p50Us).toBeGreaterThan(36_000);
      expect(up.delay.p50Us).toBeLessThan(46_000);
      expect(accounted(stats.up)).toBe(stats.up.arrived.packets);
    }),
  );

  it(
    'changes when it is told to',
    measured(async () => {
      const link = await linkWith({ delayMs: 1 });
      const before = await link.ping({ count: 5, intervalMs: 20 });
      await link.set({ delayMs: 40, up: { delayMs: 60 } });
      const after = await link.ping({ count: 5, intervalMs: 20 });
      expect(before.received + after.received).toBe(10);
      expect(before.minMs).toBeLessThan(20);
      expect(after.minMs).toBeGreaterThanOrEqual(100);
      expect(after.minMs).toBeLessThan(110);
      await expect(link.set({ delayMs: -5 })).rejects.toThrow(RangeError);
      await expect(link.steps([{ atMs: 0, changes: { speed: 1 } }])).rejects.toThrow(RangeError);
    }),
  );

  it(
    'changes in steps, at their times',
    measured(async () => {
      const link = await linkWith({ delayMs: 1 });
      const probing = probeLink(link, { ...ONE_STREAM, rate: 500, seconds: 2 });
      await until(async () => (await statsOf(link)).up.arrived.packets > 50);
      await link.steps([
        { atMs: 400, changes: { up: { lossPercent: 100 } } },
        { atMs: 900, changes: { up: { lossPercent: 0 } } },
      ]);
      const { up, down } = await probing;
      const lost = missing(up, 1000);
      // 500 ms of 500 packets a second, in one piece.
      expect(lost.length).toBeGreaterThan(225);
      expect(lost.length).toBeLessThan(275);
      expect(lost.at(-1)).toBe(lost[0] + lost.length - 1);
      expect(down.received).toBe(1000);
      expect((await statsOf(link)).up.stepsLeft).toBe(0);
    }),
  );

  it(
    "as in the thesis has a ping and a bandwidth like the thesis's",
    measured(async () => {
      const link = await openLink({ profile: 'thesis', seed: 3 });
      open.add(link);
      const { received, minMs, meanMs, maxMs } = await link.ping({ count: 400, intervalMs: 10 });
      expect(received).toBe(400);
      expect(minMs).toBeGreaterThan(23.9);
      expect(minMs).toBeLessThan(25.5);
      expect(meanMs).toBeGreaterThan(25);
      expect(meanMs).toBeLessThan(32);
      expect(maxMs).toBeGreaterThan(40);
      const { up } = await link.bandwidth({ seconds: 2 });
      expect(up.bitsPerSecond / 7.6e6).toBeGreaterThan(0.75);
      expect(up.bitsPerSecond / 7.6e6).toBeLessThan(1.05);
    }),
  );

  it(
    "has branches to the same server's end, each with a way of its own, which end with it",
    measured(async () => {
      const link = await linkWith({ delayMs: 5 });
      const branch = await link.branch({ profile: 'even-60' });
      expect(branch.server.exec).toEqual(link.server.exec);
      expect(branch.server.address).not.toBe(link.server.address);
      const least = async (/** @type {typeof link} */ of) =>
        (await of.ping({ count: 5, intervalMs: 50 })).minMs ?? NaN;
      for (const [of, ms] of /** @type {const} */ ([
        [link, 10],
        [branch, 60],
      ])) {
        expect(await least(of)).toBeGreaterThanOrEqual(ms);
        expect(await least(of)).toBeLessThan(ms + 8);
      }
      const names = [link, branch].map(({ client }) => client.exec.at(-1));
      await link.close();
      const left = await namespaces();
      for (const name of names) expect(left).not.toContain(name);
    }),
  );

  it('becomes a star with one TCP controller everywhere and no saved TCP metrics', async () => {
    const link = await linkWith({}, { profile: 'clear' });
    const {
      legs: [near, far],
      hub,
    } = await starOf(link, 2);
    const say = async (/** @type {string[]} */ [file, ...args]) =>
      (await run(file, args)).stdout.trim();
    const ways = [
      { exec: near.client.exec, to: near.server },
      { exec: near.client.exec, to: far.client },
      { exec: hub, to: near.client },
      { exec: hub, to: far.client },
    ];
    for (const { exec, to } of ways) {
      expect(await say([...exec, 'ip', 'route', 'get', to.address])).toContain('congctl cubic');
      expect(await say([...exec, 'cat', '/proc/sys/net/ipv4/tcp_no_metrics_save'])).toBe('1');
    }
  });

  it(
    'becomes a star: its hub routes from leg to leg, each with a delay of its own',
    measured(async () => {
      const link = await linkWith({}, { profile: 'clear' });
      const {
        legs: [first, second, third, fourth],
      } = await starOf(link, 4);
      await link.set({ delayMs: 5 });
      await second.set({ delayMs: 15 });
      const pingOf = async (
        /** @type {typeof link} */ from,
        /** @type {typeof link} */ to,
        count = 5,
      ) =>
        pingLink(
          { client: from.client, server: to.client },
          { count, intervalMs: count > 5 ? 5 : 50 },
        );
      const { minMs } = await pingOf(first, second);
      expect(minMs).toBeGreaterThanOrEqual(40);
      expect(minMs).toBeLessThan(48);
      await third.set({ lossPercent: 20 });
      await fourth.set({ lossPercent: 20 });
      for (const leg of [third, fourth]) await leg.seedAnew(3);
      const [one, other] = [await pingOf(third, first, 100), await pingOf(fourth, first, 100)];
      expect(one.received).toBeLessThan(100);
      expect(one.rtts.map((rtt) => rtt === null)).toEqual(other.rtts.map((rtt) => rtt === null));
    }),
  );

  it(
    'carries a load that ends when it is told to: TCP of all there is, UDP of its own rate',
    measured(async () => {
      const { client, server } = await linkWith({ rateBits: 2e6, queueMs: 100 });
      const rateOf = async (/** @type {import('../../link/measure.js').LoadKind} */ kind) => {
        const end = await startLoad(client, server, kind, 10);
        await sleep(1500);
        return end();
      };
      const [tcp, udp] = [await rateOf({ flows: 3 }), await rateOf({ udpBits: 1e6 })];
      expect(tcp).toBeGreaterThan(1200);
      expect(tcp).toBeLessThan(2000);
      // Some 150 packets at random times: within 4 standard deviations of what they are on average.
      expect(udp).toBeGreaterThan(650);
      expect(udp).toBeLessThan(1350);
    }),
  );

  it(
    'rests when nobody sends',
    measured(async () => {
      const link = await linkWith({ delayMs: 20 });
      await link.reset();
      await sleep(1000);
      const { cpuMs, up, down } = await statsOf(link);
      expect(up.arrived.packets + down.arrived.packets).toBe(0);
      expect(cpuMs).toBeLessThan(20);
    }),
  );
});

needsLink.describe('the end of a link', () => {
  it('removes its namespaces and ends what runs in them, once', async () => {
    const link = await linkWith({ delayMs: 1 });
    const [name] = link.client.exec.slice(-1);
    const child = spawn(link.client.exec[0], [...link.client.exec.slice(1), 'sleep', '60']);
    const ended = once(child, 'close');
    await until(async () => (await run('ip', ['netns', 'pids', name])).stdout !== '');
    const [first, second] = await Promise.all([link.close(), link.close()]);
    expect(first?.up.arrived.packets).toBe(0);
    expect(second).toBe(first);
    await ended;
    expect(await namespaces()).not.toContain(name);
    await expect(link.stats()).rejects.toThrow(/has ended/);
    expect(process.listeners('exit').map(String)).not.toContainEqual(
      expect.stringContaining('netns'),
    );
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('comes by %s too', async (signal) => {
    const owner = await startOwner();
    owner.child.kill(signal);
    const [, by] = await once(owner.child, 'exit');
    expect(by).toBe(signal);
    const left = await namespaces();
    for (const name of owner.namespaces) expect(left).not.toContain(name);
    await until(async () => !(await emulates(owner.namespaces[0])));
  });

  it("comes at the next link's beginning, when its owner was killed without a word", async () => {
    const owner = await startOwner();
    owner.child.kill('SIGKILL');
    await once(owner.child, 'exit');
    await until(async () => !(await emulates(owner.namespaces[0])));
    expect(await namespaces()).toContain(owner.namespaces[0]);
    await (await linkWith({ delayMs: 1 })).close();
    expect(await namespaces()).not.toContain(owner.namespaces[0]);
  });
});

needsLink.describe('the command', () => {
  /** @param {string[]} args */
  const command = (...args) => run(process.execPath, [COMMAND, ...args]);

  it("measures, runs a command at the client's end, and has its exit code", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aloud-link-'));
    const steps = join(folder, 'steps.json');
    writeFileSync(steps, JSON.stringify([{ atMs: 0, changes: { delayMs: 30 } }]));
    const options = [
      '--profile',
      'lan',
      '--steps',
      steps,
      '--seed',
      '5',
      '--ping',
      '5',
      '--interval',
      '20',
    ];
    const { code, stdout, stderr } = await command(
      ...options,
      '--',
      'sh',
      '-c',
      'echo at $ALOUD_CLIENT; exit 7',
    );
    rmSync(folder, { recursive: true });
    expect(stderr).toContain('lan, seed 5');
    expect(code).toBe(7);
    expect(stdout).toContain('at 198.18.0.1');
    const [, min] = /min ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(min)).toBeGreaterThan(60);
    expect(JSON.parse(stdout.slice(stdout.indexOf('{'))).up.delivered.packets).toBe(5);
  });

  it('checks the emulator and says whether it holds', async () => {
    const { code, stdout } = await command('--check', '--seconds', '1');
    expect(stdout).toMatch(code === 0 ? /percentile: held/ : /percentile: NOT held/);
    expect(stdout).toContain('lost: 0 up, 0 down; out of order: 0, 0');
    console.log(stdout);
  });
});

describe('no link', () => {
  it('is loopback, which can be measured but not shaped', async () => {
    const link = await openLink();
    expect(link).toMatchObject({ available: true, isEmulated: false, profile: 'loopback' });
    expect(link.client).toEqual({ exec: [], address: '127.0.0.1' });
    const ping = await link.ping({ count: 3, intervalMs: 10, tool: 'script' });
    expect(ping.received).toBe(3);
    const { up } = await link.bandwidth({ seconds: 0.2 });
    expect(up.bitsPerSecond).toBeGreaterThan(1e6);
    await expect(link.set({ delayMs: 1 })).rejects.toThrow("loopback can't be shaped");
    expect(await link.stats()).toBeNull();
    expect(await link.close()).toBeNull();
  });

  it.each([
    [{ profile: 'lte' }, /no link lte/],
    [{ parameters: { delayMs: -1 } }, /delayMs/],
    [{ seed: -1 }, /seed/],
    [{ steps: {} }, /must be a list/],
  ])('comes of %j, but an error that says why', async (options, message) => {
    await expect(openLink(/** @type {any} */ (options))).rejects.toThrow(message);
  });
});

/** A user without rights: nobody. */
const NOBODY = { uid: 65534, gid: 65534 };

/** True when nobody can load the code: not in a checkout in root's home, say. */
function isReadableByNobody() {
  if (process.geteuid?.() !== 0) return false;
  const script = 'require("node:fs").accessSync(process.argv[1])';
  return spawnSync(process.execPath, ['-e', script, OWNER], NOBODY).status === 0;
}

const withoutRights = requireOrSkip(
  isReadableByNobody(),
  'needs root to drop its rights, and a checkout that others can read',
  ofTheMachine,
);
withoutRights.describe('without rights', () => {
  it('there is loopback, and one sentence why', async () => {
    const { available, reason, child } = await startOwner(NOBODY);
    await once(child, 'exit');
    expect(available).toBe(false);
    expect(reason).toBe('network namespaces need root');
  });
});
