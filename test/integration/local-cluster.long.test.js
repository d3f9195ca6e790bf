/** `node deploy/local-cluster.js` where it has no terminal, as in a script or a service. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findNats } from '../../deploy/cluster-processes.js';
import { requireOrSkip } from '../../testkit/skip.js';

const CLUSTER = fileURLToPath(new URL('../../deploy/local-cluster.js', import.meta.url));

/** @param {number} port  of the first of two nodes @param {'pipe' | 'ignore'} stdin */
function start(port, stdin) {
  const args = [CLUSTER, '--nodes', '2', '--port', String(port), '--', '--engine', 'none'];
  const child = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'inherit'] });
  const written = { out: '' };
  child.stdout?.on('data', (bytes) => (written.out += bytes));
  const ended = new Promise(
    (/** @type {(code: number | null) => void} */ resolve) => void child.once('close', resolve),
  );
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const says = (/** @type {RegExp} */ words) =>
    vi.waitFor(() => expect(written.out).toMatch(words), { timeout: 40_000, interval: 50 });
  return { child, ended, says, written };
}

requireOrSkip(findNats() !== null, 'nats-server is not installed').describe(
  'a cluster without a terminal',
  () => {
    it('says how to end it and its nodes, and does both by lines', async () => {
      const { child, ended, says } = start(18_431, 'pipe');
      await says(/A line on standard input kills a node or starts it again: 1 to 2\./);
      await says(/A line with q ends all, and so does: kill \d+/);
      child.stdin?.write('1\n');
      await says(/Node 1 is killed\.\s+Node 1 is gone\..* 1 starts it again\./);
      child.stdin?.write('1\n');
      await says(/Node 1 is back: http:\/\/localhost:18431/);
      child.stdin?.write('q\n');
      expect(await ended).toBe(0);
    });

    it('goes on with nothing to read, and ends as it says', async () => {
      const { child, ended, says, written } = start(18_441, 'ignore');
      await says(/and so does: kill \d+/);
      expect(Number(/kill (\d+)/.exec(written.out)?.[1])).toBe(child.pid);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(written.out).toMatch(/All are ended\./);
    });
  },
);
