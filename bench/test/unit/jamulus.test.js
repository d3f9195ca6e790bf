/** The end of the programs that a run of Jamulus starts. */

import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { Programs } from '../../peers/jamulus.js';

/** A program that goes on after SIGTERM, and says when it has come so far. */
const STUBBORN = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";

/** Time that a process of the lab has to end (testkit/participants/child.js), in milliseconds. */
const CLOSE_MS = 5000;

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The programs of a Jamulus run', () => {
  /** @type {Programs} */
  let programs;
  afterEach(() => programs?.close());

  it('end within the time of their process, even if each of them ignores SIGTERM', async () => {
    programs = await Programs.open();
    const children = [1, 2, 3, 4].map(() => programs.start(process.execPath, ['-e', STUBBORN]));
    await Promise.all(children.map(({ stdout }) => once(/** @type {any} */ (stdout), 'data')));

    const outcome = await Promise.race([
      programs.stop().then(() => 'ended'),
      new Promise((resolve) => setTimeout(resolve, CLOSE_MS, 'still at it')),
    ]);

    expect(outcome).toBe('ended');
    expect(children.map(({ pid }) => isRunning(Number(pid)))).toEqual([false, false, false, false]);
  });
});
