import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { Endpoint, Port } from '@aloud/native';
import {
  closeAfter,
  closeAll,
  nativeTests,
  record,
  startServer,
  until,
} from '../../../testkit/native.js';

/** @import { NativeSession } from '@aloud/native' */

const WORKER = new URL('../../fixtures/port-worker.js', import.meta.url);

/** Ends of threads under load, one after another. */
const ENDS = 12;

afterEach(closeAll);

/** A thread that serves sessions of an endpoint. */
class PortThread {
  /** @type {string[]} */
  queries = [];
  port = 0;

  /** @param {Endpoint} endpoint */
  constructor(endpoint) {
    this.worker = new Worker(WORKER, { workerData: { endpoint: endpoint.share() } });
    this.exited = new Promise((resolve) => void this.worker.once('exit', resolve));
    this.worker.on('error', () => {});
    this.worker.on('message', ({ port, query }) => {
      if (port !== undefined) this.port = port;
      else this.queries.push(query);
    });
    closeAfter({ close: () => this.worker.terminate() });
  }
}

/**
 * A server whose sessions go to the thread that is named in their query; to its own port where none
 * is.
 */
async function serverWithThreads(count = 2) {
  const threads = /** @type {PortThread[]} */ ([]);
  const server = await startServer({
    onRequest: (request) => {
      const thread = threads[Number(new URLSearchParams(request.query).get('thread') ?? -1)];
      if (!thread) request.accept();
      else if (!request.acceptOn(thread.port)) request.reject(503);
    },
  });
  for (let i = 0; i < count; i++) threads.push(new PortThread(server.endpoint));
  await until(() => threads.every(({ port }) => port > 0), 15_000);
  return { ...server, threads };
}

/**
 * @param {Awaited<ReturnType<typeof serverWithThreads>>} server
 * @param {Endpoint} client
 * @param {string} [query]
 */
const connect = (server, client, query = '') =>
  client.connect(`${server.url}${query}`, { certificateHashes: [server.certificate.hash] });

/** @param {NativeSession} session @param {number} value */
async function echoed(session, value) {
  let back = -1;
  session.onDatagram = ([first]) => void (back = first);
  session.send(Uint8Array.of(value));
  await until(() => back === value);
}

nativeTests.describe('native engine: ports of other threads', () => {
  it('serve the sessions that are handed to them, by their own clocks', async () => {
    const server = await serverWithThreads();
    const client = closeAfter(new Endpoint());
    const first = await connect(server, client, '?thread=0');
    const second = await connect(server, client, '?thread=1&more=x');
    const own = await connect(server, client);
    await Promise.all([echoed(first, 1), echoed(second, 2), echoed(own, 3)]);
    expect(server.threads.map(({ queries }) => queries)).toEqual([
      ['thread=0'],
      ['thread=1&more=x'],
    ]);
    expect(server.sessions).toHaveLength(1);
    expect(server.endpoint.sessionCount).toBe(1);
  });

  it('have streams', async () => {
    const server = await serverWithThreads(1);
    const session = await connect(server, closeAfter(new Endpoint()), '?thread=0');
    const stream = session.openStream();
    let back = '';
    const chunk = new Uint8Array(100);
    if (stream)
      stream.onReadable = () =>
        void (back += Buffer.from(chunk.subarray(0, stream.read(chunk) ?? 0)).toString());
    stream?.write(Buffer.from('to another thread'));
    await until(() => back === 'to another thread');
  });

  it('close their sessions with a reason when the thread ends, however it ends', async () => {
    const server = await serverWithThreads(4);
    const client = closeAfter(new Endpoint());
    const [terminated, threw, exited, closed] = await Promise.all(
      [0, 1, 2, 3].map((i) => connect(server, client, `?thread=${i}`)),
    );
    const own = await connect(server, client);
    const ends = [terminated, threw, exited, closed].map((session) => record(session));
    void server.threads[0].worker.terminate();
    server.threads[1].worker.postMessage('throw');
    server.threads[2].worker.postMessage('exit');
    server.threads[3].worker.postMessage('close');
    await until(() => ends.every((end) => end.closed));
    const words = [7, 'its thread has ended', 'peer'];
    expect(ends.map((end) => end.closed)).toEqual([words, words, words, [9, 'closed', 'peer']]);
    await echoed(own, 5);
  });

  it('are closed by the endpoint too, and then take no sessions', async () => {
    const server = await serverWithThreads(1);
    const client = closeAfter(new Endpoint());
    const end = record(await connect(server, client, '?thread=0'));
    server.endpoint.closePort(server.threads[0].port, 8, 'come again');
    server.endpoint.closePort(server.threads[0].port, 8, 'come again');
    await until(() => end.closed);
    expect(end.closed).toEqual([8, 'come again', 'peer']);
    await expect(connect(server, client, '?thread=0')).rejects.toMatchObject({ status: 503 });
  });

  it('are closed with their endpoint', async () => {
    const server = await serverWithThreads(1);
    const end = record(await connect(server, closeAfter(new Endpoint()), '?thread=0'));
    await server.endpoint.close(4, 'all closed');
    await until(() => end.closed);
    expect(end.closed).toEqual([4, 'all closed', 'peer']);
  });

  it('are of no endpoint where its key is wrong, or it has gone', () => {
    expect(() => Port.open({ key: 2 ** 31, library: null }, {})).toThrow('no endpoint');
  });

  it('that end under load, one after another, end no other session and no process', async () => {
    const server = await serverWithThreads(2);
    const client = closeAfter(new Endpoint());
    const steady = await connect(server, client, '?thread=1');
    let came = 0;
    steady.onDatagram = () => void (came += 1);
    const flood = setInterval(() => {
      steady.send(new Uint8Array(100));
      for (const session of loud) session.send(new Uint8Array(100));
    }, 2);
    /** @type {NativeSession[]} */
    let loud = [];
    try {
      for (let i = 0; i < ENDS; i++) {
        const thread = new PortThread(server.endpoint);
        await until(() => thread.port > 0, 15_000);
        server.threads[0] = thread;
        loud = await Promise.all(
          Array.from({ length: 8 }, () => connect(server, client, '?thread=0')),
        );
        const ends = loud.map((session) => record(session));
        await until(() => ends.every((end) => end.datagrams.length > 0));
        void thread.worker.terminate();
        await until(() => ends.every((end) => end.closed));
        expect(new Set(ends.map(({ closed }) => closed?.[0]))).toEqual(new Set([7]));
      }
    } finally {
      clearInterval(flood);
    }
    const before = came;
    await echoed(steady, 9);
    expect(before).toBeGreaterThan(ENDS);
    expect(steady.open).toBe(true);
  });
});
