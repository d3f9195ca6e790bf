import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate, setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { leaveWhenAway } from '../../../programs/command-line.js';
import { readLink } from '../../../public/shared/links.js';
import { ByteReader } from '../../../programs/sound/byte-reader.js';
import { SoundCard } from '../../../programs/sound-card.js';
import { SpeechQueue } from '../../../programs/sound/speech-queue.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';

describe('readLink', () => {
  it('reads an address with a room beside it, and the link of a room with all that it has', () => {
    expect(readLink('http://localhost:8080', 'tea')).toEqual({
      origin: 'http://localhost:8080',
      room: 'tea',
    });
    expect(readLink('https://talk.example/r/tea#token=a.b.c&e2e=key', 'other')).toEqual({
      origin: 'https://talk.example',
      room: 'tea',
      token: 'a.b.c',
      e2eKey: 'key',
    });
    expect(readLink('https://talk.example/listen/tea?token=a.b.c')).toEqual({
      origin: 'https://talk.example',
      room: 'tea',
      token: 'a.b.c',
    });
  });

  it.each([
    'https://talk.example/r/tea/',
    'HTTPS://Talk.example/R/tea/?listen',
    'https://talk.example//r/tea',
    'https://talk.example/listen/tea/',
    'https://talk.example/listen/tea.ogg',
    'https://talk.example/Listen/tea.webm?rate=32',
  ])('reads %s', (url) => {
    expect(readLink(url)).toEqual({ origin: 'https://talk.example', room: 'tea' });
  });

  it('says what is missing', () => {
    for (const url of ['talk.example', 'ftp://talk.example', ''])
      expect(() => readLink(url, 'tea')).toThrow(/is no address of a server/);
    expect(() => readLink('https://talk.example/')).toThrow(/which room/);
  });
});

describe('SpeechQueue', () => {
  const open = () =>
    Object.assign(new SpeechQueue(), { format: { sampleRate: 1000, channels: 1 } });

  /** @param {Promise<void>} promise */
  async function isKept(promise) {
    let kept = false;
    void promise.then(() => (kept = true));
    await setImmediate();
    return kept;
  }

  it('gives what was said in order, and silence behind it', async () => {
    const queue = open();
    void queue.add(Float32Array.of(1, 2, 3));
    void queue.add(Float32Array.of(4));
    const out = new Float32Array(2);
    const taken = [];
    for (let i = 0; i < 3; i++) {
      queue.take(out);
      taken.push(...out);
    }
    expect(taken).toEqual([1, 2, 3, 4, 0, 0]);
  });

  it('accepts 200 ms ahead, and makes a caller with more wait', async () => {
    const queue = open();
    expect(await isKept(queue.add(new Float32Array(200)))).toBe(true);
    const more = queue.add(new Float32Array(50));
    const empty = queue.empty();
    expect(await isKept(more)).toBe(false);
    queue.take(new Float32Array(50));
    expect([await isKept(more), await isKept(empty)]).toEqual([true, false]);
    queue.take(new Float32Array(300));
    expect(await isKept(empty)).toBe(true);
  });

  it('lets nobody wait once it is dropped or closed', async () => {
    const queue = open();
    const first = queue.add(new Float32Array(500));
    queue.clear();
    expect(await isKept(first)).toBe(true);
    const second = queue.add(new Float32Array(500));
    queue.close();
    expect([
      await isKept(second),
      await isKept(queue.add(new Float32Array(500))),
      await isKept(queue.empty()),
    ]).toEqual([true, true, true]);
  });
});

describe('ByteReader', () => {
  it('ends the waiting readers when it is closed', async () => {
    const stream = new PassThrough();
    const reader = new ByteReader(stream);
    stream.write('ab');
    const waiting = reader.take(4);
    await setImmediate();
    await reader.close();
    expect((await waiting).toString()).toBe('ab');
    expect([(await reader.take(1)).length, stream.destroyed]).toEqual([0, true]);
  });
});

describe('leaveWhenAway', () => {
  it('leaves a call whose connection does not come back in time, and no other', async () => {
    let left = 0;
    const call = Object.assign(new EventEmitter(), { leave: async () => void (left += 1) });
    const patience = leaveWhenAway(/** @type {any} */ (call), 30);
    call.emit('reconnecting');
    call.emit('reconnected');
    await pass(60);
    expect([left, patience.isOver]).toEqual([0, false]);
    call.emit('reconnecting');
    await pass(60);
    expect([left, patience.isOver]).toEqual([1, true]);
  });
});

describe('SoundCard', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it.each([
    [2.5, 2.5],
    [5, 5],
    [10, 10],
    [20, 10],
    [60, 10],
  ])(
    'gives pieces as soon as they end, in a room with frames of %d ms pieces of %d',
    (frameMs, pieceMs) => {
      const format = createAudioFormat({ frameMs });
      const perMs = format.sampleRate / 1000;
      let [samples, latest] = [0, 0];
      const lengths = /** @type {number[]} */ ([]);
      const capture = (/** @type {Float32Array} */ chunk) => {
        lengths.push(chunk.length);
        samples += chunk.length;
        latest = Math.max(latest, performance.now() - card.startMs - samples / perMs);
      };
      const card = new SoundCard({
        client: { capture, render: () => {} },
        periodMs: 10,
        capture: (chunk) => void chunk.fill(0.1),
        play: null,
      });
      card.start(format);
      for (let i = 0; i < 2000; i++) vi.advanceTimersByTime(1);
      expect(latest).toBeLessThan(1);
      expect(new Set(lengths)).toEqual(new Set([pieceMs * perMs]));
      expect(samples).toBe(2000 * perMs);
      card.stop();
    },
  );

  it('leaves out the time for which the program was suspended, except for five seconds', () => {
    const format = createAudioFormat();
    const perMs = format.sampleRate / 1000;
    const lengths = /** @type {number[]} */ ([]);
    const card = new SoundCard({
      client: { capture: () => {}, render: () => {} },
      periodMs: 10,
      capture: null,
      play: (chunk) => void lengths.push(chunk.length / perMs),
    });
    card.start(format);
    vi.advanceTimersByTime(100);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
    vi.advanceTimersByTime(100);
    expect(lengths.filter((ms) => ms !== 10)).toEqual([5000]);
    expect(lengths.reduce((sum, ms) => sum + ms)).toBe(200 - 10 + 5000);
    later.mockRestore();
    card.stop();
  });

  it('stays stopped when what it passes on has stopped it', () => {
    let pieces = 0;
    const card = new SoundCard({
      client: { capture: () => {}, render: () => {} },
      periodMs: 10,
      capture: null,
      play: () => {
        pieces += 1;
        card.stop();
      },
    });
    card.start(createAudioFormat());
    vi.advanceTimersByTime(1000);
    expect([pieces, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
