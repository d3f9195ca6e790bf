import { createSocket } from 'node:dgram';
import { Endpoint, loadError } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { ofTheMachine, requireOrSkip } from '../../skip.js';
import { undisturbed } from '../../support/undisturbed.js';
import { closeAfter, closeAll, nativeTests, startServer, until } from './harness.js';

afterEach(closeAll);

/** Bytes that may be under way in any case. */
const LIVE_WINDOW = 32 * 1024;

/** A sender's packets, one each 10 ms. */
const PACKET = new Uint8Array(400);
const EVERY_MS = 10;

/**
 * A way to a UDP port of this machine, for one client.
 * @param {number} to
 */
async function openWay(to) {
  const way = {
    delayMs: 0,
    /** One of so many is lost on the way up; 0: none. */ lossIn: 0,
    port: 0,
  };
  const [near, far] = [createSocket('udp6'), createSocket('udp6')];
  let client = { port: 0, address: '' };
  let [passed, open] = [0, true];
  /**
   * @param {import('node:dgram').Socket} socket
   * @param {Uint8Array} bytes
   * @param {{ port: number, address: string }} peer
   */
  const pass = (socket, bytes, { port, address }) => {
    setTimeout(() => open && socket.send(bytes, port, address), way.delayMs);
  };
  near.on('message', (bytes, from) => {
    client = from;
    passed += 1;
    if (way.lossIn === 0 || passed % way.lossIn > 0) pass(far, bytes, { port: to, address: '::1' });
  });
  far.on('message', (bytes) => pass(near, bytes, client));
  await new Promise((resolve) => void near.bind(0, '::', () => resolve(undefined)));
  way.port = near.address().port;
  const close = () => {
    open = false;
    near.close();
    far.close();
  };
  return Object.assign(way, { close });
}

/** A session over a way, whose client sends as if it spoke. @param {string} congestionController */
async function speaking(congestionController) {
  const options = { congestionController: /** @type {'cubic'} */ (congestionController) };
  const server = await startServer({ options, onSession: () => {} });
  const way = closeAfter(await openWay(server.port));
  const client = closeAfter(new Endpoint(options));
  const session = await client.connect(`https://localhost:${way.port}/session`, {
    certificateHashes: [server.certificate.hash],
  });
  const timer = setInterval(() => session.send(PACKET), EVERY_MS);
  closeAfter({ close: () => clearInterval(timer) });
  const stats = () => session.stats() ?? expect.fail('the session has ended');
  return { way, stats };
}

const NOT_HELD = 'does not hold live sound back for what is lost by chance, with %s';

/** @param {string} controller */
const isNotHeld = (controller) =>
  undisturbed(async () => {
    const { way, stats } = await speaking(controller);
    Object.assign(way, { delayMs: 10, lossIn: 5 });
    const before = stats().lostPackets;
    await until(() => stats().lostPackets > before + 15, 15_000);
    expect(stats().cwnd).toBeGreaterThanOrEqual(LIVE_WINDOW);
    expect(stats().droppedBlocked).toBe(0);
  }, closeAll);

const LEFT = 'leaves the window to the bare controller: %s';

/** @param {string} controller */
async function isLeft(controller) {
  const { way, stats } = await speaking(controller);
  Object.assign(way, { delayMs: 10, lossIn: 5 });
  await until(() => stats().cwnd < LIVE_WINDOW / 4, 15_000);
}

nativeTests.describe('native engine: congestion', () => {
  it.each(['cubic', 'newreno', 'bbr'])(NOT_HELD, isNotHeld);

  it.each(['cubic-bare', 'newreno-bare'])(LEFT, isLeft);

  it('holds it back where a queue fills, and no longer', async () => {
    const { way, stats } = await speaking('cubic');
    await until(() => stats().cwnd >= LIVE_WINDOW);
    Object.assign(way, { delayMs: 300, lossIn: 4 });
    await until(() => stats().cwnd < LIVE_WINDOW / 4, 15_000);
    Object.assign(way, { delayMs: 0, lossIn: 0 });
    await until(() => stats().cwnd >= LIVE_WINDOW, 15_000);
  });
});

requireOrSkip(
  loadError('bbr3') === null,
  'the engine with noq is not built',
  ofTheMachine,
).describe('engine with noq: congestion', () => {
  it.each(['bbr3'])(NOT_HELD, isNotHeld);

  it.each(['bbr3-bare'])(LEFT, isLeft);
});
