import fc from 'fast-check';
import { createDecoder } from 'libopus-wasm';
import { describe, expect, it } from 'vitest';
import { payloadSamples } from '../../../public/shared/stream/codec.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { OggOpus } from '../../../server/recording/ogg-opus.js';
import {
  isOpusPacket,
  padPacket,
  silenceOf,
  writeMissing,
} from '../../../server/recording/opus-packet.js';
import { readOggOpus, readPages } from '../../fakes/ogg-file.js';

const codec = await loadCodec('libopus-wasm');

/** @param {{ tags?: Record<string, string>, preSkip?: number, sampleRate?: number }} [options] */
function oggFile({ tags = {}, preSkip = 3840, sampleRate = 48000 } = {}) {
  const pages = /** @type {Uint8Array[]} */ ([]);
  const ogg = new OggOpus({
    serial: 0xfedcba98,
    preSkip,
    sampleRate,
    tags,
    write: (page) => void pages.push(page),
  });
  return { ogg, pages, bytes: () => new Uint8Array(Buffer.concat(pages)) };
}

/** Packets of a tone. @param {number} ms of each @param {number} count */
async function toneOf(ms, count) {
  const frameSamples = 48 * ms;
  const encoder = await codec.createEncoder({ sampleRate: 48000, frameSamples });
  const packets = [];
  for (let i = 0; i < count; i++) {
    const pcm = Float32Array.from(
      { length: frameSamples },
      (_, j) => Math.sin((i * frameSamples + j) / 20) / 2,
    );
    const out = new Uint8Array(1275);
    packets.push(out.slice(0, encoder.encode(pcm, out, 0)));
  }
  encoder.close();
  return packets;
}

describe('an Ogg Opus file', () => {
  it('has its headers, and comments of any text', async () => {
    const tags = { TITLE: 'Ada (2), 語 "x"=y', DATE: '2026-01-02T03:04:05.000Z' };
    const { ogg, bytes } = oggFile({ tags, sampleRate: 8000 });
    ogg.put(silenceOf(960), 0, 3, 960);
    ogg.end();
    ogg.end();
    const { preSkip, inputRate, vendor, comments, ended, pages } = await readOggOpus(bytes());
    expect({ preSkip, inputRate, vendor, ended }).toEqual({
      preSkip: 3840,
      inputRate: 8000,
      vendor: 'aloud',
      ended: true,
    });
    expect(comments).toEqual([`TITLE=${tags.TITLE}`, `DATE=${tags.DATE}`]);
    expect(pages.map(({ type, serial }) => [type, serial])).toEqual([
      [2, 0xfedcba98],
      [0, 0xfedcba98],
      [4, 0xfedcba98],
    ]);
  });

  it.each([2.5, 5, 10, 20, 40, 60])(
    'holds packets of %d ms, about a second to a page',
    async (ms) => {
      const { ogg, bytes } = oggFile();
      const packets = await toneOf(ms, Math.ceil(5000 / ms));
      for (const packet of packets) ogg.put(packet, 0, packet.length, 48 * ms);
      ogg.end();
      const read = await readOggOpus(bytes());
      expect(read.packets.map((packet) => [...packet])).toEqual(
        packets.map((packet) => [...packet]),
      );
      expect(read.samples.length).toBe(packets.length * 48 * ms - 3840);
      for (const { packets: onPage } of read.pages.slice(2))
        expect(onPage.length * ms).toBeLessThanOrEqual(1000 + ms);
      expect(read.samples.reduce((most, sample) => Math.max(most, sample))).toBeGreaterThan(0.4);
    },
  );

  it('takes packets of any length, and is right after every page', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1275 }), { minLength: 1, maxLength: 300 }),
        (lengths) => {
          const { ogg, bytes } = oggFile();
          for (const length of lengths)
            ogg.put(new Uint8Array(length + 2).fill(length), 1, length, 960);
          ogg.end();
          const pages = readPages(bytes());
          expect(
            pages.slice(2).flatMap(({ packets }) => packets.map((packet) => packet.length)),
          ).toEqual(lengths);
          expect(pages.at(-1)).toMatchObject({ type: 4, granule: 960 * lengths.length });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('that breaks off can be read up to there', async () => {
    const { ogg, bytes } = oggFile();
    for (const packet of await toneOf(20, 175)) ogg.put(packet, 0, packet.length, 960);
    const { ended, samples } = await readOggOpus(bytes());
    expect(ended).toBe(false);
    expect(samples.length).toBe(150 * 960 - 3840);
  });
});

describe('an Opus packet', () => {
  it('is known by its framing', async () => {
    for (const ms of [2.5, 5, 10, 20, 40, 60]) {
      for (const packet of await toneOf(ms, 3)) {
        expect(isOpusPacket(packet, 0, packet.length, 48 * ms)).toBe(true);
        expect(isOpusPacket(packet, 0, packet.length, 24 * ms)).toBe(false);
      }
    }
  });

  it.each([
    ['nothing', []],
    ['two equal frames of an odd number of bytes', [0xf1, 1, 2, 3]],
    ['two frames, the first longer than the packet', [0xea, 9, 1, 2]],
    ['any number of frames, and no number', [0xf3]],
    ['no frames', [0xf3, 0]],
    ["frames that don't share the bytes evenly", [0xe3, 0x03, 1, 2, 3, 4]],
    ['padding beyond the end', [0xfb, 0x41, 9, 1]],
    ['a frame beyond the end', [0xe3, 0x84, 1, 7, 1, 1, 1]],
    ['more than a frame can have', new Array(1300).fill(0xf8)],
  ])('is none that has %s', (_, bytes) => {
    const packet = Uint8Array.from(bytes);
    for (const samples of [0, 120, 240, 480, 960, 1920, 2880])
      expect(isOpusPacket(packet, 0, packet.length, samples)).toBe(false);
  });

  it('is taken only where libopus takes it, whatever the bytes', async () => {
    const decoder = await createDecoder({ sampleRate: 48000, channels: 1, maxFrameSize: 5760 });
    let taken = 0;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (packet) => {
        const samples = payloadSamples(packet, 0, packet.length, 48000);
        if (!isOpusPacket(packet, 0, packet.length, samples)) return;
        taken += 1;
        expect(decoder.decodeFloat(packet).length).toBe(samples);
      }),
      { numRuns: 3000, seed: 7 },
    );
    decoder.free();
    expect(taken).toBeGreaterThan(500);
  });

  it.each([2.5, 5, 10, 20, 40, 60, 120])(
    'is %d ms of silence, to which a decoder fades',
    async (ms) => {
      const decoder = await createDecoder({ sampleRate: 48000, channels: 1, maxFrameSize: 5760 });
      const silence = silenceOf(48 * ms);
      expect(isOpusPacket(silence, 0, silence.length, 48 * ms)).toBe(true);
      for (const packet of ms > 60 ? [] : await toneOf(ms, 5)) decoder.decodeFloat(packet);
      const samples = Array.from({ length: 4 }, () => [...decoder.decodeFloat(silence)]).flat();
      expect(samples.length).toBe(4 * 48 * ms);
      // Its own overlap of 2.5 ms, that of its postfilter, and the last of its filters.
      expect(samples.slice(48 * 7.5).every((sample) => Math.abs(sample) < 1e-6)).toBe(true);
      decoder.free();
    },
  );

  it.each([2.5, 5, 10, 20, 40, 60])(
    'stands for %d ms that are missing, and a decoder makes them up',
    async (ms) => {
      const decoder = await createDecoder({ sampleRate: 48000, channels: 1, maxFrameSize: 5760 });
      const missing = new Uint8Array(2);
      for (const packet of await toneOf(ms, 5)) {
        decoder.decodeFloat(packet);
        const length = writeMissing(missing, packet, 0);
        expect(isOpusPacket(missing, 0, length, 48 * ms)).toBe(true);
        expect(decoder.decodeFloat(missing.subarray(0, length)).length).toBe(48 * ms);
      }
      decoder.free();
    },
  );

  it('of two frames of any length has one that stands for it', () => {
    const missing = new Uint8Array(2);
    const length = writeMissing(missing, Uint8Array.of(0xea, 1, 7, 8), 0);
    expect(isOpusPacket(missing, 0, length, 480)).toBe(true);
  });
});

describe('a padded packet', () => {
  const body = Uint8Array.from({ length: 8 }, (_, i) => 40 + i);
  it.each([
    ['one frame', [0xf8, ...body], 960],
    ['two equal frames', [0xf9, ...body], 1920],
    ['two frames', [0xfa, 3, ...body.subarray(0, 7)], 1920],
    ['three frames', [0xfb, 0x83, 2, 3, ...body], 2880],
    ['two equal frames with a count', [0xfb, 0x02, ...body], 1920],
  ])('of %s is as long as is wanted, and holds the same frames', (_, bytes, samples) => {
    const packet = Uint8Array.from(bytes);
    const out = new Uint8Array(4000);
    for (const wanted of [packet.length + 3, 100, 257, 258, 500, 1200, 4000]) {
      const length = padPacket(out, packet, 0, packet.length, wanted);
      expect(wanted - length).toBeGreaterThanOrEqual(0);
      expect(wanted - length).toBeLessThan(3);
      if (length <= 1275) expect(isOpusPacket(out, 0, length, samples)).toBe(true);
      // The frames stand behind the lengths of the padding, and before it.
      const frames = Buffer.from(packet.subarray(packet[0] % 4 === 3 ? 2 : 1));
      expect(Buffer.from(out.subarray(0, length)).includes(frames)).toBe(true);
    }
  });

  it('sounds the same; one with padding, for concealment or long enough is left as it is', () => {
    const encoder = codec.createEncoder({ sampleRate: 48_000, frameSamples: 960 });
    const [plain, padded] = [1, 2].map(() =>
      codec.createDecoder({ sampleRate: 48_000, frameSamples: 960 }),
    );
    const [bytes, out] = [new Uint8Array(1275), new Uint8Array(4000)];
    const heard = [new Float32Array(960), new Float32Array(960)];
    for (let k = 0; k < 20; k++) {
      const pcm = Float32Array.from({ length: 960 }, (_, i) => 0.3 * Math.sin((k * 960 + i) / 17));
      const length = encoder.encode(pcm, bytes, 0);
      plain.decode(bytes, 0, length, heard[0], 0);
      padded.decode(out, 0, padPacket(out, bytes, 0, length, 700), heard[1], 0);
      expect(heard[1]).toEqual(heard[0]);
    }
    expect(padPacket(out, Uint8Array.of(0xfb, 0x41, 1, 7, 0), 0, 5, 100)).toBe(0);
    expect(padPacket(out, Uint8Array.of(0xf8), 0, 1, 100)).toBe(0);
    expect(padPacket(out, bytes, 0, 60, 61)).toBe(0);
  });
});
