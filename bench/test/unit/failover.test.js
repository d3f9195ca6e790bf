import { expect, it, vi } from 'vitest';

const interrupted = vi.hoisted(() => new AbortController());

vi.mock('../../../deploy/cluster-processes.js', async (original) => ({
  .../** @type {object} */ (await original()),
  findNats: () => 'nats-server',
}));

vi.mock('../../../testkit/local-cluster.js', () => {
  let heard = 0;
  class LocalCluster {
    nodes = new Map([[1, { url: 'http://localhost:1', number: 1 }]]);
    natsServers = [{ kill: () => true }];

    async start() {}

    async ownerOf() {
      return this.nodes.get(1);
    }

    async kill() {}

    async startNode() {}

    async settle() {}

    async close() {}
  }
  return {
    LocalCluster,
    longestGapMs: () => 20,
    withoutPauses: (/** @type {Float32Array} */ speech) => speech,
    async heardAgain() {
      heard += 1;
      if (heard < 3) return 1000;
      interrupted.abort(new Error('interrupted by SIGINT'));
      return Infinity;
    },
  };
});

vi.mock('../../../testkit/participants/headless.js', () => ({
  Headless: class {
    recorded = 0;
    recording = new Float32Array(0);

    async join() {}

    async close() {}
  },
}));

const { failover } = await import('../../scenarios/failover.js');

it('a call that is not heard again since Ctrl-C ended its nodes is no finding', async () => {
  /** @type {any[]} */
  const recorded = [];
  const measuring = failover.measure(
    /** @type {any} */ ({
      options: { transports: ['webtransport'], kills: 20, server: [] },
      signal: interrupted.signal,
      folder: {
        elapsedMs: 0,
        record: (/** @type {string} */ _, /** @type {any} */ { factors, value }) =>
          recorded.push([factors.end, value]),
      },
      progress: () => {},
      wait: async () => interrupted.signal.throwIfAborted(),
    }),
  );
  await expect(measuring).rejects.toThrow('interrupted by SIGINT');
  expect(recorded).toEqual([
    ['NATS server killed', 20],
    ['node killed', 1000],
    ['node killed', 1000],
  ]);
});
