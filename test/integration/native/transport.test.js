import { Endpoint } from '@aloud/native';
import { afterEach, expect, it, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import {
  MAX_CONTROL_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../../../server/session/session.js';
import {
  closeAfter,
  closeAll,
  nativeTests,
  newCertificate,
  readAll,
  record,
  until,
} from '../../../testkit/native.js';

/**
 * @import { Session } from '../../../server/session/session.js'
 * @import { Http3Options } from '../../../server/transport/webtransport.js'
 */

afterEach(closeAll);

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** Records the calls of a session's handler. @param {Session} session */
function handle(session) {
  const heard = {
    packets: /** @type {string[]} */ ([]),
    messages: /** @type {unknown[]} */ ([]),
    closed: /** @type {unknown[]} */ ([]),
  };
  session.handler = {
    packet: (packet) => heard.packets.push(Buffer.from(packet).toString()),
    control: (message) => heard.messages.push(message),
    closed: (code, reason) => heard.closed.push([code, reason]),
  };
  return heard;
}

/**
 * A transport, its sessions and what their handlers heard.
 * @param {Partial<Http3Options>} [options]
 */
async function startTransport(options) {
  const certificate = await newCertificate();
  const sessions = /** @type {Session[]} */ ([]);
  const heard = /** @type {ReturnType<typeof handle>[]} */ ([]);
  const log = { error: vi.fn() };
  const accept = (/** @type {Session} */ session) => {
    sessions.push(session);
    heard.push(handle(session));
  };
  const transport = closeAfter(
    await createNativeTransport({ certificate, accept, log, ...options }),
  );
  const client = closeAfter(new Endpoint());
  const connect = (path = '/session', hash = certificate.hash, headers = {}) =>
    client.connect(`https://localhost:${transport.address().port}${path}`, {
      certificateHashes: [hash],
      headers,
    });
  return { transport, certificate, sessions, heard, log, connect };
}

/**
 * A transport with one session on it, and its control stream.
 * @param {Partial<Http3Options>} [options]
 */
async function connected(options) {
  const all = await startTransport(options);
  const client = await all.connect();
  const seen = record(client);
  const session = await until(() => all.sessions[0]);
  const control = client.openStream();
  if (!control) throw new Error('no stream');
  return { ...all, client, seen, session, control, heard: all.heard[0] };
}

nativeTests.describe('WebTransport on the native engine', () => {
  it('carries packets as datagrams', async () => {
    const { transport, session, client, seen, heard } = await connected();
    client.send(bytes('up'));
    await until(() => heard.packets.length === 1);
    expect(heard.packets).toEqual(['up']);
    expect(session.send(bytes('down'))).toBe(true);
    transport.sendMany([session], bytes('to many'));
    await until(() => seen.datagrams.length === 2);
    expect(seen.datagrams).toEqual(['down', 'to many']);
    expect(session.peer).toMatch(/:\d+$/);
    expect(session.transport).toBe(transport);
    expect(transport).toMatchObject({ name: 'webtransport', engine: 'native', replyOnly: false });
  });

  it('carries control messages as lines both ways, even from before the stream opens', async () => {
    const { session, control, heard, client } = await connected();
    session.sendControl(prepareControl({ type: 'early', text: 'grüß' }));
    control.write(bytes('{"type":"join","name":"J'));
    await new Promise((resolve) => void setTimeout(resolve, 50));
    control.write(Buffer.concat([bytes('örg"}\n{"type":"mute","muted":true}\n')]));
    await until(() => heard.messages.length === 2);
    expect(heard.messages).toEqual([
      { type: 'join', name: 'Jörg' },
      { type: 'mute', muted: true },
    ]);
    session.sendControl(prepareControl({ type: 'late' }));
    session.close(0, '');
    expect(String(await readAll(control))).toBe(
      '{"type":"early","text":"grüß"}\n{"type":"late"}\n',
    );
    await until(() => !client.open);
  });

  it.each([
    ['is not JSON', bytes('{nonsense}\n')],
    ['is not UTF-8', Uint8Array.of(0x22, 0xc3, 0x28, 0x22, 0x0a)],
    ['is too long', bytes('x'.repeat(MAX_CONTROL_BYTES + 1))],
  ])('closes a session whose control message %s as a bad request', async (_, line) => {
    const { control, seen, heard, log } = await connected();
    control.write(line);
    await until(() => seen.closed && heard.closed.length > 0);
    expect(seen.closed?.[0]).toBe(errors['bad-request'].close);
    expect(heard.closed).toEqual([
      [errors['bad-request'].close, expect.stringContaining('control message')],
    ]);
    expect(heard.messages).toEqual([]);
    expect(log.error).not.toHaveBeenCalled();
  });

  it('takes a large burst of control messages in order, without holding up others', async () => {
    const { control, heard } = await connected();
    const lines = Array.from(
      { length: 3000 },
      (_, i) => `{"n":${i},"pad":"${'x'.repeat(50)}"}\n`,
    ).join('');
    for (let at = 0; at < lines.length;) {
      if (control.write(bytes(lines.slice(at, at + 4000)))) at += 4000;
      else await new Promise((resolve) => void (control.onWritable = () => resolve(undefined)));
    }
    await until(() => heard.messages.length === 3000);
    expect(heard.messages.map((message) => /** @type {{ n: number }} */ (message).n)).toEqual([
      ...Array(3000).keys(),
    ]);
  });

  it('has one control stream, and declines all others', async () => {
    const { client, control, heard } = await connected();
    control.write(bytes('1\n'));
    await until(() => heard.messages.length === 1);
    for (const bidi of [true, false]) {
      const other = client.openStream({ bidi });
      const stopped = new Promise((resolve) => void (other && (other.onStopped = resolve)));
      other?.write(bytes('2\n'));
      expect(await stopped).toBe(errors['bad-request'].close);
    }
    expect(heard.messages).toEqual([1]);
  });

  it('closes a session that does not read its control messages', async () => {
    const { session, control, seen, heard } = await connected();
    control.write(bytes('1\n'));
    await until(() => heard.messages.length === 1);
    const message = { text: 'x'.repeat(10_000) };
    for (let i = 0; i < 1000 && heard.closed.length === 0; i++) {
      session.sendControl(prepareControl(message));
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await until(() => seen.closed && heard.closed.length > 0);
    expect(heard.closed).toHaveLength(1);
  });

  it('closes a session that never opens a control stream once messages to it pile up', async () => {
    const { sessions, heard, connect } = await startTransport();
    await connect();
    const session = await until(() => sessions[0]);
    for (let i = 0; i < MAX_STUCK_BYTES / 10_000; i++)
      session.sendControl(prepareControl({ text: 'x'.repeat(10_000) }));
    await until(() => heard[0].closed.length > 0);
  });

  it('closes with code and reason, both ways, and tells the handler once', async () => {
    const one = await connected();
    one.session.close(4, 'full');
    one.session.close(5, 'again');
    expect(one.session.send(bytes('x'))).toBe(false);
    one.session.sendControl(prepareControl({ too: 'late' }));
    await until(() => one.seen.closed && one.heard.closed.length > 0);
    expect(one.seen.closed).toEqual([4, 'full', 'peer']);
    expect(one.heard.closed).toEqual([[4, 'full']]);
    const two = await connected();
    two.client.close(0, 'bye');
    await until(() => two.heard.closed.length > 0);
    expect(two.heard.closed).toEqual([[0, 'bye']]);
  });

  it('takes pages of its own host on any port, and no others', async () => {
    const { connect, sessions } = await startTransport();
    for (const origin of ['http://localhost:8080', 'https://localhost', 'https://LOCALHOST:1']) {
      await connect('/session', undefined, { origin });
    }
    for (const origin of [
      'http://evil.example',
      'http://localhost.evil.example:8080',
      'null',
      'file://',
      '%',
    ]) {
      await expect(connect('/session', undefined, { origin })).rejects.toMatchObject({
        status: 403,
      });
    }
    expect(sessions).toHaveLength(3);
  });

  it('answers 421 for hosts that are not its own, whatever the page', async () => {
    const isAllowedHost = vi.fn(() => false);
    const { connect, sessions } = await startTransport({ isAllowedHost });
    await expect(connect()).rejects.toMatchObject({ status: 421 });
    await expect(
      connect('/session', undefined, { origin: 'http://localhost:8080' }),
    ).rejects.toMatchObject({ status: 421 });
    expect(isAllowedHost).toHaveBeenCalledWith(expect.stringMatching(/^localhost:\d+$/));
    expect(sessions).toHaveLength(0);
  });

  it('answers 404 on other paths', async () => {
    const { connect, sessions } = await startTransport();
    for (const path of ['/', '/session/', '/sessions', '/%73ession2', '/Session']) {
      await expect(connect(path)).rejects.toMatchObject({ status: 404 });
    }
    expect((await connect('/session?room=x')).open).toBe(true);
    await until(() => sessions.length === 1);
  });

  it('closes sessions beyond the limit with the reason, until there is room', async () => {
    const { connect, sessions, heard } = await startTransport({ maxSessions: 1 });
    const first = await connect();
    await until(() => sessions.length === 1);
    const second = record(await connect());
    await until(() => second.closed);
    expect(second.closed).toEqual([
      errors['server-full'].close,
      errors['server-full'].message,
      'peer',
    ]);
    first.close();
    await until(() => heard[0].closed.length > 0);
    await connect();
    await until(() => sessions.length === 2);
  });

  it('closes the session, and no other, whose handler has a mistake in it', async () => {
    const { sessions, heard, log, connect } = await startTransport();
    const [one, two] = [await connect(), await connect()];
    const ends = [record(one), record(two)];
    await until(() => sessions.length === 2);
    const bad = sessions[0];
    if (bad.handler) bad.handler.packet = () => JSON.parse('mistake');
    for (const client of [one, two]) client.send(bytes('packet'));
    await until(() => ends[0].closed && heard[1].packets.length === 1);
    expect(ends[0].closed).toEqual([errors.internal.close, errors.internal.message, 'peer']);
    expect(ends[1].closed).toBe(null);
    expect(log.error).toHaveBeenCalledTimes(1);
  });

  it('keeps a session that is silent, but there', async () => {
    // A busy machine lets neither side's threads stand still for so long.
    const { heard, client } = await connected({ idleTimeoutMs: 1500 });
    await new Promise((resolve) => void setTimeout(resolve, 2500));
    expect(client.open).toBe(true);
    expect(heard.closed).toEqual([]);
  });

  it('counts what it drops', async () => {
    const { session } = await connected({ parts: { settings: { receiveQueue: 4 } } });
    expect(session.send(new Uint8Array(9000))).toBe(false);
    const stats = session.stats();
    expect(stats).toMatchObject({ droppedOut: 1, droppedTooBig: 1, droppedIn: 0 });
    expect(stats.rttMs).toBeGreaterThan(0);
  });

  it('changes its certificate under a live session', async () => {
    const { transport, session, seen, connect } = await connected();
    const fresh = await newCertificate();
    transport.updateCertificate(fresh);
    expect(() => transport.updateCertificate({ certPem: 'junk', keyPem: 'junk' })).toThrow(
      /certificate/,
    );
    expect((await connect('/session', fresh.hash)).open).toBe(true);
    await expect(connect()).rejects.toThrow();
    session.send(bytes('still here'));
    await until(() => seen.datagrams.length === 1);
  });

  it('closes all its sessions, and can be closed again', async () => {
    const { transport, seen, heard } = await connected();
    await Promise.all([transport.close(), transport.close()]);
    await until(() => seen.closed);
    expect(seen.closed).toEqual([
      errors['server-closing'].close,
      errors['server-closing'].message,
      'peer',
    ]);
    expect(heard.closed).toHaveLength(1);
  });

  it('says why it can not start', async () => {
    const { transport, certificate } = await startTransport();
    const rest = { accept: () => {}, log: { error: () => {} } };
    const { port } = transport.address();
    await expect(createNativeTransport({ ...rest, certificate, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    const junk = { certPem: 'junk', keyPem: 'junk' };
    await expect(createNativeTransport({ ...rest, certificate: junk })).rejects.toThrow(
      /certificate/,
    );
  });
});
