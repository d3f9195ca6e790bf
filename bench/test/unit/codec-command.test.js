import { afterEach, expect, it, vi } from 'vitest';
import { codecCommand } from '../../codec/codec.js';
import { VISQOL_SOURCE } from '../../stats/visqol.js';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/**
 * The output of a run that is interrupted before its first measurement.
 * @param {string} disturbance  seen during the run
 */
async function outputOf(disturbance) {
  /** @type {string[]} */
  const lines = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  const progress = { begin() {}, update() {}, print() {}, close() {} };
  await codecCommand(() => ({
    signal: AbortSignal.abort(new Error('interrupted')),
    progress,
    watch: async () => () => disturbance,
  })).parseAsync(['--seconds', '1'], { from: 'user' });
  return lines.join('');
}

it('a comparison of codecs that was disturbed says so before its tables', async () => {
  expect(await outputOf('other programs took 0.9 processors')).toContain(
    '\nDisturbed: other programs took 0.9 processors.\n',
  );
  expect(await outputOf('')).not.toContain('Disturbed');
});

it('a comparison of codecs says whose its marks are', async () => {
  expect(await outputOf('')).toContain(VISQOL_SOURCE);
});
