import { createServer } from 'node:http';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  closeAfter,
  closeAll,
  nativeTests,
  newCertificate,
  until,
} from '../../../testkit/native.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import { prepareControl } from '../../../server/session/session.js';
import { chromiumPath, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';

/**
 * @import { Page } from 'playwright-core'
 * @import { Session } from '../../../server/session/session.js'
 */

/** A handler that echoes everything, and closes on request. @param {Session} session */
function echo(session) {
  session.handler = {
    packet: (bytes) => void session.send(bytes),
    control: (message) => {
      const { type, code, reason } = /** @type {{ type: string, code: number, reason: string }} */ (
        message
      );
      if (type === 'close') session.close(code, reason);
      else session.sendControl(prepareControl({ echo: message }));
    },
    closed: (code, reason) => closed.push([code, reason]),
  };
}

const IDLE_TIMEOUT_MS = 3000;

const closed = /** @type {unknown[]} */ ([]);

/** Runs in the page. @param {{ url: string, hash: string }} server */
async function useSession({ url, hash }) {
  const value = Uint8Array.from(atob(hash), (c) => c.charCodeAt(0));
  const transport = new WebTransport(url, {
    serverCertificateHashes: [{ algorithm: 'sha-256', value }],
  });
  await transport.ready;

  const writer = transport.datagrams.writable.getWriter();
  const reader = transport.datagrams.readable.getReader();
  const echoed = new Set();
  const collect = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.length === 80) echoed.add(next.value[79]);
    }
  };
  // The stream ends with the session.
  collect().catch(() => {});
  const rest = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));
  for (let i = 0; i < 100; i++) {
    await writer.write(new Uint8Array(80).fill(i));
    await rest(2);
  }
  for (let waits = 0; waits < 40 && echoed.size < 100; waits++) await rest(50);

  const stream = await transport.createBidirectionalStream();
  const control = stream.writable.getWriter();
  const lines = stream.readable.pipeThrough(new TextDecoderStream()).getReader();
  const say = (/** @type {object} */ message) =>
    control.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  await say({ type: 'hello', text: 'grüß' });
  const { value: line } = await lines.read();
  await say({ type: 'close', code: 6, reason: 'es ist genug' });
  const end = await transport.closed.catch((error) => error.message);
  return { echoed: echoed.size, line, end, largest: transport.datagrams.maxDatagramSize };
}

/** Runs in the page. @param {{ url: string, hash: string }} server */
async function leaveSession({ url, hash }) {
  const value = Uint8Array.from(atob(hash), (c) => c.charCodeAt(0));
  const transport = new WebTransport(url, {
    serverCertificateHashes: [{ algorithm: 'sha-256', value }],
  });
  try {
    await transport.ready;
  } catch (error) {
    return /** @type {Error} */ (error).name;
  }
  transport.close({ closeCode: 9, reason: 'tschüß' });
  return 'left';
}

const tests = chromiumPath ? nativeTests : inBrowser;

tests.describe('the native engine and Chromium', () => {
  /** @type {Page} */
  let page;
  /** @type {import('playwright-core').Browser} */
  let browser;
  let server = { url: '', hash: '' };

  beforeAll(async () => {
    const certificate = await newCertificate();
    const log = { error: (/** @type {object} */ fields) => void closed.push(fields) };
    const transport = closeAfter(
      await createNativeTransport({
        certificate,
        accept: echo,
        log,
        idleTimeoutMs: IDLE_TIMEOUT_MS,
      }),
    );
    server = {
      url: `https://localhost:${transport.address().port}/session?x=1`,
      hash: certificate.hash,
    };
    const http = createServer((_, response) => void response.end('<!doctype html>'));
    await new Promise((resolve) => void http.listen(0, '127.0.0.1', () => resolve(undefined)));
    closeAfter({ close: () => http.close() });
    const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
    const opened = closeAfter(await openBrowser());
    browser = opened.browser;
    page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
  });

  afterAll(closeAll);

  nativeTests.it(
    'connects by hash, gets datagrams and messages back, and ends on request',
    async () => {
      closed.length = 0;
      const seen = await page.evaluate(useSession, server);
      expect(seen.line).toBe('{"echo":{"type":"hello","text":"grüß"}}\n');
      // Chromium reads the capsule, yet mostly reports a lost connection to the page. The message
      // with the code and the end of the session reach the page over two pipes, in any order.
      expect([
        JSON.stringify({ closeCode: 6, reason: 'es ist genug' }),
        '"Connection lost."',
      ]).toContain(JSON.stringify(seen.end));
      expect(seen.echoed).toBeGreaterThanOrEqual(98);
      expect(seen.largest).toBeGreaterThan(1100);
      await until(() => closed.length > 0);
      expect(closed).toEqual([[6, 'es ist genug']]);
    },
  );

  nativeTests.it('stays while its page is silent for longer than the idle timeout', async () => {
    closed.length = 0;
    await page.evaluate(async ({ url, hash }) => {
      const value = Uint8Array.from(atob(hash), (c) => c.charCodeAt(0));
      const transport = new WebTransport(url, {
        serverCertificateHashes: [{ algorithm: 'sha-256', value }],
      });
      await transport.ready;
      await new Promise((resolve) => void setTimeout(resolve, 4000));
      transport.close({ closeCode: 1, reason: 'rested' });
    }, server);
    await until(() => closed.length > 0);
    expect(closed).toEqual([[1, 'rested']]);
  });

  nativeTests.it('tells the server its own code and reason', async () => {
    closed.length = 0;
    expect(await page.evaluate(leaveSession, server)).toBe('left');
    await until(() => closed.length > 0);
    expect(closed).toEqual([[9, 'tschüß']]);
  });

  nativeTests.it('does not connect by another hash, nor on another path', async () => {
    const other = await newCertificate();
    expect(await page.evaluate(leaveSession, { ...server, hash: other.hash })).toBe(
      'WebTransportError',
    );
    const url = server.url.replace('/session', '/elsewhere');
    expect(await page.evaluate(leaveSession, { ...server, url })).toBe('WebTransportError');
  });

  nativeTests.it(
    'is gone for the server within the idle timeout when its page goes away',
    async () => {
      closed.length = 0;
      const tab = await browser.newPage();
      await tab.goto(page.url());
      await tab.evaluate(async ({ url, hash }) => {
        const value = Uint8Array.from(atob(hash), (c) => c.charCodeAt(0));
        const transport = new WebTransport(url, {
          serverCertificateHashes: [{ algorithm: 'sha-256', value }],
        });
        await transport.ready;
        await new Promise((resolve) => void setTimeout(resolve, 100));
      }, server);
      expect(closed).toEqual([]);
      await tab.close();
      // Chromium often says nothing then. A busy machine needs a moment to notice.
      await until(() => closed.length > 0, 2 * IDLE_TIMEOUT_MS);
      expect(closed).toHaveLength(1);
    },
  );
});
