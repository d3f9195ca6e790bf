/** Requests by a wrong door, or under another name. */

import { describe, expect } from 'vitest';
import { requireOrSkip } from '../../testkit/skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

// These attacks cost little processor time, so they run at once.
describe.concurrent('a person who comes', () => {
  it('foreign hosts, pages, tunnels and non-HTTP are refused by status, and log no error', async ({
    task,
  }) => {
    const check = (/** @type {any} */ { attack: { answers } }) => {
      expect(new Set(Object.keys(answers))).toEqual(
        new Set([
          'a foreign host: 421',
          'a page that was rebound: 421',
          'a foreign page: 403',
          'HTTP/2 in the clear: 200',
          'a tunnel: 400',
          'two hosts: 400',
          'no HTTP: 400',
        ]),
      );
      for (const times of Object.values(answers)) expect(times).toBeGreaterThan(5);
    };
    await withstand({ attack: 'doors', check, task });
  });

  it('names that look like another’s are numbered', async ({ task }) => {
    const check = (/** @type {any} */ { attack: { labels } }) => {
      expect(Object.keys(labels).length).toBeGreaterThan(1);
      for (const label of Object.keys(labels)) expect(label).toMatch(/ \(n\)$/);
    };
    await withstand({ attack: 'look-alikes', argv: ['--max-participants', '100'], check, task });
  });
});
