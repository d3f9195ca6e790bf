import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { align } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import {
  LEAD_PACKETS,
  PACKET_SAMPLES,
  readSegment,
  readSegmentStream,
  writeSegment,
} from '../../../public/shared/wire/segment.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { SegmentEncoder } from '../../../server/ondemand/segment-encoder.js';
import { ratesOf, segmentPaths } from '../../../server/ondemand/segment-store.js';
import { oggOf } from '../../fakes/recorded.js';

const codec = await loadCodec('libopus-wasm');
const { channels } = await readWav(
  new URL('../../../testkit/speech/speech-low.wav', import.meta.url),
);
const speech = channels[0];

/** @type {string} */
let directory;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'segments-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The segments of a rate. @param {number} rate */
async function segmentsOf(rate) {
  const { sound, places } = segmentPaths(directory, rate);
  const [bytes, ends] = [await readFile(sound), await readFile(places)];
  return Array.from({ length: ends.length / 4 }, (_, i) =>
    bytes.subarray(i === 0 ? 0 : ends.readUInt32LE(4 * i - 4), ends.readUInt32LE(4 * i)),
  );
}

/** Sound of one segment alone. @param {Uint8Array} segment */
function soundOf(segment) {
  const decoder = codec.createDecoder({
    sampleRate: 48_000,
    frameSamples: PACKET_SAMPLES,
    channels: 1,
  });
  const pcm = new Float32Array(54 * PACKET_SAMPLES);
  let at = 0;
  expect(
    readSegment(segment, (start, length) => {
      decoder.decode(segment, start, length, pcm, at);
      at += PACKET_SAMPLES;
    }),
  ).toBe(true);
  decoder.close();
  return pcm.subarray(LEAD_PACKETS * PACKET_SAMPLES);
}

describe('the segments of a mix', () => {
  it.each([20, 60])(
    'are the sound of their second each, to the sample, as the mix grows (frames of %i ms)',
    async (frameMs) => {
      const pages = oggOf(codec, speech, 3.4, { frameMs });
      const mix = join(directory, `${frameMs}.opus`);
      await writeFile(mix, Buffer.concat(pages.slice(0, 4)));
      const encoder = await SegmentEncoder.open(codec, mix, directory, [16_000, 64_000]);
      let bytes = await encoder.step(99, false);
      expect([encoder.count, encoder.ended]).toEqual([1, false]);
      await appendFile(mix, Buffer.concat(pages.slice(4)));
      bytes += await encoder.step(1, false);
      expect(encoder.count).toBe(2);
      bytes += await encoder.step(99, false);
      expect([encoder.count, encoder.ended, await encoder.step(9, false)]).toEqual([4, true, 0]);
      await encoder.close();
      const written = await Promise.all(
        [16_000, 64_000].flatMap((rate) =>
          Object.values(segmentPaths(directory, rate)).map((path) => readFile(path)),
        ),
      );
      expect(bytes).toBe(written.reduce((sum, { length }) => sum + length, 0));
      for (const [rate, least] of [
        [16_000, 0.8],
        [64_000, 0.97],
      ]) {
        const segments = await segmentsOf(rate);
        expect(segments.length).toBe(4);
        for (const second of [1, 2]) {
          const { lag, correlation } = align(
            speech.subarray(second * 48_000 + 4800, second * 48_000 + 43_200),
            soundOf(segments[second]),
          );
          expect(correlation).toBeGreaterThan(least);
          expect(Math.abs(lag - 4800)).toBeLessThanOrEqual(rate > 16_000 ? 1 : 8);
        }
      }
    },
  );

  it('end with the mix even if its end is unmarked; a file without sound has none', async () => {
    const mix = join(directory, 'cut.opus');
    await writeFile(mix, Buffer.concat(oggOf(codec, speech, 2.5).slice(0, -1)));
    const encoder = await SegmentEncoder.open(codec, mix, directory, [16_000]);
    await encoder.step(99, false);
    expect(encoder.ended).toBe(false);
    await encoder.step(99, true);
    expect([encoder.ended, encoder.count]).toEqual([true, 2]);
    await encoder.close();
    await writeFile(mix, Buffer.alloc(70_000, 'x'));
    await expect(SegmentEncoder.open(codec, mix, directory, [16_000])).rejects.toThrow('no page');
  });

  it('are kept at the rates below the mix\u2019s own, and the next', () => {
    expect(
      [12_000, 16_000, 48_000, 96_000, 128_000, 256_000].map((bitrate) => ratesOf(bitrate).at(-1)),
    ).toEqual([16_000, 16_000, 64_000, 96_000, 128_000, 128_000]);
    expect(ratesOf(128_000)).toEqual([16_000, 32_000, 64_000, 96_000, 128_000]);
  });

  it('are read from a stream only as they are whole', async () => {
    const [segment] = await segmentsOf(16_000);
    const stream = writeSegment({ number: 70_000, epoch: 65_537, rate: 96_000 }, segment);
    expect(readSegmentStream(stream)).toMatchObject({ number: 70_000, epoch: 1, rate: 96_000 });
    for (let length = 0; length < stream.length; length += 7)
      expect(readSegmentStream(stream.subarray(0, length))).toBe(null);
    expect(readSegmentStream(new Uint8Array(100_000))).toBe(null);
  });
});
