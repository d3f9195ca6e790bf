import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const MODULE = new URL('../../scenarios/interruption.js', import.meta.url).href;

/** For the start of a program on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * Starts a program that listens for what interrupts it, as a run does.
 * @param {string} then  the rest of its script, with `signal`
 * @param {string} [first]  the beginning of it
 */
function start(then, first = '') {
  const script = `${first}; const signal = (await import('${MODULE}')).interruption(); ${then}`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

const WAITS = `
  const timer = setInterval(() => {}, 1000);
  signal.addEventListener('abort', () => {
    console.log(signal.reason.message);
    clearInterval(timer);
  });
  process.send('ready');`;

it.each([
  ['a signal', (/** @type {any} */ child) => child.kill('SIGTERM'), 'interrupted by SIGTERM'],
  [
    'the end of the command that runs it',
    (/** @type {any} */ child) => child.disconnect(),
    'interrupted: the command that ran it has ended',
  ],
])(
  'a run is interrupted by %s',
  async (_, interrupt, words) => {
    const child = start(WAITS);
    let said = '';
    child.stdout?.on('data', (chunk) => (said += chunk));
    await once(child, 'message');
    // A child whose channel was closed from here has no `close`.
    const ended = Promise.all([
      once(child, 'exit'),
      once(/** @type {any} */ (child.stdout), 'end'),
    ]);
    interrupt(child);
    expect((await ended)[0]).toEqual([0, null]);
    expect(said).toBe(`${words}\n`);
  },
  PATIENCE_MS,
);

it(
  'a run is interrupted by what ended while it was being loaded',
  async () => {
    const child = start('process.exitCode = signal.aborted ? 7 : 8', 'process.disconnect()');
    expect(await once(child, 'exit')).toEqual([7, null]);
  },
  PATIENCE_MS,
);

it(
  'a run that is done ends, though the command that runs it goes on',
  async () => {
    const child = start('');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
  PATIENCE_MS,
);
