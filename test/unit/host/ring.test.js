import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createRing, MAX_RING_PACKET, RingReader, RingWriter } from '../../../server/host/ring.js';
import { random as seeded } from '../../fakes/random.js';

/** Packets of a reader, as text. */
class Record {
  /** @type {string[]} */
  seen = [];

  /** @type {import('../../../server/host/ring.js').RingHandler['packet']} */
  packet = (ids, count, bytes, arrivalMs) =>
    void this.seen.push(`${[...ids.subarray(0, count)]} ${Buffer.from(bytes)} ${arrivalMs}`);

  mark = (/** @type {number} */ id) => void this.seen.push(`mark ${id}`);
}

/** @param {number} [bytes] */
function open(bytes) {
  const ring = createRing(bytes);
  const record = new Record();
  return { ring, record, writer: new RingWriter(ring), reader: new RingReader(ring, record) };
}

describe('a ring', () => {
  it('hands packets and marks over in order, to one session or to many', () => {
    const { writer, reader, record } = open();
    expect(writer.write(7, Buffer.from('one'), 1.5)).toBe(true);
    expect(writer.writeFor(Uint32Array.of(1, 2, 3, 9), 3, Buffer.from('for three'), 2.25)).toBe(
      true,
    );
    expect(writer.mark(7)).toBe(true);
    expect(writer.write(8, new Uint8Array(0), 3)).toBe(true);
    reader.poll();
    expect(record.seen).toEqual(['7 one 1.5', '1,2,3 for three 2.25', 'mark 7', '8  3']);
    reader.poll();
    expect(record.seen).toHaveLength(4);
  });

  it('drops and counts what there is no room for, and takes more once some has been read', () => {
    const { writer, reader, record } = open(256);
    const taken = Array.from({ length: 10 }, (_, i) =>
      writer.write(i, Buffer.from(`packet ${i}`), 0),
    );
    const count = taken.filter(Boolean).length;
    expect(count).toBeGreaterThan(4);
    expect(taken).toEqual(taken.map((_, i) => i < count));
    expect(writer.dropped).toBe(10 - count);
    reader.poll();
    expect(record.seen).toHaveLength(count);
    expect(writer.write(99, Buffer.from('later'), 0)).toBe(true);
    reader.poll();
    expect(record.seen.at(-1)).toBe('99 later 0');
  });

  it('takes no packet that is too long', () => {
    const { writer } = open();
    expect(writer.write(1, new Uint8Array(MAX_RING_PACKET), 0)).toBe(true);
    expect(writer.write(1, new Uint8Array(MAX_RING_PACKET + 1), 0)).toBe(false);
  });

  it.each([1, 2, 3, 4])(
    'loses and mixes up nothing, whatever is written and read when (seed %i)',
    (seed) => {
      const random = seeded(seed);
      const { writer, reader, record } = open(2048);
      const expected = /** @type {string[]} */ ([]);
      for (let i = 0; i < 20_000; i++) {
        const ids = Uint32Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
          Math.floor(random() * 1000),
        );
        const text = String(i).repeat(Math.floor(random() * 40));
        if (random() < 0.1) {
          if (writer.mark(ids[0])) expected.push(`mark ${ids[0]}`);
        } else if (writer.writeFor(ids, ids.length, Buffer.from(text), i))
          expected.push(`${[...ids]} ${text} ${i}`);
        if (random() < 0.3) reader.poll();
      }
      reader.poll();
      expect(record.seen).toEqual(expected);
      expect(expected.length).toBeGreaterThan(10_000);
    },
  );

  it('wakes a reader that sleeps, on another thread', async () => {
    const ring = createRing(4096);
    const worker = new Worker(new URL('../../fixtures/packet-ring-writer.js', import.meta.url), {
      workerData: { ring, count: 2000 },
    });
    const seen = /** @type {number[]} */ ([]);
    const { promise, resolve } = /** @type {{ promise: Promise<void>, resolve: () => void }} */ (
      settled()
    );
    const reader = new RingReader(ring, {
      packet: (_ids, _count, bytes) =>
        void seen.push(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)),
      mark: resolve,
    });
    reader.start();
    await promise;
    reader.close();
    await worker.terminate();
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => i));
  });
});

function settled() {
  const found = /** @type {any} */ ({});
  found.promise = new Promise((resolve) => void (found.resolve = resolve));
  return found;
}
