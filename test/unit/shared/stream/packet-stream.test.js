import { describe, expect, it } from 'vitest';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PacketStream } from '../../../../public/shared/stream/packet-stream.js';

/**
 * A stream whose payloads are one byte, the frame's number, or as many as asked for.
 * @param {{ suppresses?: boolean, frameMs?: number }} [options]
 */
function setUp({ suppresses = true, frameMs = 20 } = {}) {
  const size = { bytes: 1 };
  const encoder = {
    begin: (
      /** @type {Float32Array} */ pcm,
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
    ) => void out.fill(pcm[0], at, at + size.bytes),
    end: () => size.bytes,
    close: () => {},
  };
  const stream = new PacketStream({ encoder, frameMs, suppresses });
  const sound = (/** @type {number} */ frame) => Float32Array.of(frame);
  /** @param {number} redundancy @param {number} [speakers] */
  const write = (redundancy, speakers = 0) => {
    stream.packet.speakers = speakers;
    const bytes = stream.write(redundancy);
    const read = new Packet();
    expect(readPacket(bytes, read)).toBeNull();
    const payloads = [];
    for (let r = 0; r <= read.redundancy; r++)
      payloads.push(read.payloadBytes[r] > 0 ? bytes[read.payloadStart[r]] : 0);
    return {
      bytes: bytes.length,
      frame: read.frame,
      sequence: read.sequence,
      speakers: read.speakers,
      payloads,
    };
  };
  return { stream, size, sound, write };
}

describe('PacketStream', () => {
  it.each([20, 10, 2.5, 60])(
    'sends two silent packets, then one every 200 ms (frames of %f ms)',
    (frameMs) => {
      const { stream, sound, write } = setUp({ frameMs });
      const every = Math.round(200 / frameMs);
      const sent = [];
      for (let frame = 0; frame < 3 + 5 * every; frame++)
        if (stream.encode(frame, frame < 2 ? sound(frame) : null)) sent.push(write(0));
      expect(sent.map(({ frame }) => frame)).toEqual([
        0,
        1,
        2,
        3,
        ...[1, 2, 3, 4].map((k) => 3 + k * every),
      ]);
      expect(sent.map(({ sequence }) => sequence)).toEqual(sent.map((_, i) => i + 1));
    },
  );

  it("sends every frame where silence isn't left out", () => {
    const { stream } = setUp({ suppresses: false });
    for (let frame = 0; frame < 50; frame++) expect(stream.encode(frame, null)).toBe(true);
  });

  it('repeats the payloads right before, from the last with sound on', () => {
    const { stream, sound, write } = setUp();
    const packets = [5, 6, 7, null, null, 10].map((value, i) => {
      stream.encode(i + 5, value === null ? null : sound(value));
      return write(2).payloads;
    });
    expect(packets).toEqual([[5], [6, 5], [7, 6, 5], [0, 7, 6], [0, 0, 7], [10]]);
    stream.encode(11, null);
    stream.encode(12, sound(12));
    expect([write(1).payloads, write(2).payloads]).toEqual([
      [12, 0],
      [12, 0, 10],
    ]);
    stream.encode(20, sound(20));
    expect(write(2).payloads).toEqual([20]);
  });

  it('gives each listener of one frame as much redundancy as it needs, under one number', () => {
    const { stream, sound, write } = setUp();
    for (const frame of [1, 2, 3]) stream.encode(frame, sound(frame));
    expect([0, 1, 2, 0].map((redundancy) => write(redundancy).payloads.length)).toEqual([
      1, 2, 3, 1,
    ]);
    expect(write(1).sequence).toBe(3);
  });

  it('leaves out repeated payloads and the list of speakers where there is no room', () => {
    const { stream, size, sound, write } = setUp();
    size.bytes = 500;
    for (const frame of [1, 2, 3]) stream.encode(frame, sound(frame));
    expect(write(2)).toMatchObject({ payloads: [3, 2], speakers: 0 });
    size.bytes = 1130;
    stream.encode(4, sound(4));
    expect(write(2, 10)).toMatchObject({ payloads: [4], speakers: 0 });
    expect(write(2, 2)).toMatchObject({ payloads: [4], speakers: 2 });
  });

  it('repeats pre-roll, and starts over after a rest', () => {
    const { stream, sound, write } = setUp();
    stream.preRoll(8, sound(8));
    stream.preRoll(9, sound(9));
    stream.encode(10, sound(10));
    expect(write(2).payloads).toEqual([10, 9, 8]);
    stream.rest(10);
    stream.encode(11, sound(11));
    expect(write(2).payloads).toEqual([11, 10, 9]);
    stream.rest(12);
    stream.encode(12, sound(12));
    expect(write(2).payloads).toEqual([12]);
  });
});
