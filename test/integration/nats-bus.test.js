/** The bus of a cluster over a real NATS server. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, vi } from 'vitest';
import {
  endAll,
  findNats,
  freePort,
  startNats,
  startNatsCluster,
} from '../../deploy/cluster-processes.js';
import { NOBODY, SILENCE } from '../../server/bus/bus.js';
import { NatsBus } from '../../server/cluster/nats-bus.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { logTo } from '../../testkit/log-lines.js';

const program = findNats();

/** @param {string} url */
function open(url) {
  /** @type {string[]} */
  const lines = [];
  const bus = new NatsBus(url, { name: 'test', log: logTo(lines) });
  onTestFinished(() => bus.close());
  bus.open();
  return { bus, lines };
}

/** @param {string} line */
const eventOf = (line) => /"event":"([^"]+)"/.exec(line)?.[1];

/** @param {NatsBus} bus @param {string} state */
const becomes = (bus, state) => vi.waitFor(() => expect(bus.state).toBe(state), { interval: 20 });

requireOrSkip(program !== null, 'nats-server is not installed').describe(
  'the bus over NATS',
  () => {
    requireOrSkip(true, '').it(
      'carries messages and requests, says at once that nobody is there, and drops what is ' +
        'too long or no JSON',
      async () => {
        const port = await freePort();
        const server = await startNats(/** @type {string} */ (program), { port });
        onTestFinished(() => endAll([server]));
        const [{ bus: one }, { bus: other, lines }] = [
          open(`nats://127.0.0.1:${port}`),
          open(`nats://127.0.0.1:${port}`),
        ];
        /** @type {unknown[]} */
        const heard = [];
        // Before there is a connection.
        const stop = other.subscribe('a.*.b', (message) => void heard.push(message));
        other.serve('ask', (/** @type {any} */ message) =>
          message.quiet ? null : { got: message },
        );
        other.serve('fail', () => {
          throw new Error('a fault');
        });
        expect(await one.request('ask', {}, 100)).toBe(SILENCE);
        await Promise.all([becomes(one, 'connected'), becomes(other, 'connected')]);
        await vi.waitFor(async () =>
          expect(await one.request('ask', { n: 1 }, 1000)).toEqual({ got: { n: 1 } }),
        );
        expect(await one.request('ask', { quiet: true }, 100)).toBe(SILENCE);
        expect(await one.request('fail', {}, 100)).toBe(SILENCE);
        await vi.waitFor(() => expect(lines.some((line) => line.includes('a fault'))).toBe(true));
        expect(await one.request('nobody', {}, 5000)).toBe(NOBODY);
        one.publish('a.1.b', { long: 'x'.repeat(300_000) });
        one.publish('a.2.b', { short: true });
        await vi.waitFor(() => expect(heard).toEqual([{ short: true }]));
        expect(other.dropped).toBe(1);
        stop();
        one.publish('a.3.b', {});
        expect(await one.request('ask', { n: 2 }, 1000)).toEqual({ got: { n: 2 } });
        expect(heard).toHaveLength(1);
      },
    );

    requireOrSkip(true, '').it(
      'comes back with its subscriptions after the server was gone, says so once each, and ' +
        'outlasts a fault of one who is told',
      async () => {
        const port = await freePort();
        const server = await startNats(/** @type {string} */ (program), { port });
        const { bus, lines } = open(`nats://127.0.0.1:${port}`);
        const { bus: other } = open(`nats://127.0.0.1:${port}`);
        bus.serve('ask', () => ({ yes: true }));
        bus.onChanged(() => {
          throw new Error('a fault');
        });
        const changed = vi.fn();
        bus.onChanged(changed);
        await Promise.all([becomes(bus, 'connected'), becomes(other, 'connected')]);
        await endAll([server]);
        await becomes(bus, 'lost');
        expect(await bus.request('ask', {}, 5000)).toBe(SILENCE);
        const again = await startNats(/** @type {string} */ (program), { port });
        onTestFinished(() => endAll([again]));
        await Promise.all([becomes(bus, 'connected'), becomes(other, 'connected')]);
        await vi.waitFor(async () =>
          expect(await other.request('ask', {}, 1000)).toEqual({ yes: true }),
        );
        const states = ['nats-connected', 'nats-lost', 'nats-reconnected'];
        expect(lines.map(eventOf)).toEqual([...states, 'cluster-message-failed']);
        expect(changed).toHaveBeenCalledOnce();
      },
    );

    requireOrSkip(true, '').it(
      'stands by at another server, and goes on there at once when its own is killed',
      async () => {
        const { url, children } = await startNatsCluster(/** @type {string} */ (program), 3);
        onTestFinished(() => endAll(children));
        const servers = url.replaceAll('nats://', '').split(',');
        const { bus, lines } = open(`nats://${servers[0]},nats://${servers[1]}`);
        const { bus: other } = open(`nats://${servers[2]}`);
        await Promise.all([becomes(bus, 'connected'), becomes(other, 'connected')]);
        other.subscribe('again', () => other.publish('news', { yes: true }));
        other.serve('ask', () => ({ yes: true }));
        /** @type {unknown[]} */
        const heard = [];
        bus.subscribe('news', (message) => void heard.push(message));
        // Messages published after a change of connection follow the subscriptions: the answer
        // arrives.
        bus.onChanged(() => bus.publish('again', {}));
        await vi.waitFor(async () =>
          expect(await bus.request('ask', {}, 1000)).toEqual({ yes: true }),
        );
        // The one that stands by takes a moment to connect.
        await vi.waitFor(() => expect(bus.hasStandby).toBe(true));
        const used = servers.findIndex((server) =>
          lines.some((line) => line.includes(`"nats-connected","server":"${server}"`)),
        );
        await endAll([children[used]]);
        await vi.waitFor(() => expect(heard).toEqual([{ yes: true }]), { interval: 5 });
        expect(await bus.request('ask', {}, 1000)).toEqual({ yes: true });
        expect(bus.state).toBe('connected');
        expect(lines.map(eventOf)).not.toContain('nats-lost');
        expect(lines.at(-1)).toContain(`"server":"${servers[1 - used]}"`);
        // There is no other one left.
        await endAll([children[1 - used]]);
        await becomes(bus, 'lost');
      },
    );

    requireOrSkip(true, '').it(
      'drops what is too long for its server, counts and logs it, and goes on',
      async () => {
        const port = await freePort();
        const folder = await mkdtemp(join(tmpdir(), 'nats-'));
        onTestFinished(() => rm(folder, { recursive: true }));
        const settings = join(folder, 'nats.conf');
        await writeFile(settings, `listen: 127.0.0.1:${port}\nmax_payload: 1KB\n`);
        const server = spawn(/** @type {string} */ (program), ['-c', settings]);
        onTestFinished(() => endAll([server]));
        const [{ bus, lines }, { bus: other }] = [
          open(`nats://127.0.0.1:${port}`),
          open(`nats://127.0.0.1:${port}`),
        ];
        await Promise.all([becomes(bus, 'connected'), becomes(other, 'connected')]);
        // The server may have begun to listen later.
        const events = () => lines.map(eventOf).filter((event) => event !== 'nats-unreachable');
        expect(events()).toEqual(['nats-connected', 'nats-payload']);
        /** @type {unknown[]} */
        const heard = [];
        other.subscribe('news', (message) => void heard.push(message));
        other.serve('ask', () => ({ long: 'x'.repeat(2000) }));
        // The server knows of all of them once it knows of the last.
        other.serve('there', () => ({ yes: true }));
        await vi.waitFor(async () =>
          expect(await bus.request('there', {}, 1000)).toEqual({ yes: true }),
        );
        bus.publish('news', { long: 'x'.repeat(2000) });
        bus.publishBytes('news', new Uint8Array(2000));
        expect(await bus.request('news', { long: 'x'.repeat(2000) }, 100)).toBe(SILENCE);
        expect(await bus.request('ask', {}, 100)).toBe(SILENCE);
        bus.publish('news', { short: true });
        await vi.waitFor(() => expect(heard).toEqual([{ short: true }]));
        expect(bus.dropped).toBe(2);
        expect(events().slice(2)).toEqual(Array(2).fill('cluster-message-failed'));
        await bus.close();
        bus.publish('news', {});
      },
    );

    requireOrSkip(true, '').it(
      'is let in with its credentials, and tries on without them, with one line',
      async () => {
        const port = await freePort();
        const server = spawn(/** @type {string} */ (program), [
          '-a',
          '127.0.0.1',
          '-p',
          String(port),
          '--user',
          'ann',
          '--pass',
          'a:secret',
        ]);
        onTestFinished(() => endAll([server]));
        const { bus } = open(`nats://ann:a%3Asecret@127.0.0.1:${port}`);
        await becomes(bus, 'connected');
        const { bus: stranger, lines } = open(`nats://127.0.0.1:${port}`);
        await vi.waitFor(() => expect(lines).toHaveLength(1));
        await new Promise((resolve) => void setTimeout(resolve, 1200));
        expect(stranger.state).toBe('connecting');
        expect(lines).toEqual([expect.stringContaining('Authorization Violation')]);
      },
    );
  },
);
