import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { OggError, OggOpusReader, wholePages } from '../../../server/recording/ogg-reader.js';
import { oggOf } from '../../fakes/recorded.js';
import { readPages } from '../../fakes/ogg-file.js';

const codec = await loadCodec('libopus-wasm');
const pages = oggOf(
  codec,
  Float32Array.from({ length: 48_000 }, (_, i) => Math.sin(i / 15) / 3),
  4,
);
const file = Buffer.concat(pages);

/** @type {string} */
let directory;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ogg-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the reader of Ogg Opus', () => {
  it('reads a file as it grows, page by page', async () => {
    const path = join(directory, 'grows.opus');
    await writeFile(path, Buffer.concat(pages.slice(0, 3)));
    const reader = await OggOpusReader.open(path);
    expect(reader.head).toMatchObject({ channels: 1, sampleRate: 48_000 });
    const read = [];
    for (const [i, page] of pages.slice(3).entries()) {
      read.push(await reader.next());
      expect(await reader.next()).toBe(null);
      await appendFile(path, page.subarray(0, 50));
      expect(await reader.next()).toBe(null);
      expect((await wholePages(path, Buffer.concat(pages.slice(0, 3 + i)).length + 50)).bytes).toBe(
        Buffer.concat(pages.slice(0, 3 + i)).length,
      );
      await appendFile(path, page.subarray(50));
    }
    read.push(await reader.next());
    await reader.close();
    const known = readPages(file).slice(2);
    expect(read.map((page) => [page?.granule, page?.packets.length, page?.ended])).toEqual(
      known.map(({ granule, packets, type }) => [granule, packets.length, type === 4]),
    );
    expect(await wholePages(path, file.length)).toEqual({
      bytes: file.length,
      granule: known.at(-1)?.granule,
    });
  });

  it('refuses what is no Ogg Opus, or is damaged', async () => {
    const head = pages[0].slice();
    head[28 + 9] = 3;
    for (const [name, bytes] of Object.entries({
      empty: Buffer.alloc(0),
      text: Buffer.from('no sound at all'),
      head: pages[0],
      three: Buffer.concat([head, pages[1]]),
    })) {
      await writeFile(join(directory, name), bytes);
      await expect(OggOpusReader.open(join(directory, name))).rejects.toThrow(OggError);
      expect((await wholePages(join(directory, name), bytes.length)).bytes).toBeLessThanOrEqual(
        bytes.length,
      );
    }
    const damaged = Buffer.from(file);
    damaged.fill(
      0,
      pages[0].length + pages[1].length + 8000,
      pages[0].length + pages[1].length + 16_000,
    );
    const path = join(directory, 'damaged');
    await writeFile(path, damaged);
    const reader = await OggOpusReader.open(path);
    const readAll = async () => {
      while ((await reader.next()) !== null);
    };
    await expect(readAll()).rejects.toThrow(OggError);
    await reader.close();
  });
});
