import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { ended } from '../../readers/icecast.js';
import { measureListening } from '../../readers/listen.js';

afterEach(() => void vi.restoreAllMocks());

it('a reader that fails leaves no server, no room and no browser behind', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const servers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const before = servers();
  let closed = 0;
  let url = '';
  const failing = {
    open: async () => ({
      title: 'one that fails',
      close: async () => (closed += 1),
      newPage: async () =>
        /** @type {any} */ ({
          goto: async (/** @type {string} */ of) => void (url = of),
          evaluate: () => Promise.reject(new Error('the page crashed')),
        }),
    }),
  };
  const readers = { programs: [], icecast: [], browsers: [failing] };
  await expect(measureListening(readers)).rejects.toThrow('the page crashed');
  expect(closed).toBe(1);
  // The server has closed, and so has the counter between it and the reader.
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(servers()).toBe(before);
  expect(printed).not.toHaveBeenCalled();
});

it.each([
  ['has ended', 'true', []],
  ['was ended by a signal', 'sh', ['-c', 'kill -9 $$']],
  ['goes on', 'sleep', ['60']],
])('a program that %s is not waited for in vain', async (how, command, args) => {
  const child = spawn(command, args, { stdio: 'ignore' });
  if (how !== 'goes on') await once(child, 'exit');
  await ended(child);
  expect(child.exitCode !== null || child.signalCode !== null).toBe(true);
});

it('a program that could not be started is not waited for either', async () => {
  const child = spawn('/nowhere/icecast', { stdio: 'ignore' });
  await once(child, 'error');
  await ended(child);
});
