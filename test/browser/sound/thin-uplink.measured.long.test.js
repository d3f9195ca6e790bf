import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { closeAfter, closeAll, nativeTests, newCertificate } from '../../../testkit/native.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import { openThinPath } from '../../support/paths.js';
import { chromiumPath, inBrowser } from '../../../testkit/browsers/browser.js';
import { useSite } from '../support/site.js';

/** Packets of a stereo room in music mode with copies, 20 ms each. */
const PACKET_BYTES = 1000;
const SECONDS = 6;
const PACKETS = 50 * SECONDS;

/** The packets after which the browser has measured the path. */
const SETTLED = 100;

/** The path's own queue. */
const QUEUE_MS = 100;

/**
 * Runs in the page.
 * @param {{ url: string, hash: string, bytes: number, seconds: number, frameMs: number }} way
 */
async function speak({ url, hash, bytes, seconds, frameMs }) {
  const { WebTransportConnection } = /** @type {any} */ (window);
  const connection = await WebTransportConnection.open({
    url,
    certificateHashes: [hash],
    now: () => performance.now(),
  });
  const packet = new DataView(new ArrayBuffer(bytes));
  const beginMs = performance.now();
  for (let i = 0; i < (1000 / frameMs) * seconds; i++) {
    await new Promise(
      (resolve) => void setTimeout(resolve, beginMs + frameMs * i - performance.now()),
    );
    packet.setUint32(0, i);
    packet.setFloat64(4, performance.timeOrigin + performance.now());
    connection.send(new Uint8Array(packet.buffer));
  }
  connection.close();
}

const tests = chromiumPath ? nativeTests : inBrowser;

tests.describe('an uplink that carries less than is said', () => {
  const site = useSite();
  const heard = /** @type {{ number: number, ageMs: number }[]} */ ([]);
  let hash = '';
  /** @type {Awaited<ReturnType<typeof createNativeTransport>>} */
  let transport;

  beforeAll(async () => {
    const certificate = await newCertificate();
    hash = certificate.hash;
    const accept = (
      /** @type {import('../../../server/session/session.js').Session} */ session,
    ) => {
      session.handler = {
        packet: (bytes) => {
          const packet = new DataView(bytes.buffer, bytes.byteOffset);
          heard.push({
            number: packet.getUint32(0),
            ageMs: performance.timeOrigin + performance.now() - packet.getFloat64(4),
          });
        },
        control: () => {},
        closed: () => {},
      };
    };
    transport = closeAfter(
      await createNativeTransport({ certificate, accept, log: { error: () => {} } }),
    );
  });
  afterEach(() => heard.splice(0));
  afterAll(closeAll);

  /** @param {number} bitrate of the path @param {number} [frameMs] */
  async function speakOver(bitrate, frameMs = 20) {
    const path = closeAfter(
      await openThinPath(transport.address().port, { bitrate, queueMs: QUEUE_MS }),
    );
    const page = await site.page('/');
    // The test runner would replace an import that stands in code.
    await page.evaluate(
      "import('/public/client/connection/webtransport.js').then((module) => " +
        'Object.assign(window, module))',
    );
    const url = `https://localhost:${path.port}/session`;
    await page.evaluate(speak, { url, hash, bytes: PACKET_BYTES, seconds: SECONDS, frameMs });
    const ages = heard
      .filter(({ number }) => number > SETTLED)
      .map(({ ageMs }) => ageMs)
      .toSorted((a, b) => a - b);
    return {
      heard: heard.length,
      medianMs: ages[ages.length >> 1],
      oldestMs: ages[ages.length - 1],
    };
  }

  // Where the oldest packets went first, the median was 570 ms.
  tests.it('has new sound come, and drops what has waited longest', async () => {
    const { heard: count, medianMs, oldestMs } = await speakOver(200_000);
    expect(medianMs).toBeLessThan(QUEUE_MS + 150);
    expect(oldestMs).toBeLessThan(QUEUE_MS + 300);
    // The path was never idle: 200 kbit/s carry some 24 of these packets a second.
    expect(count).toBeGreaterThan(20 * SECONDS);
  });

  tests.it('drops nothing where the path carries it all', async () => {
    const { heard: count } = await speakOver(1_000_000);
    expect(count).toBeGreaterThan(0.98 * PACKETS);
  });

  // Such a frame is never followed by another within the age at which it is dropped.
  tests.it(
    'drops nothing of frames of 60 ms where little more than they need is carried',
    async () => {
      const { heard: count } = await speakOver(200_000, 60);
      expect(count).toBeGreaterThan((0.95 * PACKETS) / 3);
    },
  );
});
