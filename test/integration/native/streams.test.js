import { createHash } from 'node:crypto';
import { Endpoint } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { Child } from '../../../testkit/participants/child.js';
import {
  closeAfter,
  closeAll,
  collectThrown,
  nativeTests,
  readAll,
  record,
  startServer,
  until,
} from '../../../testkit/native.js';

/** @import { NativeSession, Stream } from '@aloud/native' */

afterEach(closeAll);

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** Two ends of a session. @param {Partial<import('@aloud/native').EndpointSettings>} [options] */
async function pair(options) {
  const server = await startServer({ options, onSession: () => {} });
  const client = closeAfter(new Endpoint(options));
  const near = await client.connect(server.url, { certificateHashes: [server.certificate.hash] });
  const far = await until(() => server.sessions[0]);
  return { near, far, atNear: record(near), atFar: record(far) };
}

/** @param {NativeSession} session @param {boolean} [bidi] @returns {Stream} */
function openStream(session, bidi = true) {
  const stream = session.openStream({ bidi });
  if (!stream) throw new Error('no stream');
  return stream;
}

/** Writes as the stream takes it. @param {Stream} stream @param {Uint8Array} data */
async function writeAll(stream, data) {
  for (let at = 0; at < data.length; at += 5000) {
    while (!stream.write(data.subarray(at, at + 5000))) {
      await new Promise((resolve) => void (stream.onWritable = () => resolve(undefined)));
    }
  }
  stream.finish();
}

nativeTests.describe('native engine: streams', () => {
  it('go both ways, from either side, and end on each side separately', async () => {
    const { near, far, atNear, atFar } = await pair();
    for (const [opener, peer] of /** @type {const} */ ([
      [near, atFar],
      [far, atNear],
    ])) {
      const mine = openStream(opener);
      mine.write(bytes('ques'));
      mine.write(bytes('tion'));
      mine.finish();
      const theirs = await until(() => peer.streams[0]);
      expect(theirs.bidi).toBe(true);
      expect(String(await readAll(theirs))).toBe('question');
      theirs.write(bytes('answer'));
      theirs.finish();
      expect(theirs.write(bytes('more'))).toBe(false);
      expect(String(await readAll(mine))).toBe('answer');
    }
  });

  it('go one way', async () => {
    const { near, far, atNear, atFar } = await pair();
    for (const [opener, peer] of /** @type {const} */ ([
      [near, atFar],
      [far, atNear],
    ])) {
      const mine = openStream(opener, false);
      mine.write(bytes('news'));
      mine.finish();
      const theirs = await until(() => peer.streams[0]);
      expect(theirs.bidi).toBe(false);
      expect(theirs.write(bytes('x'))).toBe(false);
      expect(String(await readAll(theirs))).toBe('news');
    }
  });

  it('that go one way have their first bytes when they are announced', async () => {
    // One thread at the writer's end: what it is given together goes out together.
    const { near, far } = await pair({ ioThreads: 1, maxStreams: 30 });
    const counts = /** @type {(number | null)[]} */ ([]);
    far.onStream = (stream) => void counts.push(stream.read(new Uint8Array(100)));
    for (let i = 1; i <= 30; i++) {
      const mine = openStream(near, false);
      await new Promise((resolve) => void setTimeout(resolve, 2));
      mine.write(bytes('news'));
      await until(() => counts.length === i);
    }
    expect(counts).toEqual(Array.from({ length: 30 }, () => 4));
  });

  it('hold the writer back until the reader reads, and lose nothing', async () => {
    const { near, atFar } = await pair();
    const data = new Uint8Array(2_000_000).map((_, i) => (i * 2_654_435_761) >>> 24);
    const stream = openStream(near);
    let done = false;
    const writing = writeAll(stream, data).then(() => (done = true));
    const theirs = await until(() => atFar.streams[0]);
    await new Promise((resolve) => void setTimeout(resolve, 200));
    expect(done).toBe(false);
    const got = await readAll(theirs);
    await writing;
    expect(createHash('sha256').update(got).digest('hex')).toBe(
      createHash('sha256').update(data).digest('hex'),
    );
  });

  it('refuse a write that has no room, whole', async () => {
    const { near, atFar } = await pair({ streamBufferBytes: 16 * 1024 });
    const stream = openStream(near);
    let taken = 0;
    while (taken < 10_000_000 && stream.write(new Uint8Array(4000))) taken += 4000;
    expect(taken).toBeLessThan(200_000);
    stream.finish();
    const theirs = await until(() => atFar.streams[0]);
    expect(await readAll(theirs)).toHaveLength(taken);
  });

  it('can be broken off by the writer, with a code', async () => {
    const { near, atFar } = await pair();
    const stream = openStream(near);
    stream.write(bytes('half a'));
    const theirs = await until(() => atFar.streams[0]);
    stream.reset(77);
    await readAll(theirs);
    expect(theirs.resetCode).toBe(77);
    expect(stream.write(bytes('x'))).toBe(false);
  });

  it('can be broken off by the writer while it is held back', async () => {
    const { near, atFar } = await pair();
    const stream = openStream(near);
    while (stream.write(new Uint8Array(8000)));
    const theirs = await until(() => atFar.streams[0]);
    stream.reset(78);
    await readAll(theirs);
    expect(theirs.resetCode).toBe(78);
  });

  it('can be declined by the reader, with a code', async () => {
    const { near, atFar } = await pair();
    const stream = openStream(near);
    const codes = /** @type {number[]} */ ([]);
    stream.onStopped = (code) => codes.push(code);
    stream.write(bytes('who listens?'));
    (await until(() => atFar.streams[0])).stop(99);
    await until(() => codes.length > 0);
    expect(codes).toEqual([99]);
    expect(stream.write(bytes('x'))).toBe(false);
  });

  it('are declined where nobody takes them', async () => {
    const server = await startServer({ onSession: () => {} });
    const client = closeAfter(new Endpoint());
    const session = await client.connect(server.url, {
      certificateHashes: [server.certificate.hash],
    });
    const stream = openStream(session);
    const codes = /** @type {number[]} */ ([]);
    stream.onStopped = (code) => codes.push(code);
    stream.write(bytes('hello?'));
    await until(() => codes.length > 0);
  });

  it('come one for each packet, many more than may be open at once, none lost', async () => {
    const { near, atFar } = await pair({ maxStreams: 4 });
    for (let i = 0; i < 500; i++) {
      const stream = openStream(near, false);
      stream.write(bytes(`packet ${i}`));
      stream.finish();
    }
    const got = new Set();
    let next = 0;
    while (got.size < 500) {
      const stream = await until(() => atFar.streams[next]);
      got.add(String(await readAll(stream)));
      next += 1;
    }
    expect(next).toBe(500);
  });

  it('wait for a place when the peer may open no more, until one is over', async () => {
    const { near, atFar } = await pair({ maxStreams: 2 });
    for (let i = 0; i < 5; i++) openStream(near).write(bytes(`stream ${i}`));
    await until(() => atFar.streams.length === 2);
    await new Promise((resolve) => void setTimeout(resolve, 200));
    expect(atFar.streams).toHaveLength(2);
    for (let i = 0; i < 5; i++) {
      const stream = await until(() => atFar.streams[i]);
      stream.stop(0);
      stream.finish();
    }
  });

  it('end with their session', async () => {
    const { near, far, atFar } = await pair();
    const stream = openStream(near);
    stream.write(bytes('hello'));
    const theirs = await until(() => atFar.streams[0]);
    near.close(3, 'bye');
    expect(stream.write(bytes('late'))).toBe(false);
    await until(() => atFar.closed);
    expect(theirs.read(new Uint8Array(100))).toBe(null);
    expect(theirs.write(bytes('x'))).toBe(false);
    expect(stream.write(bytes('x'))).toBe(false);
    theirs.finish();
    theirs.reset(1);
    theirs.stop(1);
    expect(far.open).toBe(false);
  });

  it('whose callback throws at the end leave no session that never closes', async () => {
    const { near, far, atFar } = await pair();
    openStream(near).write(bytes('x'));
    const stream = await until(() => atFar.streams[0]);
    const thrown = collectThrown();
    // The byte may come later than its stream, and is thrown then too.
    stream.onReadable = () => {
      throw new Error(far.open ? 'at the byte' : 'at the end');
    };
    near.close(7, 'bye');
    await until(() => atFar.closed);
    expect(thrown).toContain('at the end');
    expect(atFar.closed).toMatchObject([7, 'bye', 'peer']);
  });

  it('are written out before their session closes', async () => {
    const server = await startServer({ onSession: () => {} });
    const client = closeAfter(new Endpoint());
    for (let i = 0; i < 20; i++) {
      const near = await client.connect(server.url, {
        certificateHashes: [server.certificate.hash],
      });
      const far = await until(() => server.sessions[i]);
      const atNear = record(near);
      const got = /** @type {Promise<Buffer>[]} */ ([]);
      near.onStream = (stream) => got.push(readAll(stream));
      openStream(far, false).write(bytes('{"type":"refused"}'));
      far.close(4, 'full');
      await until(() => atNear.closed);
      expect(atNear.closed).toEqual([4, 'full', 'peer']);
      expect(got).toHaveLength(1);
      expect(String(await got[0])).toBe('{"type":"refused"}');
    }
  });

  it('reach a peer that was stopped until after the session closed, as do datagrams', async () => {
    const server = await startServer({ onSession: () => {} });
    const reader = closeAfter(
      new Child(new URL('../../fixtures/stream-reader.js', import.meta.url), []),
    );
    for (let i = 0; i < 20; i++) {
      await reader.call('connect', { url: server.url, hash: server.certificate.hash });
      const far = await until(() => server.sessions[i]);
      process.kill(reader.pid, 'SIGSTOP');
      const long = openStream(far);
      long.write(bytes('{"type":'));
      openStream(far, false).write(bytes('first'));
      openStream(far, false).write(bytes('second'));
      far.send(bytes('third'));
      long.write(bytes('"refused"}'));
      far.close(4, 'full');
      // Past the head start that streams have of the close.
      await new Promise((resolve) => void setTimeout(resolve, 50));
      process.kill(reader.pid, 'SIGCONT');
      const { streams, datagrams, closed } = await reader.call('ended');
      expect(closed).toEqual([4, 'full', 'peer']);
      expect(streams.toSorted()).toEqual(['first', 'second', '{"type":"refused"}']);
      expect(datagrams).toEqual(['third']);
    }
  });
});
