/** Packets on streams, in place of datagrams. */

import { Endpoint } from '@aloud/native';
import { afterEach, expect, it, vi } from 'vitest';
import { webTransportOn } from '../../../programs/scope.js';
import { WebTransportConnection } from '../../../public/client/connection/webtransport.js';
import { CLIENT } from '../../participants/whole-server.js';
import { CarriedSession } from '../../plugin/carried-session.js';
import plugin from '../../plugin/index.js';
import { CARRIES, carrying, MAX_PACKET_STREAMS } from '../../plugin/page/carry.js';
import { WatchedSession, watched } from '../../plugin/watched-session.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import { startServerWith } from '../../../testkit/aloud-server.js';
import {
  closeAfter,
  closeAll,
  nativeTests,
  newCertificate,
  until,
} from '../../../testkit/native.js';
import { Child } from '../../../testkit/participants/child.js';

/**
 * @import { Stream } from '@aloud/native'
 * @import { Config } from '../../../server/config/config.js'
 * @import { Session } from '../../../server/session/session.js'
 */

afterEach(closeAll);

/**
 * A session whose client is the page's, on the native engine.
 * @param {string} query  of the session's URL
 * @param {import('../../../server/plugin.js').EngineParts} [parts]
 */
async function connected(
  query,
  parts = { Session: CarriedSession, settings: { maxStreams: MAX_PACKET_STREAMS } },
  WebTransport = carrying(
    webTransportOn(closeAfter(new Endpoint({ maxStreams: MAX_PACKET_STREAMS }))),
  ),
) {
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
    await createNativeTransport({ certificate, accept, parts, log: { error: vi.fn() } }),
  );
  const connection = await WebTransportConnection.open({
    url: `https://localhost:${transport.address().port}/session${query}`,
    certificateHashes: [certificate.hash],
    now: () => performance.now(),
    WebTransport,
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
    const { transport, connection, session, up, down } = await connected(`?carry=${carry}`);
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
    const { connection, session, up, down } = await connected(asked && `?carry=${asked}`);
    connection.send(Uint8Array.of(65));
    session.send(Uint8Array.of(66));
    await until(() => up.length === 1 && down.length === 1);
    expect([up, down]).toEqual([['A'], ['B']]);
  });

  it('open no session that asks for what there is not', async () => {
    const { session } = await connected('?carry=pigeons');
    expect(/** @type {CarriedSession} */ (session).ended).toBe(true);
  });

  it('are datagrams, whatever a session asks for, where the server has no other', async () => {
    const plain = webTransportOn(closeAfter(new Endpoint()));
    const { connection, session, up, down } = await connected('?carry=stream', {}, plain);
    connection.send(Uint8Array.of(65));
    session.send(Uint8Array.of(66));
    await until(() => up.length === 1 && down.length === 1);
    expect([up, down]).toEqual([['A'], ['B']]);
  });

  it.each(/** @type {const} */ (['streams', 'reset-streams']))(
    'leave no stream open: %s',
    async (carry) => {
      const { connection, session, up, down } = await connected(`?carry=${carry}`);
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

  it.each(['datagrams', 'streams'])('are counted as they are handed over: %s', async (carry) => {
    const parts = { Session: WatchedSession, settings: { maxStreams: MAX_PACKET_STREAMS } };
    const { session, down, connection } = await connected(`?carry=${carry}`, parts);
    const [one] = watched;
    expect(one).toBe(session);
    const before = one.look();
    for (let i = 0; i < 10; i++) session.send(new Uint8Array(100));
    await until(() => down.length === 10);
    const after = await until(() => {
      const look = one.look();
      return look !== null && look.sentBytes - (before?.sentBytes ?? 0) > 1000 ? look : undefined;
    });
    expect([before?.packets, before?.bytes]).toEqual([0, 0]);
    expect([after.packets, after.bytes, after.held]).toEqual([10, 1000, 0]);
    expect(after.windowBytes).toBeGreaterThan(1000);
    expect(after.inFlight).toBeGreaterThanOrEqual(0);
    expect(after.rttMs).toBeGreaterThan(0);
    connection.close();
    await until(() => watched.size === 0);
  });
});

nativeTests.describe("the lab's participants without a browser", () => {
  it('carry their packets as the server’s URL asks', async () => {
    let streams = 0;
    class CountedSession extends CarriedSession {
      /** @override @param {Stream} stream */
      opened(stream) {
        if (!stream.bidi) streams += 1;
        super.opened(stream);
      }
    }
    const engine = (/** @type {Config} */ config) => ({
      ...plugin.engine?.(config),
      Session: CountedSession,
    });
    const server = closeAfter(await startServerWith({ ...plugin, engine }, '--carry', 'streams'));
    const participants = closeAfter(new Child(CLIENT, []));
    await participants.call('open', { origin: server.url });
    const ann = { id: 'Ann', room: 'tea', transport: 'webtransport' };
    await participants.call('listen', { ...ann, speaks: true, recordSeconds: 1 });
    await until(() => streams > 20);
  });
});
