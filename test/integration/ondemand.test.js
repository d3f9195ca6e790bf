/**
 * Recordings over WebTransport: real sessions of the native engine, of many who read and of some
 * who don't.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { Endpoint } from '@aloud/native';
import { writeControlLine } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { readSegmentStream } from '../../public/shared/wire/segment.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { oggOf, putRecording } from '../fakes/recorded.js';
import { nativeTests } from '../../testkit/native.js';

/** @import { NativeSession, Stream } from '@aloud/native' */

const codec = await loadCodec('libopus-wasm');
const SECONDS = 6;

/** One who listens. */
class Client {
  /** @type {number[]} */
  numbers = [];
  /** @type {number | null} */
  closedWith = null;

  /** @param {NativeSession} session @param {{ reads?: boolean }} [options] */
  constructor(session, { reads = true } = {}) {
    session.onClosed = (code) => (this.closedWith = code);
    session.onStream = (stream) => {
      if (reads && !stream.bidi) this.#read(stream);
    };
    this.control = /** @type {Stream} */ (session.openStream());
    this.control.write(writeControlLine({ type: 'play', epoch: 1, from: 2 }));
  }

  /** @param {Stream} stream */
  #read(stream) {
    const chunk = new Uint8Array(64 * 1024);
    let bytes = new Uint8Array(0);
    stream.onReadable = () => {
      let count = stream.read(chunk);
      for (; count; count = stream.read(chunk))
        bytes = new Uint8Array([...bytes, ...chunk.subarray(0, count)]);
      if (count !== null) return;
      const read = readSegmentStream(bytes);
      if (!read) throw new Error('no segment');
      this.numbers.push(read.number);
      this.control.write(writeControlLine({ type: 'got', epoch: read.epoch, number: read.number }));
    };
    stream.onReadable();
  }
}

nativeTests.describe('recordings over WebTransport', () => {
  /** @type {Awaited<ReturnType<typeof createServer>>} */
  let server;
  /** @type {string} */
  let directory;
  /** @type {Endpoint} */
  let endpoint;
  /** @type {string[]} */
  let certificateHashes;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ondemand-'));
    const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
    server = await createServer(
      loadConfig({
        argv: ['--port', '0', '--h3-port', '0', '--workers', '0', '--recording-dir', directory],
        env: {},
      }),
      { log },
    );
    const { transports } = await (await fetch(`${server.url}/api/config`)).json();
    expect(transports.webtransport.recordings).toBe('/recording');
    ({ certificateHashes } = transports.webtransport);
    endpoint = new Endpoint();
  });
  afterAll(async () => {
    await endpoint?.close();
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** @param {string} id @param {{ reads?: boolean }} [options] */
  const listen = async (id, options) =>
    new Client(
      await endpoint.connect(`https://localhost:${server.h3Port}/recording?id=${id}`, {
        certificateHashes,
      }),
      options,
    );

  nativeTests.it(
    'are sent to many at once, whatever those do who read nothing, until they are deleted',
    async () => {
      const pcm = Float32Array.from({ length: 9600 }, (_, i) => Math.sin(i / 15) / 3);
      const id = await putRecording(directory, {
        mix: Buffer.concat(oggOf(codec, pcm, SECONDS, { bitrate: 16_000 })),
        seconds: SECONDS,
        bitrate: 16_000,
      });
      const stalled = await Promise.all(
        Array.from({ length: 5 }, () => listen(id, { reads: false })),
      );
      const clients = await Promise.all(Array.from({ length: 40 }, () => listen(id)));
      await vi.waitFor(
        () =>
          expect(
            clients.map(({ numbers, closedWith }) => [
              numbers.toSorted((a, b) => a - b).join(),
              closedWith,
            ]),
          ).toEqual(clients.map(() => ['2,3,4,5', null])),
        { timeout: 20_000, interval: 50 },
      );
      expect(stalled.map(({ closedWith }) => closedWith)).toEqual([null, null, null, null, null]);
      expect(await server.recordings.remove(id)).toBe(true);
      await vi.waitFor(() =>
        expect(clients.map(({ closedWith }) => closedWith)).toEqual(
          clients.map(() => errors['recording-deleted'].close),
        ),
      );
      await expect(listen(id)).rejects.toThrow();
    },
  );

  nativeTests.it('are nobody\u2019s who doesn\u2019t know an id', async () => {
    const id = await putRecording(directory, { mix: Buffer.from('x'), seconds: 1 });
    for (const wrong of ['', 'x'.repeat(22), `${id}x`, encodeURIComponent('../..')])
      await expect(listen(wrong)).rejects.toThrow();
  });
});
