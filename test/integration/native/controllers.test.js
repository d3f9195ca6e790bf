/** Each congestion controller, at both ends of a session. */

import {
  ALL_CONTROLLERS,
  CONGESTION_CONTROLLERS,
  DEFAULTS,
  Endpoint,
  load,
  loadError,
  NOQ_CONTROLLERS,
} from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { ofTheMachine, requireOrSkip } from '../../skip.js';
import {
  closeAfter,
  closeAll,
  nativeTests,
  newCertificate,
  readAll,
  record,
  startServer,
  until,
} from './harness.js';

afterEach(closeAll);

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** More than a first window, in pieces that a stream's buffer takes. */
const PIECES = Array.from({ length: 16 }, (_, i) => new Uint8Array(4096).fill(i));

/**
 * @param {import('@aloud/native').NativeSession} from
 * @param {import('@aloud/native').Stream[]} arrived at the other end
 */
async function carriesStream(from, arrived) {
  const stream = from.openStream({ bidi: false }) ?? expect.fail('there is no stream');
  for (const piece of PIECES) await until(() => stream.write(piece));
  stream.finish();
  const received = await readAll(await until(() => arrived[0]));
  expect(received.equals(Buffer.concat(PIECES))).toBe(true);
}

/** @param {import('@aloud/native').CongestionController} congestionController */
async function carriesBothWays(congestionController) {
  const options = { congestionController };
  const server = await startServer({ options, onSession: () => {} });
  const client = closeAfter(new Endpoint(options));
  const near = await client.connect(server.url, { certificateHashes: [server.certificate.hash] });
  const far = await until(() => server.sessions[0]);
  const seen = [record(near), record(far)];
  near.send(bytes('up'));
  far.send(bytes('down'));
  await until(() => seen.every(({ datagrams }) => datagrams.length === 1));
  expect(seen.map(({ datagrams }) => datagrams[0])).toEqual(['down', 'up']);
  await carriesStream(near, seen[1].streams);
  await carriesStream(far, seen[0].streams);
  for (const session of [near, far]) {
    const {
      congestionController: name,
      cwnd = 0,
      rttMs,
      deliveryBps,
      deliveryIsLimit,
    } = session.stats() ?? {};
    // Of a moment's packets no rate is measured, or one that is limited by the little that there
    // was.
    expect(deliveryBps === null || Number(deliveryBps) > 0).toBe(true);
    expect(typeof deliveryIsLimit).toBe('boolean');
    expect(name).toBe(congestionController);
    expect(cwnd > 2 ** 32 - 1).toBe(congestionController === 'none');
    expect(cwnd).toBeGreaterThanOrEqual(2400);
    expect(rttMs).toBeGreaterThan(0);
  }
}

/**
 * Datagrams of one length in one turn, more than the queue holds: those that don't come are
 * counted.
 * @param {import('@aloud/native').CongestionController} congestionController
 * @param {number} length
 */
async function countsPushedOut(congestionController, length) {
  const options = { congestionController, receiveQueue: 5000 };
  const server = await startServer({ options, onSession: () => {} });
  const client = closeAfter(new Endpoint({ congestionController, sendQueueBytes: 4096 }));
  const near = await client.connect(server.url, { certificateHashes: [server.certificate.hash] });
  const { datagrams } = record(await until(() => server.sessions[0]));
  const COUNT = 2000;
  for (let i = 0; i < COUNT; i++) near.send(bytes(String(i).padEnd(length)));
  await until(() => datagrams.at(-1)?.startsWith(String(COUNT - 1)));
  const { droppedBlocked = 0 } = near.stats() ?? {};
  expect(droppedBlocked).toBeGreaterThan(0);
  expect(Math.abs(COUNT - datagrams.length - droppedBlocked)).toBeLessThanOrEqual(10);
}

const FULL = 'counts what is pushed out of a full queue: %i bytes';
const LENGTHS = [40, 160, 430];
const TITLE = 'carries datagrams and streams both ways, and tells its name: %s';

nativeTests.describe('native engine: congestion controllers', () => {
  it.each(CONGESTION_CONTROLLERS)(TITLE, carriesBothWays);

  it.each(LENGTHS)(FULL, (length) => countsPushedOut('cubic', length));

  it('refuses a name that it does not know, and names those that it does', async () => {
    const congestionController = /** @type {'cubic'} */ (/** @type {string} */ ('vegas'));
    expect(() => new Endpoint({ congestionController })).toThrow(
      new RangeError(`congestionController vegas: allowed are ${ALL_CONTROLLERS.join(', ')}`),
    );
    const { Endpoint: Native } = load();
    const native = new Native({ ...DEFAULTS, congestionController }, () => {});
    const { certPem, keyPem } = await newCertificate();
    expect(() => native.listen('127.0.0.1', 0, certPem, keyPem)).toThrow(
      'there is no congestion controller vegas',
    );
    expect(() => native.connect('https://localhost/', [], [])).toThrow(
      'there is no congestion controller vegas',
    );
    native.shutdown();
  });
});

requireOrSkip(
  loadError('bbr3') === null,
  'the engine with noq is not built',
  ofTheMachine,
).describe('engine with noq: congestion controllers', () => {
  it.each(NOQ_CONTROLLERS)(TITLE, carriesBothWays);

  it.each(LENGTHS)(FULL, (length) => countsPushedOut('bbr3', length));

  it('is told from the first engine, which goes on beside it', async () => {
    expect(load('bbr3')).not.toBe(load());
    await Promise.all([carriesBothWays('bbr3'), carriesBothWays('bbr')]);
  });
});
