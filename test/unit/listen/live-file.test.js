import { describe, expect, it } from 'vitest';
import { levelDb } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PacketStream } from '../../../public/shared/stream/packet-stream.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { Packet, readPacket, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { FILL_MS, LiveFile } from '../../../server/listen/live-file.js';
import { readOggOpus } from '../../fakes/ogg-file.js';

/** A packet of CELT of 20 ms in full band, with the frame's number in it. @param {number} frame */
const payloadOf = (frame) => Uint8Array.of(31 << 3, frame, 0xaa);
const MISSING = [(30 << 3) | 1];
const SILENCE = [31 << 3, 0xff, 0xfe];

/** @param {ConstructorParameters<typeof LiveFile>[0]['kind']} [kind] @param {boolean} [isPadded] */
function open(kind = 'ogg', isPadded = false) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const file = new LiveFile({
    kind,
    format: createAudioFormat(),
    title: 'tea',
    serial: 7,
    nowMs: 1000,
    isPadded,
    write: (part) => void parts.push(part),
  });
  return { file, parts, read: () => readOggOpus(Buffer.concat(parts)) };
}

/**
 * A packet of the shared stream.
 * @param {number} frame
 * @param {number} repeats
 * @param {number[]} [silent] frames
 */
function packetOf(frame, repeats, silent = []) {
  const packet = new Packet();
  const payloads = [];
  for (let k = frame - repeats; k <= frame; k++)
    payloads.push(silent.includes(k) ? new Uint8Array(0) : payloadOf(k));
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

/**
 * Numbers of the frames in a file; -1 for missing ones, -2 for silence.
 * @param {Uint8Array[]} packets
 */
const framesOf = (packets) =>
  packets.map((packet) => (packet.length === 1 ? -1 : packet[2] === SILENCE[2] ? -2 : packet[1]));

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
    take(file, [108, 1, [107]], 1260);
    file.end();
    const { packets } = await read();
    expect(framesOf(packets)).toEqual([100, -1, -1, -2, 104, -1, -1, -2, 108]);
    expect([[...packets[1]], [...packets[3]]]).toEqual([MISSING, SILENCE]);
  });

  it('is silent where nothing is said, and right from the first sound on', async () => {
    const {
      channels: [speech],
    } = await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url));
    const format = createAudioFormat();
    const codec = await loadCodec('libopus-wasm');
    const encoder = codec.createEncoder({ sampleRate: 48_000, frameSamples: 960 });
    const stream = new PacketStream({
      encoder: new PayloadEncoder(encoder, format),
      frameMs: 20,
      suppresses: true,
    });
    const { file, read } = open();
    const packet = new Packet();
    const silent = /** @type {number[]} */ ([]);
    for (let frame = 0; frame < 340; frame++) {
      const pcm = speech.slice(frame * 960, (frame + 1) * 960);
      if (pcm.every((sample) => sample === 0)) silent.push(frame);
      if (!stream.encode(frame, silent.at(-1) === frame ? null : pcm)) continue;
      const bytes = stream.write(0);
      expect(readPacket(bytes, packet)).toBe(null);
      file.take(packet, bytes, 1000 + 20 * frame);
    }
    stream.close();
    file.end();
    const { samples, preSkip } = await read();
    const pieceOf = (/** @type {number} */ frame, frames = 1, lookahead = 0) =>
      samples.subarray(frame * 960 - preSkip + lookahead).subarray(0, frames * 960);
    // The first silence after sound has the last of it.
    const quiet = silent.filter((frame) => silent.includes(frame - 1) && frame > 5 && frame < 330);
    expect(quiet.length).toBeGreaterThan(30);
    for (const frame of quiet) expect(levelDb(pieceOf(frame))).toBeLessThan(-100);
    const first = silent
      .map((frame) => frame + 1)
      .filter((frame) => !silent.includes(frame) && frame > 5 && frame < 330);
    expect(first.length).toBeGreaterThan(3);
    for (const frame of first) {
      const said = levelDb(speech.subarray(frame * 960, (frame + 3) * 960));
      expect(Math.abs(levelDb(pieceOf(frame, 3, 120)) - said)).toBeLessThan(3);
    }
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

  it.each(/** @type {const} */ (['ogg', 'webm']))(
    'fills what players look at before they begin by its header, as %s',
    async (kind) => {
      const { file, parts } = open(kind);
      // ffmpeg, mpv and GStreamer: 2 KiB, of which a silent room would take 6 s to fill.
      expect(Buffer.concat(parts).length).toBeGreaterThanOrEqual(2048);
      expect(file.lengthMs).toBe(0);
      expect(Buffer.concat(open(kind, true).parts).length).toBeLessThan(48_000);
    },
  );

  it('gives a browser enough sound to last until its next block, silent or not', async () => {
    for (const kind of /** @type {const} */ (['ogg', 'webm'])) {
      for (const isSilent of [true, false]) {
        const { file, parts } = open(kind, true);
        const bytes = () => parts.reduce((sum, { length }) => sum + length, 0);
        // A browser's block is 32 KiB.
        expect(bytes()).toBeGreaterThan(32_768);
        expect(file.lengthMs).toBe(1800);
        for (let ms = 1000; ms <= 11_000; ms += FILL_MS) {
          if (isSilent) file.fill(ms);
          else for (let k = 0; k < 5; k++) take(file, [(ms - 1000) / 20 + k, 0], ms);
          const blocks = Math.floor(bytes() / 32_768);
          // The sound of the blocks that are whole lasts until now.
          if (ms > 3000) expect(((blocks * 32_768) / 25_600) * 1000).toBeGreaterThan(ms - 1000);
        }
        file.end();
        if (kind === 'ogg')
          expect(
            levelDb((await readOggOpus(Buffer.concat(parts))).samples.subarray(0, 70_000)),
          ).toBeLessThan(-100);
      }
    }
  });
});
