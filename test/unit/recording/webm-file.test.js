import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { writeWebm } from '../../../server/recording/webm-file.js';
import { oggOf } from '../../fakes/recorded.js';
import { readOggOpus } from '../../fakes/ogg-file.js';
import { numberIn, readElements } from '../../fakes/webm-file.js';

const codec = await loadCodec('libopus-wasm');

/** @type {string} */
let directory;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webm-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('a mix as WebM', () => {
  it.each([20, 60])(
    'has the same packets, and an index of places that are clusters, with frames of %i ms',
    async (frameMs) => {
      const from = join(directory, `${frameMs}.opus`);
      const to = join(directory, `${frameMs}.webm`);
      const ogg = Buffer.concat(
        oggOf(
          codec,
          Float32Array.from({ length: 48_000 }, (_, i) => Math.sin(i / 15) / 3),
          17,
          { frameMs },
        ),
      );
      await writeFile(from, ogg);
      expect(await writeWebm(from, to)).toBe((await stat(to)).size);
      const bytes = await readFile(to);
      const [, segment] = readElements(bytes);
      const { children, body } = segment;
      const cues = children.find(({ id }) => id === '1c53bb6b');
      const clusters = children.filter(({ id }) => id === '1f43b675');
      // 2 s each.
      expect(clusters.length).toBe(9);
      expect(cues?.body.length).toBeLessThan(24 * clusters.length);
      const points =
        cues?.children.map(
          ({
            children: [
              time,
              {
                children: [, position],
              },
            ],
          }) => [numberIn([time], 'b3'), numberIn([position], 'f1')],
        ) ?? [];
      expect(points.length).toBe(9);
      points.forEach(([time, position], i) => {
        expect(Buffer.from(body).readUInt32BE(position)).toBe(0x1f43b675);
        expect(time).toBe(numberIn(clusters[i].children, 'e7'));
      });
      const packets = clusters.flatMap((one) =>
        one.children
          .filter(({ id }) => id === 'a3')
          .map((block) => Buffer.from(block.body.subarray(4)).toString('hex')),
      );
      const { packets: known } = await readOggOpus(ogg);
      expect(packets).toEqual(known.map((packet) => Buffer.from(packet).toString('hex')));
    },
  );

  it('leaves nothing of a file that is no sound', async () => {
    const from = join(directory, 'noise.opus');
    await writeFile(from, 'not sound');
    await expect(writeWebm(from, join(directory, 'noise.webm'))).rejects.toThrow();
    await expect(stat(join(directory, 'noise.webm.new'))).rejects.toThrow();
  });
});
