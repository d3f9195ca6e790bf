/** Each way that the machine has carries packets over loopback, from one process to another. */

import { afterAll, describe, expect, it } from 'vitest';
import { Path, runWay } from '../../ways/run.js';
import { BROWSER_WAYS, MIXED_WAYS, WAYS, ways } from '../../ways/way.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';

const COUNT = 50;

const loopback = { exec: [], address: '127.0.0.1' };
const link = { client: loopback, server: loopback };

/** Payloads of lengths as Opus has them, no two alike. */
const payloads = Array.from({ length: COUNT }, (_, i) =>
  Uint8Array.from({ length: 3 + ((i * 37) % 160) }, (__, j) => i + j),
);

/** Ways to try: of the many alike with a congestion controller, one of each carrier. */
const TRIED = [
  ...WAYS,
  'datagrams@copa',
  'stream@none',
  'streams@bbr-bare',
  'datagrams@bbr3',
  ...MIXED_WAYS,
  ...BROWSER_WAYS,
];

/** Short ones, and one of many packets. */
const messages = [100, 300, 500, 700].map((atMs, i) => ({ atMs, bytes: i === 2 ? 16_000 : 500 }));

const missing = await Promise.all(TRIED.map((way) => ways[way].missing()));

describe('ways of carrying packets', () => {
  const path = new Path([link, link], new AbortController().signal);
  afterAll(() => path.close());

  for (const [i, way] of TRIED.entries()) {
    // No test run makes the second build.
    const couldBeThere = way.endsWith('@bbr3') ? ofTheMachine : undefined;
    requireOrSkip(missing[i] === null, String(missing[i]), couldBeThere).it(
      `deliver all packets, whole and once, over two hops, on a new connection: ${way}`,
      async () => {
        await path.connect(way, payloads, messages);
        const run = await path.carry({ payloads, settle: 10, count: COUNT, messages });
        await path.hangUp();
        expect(run).toMatchObject({ damaged: 0, repeated: 0 });
        expect(run.ages).toHaveLength(COUNT);
        expect(run.ages.filter((age) => age >= 0 && age < 1000)).toHaveLength(COUNT);
        expect(run.messageAges.filter((age) => age >= 0 && age < 1000)).toHaveLength(
          MIXED_WAYS.includes(way) ? messages.length : 0,
        );
        expect(run.latenessMs).toHaveLength(COUNT);
        expect(run.setupMs).toBeGreaterThan(0);
        expect(run.setupMs).toBeLessThan(10_000);
      },
    );
  }

  it('end with their processes when they are broken off', async () => {
    const interruption = new AbortController();
    const run = runWay({
      way: 'websocket',
      hops: [link],
      payloads,
      settle: 10,
      count: 5000,
      signal: interruption.signal,
    });
    setTimeout(() => interruption.abort(new Error('interrupted')), 500);
    await expect(run).rejects.toThrow('interrupted');
  });

  it('fail with a reason where the receiver is not there', async () => {
    const nowhere = { exec: ['false'], address: '127.0.0.1' };
    const run = runWay({
      way: 'websocket',
      hops: [{ client: loopback, server: nowhere }],
      payloads,
      settle: 0,
      count: 1,
      signal: new AbortController().signal,
    });
    await expect(run).rejects.toThrow(/a child process ended|channel closed|EPIPE/i);
  });
});
