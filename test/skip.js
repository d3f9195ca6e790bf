import { describe, it } from 'vitest';

const missingFails = process.env.CI === 'true';

/**
 * Tests that need something which a machine may lack: a browser, a compiled addon. Where it is
 * missing they are skipped, and the end of the run names them with the reason; under CI=true they
 * fail instead, so that a gate can't be green for want of a browser.
 *
 * @param {unknown} condition truthy where what the tests need is there
 * @param {string} reason     what is missing otherwise, as in 'Chromium is not installed'
 * @returns {{ describe: (name: string, body: () => void) => void,
 *   it: (name: string, body: () => unknown, timeoutMs?: number) => void }}
 */
export function requireOrSkip(condition, reason) {
  if (condition) {
    return {
      describe: (name, body) => void describe(name, body),
      it: (name, body, timeoutMs) => it(name, body, timeoutMs),
    };
  }
  const missing = () => {
    throw new Error(`${reason}, and under CI=true nothing may be missing`);
  };
  const lack = (/** @type {string} */ name) =>
    missingFails ? it(name, missing) : it.skip(`${name} (${reason})`, missing);
  return { describe: lack, it: lack };
}
