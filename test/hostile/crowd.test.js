/** Requests over HTTP/1.1 about a room that is full. */

import { expect } from 'vitest';
import { requireOrSkip } from '../../testkit/skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

it('many requests in one write about a room of 98 people end their connection', async () => {
  await withstand({
    attack: 'pipelined-crowd',
    argv: ['--max-participants', '120'],
    seconds: 3,
    check: ({ attack }) => {
      expect(attack.joined).toEqual({ welcome: 98 });
      expect(attack.connections).toBeGreaterThan(20);
      expect(attack.ended).toBe(attack.connections);
    },
  });
});
