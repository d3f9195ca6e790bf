import { describe, expect, it } from 'vitest';
import { WebmOpus } from '../../../server/recording/webm-opus.js';
import { numberIn, readElements } from '../../fakes/webm-file.js';

/** @param {Uint8Array[]} parts */
function readWebm(parts) {
  const [ebml, segment, ...more] = readElements(Buffer.concat(parts));
  expect(more).toEqual([]);
  const [info, tracks, ...clusters] = segment.children;
  const blocks = clusters.flatMap(({ id, children }) => {
    expect(id).toBe('1f43b675');
    const startMs = numberIn(children, 'e7');
    return children
      .filter((one) => one.id === 'a3')
      .map(({ body }) => {
        expect([body[0], body[3]]).toEqual([0x81, 0x80]);
        return { ms: startMs + Buffer.from(body).readInt16BE(1), packet: [...body.subarray(4)] };
      });
  });
  return {
    ebml: ebml.children,
    info: info.children,
    entry: tracks.children[0].children,
    clusters,
    blocks,
  };
}

/** @param {Partial<ConstructorParameters<typeof WebmOpus>[0]>} [options] */
function writer(options) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const webm = new WebmOpus({
    preSkip: 312,
    sampleRate: 48000,
    write: (part) => parts.push(part),
    ...options,
  });
  return { webm, parts };
}

describe('WebmOpus', () => {
  it('writes a header that says what is in it, before any sound', () => {
    const { parts } = writer({ channels: 2, title: 'Tea, and more', preSkip: 3840 });
    expect(parts.length).toBe(1);
    const { ebml, info, entry, clusters } = readWebm(parts);
    expect(Buffer.from(ebml.find(({ id }) => id === '4282')?.body ?? []).toString()).toBe('webm');
    expect(Buffer.from(info.find(({ id }) => id === '7ba9')?.body ?? []).toString()).toBe(
      'Tea, and more',
    );
    expect(info.some(({ id }) => id === '4489')).toBe(false);
    expect(Buffer.from(entry.find(({ id }) => id === '86')?.body ?? []).toString()).toBe('A_OPUS');
    expect(numberIn(entry, '56aa')).toBe(80_000_000);
    const head = Buffer.from(entry.find(({ id }) => id === '63a2')?.body ?? []);
    expect([head.toString('latin1', 0, 8), head[9], head.readUInt16LE(10)]).toEqual([
      'OpusHead',
      2,
      3840,
    ]);
    expect(clusters).toEqual([]);
  });

  it('gives each packet its time, and a cluster to each second', () => {
    const { webm, parts } = writer();
    const bytes = Uint8Array.from({ length: 400 }, (_, i) => i);
    for (let i = 0; i < 130; i++) webm.put(bytes, i, 1 + 2 * i, 960);
    expect(parts.length).toBe(3);
    webm.end();
    webm.end();
    webm.put(bytes, 0, 9, 960);
    const { blocks, clusters } = readWebm(parts);
    expect(clusters.length).toBe(3);
    expect(webm.samples).toBe(130 * 960);
    expect(blocks).toEqual(
      Array.from({ length: 130 }, (_, i) => ({
        ms: 20 * i,
        packet: [...bytes.subarray(i, i + 1 + 2 * i)],
      })),
    );
  });

  it('keeps the time of 2.5 ms packets over an hour, in clusters as short as requested', () => {
    const { webm, parts } = writer({ clusterSamples: 4800, samples: 3 * 120 });
    const hour = 3600 * 48000;
    for (let at = 0; at < hour; at += 5760) webm.put(Uint8Array.of(0xfb, 6), 0, 2, 5760);
    for (let i = 0; i < 60; i++) webm.put(Uint8Array.of(0xe0), 0, 1, 120);
    webm.end();
    expect(numberIn(readElements(parts.at(-1) ?? new Uint8Array())[0].children, 'e7')).toBe(
      3600 * 1000 + 100,
    );
    const duration =
      readWebm(parts.slice(0, 1)).info.find(({ id }) => id === '4489')?.body ?? new Uint8Array(8);
    expect(new DataView(duration.buffer, duration.byteOffset).getFloat64(0)).toBe(7.5);
  });
});
