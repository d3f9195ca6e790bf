import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';

const isGate = process.env.CI === 'true';

/** @param {string[]} commands whether all of them are there */
const haveAll = (commands) =>
  commands.every((command) => spawnSync(command, ['--version']).status === 0);

/** Whether the native engine could have been built here, and its Opus codec. */
export const canBuildNative = () => haveAll(['cargo', 'cc']);
export const canBuildOpus = () => haveAll(['cargo', 'cc', 'cmake', 'make']);

/**
 * Says that this machine can't have it: rights, devices, a compiler are not installed by a test
 * run.
 */
export const ofTheMachine = () => false;

/**
 * Tests that need something which a machine may lack: a browser, a compiled addon. Where it is
 * missing they are skipped, and the end of the run names them with the reason; under CI=true they
 * fail instead where it could be there, so that a gate can't be green for want of a browser.
 *
 * @param {unknown} condition truthy where what the tests need is there
 * @param {string} reason     what is missing otherwise, as in 'Chromium is not installed'
 * @param {() => boolean} [couldBeThere] whether this machine could have it
 * @returns {{ describe: (name: string, body: () => void) => void, it: (name: string, body:
 *   (context: import('vitest').TestContext) => unknown, timeoutMs?: number) => void }}
 */
export function requireOrSkip(condition, reason, couldBeThere = () => true) {
  if (condition) {
    return {
      describe: (name, body) => void describe(name, body),
      it: (name, body, timeoutMs) => it(name, body, timeoutMs),
    };
  }
  const missing = () => {
    throw new Error(`${reason}, and under CI=true nothing may be missing that could be there`);
  };
  const mustFail = isGate && couldBeThere();
  const lack = (/** @type {string} */ name) =>
    mustFail ? it(name, missing) : it.skip(`${name} (${reason})`, missing);
  return { describe: lack, it: lack };
}
