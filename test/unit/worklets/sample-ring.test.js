import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { SampleRing } from '../../../worklets/sample-ring.js';
import { random as randomOf } from '../../fakes/random.js';

/** The header's words: written and read, modulo 2^32. */
const HEADER_WORDS = 16;

describe('SampleRing', () => {
  it('takes the next power of two', () => {
    expect(SampleRing.create(100).capacity).toBe(128);
    expect(SampleRing.create(128).capacity).toBe(128);
    expect(SampleRing.create(129, false).memory).toBeInstanceOf(ArrayBuffer);
    expect(() => new SampleRing(new SharedArrayBuffer(64 + 4 * 100))).toThrow(RangeError);
  });

  it.each([1, 2, 3, 4, 5])(
    'gives back what was put in, in order, whatever the sizes (seed %i)',
    (seed) => {
      const random = randomOf(seed);
      const ring = SampleRing.create(64);
      // Close to where the indices wrap.
      new Int32Array(ring.memory, 0, 2).fill(-100 * seed);
      const held = [];
      let next = 0;
      for (let round = 0; round < 2000; round++) {
        const chunk = Float32Array.from({ length: Math.floor(random() * 80) }, () => next++);
        const taken = ring.write(chunk);
        expect(taken).toBe(Math.min(chunk.length, 64 - held.length));
        held.push(...chunk.subarray(0, taken));
        expect(ring.available).toBe(held.length);

        const wanted = Math.floor(random() * 80);
        const out = new Float32Array(wanted + 2).fill(NaN);
        const read = ring.read(out.subarray(1, 1 + wanted));
        expect(read).toBe(Math.min(wanted, held.length));
        expect([...out.subarray(1, 1 + read)]).toEqual(held.splice(0, read));
        // The canaries, and what there were no samples for, are as they were.
        expect(out[0]).toBeNaN();
        expect(out.subarray(1 + read).every(Number.isNaN)).toBe(true);
      }
    },
  );

  it.each([1, 2, 3, 4])(
    'plays each sample at its time or never, whatever comes late (seed %i)',
    (seed) => {
      const random = randomOf(seed);
      const ring = SampleRing.create(256);
      new Int32Array(ring.memory, 0, 2).fill(-1000 * seed);
      let [written, played, missed] = [0, 0, 0];
      for (let round = 0; round < 2000; round++) {
        const room = 256 - Math.max(0, written - played);
        const chunk = Float32Array.from(
          { length: Math.min(room, Math.floor(random() * (round % 100 < 50 ? 80 : 110))) },
          (_, i) => written + i,
        );
        written += ring.write(chunk);
        const out = new Float32Array(Math.floor(random() * 80)).fill(NaN);
        const there = ring.play(out);
        expect([...out.subarray(0, there)]).toEqual(
          Array.from({ length: there }, (_, i) => played + i),
        );
        expect(there).toBe(Math.max(0, Math.min(out.length, written - played)));
        missed += out.length - there;
        ring.countMissed(out.length - there);
        played += out.length;
        expect(ring.available).toBe(written - played);
        expect(ring.missed).toBe(missed);
        if (written < played - 150)
          written += ring.write(new Float32Array(100).map((_, i) => written + i));
      }
      expect(missed).toBeGreaterThan(1000);
      expect(missed).toBeLessThan(played);
    },
  );

  it('waits for no more than it holds', () => {
    const ring = SampleRing.create(64);
    const out = new Float32Array(10);
    for (let i = 0; i < 100; i++) ring.play(out);
    expect(ring.available).toBe(-70);
    expect(ring.write(new Float32Array(64))).toBe(64);
    expect(ring.write(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8))).toBe(8);
    expect(ring.play(out)).toBe(2);
    expect([...out.subarray(0, 2)]).toEqual([7, 8]);
  });

  it('writes nothing outside its samples', () => {
    const memory = new SharedArrayBuffer(4 * HEADER_WORDS + 4 * 16);
    const ring = new SampleRing(memory);
    const words = new Int32Array(memory);
    words.fill(77, 6, HEADER_WORDS);
    for (let i = 0; i < 100; i++) {
      ring.write(new Float32Array(7).fill(1));
      ring.read(new Float32Array(7));
    }
    expect([...words.subarray(6, HEADER_WORDS)]).toEqual(new Array(HEADER_WORDS - 6).fill(77));
  });

  it('wakes each side once for each arming', () => {
    const ring = SampleRing.create(64);
    const block = new Float32Array(10);
    expect(ring.reached()).toBe(false);
    ring.arm(20);
    ring.write(block);
    expect(ring.reached()).toBe(false);
    ring.write(block);
    expect(ring.reached()).toBe(true);
    expect(ring.reached()).toBe(false);
    ring.arm(20);
    expect(ring.fellBelow()).toBe(false);
    ring.read(block);
    expect(ring.fellBelow()).toBe(true);
    expect(ring.fellBelow()).toBe(false);
  });

  it('carries samples between two threads, none lost and none twice', async () => {
    const ring = SampleRing.create(256);
    const total = 200_000;
    const worker = new Worker(new URL('../../fixtures/ring-writer.js', import.meta.url), {
      workerData: { memory: ring.memory, total },
    });
    const chunk = new Float32Array(128);
    let expected = 0;
    let wrong = 0;
    const end = performance.now() + 30_000;
    while (expected < total && performance.now() < end) {
      const count = ring.read(chunk);
      for (let i = 0; i < count; i++) if (chunk[i] !== expected++) wrong += 1;
      if (count === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    await worker.terminate();
    expect({ expected, wrong }).toEqual({ expected: total, wrong: 0 });
  });
});
