/** The pieces of backing tracks over HTTP. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { joinPackets } from '../../../public/shared/wire/piece-packets.js';
import { MAX_PIECE_BYTES, PIECE_PACKETS } from '../../../public/shared/wire/track-piece.js';
import { loadConfig } from '../../../server/config/config.js';
import { createServer } from '../../../server/server.js';

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A piece of Opus packets of 20 ms, of one byte each but one. @param {number} bytes */
const pieceOf = (bytes) =>
  joinPackets(
    Array.from({ length: PIECE_PACKETS }, (_, i) =>
      new Uint8Array(i === 7 ? bytes : 1).fill(31 << 3, 0, 1),
    ),
  );

/** A server that expects a track of two pieces. */
async function serverWithTrack() {
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--engine', 'none'], env: {} }),
    { log },
  );
  open.push(() => server.close());
  const id = server.rooms.tracks.open(15, '192.0.2.1', { came: () => {}, whole: () => {} });
  const url = (/** @type {number | string} */ number, of = id) =>
    `${server.url}/api/tracks/${of}/${number}`;
  const put = async (
    /** @type {number | string} */ number,
    /** @type {BodyInit} */ body,
    of = id,
  ) => {
    const answer = await fetch(url(number, of), { method: 'PUT', body });
    return answer.status === 204
      ? '204'
      : `${answer.status} ${/** @type {any} */ (await answer.json()).code}`;
  };
  return { put, get: (/** @type {number | string} */ number, of = id) => fetch(url(number, of)) };
}

describe('the pieces of a backing track', () => {
  it('are taken in their order, and served as they came', async () => {
    const { put, get } = await serverWithTrack();
    expect(await put(0, pieceOf(3))).toBe('204');
    expect(await put(0, pieceOf(1))).toBe('204');
    expect(await put(1, pieceOf(4))).toBe('204');
    for (const [number, bytes] of [
      [0, 3],
      [1, 4],
    ]) {
      const answer = await get(number);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'application/octet-stream',
      ]);
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), pieceOf(bytes))).toBe(0);
    }
    expect(await put(2, pieceOf(1))).toBe('400 bad-request');
  });

  it('are refused where they are none, and where nobody expects them', async () => {
    const { put, get } = await serverWithTrack();
    expect(await put(1, pieceOf(1))).toBe('400 bad-request');
    expect(await put(0, 'no sound')).toBe('400 bad-request');
    expect(await put(0, new Uint8Array())).toBe('400 bad-request');
    expect(await put(0, new Uint8Array(MAX_PIECE_BYTES + 1))).toBe('413 body-too-large');
    for (const number of ['-1', '1e1', '0x0', 'zero', '1000', '%00', '0/0']) {
      expect([number, await put(number, pieceOf(1))]).toEqual([number, '404 not-found']);
      expect([number, (await get(number)).status]).toEqual([number, 404]);
    }
    expect(await put(0, pieceOf(1), 'unknown')).toBe('404 not-found');
    for (const of of ['unknown', '__proto__', '%2e%2e'])
      expect((await get(0, of)).status).toBe(404);
    expect((await get(0)).status).toBe(404);
  });
});
