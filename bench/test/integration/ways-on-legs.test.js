/** Ways of carrying packets over emulated links, as the lab's command measures them. */

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Papa from 'papaparse';
import { describe, expect } from 'vitest';
import { openLink } from '../../link/link.js';
import { ways } from '../../ways/way.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import { undisturbed } from '../../../testkit/undisturbed.js';
import { MAIN } from '../lab-command.js';

const trial = await openLink({ profile: 'clear', seed: 1 });
await trial.close();

const onLegs = requireOrSkip(trial.available, trial.reason ?? '', ofTheMachine);

/**
 * Runs the lab's command, which is to print something, and reads a file of its run's folder.
 * @param {string[]} argv @param {string} printed @param {string} file
 * @returns {Promise<string>}
 */
async function fileOf(argv, printed, file) {
  const out = await mkdtemp(join(tmpdir(), 'aloud-sweep-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      MAIN,
      ...argv,
      '--repetitions',
      '1',
      '--out',
      out,
    ]);
    expect(stdout).toContain(printed);
    const [run] = await readdir(out);
    return await readFile(join(out, run, file), 'utf8');
  } finally {
    await rm(out, { recursive: true });
  }
}

/**
 * The samples of a quantity.
 * @param {string[]} argv @param {string} printed @param {string} quantity
 * @returns {Promise<any[]>}
 */
async function measured(argv, printed, quantity) {
  const { quantities } = JSON.parse(await fileOf(argv, printed, 'samples.json'));
  const { columns, rows } = quantities.find((/** @type {any} */ { name }) => name === quantity);
  return rows.map((/** @type {any[]} */ row) =>
    Object.fromEntries(row.map((cell, i) => [columns[i], cell])),
  );
}

onLegs.it(
  'a sweep measures ways over legs of their own, through a relay, each as long as it was ' +
    'asked to be',
  () =>
    undisturbed(async () => {
      const ages = await measured(
        [
          'sweep',
          '--sweeps',
          'delay',
          '--at',
          '0,40',
          '--ways',
          'datagrams,websocket',
          '--duration',
          '1',
        ],
        'Delay of each leg: figures',
        'meanAge',
      );
      for (const way of ['datagrams', 'websocket']) {
        const [near, far] = [0, 40].map(
          (at) => ages.find((one) => one.protocol === way && one.at === at).value,
        );
        expect(near).toBeLessThan(20);
        expect(far - near).toBeGreaterThan(70);
        expect(far - near).toBeLessThan(100);
      }
    }),
);

const lacksRtp = await ways.rtp.missing();

// Counts, which other processes don't change.
describe.concurrent('losses on legs of their own', () => {
  requireOrSkip(
    trial.available && lacksRtp === null,
    trial.reason ?? String(lacksRtp),
    ofTheMachine,
  ).it('what is lost of one way is lost of another, whatever either sends besides', ({ task }) =>
    undisturbed(
      async () => {
        const asked = ['datagrams', 'rtp'];
        const file = await fileOf(
          [
            'sweep',
            '--sweeps',
            'loss',
            '--at',
            '20',
            '--ways',
            asked.join(','),
            '--duration',
            '4',
            '--frames',
          ],
          'Loss on each leg: figures',
          'frames.csv',
        );
        /** @type {any[]} */
        const rows = Papa.parse(file, { header: true, skipEmptyLines: true }).data;
        const [some, others] = asked.map(
          (way) =>
            new Set(
              rows.filter((row) => row.way === way && row.ageMs === '').map(({ frame }) => frame),
            ),
        );
        const both = [...some].filter((frame) => others.has(frame)).length;
        const either = new Set([...some, ...others]).size;
        // Each way loses 108 of its 300 packets on average; of unrelated losses 22 % would be lost
        // by both.
        expect(either).toBeGreaterThan(60);
        expect(both / either).toBeGreaterThan(0.75);
      },
      undefined,
      { task },
    ),
  );

  onLegs.it(
    'of messages beside the sound, those on a stream come and those in datagrams are lost',
    ({ task }) =>
      undisturbed(
        async () => {
          const asked = ['datagrams', 'datagrams+stream', 'datagrams+datagrams'];
          const came = await measured(
            'mixed --sweeps loss --at 20 --duration 3 --ways'.split(' ').concat(asked.join()),
            'Loss on each leg, with chat: figures',
            'messagesCame',
          );
          expect(came.map(({ protocol }) => protocol)).toEqual(asked.slice(1));
          expect(came[0].value).toBe(100);
          // 64 % come on average: two legs lose 20 % each.
          expect(came[1].value).toBeLessThan(95);
          expect(came[1].value).toBeGreaterThan(20);
        },
        undefined,
        { task },
      ),
  );
});

describe('a grid on a star', () => {
  /**
   * All processes below one, as far as they live.
   * @param {number} pid
   * @returns {Promise<number[]>}
   */
  async function below(pid) {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)]).catch(() => ({
      stdout: '',
    }));
    const children = stdout.trim().split('\n').filter(Boolean).map(Number);
    return [...children, ...(await Promise.all(children.map(below))).flat()];
  }

  /** @param {number} pid */
  const namespacesOf = async (pid) =>
    (await promisify(execFile)('ip', ['netns', 'list'])).stdout
      .split('\n')
      .filter((line) => line.startsWith(`aloud-${pid}-`));

  requireOrSkip(
    process.geteuid?.() === 0 && existsSync('/dev/net/tun'),
    'network namespaces need root and /dev/net/tun',
    ofTheMachine,
  ).it(
    'leaves no namespace and no process when it is interrupted',
    async () => {
      const out = await mkdtemp(join(tmpdir(), 'aloud-grid-'));
      const lab = spawn(
        process.execPath,
        [
          MAIN,
          'sweep',
          '--sweeps',
          'loss',
          '--at',
          '0',
          '--ways',
          'datagrams,websocket',
          '--duration',
          '60',
          '--repetitions',
          '30',
          '--out',
          out,
        ],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      try {
        const pid = Number(lab.pid);
        let said = '';
        lab.stderr.on('data', (chunk) => (said += chunk));
        // Four emulators of legs, and six places of two paths with a relay.
        await expect
          .poll(async () => (await below(pid)).length, { timeout: 60_000 })
          .toBeGreaterThanOrEqual(10);
        await new Promise((resolve) => void setTimeout(resolve, 3000));
        const processes = await below(pid);
        expect(processes.length).toBeGreaterThanOrEqual(10);
        // Two ways with two legs each, and the hub.
        expect((await namespacesOf(pid)).length).toBe(5);
        lab.kill('SIGINT');
        expect(await new Promise((resolve) => void lab.once('exit', resolve))).toBe(1);
        expect(said).toMatch(/was interrupted by SIGINT/);
        expect(await namespacesOf(pid)).toEqual([]);
        for (const one of processes) expect(() => process.kill(one, 0)).toThrow();
      } finally {
        lab.kill('SIGKILL');
        await rm(out, { recursive: true });
      }
    },
    120_000,
  );
});
