import { describe, expect, it } from 'vitest';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  Stream,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { RelayedStream } from '../../../server/relay/relayed-stream.js';

/**
 * @param {number} frame
 * @returns {Uint8Array} its packet with two repeats: the payload of frame f is f + 1 bytes of f
 */
function packetOf(frame) {
  const packet = Object.assign(new Packet(), {
    stream: Stream.layers + 2,
    frame,
    sequence: frame,
    level: 20,
    voice: true,
    speakers: 1,
    redundancy: 2,
  });
  [packet.speakerIds[0], packet.speakerLevels[0]] = [7, 30];
  for (const r of [1, 2]) packet.payloadBytes[r] = frame - r + 1;
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  let at = writeAudioHeader(bytes, packet);
  for (const from of [frame - 2, frame - 1, frame]) {
    bytes.fill(from, at, at + from + 1);
    at += from + 1;
  }
  return bytes.subarray(0, at);
}

/** @param {Uint8Array} bytes @returns {number[]} the frames in a packet, oldest first */
function framesIn(bytes) {
  const packet = new Packet();
  expect(readPacket(bytes, packet)).toBe(null);
  expect(packet).toMatchObject({ stream: Stream.layers + 2, level: 20, voice: true, speakers: 1 });
  expect([packet.speakerIds[0], packet.speakerLevels[0]]).toEqual([7, 30]);
  return Array.from({ length: packet.redundancy + 1 }, (_, i) => {
    const r = packet.redundancy - i;
    const payload = bytes.subarray(
      packet.payloadStart[r],
      packet.payloadStart[r] + packet.payloadBytes[r],
    );
    expect([...payload]).toEqual(Array(packet.frame - r + 1).fill(packet.frame - r));
    return payload[0];
  });
}

describe('packets that a relay passes on', () => {
  const passed = (/** @type {number[]} */ ...frames) => {
    const [stream, packet] = [new RelayedStream(), new Packet()];
    for (const frame of frames) {
      const bytes = packetOf(frame);
      expect(readPacket(bytes, packet)).toBe(null);
      stream.take(bytes, packet);
    }
    return stream;
  };

  it('have as many repeats as are asked for', () => {
    const stream = passed(3, 4, 5);
    expect([0, 1, 2, 3].map((redundancy) => framesIn(stream.write(redundancy)))).toEqual([
      [5],
      [4, 5],
      [3, 4, 5],
      [3, 4, 5],
    ]);
    expect([0, 1, 2].map((redundancy) => framesIn(stream.writeStride(redundancy, 1)))).toEqual([
      [4],
      [3, 4],
      [2, 3, 4],
    ]);
    expect(framesIn(stream.writeStride())).toEqual([3, 4, 5]);
  });

  it('have the frames besides whose own packets haven’t come', () => {
    expect([0, 1].map((redundancy) => framesIn(passed(3, 5).write(redundancy)))).toEqual([
      [4, 5],
      [4, 5],
    ]);
    expect([0, 1].map((redundancy) => framesIn(passed(2, 5).write(redundancy)))).toEqual([
      [3, 4, 5],
      [3, 4, 5],
    ]);
  });
});
