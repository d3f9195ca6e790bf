/**
 * Attacks over TCP and HTTP/1.1, by files, requests and joins. Each was heard in every room before
 * it was bounded.
 */

import { describe, expect } from 'vitest';
import { requireOrSkip } from '../../testkit/skip.js';
import { hasProc } from './support/process-usage.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(hasProc, 'no /proc to read what a process uses', () => false);

/** Limit of memory during an attack on it, in bytes. */
const MORE_BYTES = 100e6;

describe('a write of many requests', () => {
  it('ends its connection, whatever it asks for', async () => {
    const paths = ['/api/rooms/beside', '/api/clock', '/nothing', '/public/app.js'];
    const check = (/** @type {any} */ { attack }) => {
      expect(attack.connections).toBeGreaterThan(20 * paths.length);
      expect(attack.ended).toBe(attack.connections);
      // None is answered more than its first request.
      expect(attack.mostAnswers).toBe(1);
    };
    await withstand({ attack: 'pipelined-gets', options: { paths }, check });
  });

  it("without a Host, or with what isn't expected, is no way round that", async () => {
    const check = (/** @type {any} */ { attack }) => expect(attack.ended).toBe(attack.connections);
    await withstand({
      attack: 'pipelined-gets',
      options: { paths: ['/'], headers: 'Expect: nothing\r\n', many: 1000 },
      seconds: 3,
      check,
    });
  });

  it('on hundreds of connections at once is as little', async () => {
    const check = (/** @type {any} */ { attack }) =>
      expect(attack.connections).toBeGreaterThan(500);
    await withstand({
      attack: 'pipelined-gets',
      options: { paths: ['/api/clock'], many: 1500, connections: 300 },
      check,
    });
  });

  it('for compressed files that nobody reads takes no memory', async () => {
    const options = {
      paths: ['/public/style.css'],
      many: 500,
      headers: 'Accept-Encoding: br\r\n',
      isRead: false,
      connections: 20,
    };
    const check = (/** @type {any} */ { residentBytes: { before, most } }) =>
      expect(most - before).toBeLessThan(MORE_BYTES);
    await withstand({ attack: 'pipelined-gets', options, check });
  });
});

describe('connections', () => {
  it('that are reset at once leave nothing', async () => {
    await withstand({ attack: 'connections', options: { path: '/', isReset: true } });
  });

  it('stay within the limit per address when thousands send requests at once', async () => {
    const check = (/** @type {any} */ { descriptors: { before, most } }) =>
      expect(most - before).toBeLessThan(600);
    await withstand({ attack: 'connections', options: { path: '/public/app.js' }, check });
  });
});

describe('handshakes of TLS, 160 in one moment', () => {
  for (const addresses of [1, 50]) {
    it(`from ${addresses === 1 ? 'one address' : `${addresses} addresses`}`, async () => {
      const check = (/** @type {any} */ { attack }) => expect(attack.done).toBeGreaterThan(160);
      await withstand({
        attack: 'handshakes',
        options: { atOnce: 160, addresses },
        isSecure: true,
        transport: 'websocket',
        check,
      });
    });
  }
});

// These attacks cost little processor time, and not all at once, so several run together.
describe.concurrent('attacks beside one another', () => {
  describe('requests as fast as they are answered', () => {
    it('for files, on many connections, are answered up to the rate', async ({ task }) => {
      const check = (/** @type {any} */ { attack }) => expect(attack['429']).toBeGreaterThan(50);
      await withstand({
        attack: 'requests',
        options: { path: '/public/app.js', connections: 200 },
        seconds: 8,
        check,
        task,
      });
    });

    it('for a room are answered up to the rate, from one description a second', async ({
      task,
    }) => {
      const check = (/** @type {any} */ { attack }) => expect(attack['429']).toBeGreaterThan(50);
      await withstand({
        attack: 'requests',
        options: { path: '/api/rooms/beside', connections: 200 },
        check,
        task,
      });
    });
  });

  it('many requests for a file in one write, reset at once, leave no descriptor', async ({
    task,
  }) => {
    await withstand({
      attack: 'pipelined-gets',
      options: { paths: ['/public/app.js'], isReset: true },
      task,
    });
  });

  it('joins by POST as fast as they are answered keep nobody out', async ({ task }) => {
    await withstand({
      attack: 'http1-joins',
      options: { connections: 100, bodyBytes: 8000 },
      // People who never return have left when the server recovers.
      argv: ['--idle-timeout-ms', '3000'],
      seconds: 3,
      task,
      check: ({ attack, logged }) => {
        expect(attack.honest).toBe('welcome');
        expect(attack.answers['join-flood'] + attack.answers['too-many-requests']).toBeGreaterThan(
          100,
        );
        expect(attack.answers).not.toHaveProperty('server-full');
        expect(logged.info.count).toBeLessThan(200);
      },
    });
  });
});
