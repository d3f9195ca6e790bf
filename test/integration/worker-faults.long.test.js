/** Workers that end by a fault of their own, in a server that is a process of its own. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { expect, it, vi } from 'vitest';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const FAULTS = new URL('../fixtures/worker-faults.js', import.meta.url).href;

/** @typedef {{ onTestFinished: (close: () => Promise<void>) => void }} Test */

/** Without the tests' own variables, which are no options of a server. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('ALOUD_')),
);

/** @param {Test} test */
async function startServer(test) {
  const argv = ['--port', '0', '--h3-port', '0', '--workers', '2', '--host', '127.0.0.1'];
  const child = fork(MAIN, argv, {
    env: ENVIRONMENT,
    execArgv: ['--import', FAULTS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  test.onTestFinished(async () => void child.kill('SIGKILL'));
  let output = '';
  let log = '';
  child.stdout?.on('data', (text) => (output += text));
  child.stderr?.on('data', (text) => (log += text));
  await vi.waitFor(() => expect(output).toContain('aloud is at'), {
    timeout: 20_000,
    interval: 50,
  });
  const port = Number(/aloud is at http:\/\/[\w.]+:(\d+)/.exec(output)?.[1]);
  return { child, url: `ws://127.0.0.1:${port}/session`, log: () => log };
}

/** @param {Test} test @param {string} url @param {object} wish */
async function join(test, url, wish) {
  const socket = new WebSocket(url);
  test.onTestFinished(async () => socket.close());
  const person = { told: /** @type {any[]} */ ([]), closed: /** @type {number | null} */ (null) };
  socket.on(
    'message',
    (data, isBinary) => void (isBinary || person.told.push(JSON.parse(String(data)))),
  );
  socket.on('close', (code) => void (person.closed = code - 4000));
  await new Promise((resolve) => void socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'join', version: CONTROL_VERSION, ...wish }));
  await vi.waitFor(() => expect(person.told.length).toBeGreaterThan(0), {
    timeout: 15_000,
    interval: 20,
  });
  return person;
}

it.each([
  ['an error', 'throw', 'a test asked for it'],
  ['the limit of its heap', 'fill', 'ERR_WORKER_OUT_OF_MEMORY'],
  ['standing still', 'hang', 'worker-stuck'],
])(
  'a worker that ends by %s ends nobody else’s session, and its room is there again',
  { timeout: 150_000 },
  async (_name, fault, line) => {
    /** @type {(() => Promise<void>)[]} */
    const open = [];
    const test = {
      onTestFinished: (/** @type {() => Promise<void>} */ close) => void open.push(close),
    };
    try {
      const { child, url, log } = await startServer(test);
      const [ann, cid] = [
        await join(test, url, { room: 'tea', name: 'Ann' }),
        await join(test, url, { room: 'coffee', name: 'Cid' }),
      ];
      await join(test, url, { room: 'tea', name: 'Bob' });
      await vi.waitFor(() => expect(ann.told.some(({ type }) => type === 'joined')).toBe(true));
      // Changes are kept within a quarter of a second, and no message says when.
      await new Promise((resolve) => void setTimeout(resolve, 2000));
      // Threads are numbered from 1; the first room is the first worker's.
      child.send({ fault, thread: 1 });
      await vi.waitFor(() => expect(ann.closed).toBe(errors['room-reopened'].close), {
        timeout: 40_000,
        interval: 50,
      });
      const back = await join(test, url, { room: 'tea', name: 'Ann', resume: ann.told[0].resume });
      expect(back.told[0]).toMatchObject({
        type: 'welcome',
        you: '1',
        people: [
          { name: 'Ann', away: false },
          { name: 'Bob', away: true },
        ],
      });
      expect([cid.closed, child.exitCode]).toEqual([null, null]);
      // Log lines and answers arrive separately.
      await vi.waitFor(() => {
        expect(log()).toContain(line);
        expect(log()).toContain('"event":"worker-restarted","worker":1');
      });
    } finally {
      for (const close of open) await close();
    }
  },
);
