import { createServer } from 'node:http';
import { isBuilt } from '@aloud/native';
import { expect } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { loadConfig } from '../../../server/config/config.js';
import { createServer as createAloud } from '../../../server/server.js';
import plugin from '../../plugin/index.js';
import { GOODBYE_MS, openDataChannels } from '../../plugin/data-channel.js';
import { CLOSED, CONTROL_CHANNEL, DESCRIPTION_TYPE } from '../../plugin/page/peers.js';
import { MAX_CONTROL_BYTES, prepareControl } from '../../../server/session/session.js';
import { canBuildNative, requireOrSkip } from '../../../testkit/skip.js';
import {
  closeAfter,
  packetOf,
  script,
  sharedCases,
  until,
} from '../../../testkit/transport-cases.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { DataChannels } from '../../plugin/data-channel.js'
 * @import { Options, Peer } from '../../../testkit/transport-cases.js'
 *
 * @typedef {Peer & { connection: import('node-datachannel').PeerConnection }} ChannelPeer
 */

const library = await import('node-datachannel').catch(() => null);
const withLibrary = requireOrSkip(library, 'node-datachannel is not installed', () => false);
const withBoth = library
  ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative)
  : withLibrary;
const { PeerConnection } = /** @type {typeof import('node-datachannel')} */ (library ?? {});

/**
 * Objects of the library whose channels aren't closed yet: it ends the process when one is
 * collected in use.
 */
const kept = new Set();

/** @param {Options} [options] */
async function start(options) {
  const { heard, clock, errors: logged, options: given } = script(options);
  const { transport: opened } = await openDataChannels(given);
  const transport = /** @type {DataChannels} */ (opened);
  const server = createServer(transport.handle);
  await new Promise((/** @type {(done: void) => void} */ done) =>
    server.listen(0, '127.0.0.1', done),
  );
  const url = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  /** @type {ChannelPeer[]} */
  const peers = [];
  const connect = async () => {
    const peer = await connectPeer(url);
    peers.push(peer);
    return peer;
  };
  const close = async () => {
    for (const peer of peers) peer.vanish();
    const closed = transport.close();
    clock.advance(GOODBYE_MS);
    await closed;
    await new Promise((done) => server.close(done));
  };
  return { transport, heard, clock, errors: logged, connect, url, close };
}

/** @param {string} url @param {string} sdp @param {string} [type] */
const post = (url, sdp, type = DESCRIPTION_TYPE) =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body: sdp });

/** @param {InstanceType<typeof PeerConnection>} connection @returns {Promise<string>} its offer */
function offerOf(connection) {
  return new Promise((resolve) => {
    connection.onLocalDescription((sdp) => resolve(sdp));
    connection.setLocalDescription('offer');
  });
}

/** A connection with both channels, that isn't connected. */
function newConnection() {
  const connection = new PeerConnection('peer', { iceServers: [], disableAutoNegotiation: true });
  const control = connection.createDataChannel('control', CONTROL_CHANNEL);
  const packets = connection.createDataChannel('packets', {
    negotiated: true,
    id: 1,
    unordered: true,
    maxRetransmits: 0,
  });
  for (const part of [connection, control, packets]) kept.add(part);
  control.onClosed(() => kept.delete(control));
  packets.onClosed(() => kept.delete(packets));
  connection.onStateChange((state) => void (state === 'closed' && kept.delete(connection)));
  return { connection, control, packets };
}

/** @param {string} url @returns {Promise<ChannelPeer>} */
async function connectPeer(url) {
  const { connection, control, packets } = newConnection();
  const heard = /** @type {Uint8Array[]} */ ([]);
  const messages = /** @type {any[]} */ ([]);
  /** @type {(code: number) => void} */
  let end = () => {};
  const ended = new Promise(
    (/** @type {(code: number) => void} */ resolve) => void (end = resolve),
  );
  packets.onMessage((bytes) => void heard.push(Uint8Array.from(/** @type {Buffer} */ (bytes))));
  control.onMessage((text) => {
    const message = JSON.parse(String(text));
    if (message.type !== CLOSED) return void messages.push(message);
    end(message.code);
    connection.close();
  });
  const opened = Promise.all(
    [control, packets].map(
      (channel) =>
        new Promise((/** @type {(open: void) => void} */ resolve) => channel.onOpen(resolve)),
    ),
  );
  const answer = await post(url, await offerOf(connection));
  const body = await answer.text();
  if (answer.status === 201) {
    connection.setRemoteDescription(body, 'answer');
    await opened;
  } else {
    end(errors[/** @type {ErrorCode} */ (JSON.parse(body).code)].close);
    connection.close();
  }
  return {
    packets: heard,
    messages,
    ended,
    connection,
    send: (...all) => all.forEach((bytes) => packets.isOpen() && packets.sendMessageBinary(bytes)),
    sendControl: (message) => void control.sendMessage(JSON.stringify(message)),
    close: () => control.close(),
    vanish: () => connection.close(),
  };
}

withLibrary.describe('data channels', () => {
  sharedCases(start);

  /** A peer whose session has begun. @param {Options} [options] */
  async function connected(options) {
    const setup = closeAfter(await start(options));
    const peer = await setup.connect();
    return { ...setup, peer, one: setup.heard[0] };
  }

  withLibrary.it('answers with the address that was asked, and with no other', async () => {
    const { url } = closeAfter(await start());
    const { connection } = newConnection();
    const response = await post(url, await offerOf(connection));
    expect(response.headers.get('content-type')).toBe(DESCRIPTION_TYPE);
    const candidates = (await response.text()).match(/^a=candidate:.*$/gm);
    expect(candidates).toEqual([expect.stringMatching(/ UDP \d+ 127\.0\.0\.1 \d+ typ host$/)]);
    connection.close();
  });

  withLibrary.it('tells a peer that isn’t connected yet why its session ended', async () => {
    const { url, heard } = closeAfter(await start());
    const { connection, control } = newConnection();
    const told = new Promise((resolve) =>
      control.onMessage((text) => resolve(JSON.parse(String(text)))),
    );
    const answer = await (await post(url, await offerOf(connection))).text();
    heard[0].session.close(errors['room-full'].close, 'full');
    connection.setRemoteDescription(answer, 'answer');
    expect(await told).toEqual({ type: CLOSED, code: errors['room-full'].close, reason: 'full' });
    connection.close();
  });

  withLibrary.it('ends a peer that floods, which can’t be paused', async () => {
    const { peer, one } = await connected();
    for (let i = 0; i < 600; i++) peer.send(packetOf(20, i));
    expect(await peer.ended).toBe(errors['too-many-requests'].close);
    expect(one.packets.length).toBeLessThanOrEqual(500);
  });

  withLibrary.it('ends a peer that opens a channel of its own, before it is read', async () => {
    const { peer, one } = await connected();
    const channel = peer.connection.createDataChannel('more');
    kept.add(channel);
    channel.onClosed(() => kept.delete(channel));
    expect(await peer.ended).toBe(errors['bad-request'].close);
    expect(one.packets).toEqual([]);
  });

  withLibrary.it(
    'takes and sends control messages of up to 16 KiB, and ends a session that needs longer ones',
    async () => {
      const { peer, one } = await connected();
      const longest = {
        text: 'x'.repeat(
          MAX_CONTROL_BYTES - JSON.stringify({ type: 'echo', of: { text: '' } }).length,
        ),
      };
      peer.sendControl(longest);
      await until(() => peer.messages.length === 1);
      expect(peer.messages).toEqual([{ type: 'echo', of: longest }]);
      expect(() => peer.sendControl({ text: 'x'.repeat(MAX_CONTROL_BYTES) })).toThrow('limit');
      one.session.sendControl(prepareControl({ text: 'x'.repeat(MAX_CONTROL_BYTES) }));
      expect(await peer.ended).toBe(errors['session-lost'].close);
    },
  );
});

/** @param {...string} argv */
const openServer = async (...argv) =>
  closeAfter(
    await createAloud(
      loadConfig({
        argv: ['--port', '0', '--h3-port', '0', ...argv],
        env: {},
        more: plugin.options,
      }),
      { log: { error() {}, warn() {}, info() {}, debug() {} }, plugin },
    ),
  );

withBoth.describe('a server whose sessions may ask how their packets go', () => {
  withBoth.it('lets a peer join a room, and forgets it when it leaves', async () => {
    const { url, rooms, report } = await openServer('--carry', 'any');
    const { transports } = await (await fetch(`${url}/api/config`)).json();
    expect(transports.datachannel).toEqual({ path: '/api/data-channels' });
    expect(report.join()).toContain('Data channels are on');
    const peer = await connectPeer(url + transports.datachannel.path);
    peer.sendControl({ type: 'join', version: 1, room: 'lab', name: 'Ann', delivery: 'reply' });
    await until(() => peer.messages.some(({ type }) => type === 'welcome'));
    expect(rooms.people).toBe(1);
    peer.sendControl({ type: 'leave' });
    expect(await peer.ended).toBe(0);
    expect(rooms.people).toBe(0);
  });

  withBoth.it('has none else', async () => {
    const { url } = await openServer();
    const { transports, unavailable } = await (await fetch(`${url}/api/config`)).json();
    expect({ ...transports, ...unavailable }).not.toHaveProperty('datachannel');
    expect((await post(`${url}/api/data-channels`, '')).status).toBe(404);
  });
});
