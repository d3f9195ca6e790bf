import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';

const isGate = process.env.CI === 'true';

/** @param {string[]} commands true when all of them are there */
const haveAll = (commands) =>
  commands.every((command) => spawnSync(command, ['--version']).status === 0);

/** True when the native engine and its Opus codec could have been built here. */
export const canBuildNative = () => haveAll(['cargo', 'cc']);
export const canBuildOpus = () => haveAll(['cargo', 'cc', 'cmake', 'make']);

/** True when ffmpeg's programs are there. */
export const hasFfmpeg = () =>
  ['ffmpeg', 'ffprobe'].every((command) => spawnSync(command, ['-version']).status === 0);

/**
 * Says that this machine can't have it: rights, devices, a compiler are not installed by a test
 * run.
 */
export const ofTheMachine = () => false;

/**
 * Skips tests whose requirement this machine lacks, such as a browser or a compiled addon. The end
 * of the run names them with the reason. Under CI=true they fail instead if the machine could have
 * it, so that a missing browser doesn't make a gate green.
 *
 * @param {unknown} condition truthy where what the tests need is there
 * @param {string} reason the missing thing, as in 'Chromium is not installed'
 * @param {() => boolean} [couldBeThere] true if this machine could have it
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
