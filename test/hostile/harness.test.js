/** The harness itself: a room that nobody attacks is well, and harm is seen. */

import { describe, expect } from 'vitest';
import { requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { hasProc } from './support/process-usage.js';
import { attackOnce, withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

describe.concurrent('the harness', () => {
  it('a room beside no attack gets all of its packets', async ({ task }) => {
    const { listener } = await withstand({ attack: 'nothing', seconds: 3, task });
    expect(listener.expected).toBeGreaterThan(140);
  });

  it('a server that stands still is seen', ({ task }) =>
    undisturbed(
      async () => {
        const stopped = attackOnce({
          attack: 'harm',
          options: { how: 'stop' },
          seconds: 2,
          warmUpSeconds: 0,
        });
        await expect(stopped).rejects.toThrow(/^(packets of the listener|longest gap) in/);
      },
      undefined,
      { task },
    ));

  it('connections that stay are seen', ({ task }) =>
    undisturbed(
      async () => {
        const holding = attackOnce({
          attack: 'harm',
          options: { how: 'hold' },
          seconds: 1,
          warmUpSeconds: 0,
          settleSeconds: 1,
        });
        await expect(holding).rejects.toThrow(/^descriptors in/);
      },
      undefined,
      { task },
    ));
});
