import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Child, sharedMs } from '../../../testkit/participants/child.js';
import { Talker } from '../../../testkit/participants/talker.js';
import { Pacer } from '../../../public/lab/runs/pacer.js';
import { systemClock } from '../../../public/shared/clock.js';
import { Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { WebSocketConnection } from '../../../public/client/connection/websocket.js';
import { WebSocket } from 'ws';
import { undisturbed, undisturbedTest } from '../../../testkit/undisturbed.js';
import { MAIN, rttArguments } from '../lab-command.js';

const PEER = new URL('../fixtures/echo-peer.js', import.meta.url);

/** @type {(() => unknown)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(closeAll);

/** @param {{ onTestFinished: (remove: () => Promise<void>) => void }} test */
async function temporaryFolder(test) {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-lab-'));
  test.onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/**
 * Measures round trips of a bare socket to the peer, to compare with the lab's. They hold the error
 * of the machine's timers and loopback.
 * @param {string} url
 * @returns {Promise<() => number[]>} the round trips until then, in milliseconds
 */
async function measureBare(url) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const trips = /** @type {number[]} */ ([]);
  // A late answer comes after the next packet was sent; answers come in order.
  const sentMs = /** @type {number[]} */ ([]);
  socket.on('message', () => trips.push(performance.now() - (sentMs.shift() ?? NaN)));
  const packet = new Uint8Array(80);
  writeAudioHeader(packet, new Packet());
  const timer = setInterval(() => {
    sentMs.push(performance.now());
    socket.send(packet);
  }, 100);
  open.push(() => {
    clearInterval(timer);
    socket.terminate();
  });
  return () => trips;
}

/** The 10th percentile: a busy machine shows in the longer ones. @param {number[]} trips */
const quick = (trips) => trips.toSorted((a, b) => a - b)[Math.floor(trips.length / 10)];

describe("the lab's own error", () => {
  it.each([5, 25, 80])('is below 1 ms against a peer that answers after %i ms', (ms) =>
    undisturbed(async () => {
      const peer = new Child(PEER, []);
      open.push(() => peer.close());
      const { port } = await peer.call('start', { ms });
      const url = `ws://127.0.0.1:${port}/session`;
      const connection = await WebSocketConnection.open({
        url,
        now: () => performance.now(),
        WebSocket: /** @type {any} */ (WebSocket),
      });
      const talker = new Talker({ connection });
      open.push(() => talker.close());
      await talker.join({ room: 'echo', name: 'A' });
      const pacer = new Pacer(systemClock);
      open.push(() => pacer.close());
      const bare = await measureBare(url);
      talker.note();
      pacer.add(talker);
      await pass(2000);
      const { sent, received } = talker.takeNotes();
      const sentMs = new Map(sent.map(({ frame, atMs }) => [frame, atMs]));
      const trips = received.map(({ frame, atMs }) => atMs - (sentMs.get(frame) ?? NaN));
      expect(trips.length).toBeGreaterThan(80);
      expect(Math.min(...trips)).toBeGreaterThanOrEqual(ms);
      expect(bare().length).toBeGreaterThan(10);
      expect(quick(trips)).toBeLessThan(quick(bare()) + 1);
    }, closeAll),
  );

  it('is none between the clocks of its processes', () =>
    undisturbed(async () => {
      const peer = new Child(new URL('../fixtures/clock-peer.js', import.meta.url), []);
      open.push(() => peer.close());
      let least = Infinity;
      for (let i = 0; i < 50; i++) {
        const before = sharedMs(performance.now());
        const theirs = await peer.call('now');
        const after = sharedMs(performance.now());
        expect(theirs).toBeGreaterThanOrEqual(before - 0.1);
        expect(theirs).toBeLessThanOrEqual(after + 0.1);
        least = Math.min(least, after - before);
      }
      expect(least).toBeLessThan(50);
    }, closeAll));
});

it('codec tells its time, and keeps what it has measured when it is interrupted', async () => {
  const lab = spawn(process.execPath, [MAIN, 'codec', '--seconds', '1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  lab.stdout.on('data', (chunk) => (said.stdout += chunk));
  lab.stderr.on('data', (chunk) => (said.stderr += chunk));
  await expect
    .poll(() => said.stderr, { timeout: 60_000 })
    .toMatch(/^The Opus libraries: some \d+ s\n[^]*time and sound/m);
  await pass(2000);
  lab.kill('SIGINT');
  expect(await new Promise((resolve) => void lab.once('close', resolve))).toBe(1);
  expect(said.stdout).toMatch(/^Not complete: interrupted by SIGINT$/m);
  expect(said.stdout).toMatch(/^\| 20 ms \| 24 kb\/s \| audio \| 0 \| CELT \|/m);
}, 90_000);

it('a run that breaks off before it has measured anything ends its process', async (test) => {
  const folder = await temporaryFolder(test);
  const argv = [MAIN, 'throughput', '--link', 'loopback', '--out', folder];
  const ended = promisify(execFile)(process.execPath, argv, { timeout: 60_000 });
  await expect(ended).rejects.toMatchObject({ code: 1, signal: null });
});

it.each([
  ['bars', 'starved', []],
  ['papers', 'shipped', ['--runs', '--seed', '7']],
])(
  'fails where something that %s runs was not measured',
  async (command, only, more) => {
    const out = await temporaryFolder({ onTestFinished });
    const options = more.map((word) => (word === '--runs' ? [word, join(out, 'runs')] : word));
    const argv = [MAIN, command, '--only', only, '--out', join(out, 'own'), ...options.flat()];
    const failed = promisify(execFile)(process.execPath, argv, {
      env: { ...process.env, CHROMIUM_PATH: '/nowhere' },
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/not measured.*--browser needs Chromium/),
    });
    const [name] = await readdir(join(out, 'own'));
    const run = JSON.parse(await readFile(join(out, 'own', name, 'run.json'), 'utf8'));
    expect(run).toMatchObject({ scenario: command, complete: true, options: { only: [only] } });
    // With which random losses it was measured is part of what it says.
    if (command === 'papers') expect(run.options).toMatchObject({ seed: 7, runs: 'runs' });
  },
  60_000,
);

describe('a process of the lab', () => {
  it('tells of an error, and of its own end', async () => {
    const peer = new Child(new URL('../fixtures/clock-peer.js', import.meta.url), []);
    await expect(peer.call('fail')).rejects.toThrow('it failed');
    const waiting = peer.call('never');
    await Promise.all([expect(waiting).rejects.toThrow('ended'), peer.close()]);
    await peer.close();
  });
});

// A command waits more than it works, so several run at once.
describe.concurrent("the lab's command", () => {
  it('runs a scenario over HTTP/1 and WebSocket, and leaves what it measured', (context) =>
    undisturbedTest(context, async (test) => {
      const out = await temporaryFolder(test);
      const args = rttArguments(out, ['websocket', 'http1']);
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
      // The load generator may be short of time beside other tests; then no headline is given.
      expect(stdout).toMatch(/Round trip, mean|headlines and conclusions are withheld/);
      const [name] = await readdir(out);
      const run = JSON.parse(await readFile(join(out, name, 'run.json'), 'utf8'));
      expect(run).toMatchObject({
        scenario: 'rtt',
        complete: true,
        link: { profile: 'loopback', ping: { lossPercent: 0 } },
      });
      const csv = (await readFile(join(out, name, 'samples-roundTrip.csv'), 'utf8'))
        .trim()
        .split('\n');
      expect(csv.length).toBeGreaterThan(170);
      const values = csv.slice(1).map((line) => Number(line.split(',')[4]));
      expect(values.filter(Number.isFinite).length).toBeGreaterThan(0.95 * values.length);
      expect(Math.min(...values)).toBeGreaterThan(0);
      expect(await readFile(join(out, name, 'report.html'), 'utf8')).toContain('<svg');
    }));

  it('leaves what it had measured when it is interrupted, and no process', async (test) => {
    const out = await temporaryFolder(test);
    const args = rttArguments(out, ['websocket'], { seconds: 60, repetitions: 60 });
    const lab = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    lab.stderr.on('data', (chunk) => (said += chunk));
    const samples = async () => {
      const [name] = await readdir(out);
      return (await readFile(join(out, name, 'samples-roundTrip.csv'), 'utf8')).trim().split('\n');
    };
    await test.expect
      .poll(
        () =>
          samples().then(
            ({ length }) => length,
            () => 0,
          ),
        { timeout: 50_000 },
      )
      .toBeGreaterThan(20);
    const { stdout: children } = await promisify(execFile)('pgrep', ['-P', String(lab.pid)]).catch(
      () => ({ stdout: '' }),
    );
    lab.kill('SIGINT');
    const code = await new Promise((resolve) => void lab.once('exit', resolve));
    expect(code).toBe(1);
    expect(said).toMatch(/The run was interrupted by SIGINT\. Results so far: /);
    for (const pid of children.trim().split('\n').filter(Boolean)) {
      expect(() => process.kill(Number(pid), 0)).toThrow();
    }
    const [name] = await readdir(out);
    const run = JSON.parse(await readFile(join(out, name, 'run.json'), 'utf8'));
    expect(run).toMatchObject({ complete: false, error: 'interrupted by SIGINT' });
    expect((await samples()).length).toBeGreaterThan(20);
  }, 90_000);

  it('ends at once when it is interrupted while it measures the link', async (test) => {
    const out = await temporaryFolder(test);
    const lab = spawn(process.execPath, [MAIN, 'rtt', '--out', out], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    lab.stderr.on('data', (chunk) => (said += chunk));
    await test.expect.poll(() => said, { timeout: 30_000 }).toMatch(/measuring the link/);
    lab.kill('SIGINT');
    const fromMs = performance.now();
    expect(await new Promise((resolve) => void lab.once('exit', resolve))).toBe(1);
    // The measurement takes seven seconds.
    expect(performance.now() - fromMs).toBeLessThan(6000);
    expect(said).toMatch(/The run was interrupted by SIGINT\. Results so far: /);
  }, 60_000);

  it('begins no further run when one of several is interrupted alone', async (test) => {
    const out = await temporaryFolder(test);
    const argv = [MAIN, 'times', '--only', 'rtt,datagrams', '--out', out];
    const lab = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    lab.stdout.on('data', (chunk) => (said += chunk));
    const runs = async () => {
      const [folder] = await readdir(out);
      return (await readdir(join(out, folder))).filter((name) => /-(rtt|datagrams)-/.test(name));
    };
    const begun = () =>
      runs().then(
        ({ length }) => length,
        () => 0,
      );
    await test.expect.poll(begun, { timeout: 50_000 }).toBe(1);
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(lab.pid)]);
    process.kill(Number(stdout.trim()), 'SIGTERM');
    expect(await new Promise((resolve) => void lab.once('close', resolve))).toBe(1);
    expect(said).toMatch(/Not complete: interrupted by SIGTERM/);
    expect(await runs()).toHaveLength(1);
  }, 90_000);

  it('ends when the command that runs it is killed', async (test) => {
    const out = await temporaryFolder(test);
    const argv = [MAIN, 'times', '--only', 'rtt', '--out', out];
    const lab = spawn(process.execPath, argv, { stdio: 'ignore' });
    const errorOf = async () => {
      const [series] = await readdir(out);
      const run = (await readdir(join(out, series))).find((name) => /-rtt-/.test(name));
      if (run === undefined) return '';
      return JSON.parse(await readFile(join(out, series, run, 'run.json'), 'utf8')).error;
    };
    await test.expect
      .poll(() => errorOf().catch(() => ''), { timeout: 50_000 })
      .toMatch(/still goes on/);
    lab.kill('SIGKILL');
    await test.expect
      .poll(errorOf, { timeout: 15_000 })
      .toBe('interrupted: the command that ran it has ended');
  }, 90_000);

  it.each([
    [
      ['rtt', '--duration', '0'],
      /^bench: --duration must be a number from 1 to \d+; it is "0"\.$/m,
    ],
    [
      ['rtt', '--transports', 'carrier-pigeon'],
      /--transports must be of webtransport, websocket, http1/,
    ],
    [['rtt', '--link', 'moon'], /--link must be loopback, clear, thesis/],
    [['rtt', '--server', '--prot 1'], /--server.*There is no option --prot; did you mean --port/],
    [
      ['rtt', '--out', '/dev/null/x'],
      /^bench: --out: "\/dev\/null\/x": nothing can be written there \(ENOTDIR\)$/m,
    ],
    [
      ['rtt', '--seed', '1.5'],
      /^bench: --seed must be a whole number from 0 to \d+; it is "1\.5"\.$/m,
    ],
    [['sing'], /unknown command 'sing'/],
    [['report', '/nowhere', '/elsewhere'], /nowhere is no run's folder/],
  ])('says what is wrong with %j', async (args, words) => {
    const failed = promisify(execFile)(process.execPath, [MAIN, ...args]);
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringMatching(words) });
    await failed.catch(({ stderr }) => expect(stderr).not.toMatch(/\n\s+at /));
  });
});
