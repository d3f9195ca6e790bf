import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../server/relay/outbox.js';

describe('Outbox', () => {
  it('sends all of one moment at once, and no more than a message takes', async () => {
    /** @type {string[][]} */
    const sent = [];
    const outbox = new Outbox((/** @type {string[]} */ batch) => void sent.push(batch));
    outbox.add('a', 1000);
    outbox.add('b', 1000);
    // As one that has been put together for many.
    outbox.grew(64 * 1024);
    outbox.add('c', 1000);
    expect(sent).toEqual([['a', 'b']]);
    await Promise.resolve();
    expect(sent).toEqual([['a', 'b'], ['c']]);
  });
});
