import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readTrack, TrackPieces } from '../../../../public/client/track/track-sound.js';
import { LEAD_SAMPLES, SOURCE_SAMPLES } from '../../../../public/shared/wire/track-piece.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

const RATE = 48_000;

/**
 * An AudioBuffer whose samples are their own numbers, in thousands to the left and to the right of
 * 0.
 * @param {number} seconds
 */
function rising(seconds) {
  const left = Float32Array.from({ length: seconds * RATE }, (_, i) => i / 1000);
  const sides = [left, left.map((value) => -value)];
  return /** @type {AudioBuffer} */ (
    /** @type {unknown} */ ({
      duration: seconds,
      numberOfChannels: 2,
      getChannelData: (/** @type {number} */ channel) => sides[channel],
    })
  );
}

describe('the pieces of backing tracks', () => {
  /** @type {string[]} */
  let asked = [];
  /** @type {Float32Array[]} */
  let encoded = [];
  let status = 200;
  let workers = 0;
  const clock = new FakeClock();
  /** @type {TrackPieces} */
  let pieces;

  /** Lets promises go on between the seconds. @param {number} seconds */
  async function pass(seconds) {
    for (let i = 0; i < seconds; i++) {
      for (let k = 0; k < 20; k++) await Promise.resolve();
      clock.advance(1000);
    }
    for (let k = 0; k < 20; k++) await Promise.resolve();
  }

  beforeEach(() => {
    [asked, encoded, status, workers] = [[], [], 200, 0];
    vi.stubGlobal(
      'fetch',
      async (/** @type {string} */ url, /** @type {RequestInit} */ { method = 'GET' } = {}) => {
        asked.push(`${method} ${url}`);
        return new Response(status === 204 ? null : `bytes of ${url}`, { status });
      },
    );
    vi.stubGlobal(
      'Worker',
      class {
        onmessage = (/** @type {unknown} */ _event) => {};
        onerror = () => {};
        constructor() {
          workers++;
        }
        /** @param {{ id: number, encode?: Float32Array, decode?: Uint8Array }} message */
        postMessage({ id, encode, decode }) {
          const text = new TextDecoder().decode(decode);
          if (encode) encoded.push(encode);
          if (text.endsWith('/breaks/0')) this.onerror();
          else
            this.onmessage({
              data: {
                id,
                value: encode ? new Uint8Array(1) : text.endsWith('/bad/0') ? null : [text],
              },
            });
        }
        terminate() {}
      },
    );
    pieces = new TrackPieces(clock);
  });
  afterEach(() => {
    pieces.close();
    vi.unstubAllGlobals();
  });

  it('are fetched beforehand, one a second, and not again when they are needed', async () => {
    void pieces.keep('blue', 35);
    await pass(2);
    expect(asked).toEqual([
      'GET /api/tracks/blue/0',
      'GET /api/tracks/blue/1',
      'GET /api/tracks/blue/2',
    ]);
    expect(await pieces.get('blue', 1)).toEqual(['bytes of /api/tracks/blue/1']);
    await pieces.get('blue', 3);
    void pieces.keep('blue', 35);
    await pass(10);
    expect(asked.slice(3)).toEqual(['GET /api/tracks/blue/3']);
    expect(workers).toBe(1);
  });

  it('are those of one track: another one replaces it, and no track means no fetch', async () => {
    void pieces.keep('blue', 900);
    await pass(1);
    void pieces.keep('green', 15);
    await pass(5);
    expect(asked.slice(2)).toEqual(['GET /api/tracks/green/0', 'GET /api/tracks/green/1']);
    void pieces.keep('', 0);
    await pass(5);
    expect(asked).toHaveLength(4);
    await pieces.get('green', 0);
    expect(asked).toHaveLength(5);
  });

  it('are no more than those of the longest track, however long a server says it is', async () => {
    void pieces.keep('endless', Infinity);
    await pass(100);
    expect(asked).toHaveLength(90);
  });

  it('fail alone, and are asked for again', async () => {
    status = 404;
    void pieces.keep('blue', 15);
    await pass(3);
    await expect(pieces.get('blue', 0)).rejects.toThrow('track-not-heard');
    status = 200;
    expect(await pieces.get('blue', 0)).toEqual(['bytes of /api/tracks/blue/0']);
    await expect(pieces.get('bad', 0)).rejects.toThrow('track-not-heard');
    await expect(pieces.get('breaks', 0)).rejects.toThrow('the worker has ended');
    expect(await pieces.get('blue', 0)).toEqual(['bytes of /api/tracks/blue/0']);
    expect(workers).toBe(2);
  });

  it('are made of the sound around them, silent beyond its ends', async () => {
    status = 204;
    /** @type {number[]} */
    const shares = [];
    await pieces.send('blue', rising(15), (share) => void shares.push(share));
    expect(asked).toEqual(['PUT /api/tracks/blue/0', 'PUT /api/tracks/blue/1']);
    expect(shares).toEqual([0, 0.5, 1]);
    for (const [number, pcm] of encoded.entries()) {
      expect(pcm).toHaveLength(2 * SOURCE_SAMPLES);
      const wrong = pcm.findIndex((value, i) => {
        const sample = number * 10 * RATE - LEAD_SAMPLES + (i >> 1);
        const is = sample < 0 || sample >= 15 * RATE ? 0 : sample / 1000;
        return value !== Math.fround(i % 2 === 0 ? is : -is);
      });
      expect(wrong).toBe(-1);
    }
    status = 507;
    await expect(pieces.send('blue', rising(1), () => {})).rejects.toThrow('track-not-sent');
  });

  it('start no worker once the call is over, though a piece comes then', async () => {
    const [got, sent] = [pieces.get('blue', 0), pieces.send('blue', rising(25), () => {})];
    pieces.close();
    await expect(got).rejects.toThrow('the worker has ended');
    await expect(sent).rejects.toThrow('track-not-sent');
    await expect(pieces.get('blue', 1)).rejects.toThrow('the worker has ended');
    expect(workers).toBe(1);
  });
});

it('a file that can’t be read any more has a code of the page, not the browser’s', async () => {
  vi.stubGlobal('OfflineAudioContext', class {});
  const gone = new DOMException('It was changed or deleted.', 'NotReadableError');
  const file = { size: 1000, arrayBuffer: async () => Promise.reject(gone) };
  const reading = readTrack(/** @type {any} */ (file));
  await expect(reading).rejects.toMatchObject({ code: 'track-unreadable' });
  vi.unstubAllGlobals();
});
