import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { align, levelDb } from '../../../testkit/sound/signal.js';
import { parseWav } from '../../../testkit/sound/wav.js';
import { ByteReader } from '../../../programs/sound/byte-reader.js';
import { convert, downmix } from '../../../programs/sound/convert.js';
import { FormatAdapter } from '../../../programs/sound/format-adapter.js';
import { isOggOpus, readOggSound } from '../../../programs/sound/ogg-sound.js';
import { openSound } from '../../../programs/sound/open-sound.js';
import { RateConverter } from '../../../programs/sound/rate-converter.js';
import { NotSoundError } from '../../../programs/sound/sound.js';
import { isWav, readWavSound } from '../../../programs/sound/wav-reader.js';
import { oggWriter, openOut, wavWriter } from '../../../programs/sound/writers.js';
import { readOggOpus } from '../../fakes/ogg-file.js';

/** Bytes in pieces of a length. @param {Uint8Array} bytes @param {number} [length] */
const inPieces = (bytes, length = 777) =>
  new ByteReader(
    Readable.from(
      Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
        bytes.subarray(i * length, (i + 1) * length),
      ),
    ),
  );

/** @param {AsyncIterable<Float32Array>} pieces */
async function all(pieces) {
  const parts = [];
  for await (const piece of pieces) parts.push(...piece);
  return Float32Array.from(parts);
}

/** @param {number} hz @param {number} rate @param {number} samples @param {number} [channels] */
const tone = (hz, rate, samples, channels = 1) =>
  Float32Array.from(
    { length: samples * channels },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * Math.floor(i / channels)) / rate),
  );

/** @param {string} name @param {Uint8Array} body */
function chunk(name, body) {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}

/**
 * @param {{ tag: number, bits: number, channels?: number, rate?: number, extensible?: boolean,
 *   data: Uint8Array, before?: Buffer[] }} options
 */
function wavOf({ tag, bits, channels = 1, rate = 8000, extensible = false, data, before = [] }) {
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(tag, 24);
  return Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'),
    ...before,
    chunk('fmt ', format),
    chunk('data', data),
  ]);
}

describe('a WAV file', () => {
  const values = [0, 0.5, -0.5, -1];
  it.each(
    /** @type {const} */ ([
      [
        '8 bits',
        1,
        8,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeUInt8(128 + v * 128, i),
      ],
      [
        '16 bits',
        1,
        16,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeInt16LE(v * 2 ** 15, i),
      ],
      [
        '24 bits',
        1,
        24,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeIntLE(v * 2 ** 23, i, 3),
      ],
      [
        '32 bits',
        1,
        32,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeInt32LE(v * 2 ** 31, i),
      ],
      [
        'floats',
        3,
        32,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeFloatLE(v, i),
      ],
      [
        'long floats',
        3,
        64,
        (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) =>
          b.writeDoubleLE(v, i),
      ],
    ]),
  )('of %s is read, with an extension or without', async (_name, tag, bits, write) => {
    const data = Buffer.alloc((values.length * bits) / 8);
    values.forEach((value, i) => write(data, value, (i * bits) / 8));
    for (const extensible of [false, true]) {
      const file = wavOf({
        tag,
        bits,
        channels: 2,
        extensible,
        data,
        before: [chunk('LIST', Buffer.alloc(33))],
      });
      expect(isWav(file)).toBe(true);
      const sound = await readWavSound(inPieces(file, 5));
      expect([sound.sampleRate, sound.channels, sound.seconds]).toEqual([8000, 2, 2 / 8000]);
      expect([...(await all(sound.pieces))]).toEqual(values);
    }
  });

  it('that is cut short, or was written to a pipe, is read as far as it goes', async () => {
    const file = wavOf({ tag: 1, bits: 16, data: Buffer.alloc(1000, 1) });
    expect((await all((await readWavSound(inPieces(file.subarray(0, 500)))).pieces)).length).toBe(
      (500 - 44) / 2,
    );
    file.writeUInt32LE(0xffff_ffff, 40);
    const sound = await readWavSound(inPieces(file));
    expect(sound.seconds).toBe(null);
    expect((await all(sound.pieces)).length).toBe(500);
  });

  it('whose numbers are none is silent there, and what is no PCM is refused', async () => {
    const data = Buffer.alloc(8);
    data.writeFloatLE(NaN, 0);
    data.writeFloatLE(Infinity, 4);
    expect([
      ...(await all((await readWavSound(inPieces(wavOf({ tag: 3, bits: 32, data })))).pieces)),
    ]).toEqual([0, 0]);
    const wrong = [
      { tag: 85, bits: 16 },
      { tag: 1, bits: 12 },
      { tag: 1, bits: 16, channels: 0 },
      { tag: 1, bits: 16, rate: 10 },
    ];
    for (const each of wrong)
      await expect(readWavSound(inPieces(wavOf({ ...each, data })))).rejects.toThrow(NotSoundError);
  });

  it('is written with its length at the end, where it can be, and without one elsewhere', () => {
    for (const canPatch of [true, false]) {
      let file = Buffer.alloc(0);
      const patch = canPatch
        ? (/** @type {Uint8Array} */ bytes, /** @type {number} */ at) => void file.set(bytes, at)
        : null;
      const writer = wavWriter(
        { write: (bytes) => void (file = Buffer.concat([file, bytes])), patch },
        { sampleRate: 48_000, channels: 2 },
      );
      writer.write(Float32Array.of(0.25, -0.25, 2, -2));
      writer.end();
      expect(file.readUInt32LE(40)).toBe(canPatch ? 8 : 0xffff_ffff);
      expect(parseWav(file).channels.map((channel) => [...channel])).toEqual([
        [0.25, 32767 / 32768],
        [-0.25, -1],
      ]);
    }
  });
});

describe('an Ogg Opus file', () => {
  it('is written and read, without what encoders put before it', async () => {
    /** @type {Uint8Array[]} */
    const parts = [];
    const writer = await oggWriter(
      { write: (bytes) => void parts.push(bytes), patch: null },
      { sampleRate: 48_000, channels: 1 },
      'tea',
    );
    const sound = tone(440, 48_000, 48_000);
    for (let at = 0; at < sound.length; at += 700) writer.write(sound.subarray(at, at + 700));
    writer.end();
    const file = Buffer.concat(parts);
    expect(isOggOpus(file)).toBe(true);
    const read = await readOggSound(inPieces(file));
    const heard = await all(read.pieces);
    expect([read.sampleRate, read.channels]).toEqual([48_000, 1]);
    expect([...heard]).toEqual([...(await readOggOpus(file)).samples]);
    const found = align(sound.subarray(4800, 28_800), heard, { to: 10_000 });
    expect(found.correlation).toBeGreaterThan(0.99);
    expect(Math.abs(found.gainDb)).toBeLessThan(0.5);
    await read.close();
  });
});

/** Files as pipes have them. */
describe('a WAV file of unknown length', () => {
  const samples = Buffer.alloc(2 * 5000, 1);
  it.each([
    ['ffmpeg', 0xffff_ffff],
    ['sox', 0x7fff_effc],
    ['sox', 0x7fff_f000],
    ['GStreamer', 0x7fff_0000],
    ['arecord', 0x8000_0000],
    ['others', 0],
  ])('from %s (%i) is read to its end, without the text behind its sound', async (_, length) => {
    const whole = wavOf({ tag: 1, bits: 16, data: samples });
    whole.writeUInt32LE(length, 40);
    for (const file of [whole, Buffer.concat([whole, chunk('LIST', Buffer.alloc(64, 'INFO'))])]) {
      const sound = await readWavSound(inPieces(file));
      expect(sound.seconds).toBe(null);
      expect((await all(sound.pieces)).length).toBe(5000);
    }
  });
});

/**
 * The pages of an Ogg Opus file of a tone.
 * @param {number} hz
 * @param {{ seconds?: number, channels?: number }} [options]
 */
async function oggPagesOf(hz, { seconds = 1, channels = 1 } = {}) {
  /** @type {Buffer[]} */
  const pages = [];
  const writer = await oggWriter(
    { write: (bytes) => void pages.push(Buffer.from(bytes)), patch: null },
    { sampleRate: 48_000, channels },
    'tea',
  );
  writer.write(tone(hz, 48_000, seconds * 48_000, channels));
  writer.end();
  return pages;
}

/** @param {Buffer} file */
const ogg = async (file) => all((await readOggSound(inPieces(file))).pieces);

/** The level of each half second, in dB, from the second tenth on. @param {Float32Array} heard */
const levels = (heard) =>
  Array.from({ length: Math.floor(heard.length / 24_000) }, (_, i) =>
    Math.round(levelDb(heard.subarray(i * 24_000 + 4800, (i + 1) * 24_000 - 2400))),
  );

describe('an Ogg Opus file that is chained or damaged', () => {
  const LOUD = Math.round(levelDb(tone(440, 48_000, 48_000)));

  it('is heard link by link, mono and stereo, to the sample', async () => {
    const links = [
      await oggPagesOf(440),
      await oggPagesOf(600, { channels: 2, seconds: 0.5 }),
      await oggPagesOf(800),
    ];
    const heard = await ogg(Buffer.concat(links.flat()));
    expect(heard.length).toBe(2.5 * 48_000);
    expect(levels(heard)).toEqual([LOUD, LOUD, LOUD, LOUD, LOUD]);
    // A radio's stream may leave out the mark of a link's end.
    expect(
      (await ogg(Buffer.concat([...links[0].slice(0, -1), ...links[2]]))).length,
    ).toBeGreaterThan(48_000);
  });

  it('is heard with bytes between its pages, and with half a page before the next', async () => {
    const pages = await oggPagesOf(440, { seconds: 4 });
    const between = Buffer.concat(
      pages.flatMap((page) => [Buffer.from('no page, though OggS stands here'), page]),
    );
    expect((await ogg(Buffer.concat([pages[0], between]))).length).toBe(4 * 48_000);
    const cut = Buffer.concat([...pages.slice(0, 3), pages[3].subarray(0, 60), ...pages.slice(3)]);
    expect((await ogg(cut)).length).toBe(4 * 48_000);
  });

  it('is silent where a page is damaged or lost, and keeps its time', async () => {
    const pages = await oggPagesOf(440, { seconds: 4 });
    const damaged = pages.map((page, i) =>
      i === 3 ? Buffer.from(page).fill(0x55, 200, 300) : page,
    );
    const lost = pages.filter((_, i) => i !== 3);
    for (const each of [damaged, lost]) {
      const heard = await ogg(Buffer.concat(each));
      expect(heard.length).toBe(4 * 48_000);
      expect(levels(heard).toSpliced(2, 2)).toEqual([LOUD, LOUD, LOUD, LOUD, LOUD, LOUD]);
      expect(levelDb(heard.subarray(60_000, 80_000))).toBeLessThan(-60);
    }
  });

  it('is read despite damage behind the first page’s header, and as far as it goes', async () => {
    const pages = await oggPagesOf(440, { seconds: 2 });
    const first = Buffer.from(pages[0]);
    first[22] ^= 1;
    expect((await ogg(Buffer.concat([first, ...pages.slice(1)]))).length).toBe(2 * 48_000);
    const short = await ogg(Buffer.concat(pages).subarray(0, -100));
    expect(short.length).toBeGreaterThan(40_000);
  });
});

describe('RateConverter', () => {
  it.each([
    [44_100, 48_000],
    [96_000, 48_000],
    [8000, 48_000],
    [22_050, 48_000],
    [48_000, 16_000],
    [47_998, 48_000],
  ])('brings a tone from %i to %i Hz, in its place', (from, to) => {
    const converter = new RateConverter(from, to, 2);
    const sound = tone(1000, from, from / 2, 2);
    const parts = [];
    for (let at = 0; at < sound.length; at += 999 * 2)
      parts.push(...converter.push(sound.subarray(at, at + 999 * 2)));
    parts.push(...converter.end());
    expect(parts.length).toBe(2 * Math.round(Math.floor(from / 2) * (to / from)));
    const wanted = tone(1000, to, to / 2, 2);
    let error = 0;
    for (let i = to / 10; i < to * 0.8; i++)
      error = Math.max(error, Math.abs(parts[i] - wanted[i]));
    expect(error).toBeLessThan(0.002);
  });

  it('leaves out what the lower rate has no place for', () => {
    const converter = new RateConverter(96_000, 48_000, 1);
    const out = converter.push(tone(30_000, 96_000, 48_000));
    expect(levelDb(out.subarray(2000, 20_000))).toBeLessThan(-80);
  });
});

describe('sound that is opened', () => {
  it('is of a rate, channels and volume as they are wanted', async () => {
    const raw = Buffer.alloc(4 * 8000);
    tone(500, 8000, 8000).forEach((value, i) =>
      [0, 2].forEach((side) => raw.writeInt16LE(Math.round(value * 32_767), 4 * i + side)),
    );
    const sound = await openSound('-', {
      raw: { sampleRate: 8000, channels: 2 },
      stdin: Readable.from([raw.subarray(0, 1001), raw.subarray(1001)]),
    });
    const heard = await all(convert(sound, { sampleRate: 48_000, channels: 1, gain: 0.5 }));
    expect(heard.length).toBe(48_000);
    const wanted = tone(500, 48_000, 48_000).map((value) => value / 2);
    expect(
      Math.max(
        ...heard.subarray(5000, 40_000).map((value, i) => Math.abs(value - wanted[5000 + i])),
      ),
    ).toBeLessThan(0.002);
  });

  it('is mixed to fewer channels, and spread to more, by ITU-R BS.775', () => {
    const mix = (/** @type {number[]} */ values, /** @type {number} */ to, speakers = 0) =>
      [...downmix(values.length, to, speakers)(Float32Array.from(values))].map(
        (value) => Math.round(1000 * value) / 1000,
      );
    expect([...downmix(2, 1)(Float32Array.of(1, 0, 0.5, 0.5))]).toEqual([0.5, 0.5]);
    expect([...downmix(1, 2)(Float32Array.of(1, 0.5))]).toEqual([1, 1, 0.5, 0.5]);
    // Each channel of 5.1 alone, to stereo and to mono.
    expect([0, 1, 2, 3, 4, 5].map((at) => mix([0, 0, 0, 0, 0, 0].with(at, 1), 2))).toEqual([
      [1, 0],
      [0, 1],
      [0.707, 0.707],
      [0, 0],
      [0.707, 0],
      [0, 0.707],
    ]);
    expect([0, 1, 2, 3, 4, 5].map((at) => mix([0, 0, 0, 0, 0, 0].with(at, 1), 1))).toEqual([
      [0.5],
      [0.5],
      [0.707],
      [0],
      [0.354],
      [0.354],
    ]);
    // Left, right and back centre, as the file says; and more channels than have a known place.
    expect([0, 1, 2].map((at) => mix([0, 0, 0].with(at, 1), 2, 0x103))).toEqual([
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ]);
    expect(mix(Array(10).fill(1), 2)).toEqual([1, 1]);
  });

  it.skipIf(process.platform === 'win32')('ends an ffmpeg whose sound it can’t read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aloud-sound-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const header = Buffer.alloc(36, 'RIFF....WAVEfmt ', 'latin1');
    header.set([16, 0, 0, 0, 1, 0, 36, 0], 16);
    writeFileSync(join(folder, 'header'), header);
    const script = '#!/bin/sh\ncd "$(dirname "$0")"; echo $$ > pid; cat header; exec sleep 60\n';
    writeFileSync(join(folder, 'ffmpeg'), script, { mode: 0o755 });
    writeFileSync(join(folder, 'song.mp3'), 'ID3');
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(openSound(join(folder, 'song.mp3'))).rejects.toThrow(/can't read it as sound/);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });

  it('has to be there', async () => {
    for (const raw of [null, { sampleRate: 48_000, channels: 1 }]) {
      await expect(openSound('/nowhere/a', { raw })).rejects.toThrow(
        'There is no file /nowhere/a.',
      );
      await expect(openSound('/dev/null', { raw })).rejects.toThrow(/no sound in it\.$/);
    }
    await expect(openSound('-', { stdin: Readable.from([]) })).rejects.toThrow(
      'the standard input is empty: there is no sound in it.',
    );
  });
});

it('a file that is overwritten keeps its content until there is something to write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloud-writers-'));
  const file = join(folder, 'old.raw');
  try {
    writeFileSync(file, 'an earlier recording');
    const refused = openOut(file);
    refused.close();
    expect(readFileSync(file, 'latin1')).toBe('an earlier recording');
    const out = openOut(file);
    out.write(Buffer.from('new'));
    out.write(Buffer.from('er'));
    out.close();
    expect(readFileSync(file, 'latin1')).toBe('newer');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe.skipIf(spawnSync('ffmpeg', ['-version']).error)('ffmpeg’s input from a pipe', () => {
  it('ends with the error of a pipe that fails', async () => {
    const stdin = new PassThrough();
    const head = Buffer.from('2e736e640000001800000000000000030000bb8000000001', 'hex');
    stdin.write(Buffer.concat([head, Buffer.alloc(9600)]));
    const opened = openSound('-', { stdin });
    setTimeout(() => stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' })), 300);
    await expect(opened).rejects.toThrow("the standard input can't be read: read EIO.");
  }, 10_000);
});

it('an adapted call forgets the voices of people who have left', () => {
  const adapter = new FormatAdapter(
    { sampleRate: 48_000, channels: 1 },
    { sampleRate: 16_000, channels: 1 },
  );
  const piece = Float32Array.from({ length: 160 }, (_, i) => Math.sin(i));
  const first = adapter.voice('ann', piece);
  adapter.keep([{ id: 'ann' }]);
  expect(adapter.voice('ann', piece)).not.toEqual(first);
  // A person who has come back begins as at first.
  adapter.keep([{ id: 'bob' }]);
  expect(adapter.voice('ann', piece)).toEqual(first);
});
