/** Attacks over QUIC and HTTP/3. */

import { isBuilt } from '@aloud/native';
import { describe, expect } from 'vitest';
import { aioquic, Missing } from '../interop/clients.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const can = requireOrSkip(
  isBuilt() && hasProc,
  'the native engine is not built, or there is no /proc',
  canBuildNative,
);

const argv = ['--engine', 'native', '--max-sessions', '20'];

// These attacks cost little processor time, so they run at once.
describe.concurrent('over QUIC', () => {
  can.it(
    '84 bare QUIC handshakes at 20 sessions, again and again: nobody else is refused',
    async ({ task }) => {
      const { attack } = await withstand({
        attack: 'quic-handshakes',
        options: { aSecond: 84, answers: true },
        argv,
        task,
      });
      expect(attack.begun).toBeGreaterThan(200);
      expect(attack.retries).toBeGreaterThan(0);
      expect(attack.honest).toBeGreaterThan(5);
      expect(attack.refused).toBe(0);
    },
  );

  can.it(
    'QUIC handshakes from addresses that prove nothing: nobody else is refused',
    async ({ task }) => {
      const { attack } = await withstand({
        attack: 'quic-handshakes',
        options: { aSecond: 400, answers: false },
        argv,
        task,
      });
      expect(attack.honest).toBeGreaterThan(5);
      expect(attack.refused).toBe(0);
    },
  );

  can.it('HTTP/3 nonsense', async ({ skip, task }) => {
    const command = await aioquic('nonsense.py').catch((error) => {
      if (error instanceof Missing) return error;
      throw error;
    });
    if (command instanceof Missing) return skip(command.message);
    const { attack } = await withstand({
      attack: 'http3-nonsense',
      options: { command },
      argv,
      task,
    });
    expect(attack.connections).toBeGreaterThan(10);
    return undefined;
  });
});
