/** Attacks over HTTP/1.1 that are about people: joins by POST, and requests about a room that is full. */

import { expect } from 'vitest';
import { requireOrSkip } from '../skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

it('joins by POST as fast as they are answered keep nobody out', async () => {
  await withstand({
    attack: 'http1-joins',
    options: { connections: 100, bodyBytes: 8000 },
    // Those who never come again are gone while the server comes back.
    argv: ['--idle-timeout-ms', '3000'],
    seconds: 3,
    check: ({ attack, logged }) => {
      expect(attack.honest).toBe('welcome');
      expect(attack.answers['join-flood'] + attack.answers['too-many-requests']).toBeGreaterThan(100);
      expect(attack.answers).not.toHaveProperty('server-full');
      expect(logged.info.count).toBeLessThan(200);
    },
  });
});

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
