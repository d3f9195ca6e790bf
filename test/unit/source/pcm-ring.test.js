import { describe, expect, it } from 'vitest';
import { FrameState, PcmRing } from '../../../server/source/pcm-ring.js';
import { random } from '../../fakes/random.js';

/** @param {PcmRing} ring @param {number} frame @param {number} value @param {number} [size] */
function write(ring, frame, value, size = 10) {
  const at = ring.claim(frame);
  ring.samples.fill(value, at, at + size);
  ring.mark(frame, FrameState.received);
}

/** @param {PcmRing} ring @param {number} start @param {number} count */
function read(ring, start, count) {
  const out = new Float32Array(count);
  return { added: ring.addTo(out, start), samples: [...out] };
}

describe('the ring buffer', () => {
  it('gives back what was written, across its end', () => {
    const ring = new PcmRing(10, 4);
    for (let frame = 0; frame < 6; frame++) write(ring, frame, frame);
    expect(read(ring, 35, 20)).toEqual({
      added: 20,
      samples: [...Array(5).fill(3), ...Array(10).fill(4), ...Array(5).fill(5)],
    });
  });

  it('gives a frame of samples, also after a change of size or a rest', () => {
    const ring = new PcmRing(2, 4);
    for (let frame = 0; frame < 6; frame++) write(ring, frame, frame, 2);
    const fifth = ring.frame(5);
    expect([[...ring.frame(4)], [...fifth]]).toEqual([
      [4, 4],
      [5, 5],
    ]);
    expect(ring.frame(5)).toBe(fifth);
    ring.resize(6);
    expect([...ring.frame(5)]).toEqual([5, 5]);
    ring.rest();
    write(ring, 6, 6, 2);
    expect([...ring.frame(6)]).toEqual([6, 6]);
  });

  it('never gives audio of an earlier lap', () => {
    const ring = new PcmRing(10, 4);
    write(ring, 1, 1);
    expect(read(ring, 10, 10).added).toBe(10);
    expect(read(ring, 50, 10)).toEqual({ added: 0, samples: Array(10).fill(0) });
    write(ring, 5, 5);
    expect(read(ring, 10, 10)).toEqual({ added: 0, samples: Array(10).fill(0) });
    expect(ring.state(1)).toBe(FrameState.absent);
  });

  it('leaves gaps silent, and what is before sample 0', () => {
    const ring = new PcmRing(10, 8);
    write(ring, 0, 1);
    write(ring, 2, 2);
    expect(read(ring, -5, 30).samples).toEqual([
      ...Array(5).fill(0),
      ...Array(10).fill(1),
      ...Array(10).fill(0),
      ...Array(5).fill(2),
    ]);
  });

  it('adds to what is there, and only frames of sound', () => {
    const ring = new PcmRing(10, 4);
    write(ring, 0, 1);
    const out = new Float32Array(10).fill(0.5);
    ring.addTo(out, 0);
    expect([...out]).toEqual(Array(10).fill(1.5));
    ring.mark(0, FrameState.silent);
    expect(read(ring, 0, 10).added).toBe(0);
  });

  it('keeps what is newest when its size changes', () => {
    const ring = new PcmRing(10, 4);
    for (let frame = 0; frame < 6; frame++) write(ring, frame, frame);
    ring.mark(6, FrameState.silent);
    ring.resize(7);
    expect([1, 2, 3, 4, 5, 6].map((frame) => ring.state(frame))).toEqual([0, 0, 3, 3, 3, 1]);
    for (let frame = 7; frame < 10; frame++) write(ring, frame, frame);
    expect(read(ring, 30, 70).samples.filter((_, i) => i % 10 === 0)).toEqual([
      3, 4, 5, 0, 7, 8, 9,
    ]);
    ring.resize(3);
    expect(ring.samples.length).toBe(30);
    expect(read(ring, 30, 70).samples.filter((_, i) => i % 10 === 0)).toEqual([
      0, 0, 0, 0, 7, 8, 9,
    ]);
  });

  it('says how much of a stretch is as it was sent', () => {
    const ring = new PcmRing(10, 8);
    write(ring, 0, 1);
    ring.mark(1, FrameState.silent);
    ring.mark(2, FrameState.concealed);
    write(ring, 3, 1);
    expect(ring.sentSamples(0, 40)).toBe(30);
    expect(ring.sentSamples(-5, 12)).toBe(7);
    expect(ring.sentSamples(15, 20)).toBe(10);
    expect(ring.sentSamples(40, 10)).toBe(0);
  });

  it('takes no memory for samples before the first sound', () => {
    const ring = new PcmRing(960, 50);
    ring.mark(3, FrameState.silent);
    expect(read(ring, 0, 960).added).toBe(0);
    expect(ring.samples.length).toBe(0);
  });

  it('agrees with a map of frames for any order of writing and reading', () => {
    const next = random(7);
    const size = 7;
    const frames = 5;
    const ring = new PcmRing(size, frames);
    const model = new Map();
    for (let step = 0; step < 5000; step++) {
      const frame = Math.floor(next() * 40);
      if (next() < 0.5) {
        write(ring, frame, frame + 1, size);
        model.set(frame % frames, frame);
      }
      const start = Math.floor(next() * 300) - 10;
      const expected = Array.from({ length: 20 }, (_, i) => {
        const at = Math.floor((start + i) / size);
        return start + i >= 0 && model.get(at % frames) === at ? at + 1 : 0;
      });
      expect(read(ring, start, 20).samples).toEqual(expected);
    }
  });
});
