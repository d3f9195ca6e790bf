/** Packets on streams, in place of datagrams. */

import { Endpoint } from '@aloud/native';
import { afterEach, expect, it, vi } from 'vitest';
import { webTransportOn } from '../../../programs/webtransport.js';
import { WebTransportConnection } from '../../../public/client/connection/webtransport.js';
import { CARRIES } from '../../../public/shared/wire/carry.js';
import { MAX_PACKET_STREAMS } from '../../../server/transport/packet-streams.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import { closeAfter, closeAll, nativeTests, newCertificate, until } from './harness.js';

/** @import { Session } from '../../../server/transport/session.js' */
/** @import { Carry } from '../../../public/shared/wire/carry.js' */

afterEach(closeAll);

/**
 * A session whose client is the page's, on the native engine.
 * @param {Carry} carry
 * @param {{ offered?: Carry | 'any', query?: string }} [options] offered: by the server; query: of
 *   the session's URL
 */
async function connected(carry, { offered = carry, query = '' } = {}) {
  const certificate = await newCertificate();
  const sessions = /** @type {Session[]} */ ([]);
  const up = /** @type {string[]} */ ([]);
  const down = /** @type {string[]} */ ([]);
  const accept = (/** @type {Session} */ session) => {
    session.handler = {
      packet: (bytes) => void up.push(Buffer.from(bytes).toString()),
      control: () => {},
      closed: () => {},
    };
    sessions.push(session);
  };
  const transport = closeAfter(
    await createNativeTransport({ certificate, accept, carry: offered, log: { error: vi.fn() } }),
  );
  const endpoint = closeAfter(new Endpoint({ maxStreams: MAX_PACKET_STREAMS }));
  const connection = await WebTransportConnection.open({
    url: `https://localhost:${transport.address().port}/session${query}`,
    certificateHashes: [certificate.hash],
    carry,
    now: () => performance.now(),
    WebTransport: webTransportOn(endpoint),
  });
  connection.handler = {
    onPacket: (bytes) => void down.push(Buffer.from(bytes).toString()),
    onControl: () => {},
    onClosed: () => {},
  };
  const session = await until(() => sessions[0]);
  return { transport, connection, session, up, down };
}

nativeTests.describe('packets on the native engine', () => {
  it.each(CARRIES)('come whole, both ways, to one and to many: %s', async (carry) => {
    const { transport, connection, session, up, down } = await connected(carry);
    const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat((i * 37) % 1000)}`);
    for (const [i, text] of texts.entries()) {
      const bytes = new TextEncoder().encode(text);
      expect(connection.send(bytes)).toBe(true);
      if (i % 2 === 0) session.send(bytes);
      else transport.sendMany([session], bytes);
      await new Promise((done) => setTimeout(done, 4));
    }
    await until(() => up.length === 100 && down.length === 100);
    const sort = (/** @type {string[]} */ all) =>
      all.toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10));
    expect([sort(up), sort(down)]).toEqual([texts, texts]);
    if (carry === 'stream') expect([up, down]).toEqual([texts, texts]);
    expect(session.stats().droppedOut).toBe(0);
  });

  it.each([...CARRIES, ''])('go as a session asks, where the server lets it: %s', async (asked) => {
    const carry = /** @type {Carry} */ (asked || 'datagrams');
    const { connection, session, up, down } = await connected(carry, {
      offered: 'any',
      query: asked && `?carry=${asked}`,
    });
    connection.send(Uint8Array.of(65));
    session.send(Uint8Array.of(66));
    await until(() => up.length === 1 && down.length === 1);
    expect([up, down]).toEqual([['A'], ['B']]);
  });

  it('open no session that asks for what there is not', async () => {
    await expect(connected('stream', { offered: 'any', query: '?carry=pigeons' })).rejects.toThrow(
      'HTTP/3 got no answer',
    );
  });

  it('are datagrams, whatever a session asks for, where the server has no other', async () => {
    const { connection, session, up, down } = await connected('datagrams', {
      query: '?carry=stream',
    });
    connection.send(Uint8Array.of(65));
    session.send(Uint8Array.of(66));
    await until(() => up.length === 1 && down.length === 1);
    expect([up, down]).toEqual([['A'], ['B']]);
  });

  it.each(/** @type {const} */ (['streams', 'reset-streams']))(
    'leave no stream open: %s',
    async (carry) => {
      const { connection, session, up, down } = await connected(carry);
      const count = 3 * MAX_PACKET_STREAMS;
      for (let i = 0; i < count; i++) {
        connection.send(Uint8Array.of(1));
        session.send(Uint8Array.of(2));
        await new Promise((done) => setTimeout(done, 2));
      }
      await until(() => up.length === count && down.length === count);
      expect(session.stats().droppedOut).toBe(0);
    },
  );
});
