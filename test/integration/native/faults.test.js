import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConnectError, Endpoint, load } from '@aloud/native';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  closeAfter,
  closeAll,
  nativeTests,
  record,
  startServer,
  until,
} from '../../../testkit/native.js';

/** @import { NativeSession } from '@aloud/native' */

const CRATE = fileURLToPath(new URL('../../../native/', import.meta.url));

/** Places that can be made to panic, by the numbers of src/faults.rs. */
const PLACE = Object.freeze({ call: 1, receive: 2, connection: 3, accept: 4 });

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
beforeEach(() => void (process.env.ALOUD_NATIVE_PANICS = '1'));
afterEach(async () => {
  delete process.env.ALOUD_NATIVE_PANICS;
  await closeAll();
});

/**
 * An echoing server with two sessions: one of a client that is to fail, one of another client.
 */
async function twoSessions() {
  const options = { idleTimeoutMs: 2000, keepAliveMs: 500 };
  const server = await startServer({ options });
  const faults = /** @type {string[]} */ ([]);
  server.endpoint.onFault = (message) => faults.push(message);
  const certificateHashes = [server.certificate.hash];
  const connect = async () => {
    const client = closeAfter(new Endpoint(options));
    client.onFault = (message) => faults.push(message);
    return client.connect(server.url, { certificateHashes });
  };
  const [failing, healthy] = [await connect(), await connect()];
  await until(() => server.sessions.length === 2);
  return { server, faults, connect, failing, healthy };
}

/**
 * Sends a numbered datagram each 10 ms, and checks that all come back.
 * @param {NativeSession} session
 */
function stream(session) {
  const seen = record(session);
  let sent = 0;
  const timer = setInterval(() => session.send(bytes(String(sent++))), 10);
  return async () => {
    await until(() => sent > 20);
    clearInterval(timer);
    await until(() => seen.datagrams.length >= sent);
    expect(seen.datagrams).toEqual(Array.from({ length: sent }, (_, i) => String(i)));
  };
}

nativeTests.describe('native engine: panics', () => {
  it('become an error of the call', () => {
    const { panicForTest } = load();
    expect(() => panicForTest(PLACE.call)).toThrow('a test asked for it');
    delete process.env.ALOUD_NATIVE_PANICS;
    expect(() => panicForTest(PLACE.call)).toThrow('ALOUD_NATIVE_PANICS is not set');
  });

  it('are caught in every function that JavaScript can call', () => {
    const names = readdirSync(`${CRATE}src`, { recursive: true }).map(String);
    for (const name of names.filter((path) => path.endsWith('.rs'))) {
      const source = readFileSync(`${CRATE}src/${name}`, 'utf8');
      const exported = source.matchAll(
        /#\[napi(.*)\]\n(?: *(?:#.*|\/\/.*)\n)* *pub (?:unsafe )?fn (\w+)/g,
      );
      for (const [, attribute, call] of exported)
        expect(attribute, `${call} in ${name}`).toContain('catch_unwind');
    }
    expect(readFileSync(`${CRATE}Cargo.toml`, 'utf8')).not.toMatch(/panic *=/);
  });

  it("in a session's task end that session, and no other", async () => {
    const { faults, failing, healthy } = await twoSessions();
    const seen = record(failing);
    load().panicForTest(PLACE.receive);
    failing.send(bytes('the server panics over this'));
    // The next packet that comes panics, and it must not be another session's.
    await until(() => faults.length > 0);
    const complete = stream(healthy);
    await until(() => seen.closed);
    await complete();
    expect(faults).toEqual(['a test asked for it']);
    expect(failing.open).toBe(false);
  });

  it("under quinn's lock on a connection end that session, and no other", async () => {
    const { server, faults, connect, failing, healthy } = await twoSessions();
    const ends = [failing, ...server.sessions].map(record);
    for (const session of server.sessions)
      session.onDatagram = (datagram) => void session.send(datagram);
    // The lock is poisoned while a stream is open, so that all of its tasks meet that.
    failing.openStream()?.write(bytes('a stream'));
    await wait(300);
    load().panicForTest(PLACE.connection);
    failing.send(bytes('this side panics over this'));
    await until(() => faults.includes('a test asked for it'));
    const complete = stream(healthy);
    await until(() => ends.filter(({ closed }) => closed).length === 2, 20_000);
    await complete();
    expect(ends.map(({ closed }) => closed?.[1])).toContainEqual(
      expect.stringContaining('the engine failed: '),
    );
    expect(faults).toContain('a test asked for it');
    expect((await connect()).open).toBe(true);
  });

  it('over one connection leave the port open', async () => {
    const { server, faults, connect, healthy } = await twoSessions();
    const complete = stream(healthy);
    load().panicForTest(PLACE.accept);
    await expect(connect()).rejects.toBeInstanceOf(ConnectError);
    expect((await connect()).open).toBe(true);
    await complete();
    expect(faults).toEqual(['a test asked for it']);
    expect(server.endpoint.faults).toBe(1);
  });
});
