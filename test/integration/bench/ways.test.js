/** Each way that the machine has carries packets over loopback, from one process to another. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { openLink } from '../../../bench/link/link.js';
import { Path, runWay } from '../../../bench/ways/run.js';
import { MIXED_WAYS, WAYS, ways } from '../../../bench/ways/way.js';
import { ofTheMachine, requireOrSkip } from '../../skip.js';
import { undisturbed } from '../../support/undisturbed.js';

const MAIN = fileURLToPath(new URL('../../../bench/main.js', import.meta.url));

const COUNT = 50;

const loopback = { exec: [], address: '127.0.0.1' };
const link = { client: loopback, server: loopback };

/** Payloads of lengths as Opus has them, no two alike. */
const payloads = Array.from({ length: COUNT }, (_, i) => Uint8Array.from({ length: 3 + ((i * 37) % 160) }, (__, j) => i + j));

/** Those with a congestion controller are many and alike: one of each carry. */
const TRIED = [...WAYS, 'datagrams@copa', 'stream@none', 'streams@bbr-bare', 'datagrams@bbr3', ...MIXED_WAYS];

/** Short ones, and one of many packets. */
const messages = [100, 300, 500, 700].map((atMs, i) => ({ atMs, bytes: i === 2 ? 16_000 : 500 }));

const missing = await Promise.all(TRIED.map((way) => ways[way].missing()));

describe('ways of carrying packets', () => {
  const path = new Path([link, link], new AbortController().signal);
  afterAll(() => path.close());

  for (const [i, way] of TRIED.entries()) {
    // No test run makes the second build.
    const couldBeThere = way.endsWith('@bbr3') ? ofTheMachine : undefined;
    requireOrSkip(missing[i] === null, String(missing[i]), couldBeThere).it(`all come, whole and once, over two hops, connected anew: ${way}`, async () => {
      await path.connect(way, payloads, messages);
      const run = await path.carry({ payloads, settle: 10, count: COUNT, messages });
      await path.hangUp();
      expect(run).toMatchObject({ damaged: 0, repeated: 0 });
      expect(run.ages).toHaveLength(COUNT);
      expect(run.ages.filter((age) => age >= 0 && age < 1000)).toHaveLength(COUNT);
      expect(run.messageAges.filter((age) => age >= 0 && age < 1000)).toHaveLength(MIXED_WAYS.includes(way) ? messages.length : 0);
      expect(run.latenessMs).toHaveLength(COUNT);
      expect(run.setupMs).toBeGreaterThan(0);
      expect(run.setupMs).toBeLessThan(10_000);
    });
  }

  it('end with their processes when they are broken off', async () => {
    const interruption = new AbortController();
    const run = runWay({ way: 'websocket', hops: [link], payloads, settle: 10, count: 5000, signal: interruption.signal });
    setTimeout(() => interruption.abort(new Error('interrupted')), 500);
    await expect(run).rejects.toThrow('interrupted');
  });

  it('fail with a reason where the receiver is not there', async () => {
    const nowhere = { exec: ['false'], address: '127.0.0.1' };
    const run = runWay({ way: 'websocket', hops: [{ client: loopback, server: nowhere }], payloads, settle: 0, count: 1, signal: new AbortController().signal });
    await expect(run).rejects.toThrow(/a process of the lab ended|channel closed|EPIPE/i);
  });
});

const trial = await openLink({ profile: 'clear', seed: 1 });
await trial.close();

const onLegs = requireOrSkip(trial.available, trial.reason ?? '', ofTheMachine);

/**
 * Runs the lab's command, which is to print something, and reads the samples of a quantity.
 * @param {string[]} argv @param {string} printed @param {string} quantity
 * @returns {Promise<any[]>}
 */
async function measured(argv, printed, quantity) {
  const out = await mkdtemp(join(tmpdir(), 'aloud-sweep-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...argv, '--repetitions', '1', '--out', out]);
    expect(stdout).toContain(printed);
    const [run] = await readdir(out);
    const { quantities } = JSON.parse(await readFile(join(out, run, 'samples.json'), 'utf8'));
    const { columns, rows } = quantities.find((/** @type {any} */ { name }) => name === quantity);
    return rows.map((/** @type {any[]} */ row) => Object.fromEntries(row.map((cell, i) => [columns[i], cell])));
  } finally {
    await rm(out, { recursive: true });
  }
}

onLegs.it('a sweep measures ways over legs of their own, through a relay, each as long as it was asked to be', () => undisturbed(async () => {
  const ages = await measured(['sweep', '--sweeps', 'delay', '--at', '0,40', '--ways', 'datagrams,websocket', '--duration', '1'], 'Delay of each leg: figures', 'meanAge');
  for (const way of ['datagrams', 'websocket']) {
    const [near, far] = [0, 40].map((at) => ages.find((one) => one.protocol === way && one.at === at).value);
    expect(near).toBeLessThan(20);
    expect(far - near).toBeGreaterThan(70);
    expect(far - near).toBeLessThan(100);
  }
}));

onLegs.it('of messages beside the sound, those on a stream come and those in datagrams are lost', () => undisturbed(async () => {
  const asked = ['datagrams', 'datagrams+stream', 'datagrams+datagrams'];
  const came = await measured(['mixed', '--sweeps', 'loss', '--at', '20', '--ways', asked.join(','), '--duration', '3'], 'Loss on each leg, with chat: figures', 'messagesCame');
  expect(came.map(({ protocol }) => protocol)).toEqual(asked.slice(1));
  expect(came[0].value).toBe(100);
  // 64 % come on average: two legs lose 20 % each.
  expect(came[1].value).toBeLessThan(95);
  expect(came[1].value).toBeGreaterThan(20);
}));
