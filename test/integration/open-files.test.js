/** A real server whose process may have few files open, each TCP connection being one. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { requireOrSkip } from '../../testkit/skip.js';

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));

/** The files that a server has open once it has started are fewer. */
const LIMIT = 160;

/**
 * Highest limit of open files to try: the test searches below it for one that a start exceeds.
 * Node.js 20 reads more than 60 modules at once, and later ones no more than they need. Below the
 * second the limit goes down by one file, because Node.js itself has about 20 open.
 */
const TOO_LOW = 60;
const FEW = 30;

/** @param {number} limit @param {string[]} argv */
function start(limit, ...argv) {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-files-'));
  const args = [
    '--port',
    '0',
    '--h3-port',
    '0',
    '--engine',
    'none',
    '--workers',
    '0',
    '--log',
    'json',
    '--cert-dir',
    directory,
    '--recording-dir',
    directory,
    ...argv,
  ];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('ALOUD_')),
  );
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n "$0"; exec "$@"', String(limit), process.execPath, MAIN, ...args],
    { env },
  );
  const written = { out: '', err: '' };
  child.stdout.on('data', (bytes) => (written.out += bytes));
  child.stderr.on('data', (bytes) => (written.err += bytes));
  const ended = new Promise(
    (/** @type {(code: number | null) => void} */ resolve) => void child.once('close', resolve),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  return { written, ended, kill: () => child.kill('SIGKILL') };
}

requireOrSkip(process.platform === 'linux', 'ulimit and /proc are of Linux').describe(
  'a server that can open no more files',
  () => {
    it('says so in one line with advice, counts it, and recovers once there is room', async () => {
      const { written } = start(LIMIT, '--metrics', '0');
      await vi.waitFor(() => expect(written.out).toMatch(/HTTPS is off/), 30_000);
      const [, port] = /http:\/\/localhost:(\d+)/.exec(written.out) ?? [];
      const [, metrics] = /Metrics are on: (\S+)/.exec(written.out) ?? [];
      const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
      onTestFinished(() => socket.terminate());
      /** @type {any[]} */
      const told = [];
      socket.on(
        'message',
        (data, isBinary) => void (isBinary || told.push(JSON.parse(String(data)))),
      );
      await new Promise((resolve) => void socket.once('open', resolve));
      socket.send(JSON.stringify({ type: 'join', version: 1, room: 'tea', name: 'Ann' }));
      await vi.waitFor(() => expect(told.map(({ type }) => type)).toContain('welcome'), 10_000);

      const others = Array.from({ length: LIMIT }, () =>
        connect(Number(port), '127.0.0.1').on('error', () => {}),
      );
      const lines = () => written.err.split('\n').filter((line) => line.includes('"open-files"'));
      await vi.waitFor(() => expect(lines()).toHaveLength(1), 10_000);
      expect(JSON.parse(lines()[0])).toMatchObject({
        level: 'error',
        limit: LIMIT,
        advice: expect.stringMatching(/"ulimit -n".*LimitNOFILE=/),
        msg: expect.stringMatching(/no more files can be opened/),
      });
      socket.send(JSON.stringify({ type: 'record', on: true }));
      await vi.waitFor(() =>
        expect(told).toContainEqual(
          expect.objectContaining({
            type: 'recording',
            recording: expect.objectContaining({ on: false, code: 'recording-failed' }),
          }),
        ),
      );
      await pause(2500);
      expect(lines()).toHaveLength(1);

      for (const one of others) one.destroy();
      await vi.waitFor(async () => {
        const counted = /^aloud_file_shortages_total (\d+)$/m.exec(
          await (await fetch(metrics)).text(),
        );
        expect(Number(counted?.[1])).toBeGreaterThan(1);
      }, 10_000);
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
      expect(socket.readyState).toBe(WebSocket.OPEN);
    });

    it('while it starts says so in one line, and ends', async () => {
      let limit = TOO_LOW;
      for (;;) {
        const { written, ended, kill } = start(limit);
        const started = vi.waitFor(() => expect(written.out).toMatch(/HTTPS is off/), 30_000);
        const code = await Promise.race([ended, started.then(() => null)]);
        started.catch(() => {});
        if (code === null) {
          kill();
          await ended;
          limit = limit > FEW ? limit - 10 : limit - 1;
          continue;
        }
        const [line] = written.err.split('\n');
        expect(code, `limit ${limit}`).not.toBe(0);
        // Node.js itself ends at a little less, with a stack or without a word.
        if (line !== '' && !line.startsWith('node:internal'))
          expect(line).toMatch(/^aloud: no more files can be opened; raise the limit: "ulimit -n"/);
        return;
      }
    });
  },
);
