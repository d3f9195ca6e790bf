/** The harness itself: a room that nobody attacks is well, and harm is seen. */

import { expect } from 'vitest';
import { requireOrSkip } from '../skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

it('a room beside no attack gets all of its packets', async () => {
  const { listener } = await withstand({ attack: 'nothing', seconds: 3 });
  expect(listener.expected).toBeGreaterThan(140);
});

it('a server that stands still is seen', async () => {
  const stopped = withstand({ attack: 'harm', options: { how: 'stop' }, seconds: 2, warmUpSeconds: 0 });
  await expect(stopped).rejects.toThrow(/^(packets of the listener|longest gap) in/);
});

it('connections that stay are seen', async () => {
  const holding = withstand({ attack: 'harm', options: { how: 'hold' }, seconds: 1, warmUpSeconds: 0, settleSeconds: 1 });
  await expect(holding).rejects.toThrow(/^descriptors in/);
});
