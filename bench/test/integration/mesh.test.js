/** Three people hear each other in each topology that the machine has, over loopback. */

import { describe, expect } from 'vitest';
import { MeshCall, TOPOLOGIES } from '../../mesh/call.js';
import { agesOf, setupsOf } from '../../mesh/notes.js';
import { requireOrSkip } from '../../../testkit/skip.js';

const loopback = { exec: [], address: '127.0.0.1' };
const leg = { client: loopback, server: loopback };

/** Payloads of lengths as Opus has them, no two alike. */
const payloads = Array.from({ length: 50 }, (_, i) =>
  Uint8Array.from({ length: 3 + ((i * 37) % 160) }, (__, j) => i + j),
);

const names = Object.keys(TOPOLOGIES);
const missing = await Promise.all(names.map((name) => TOPOLOGIES[name].missing()));

describe('a call of three', () => {
  for (const [i, topology] of names.entries()) {
    requireOrSkip(missing[i] === null, String(missing[i])).it(
      `has everybody hear everybody: ${topology}`,
      async () => {
        const call = await MeshCall.open({
          topology,
          legs: [leg, leg, leg],
          hub: [],
          payloads,
          signal: new AbortController().signal,
        });
        try {
          await expect
            .poll(async () => Math.max(...setupsOf(await call.collect(), call.startMs)), {
              timeout: 20_000,
            })
            .toBeLessThan(20_000);
          const notes = await call.collect();
          const [a, b] = notes.people;
          const ages = agesOf(notes, a, b, { fromMs: -Infinity, toMs: Infinity }).filter(
            Number.isFinite,
          );
          expect(ages.length).toBeGreaterThan(0);
          expect(Math.min(...ages)).toBeGreaterThan(0);
          expect(notes.hub === null).toBe(TOPOLOGIES[topology].hub === null);
        } finally {
          await call.close();
        }
      },
    );
  }

  requireOrSkip(missing[0] === null, String(missing[0])).it(
    'ends with its processes when it is broken off',
    async () => {
      const call = MeshCall.open({
        topology: 'mesh',
        legs: [leg, leg],
        hub: [],
        payloads,
        signal: AbortSignal.abort(new Error('interrupted')),
      });
      await expect(call).rejects.toThrow('interrupted');
    },
  );
});
