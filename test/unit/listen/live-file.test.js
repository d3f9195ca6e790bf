import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { Packet, readPacket, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { FILL_MS, LiveFile } from '../../../server/listen/live-file.js';
import { readOggOpus } from '../../fakes/ogg-file.js';

/** A packet of CELT of 20 ms in full band, with the frame's number in it. @param {number} frame */
const payloadOf = (frame) => Uint8Array.of(31 << 3, frame, 0xaa);
const MISSING = [31 << 3];

/** @param {ConstructorParameters<typeof LiveFile>[0]['kind']} [kind] */
function open(kind = 'ogg') {
  /** @type {Uint8Array[]} */
  const parts = [];
  const file = new LiveFile({ kind, format: createAudioFormat(), room: 'tea', serial: 7, nowMs: 1000, write: (part) => void parts.push(part) });
  return { file, parts, read: () => readOggOpus(Buffer.concat(parts)) };
}

/** A packet of the shared stream. @param {number} frame @param {number} repeats @param {number[]} [silent]  frames */
function packetOf(frame, repeats, silent = []) {
  const packet = new Packet();
  const payloads = [];
  for (let k = frame - repeats; k <= frame; k++) payloads.push(silent.includes(k) ? new Uint8Array(0) : payloadOf(k));
  Object.assign(packet, { frame: frame >>> 0, redundancy: repeats });
  for (let r = 0; r <= repeats; r++) packet.payloadBytes[r] = payloads[repeats - r].length;
  const head = new Uint8Array(64);
  const bytes = Buffer.concat([head.subarray(0, writeAudioHeader(head, packet)), ...payloads]);
  expect(readPacket(bytes, packet)).toBe(null);
  return { packet, bytes };
}

/** @param {LiveFile} file @param {Parameters<typeof packetOf>} args @param {number} nowMs */
function take(file, args, nowMs) {
  const { packet, bytes } = packetOf(...args);
  file.take(packet, bytes, nowMs);
}

/** The numbers of the frames in a file; -1 of those that are missing. @param {Uint8Array[]} packets */
const framesOf = (packets) => packets.map((packet) => (packet.length === 1 ? -1 : packet[1]));

describe('LiveFile', () => {
  it('has every frame once, whether a packet brings one, three or some again', async () => {
    const { file, read } = open();
    take(file, [12, 2], 1100);
    take(file, [15, 2], 1160);
    take(file, [16, 2], 1180);
    take(file, [14, 0], 1181);
    take(file, [17, 0], 1200);
    file.end();
    const { packets, ended, preSkip, comments } = await read();
    expect(framesOf(packets)).toEqual([10, 11, 12, 13, 14, 15, 16, 17]);
    expect([ended, preSkip, comments]).toEqual([true, 3840, ['TITLE=tea']]);
  });

  it('keeps the time of frames that are lost or silent', async () => {
    const { file, read } = open();
    take(file, [100, 0], 1100);
    take(file, [104, 1, [103]], 1180);
    file.end();
    const { packets } = await read();
    expect(framesOf(packets)).toEqual([100, -1, -1, -1, 104]);
    expect([...packets[1]]).toEqual(MISSING);
  });

  it('goes on in silence, as time does, before the first packet and after the last', async () => {
    const { file, read } = open();
    for (let ms = 1000; ms <= 3000; ms += FILL_MS) file.fill(ms);
    expect(file.lengthMs).toBe(1600);
    take(file, [50, 0], 3010);
    for (let ms = 3010; ms <= 6010; ms += FILL_MS) file.fill(ms);
    expect(file.lengthMs).toBe(1620 + 2600);
    // Speech again, 3 s after the last: it is where it belongs, and so is what comes late.
    take(file, [200, 0], 6020);
    take(file, [100, 0], 6021);
    file.end();
    const frames = framesOf((await read()).packets);
    expect(frames.length).toBe(80 + 151);
    expect([frames[80], frames.at(-1)]).toEqual([50, 200]);
  });

  it('fills nothing where the server stood still: the packets are about to come', () => {
    const { file } = open();
    take(file, [50, 0], 1010);
    file.fill(1100);
    file.fill(3100);
    expect(file.lengthMs).toBe(20);
    for (let k = 51; k < 150; k++) take(file, [k, 0], 3101);
    expect(file.lengthMs).toBe(2000);
  });

  it('leaves out what a computer slept through', () => {
    const { file } = open();
    take(file, [50, 0], 1010);
    take(file, [2 ** 31 - 1, 2], 1e7);
    expect(file.lengthMs).toBe(80);
  });

  it('goes on where the index of frames wraps', async () => {
    const { file, read } = open();
    take(file, [2 ** 32 - 2, 0], 1010);
    take(file, [1, 2], 1070);
    file.end();
    expect((await read()).packets.length).toBe(4);
  });

  it('is WebM too, in parts of 200 ms', () => {
    const { file, parts } = open('webm');
    for (let k = 0; k < 21; k++) take(file, [k, 0], 1000 + 20 * k);
    file.end();
    expect(parts.length).toBe(4);
    expect(file.lengthMs).toBe(420);
  });
});
