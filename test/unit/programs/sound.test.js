import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { align, levelDb } from '../../../bench/stats/signal.js';
import { parseWav } from '../../../bench/stats/wav.js';
import { ByteReader } from '../../../programs/sound/byte-reader.js';
import { convert, mixTo } from '../../../programs/sound/convert.js';
import { isOggOpus, readOggSound } from '../../../programs/sound/ogg-sound.js';
import { openSound } from '../../../programs/sound/open-sound.js';
import { RateConverter } from '../../../programs/sound/rate-converter.js';
import { NotSoundError } from '../../../programs/sound/sound.js';
import { isWav, readWavSound } from '../../../programs/sound/wav-reader.js';
import { oggWriter, openOut, wavWriter } from '../../../programs/sound/writers.js';
import { readOggOpus } from '../../fakes/ogg-file.js';

/** Bytes in pieces of a length. @param {Uint8Array} bytes @param {number} [length] */
const inPieces = (bytes, length = 777) =>
  new ByteReader(Readable.from(Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) => bytes.subarray(i * length, (i + 1) * length))));

/** @param {AsyncIterable<Float32Array>} pieces */
async function all(pieces) {
  const parts = [];
  for await (const piece of pieces) parts.push(...piece);
  return Float32Array.from(parts);
}

/** @param {number} hz @param {number} rate @param {number} samples @param {number} [channels] */
const tone = (hz, rate, samples, channels = 1) => Float32Array.from({ length: samples * channels }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * Math.floor(i / channels)) / rate));

/** @param {string} name @param {Uint8Array} body */
function chunk(name, body) {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}

/** @param {{ tag: number, bits: number, channels?: number, rate?: number, extensible?: boolean, data: Uint8Array, before?: Buffer[] }} options */
function wavOf({ tag, bits, channels = 1, rate = 8000, extensible = false, data, before = [] }) {
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(tag, 24);
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...before, chunk('fmt ', format), chunk('data', data)]);
}

describe('a WAV file', () => {
  const values = [0, 0.5, -0.5, -1];
  it.each(/** @type {const} */ ([
    ['8 bits', 1, 8, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeUInt8(128 + v * 128, i)],
    ['16 bits', 1, 16, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeInt16LE(v * 2 ** 15, i)],
    ['24 bits', 1, 24, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeIntLE(v * 2 ** 23, i, 3)],
    ['32 bits', 1, 32, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeInt32LE(v * 2 ** 31, i)],
    ['floats', 3, 32, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeFloatLE(v, i)],
    ['long floats', 3, 64, (/** @type {Buffer} */ b, /** @type {number} */ v, /** @type {number} */ i) => b.writeDoubleLE(v, i)],
  ]))('of %s is read, with an extension or without', async (_name, tag, bits, write) => {
    const data = Buffer.alloc((values.length * bits) / 8);
    values.forEach((value, i) => write(data, value, (i * bits) / 8));
    for (const extensible of [false, true]) {
      const file = wavOf({ tag, bits, channels: 2, extensible, data, before: [chunk('LIST', Buffer.alloc(33))] });
      expect(isWav(file)).toBe(true);
      const sound = await readWavSound(inPieces(file, 5));
      expect([sound.sampleRate, sound.channels, sound.seconds]).toEqual([8000, 2, 2 / 8000]);
      expect([...(await all(sound.pieces))]).toEqual(values);
    }
  });

  it('that is cut short, or was written to a pipe, is read as far as it goes', async () => {
    const file = wavOf({ tag: 1, bits: 16, data: Buffer.alloc(1000, 1) });
    expect((await all((await readWavSound(inPieces(file.subarray(0, 500)))).pieces)).length).toBe((500 - 44) / 2);
    file.writeUInt32LE(0xffff_ffff, 40);
    const sound = await readWavSound(inPieces(file));
    expect(sound.seconds).toBe(null);
    expect((await all(sound.pieces)).length).toBe(500);
  });

  it('whose numbers are none is silent there, and what is no PCM is refused', async () => {
    const data = Buffer.alloc(8);
    data.writeFloatLE(NaN, 0);
    data.writeFloatLE(Infinity, 4);
    expect([...(await all((await readWavSound(inPieces(wavOf({ tag: 3, bits: 32, data })))).pieces))]).toEqual([0, 0]);
    const wrong = [{ tag: 85, bits: 16 }, { tag: 1, bits: 12 }, { tag: 1, bits: 16, channels: 0 }, { tag: 1, bits: 16, rate: 10 }];
    for (const each of wrong) await expect(readWavSound(inPieces(wavOf({ ...each, data })))).rejects.toThrow(NotSoundError);
  });

  it('is written with its length at the end, where it can be, and without one elsewhere', () => {
    for (const canPatch of [true, false]) {
      let file = Buffer.alloc(0);
      const patch = canPatch ? (/** @type {Uint8Array} */ bytes, /** @type {number} */ at) => void file.set(bytes, at) : null;
      const writer = wavWriter({ write: (bytes) => void (file = Buffer.concat([file, bytes])), patch }, { sampleRate: 48_000, channels: 2 });
      writer.write(Float32Array.of(0.25, -0.25, 2, -2));
      writer.end();
      expect(file.readUInt32LE(40)).toBe(canPatch ? 8 : 0xffff_ffff);
      expect(parseWav(file).channels.map((channel) => [...channel])).toEqual([[0.25, 32767 / 32768], [-0.25, -1]]);
    }
  });
});

describe('an Ogg Opus file', () => {
  it('is written and read, without what encoders put before it', async () => {
    /** @type {Uint8Array[]} */
    const parts = [];
    const writer = await oggWriter({ write: (bytes) => void parts.push(bytes), patch: null }, { sampleRate: 48_000, channels: 1 }, 'tea');
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

describe('RateConverter', () => {
  it.each([[44_100, 48_000], [96_000, 48_000], [8000, 48_000], [22_050, 48_000], [48_000, 16_000], [47_998, 48_000]])('brings a tone from %i to %i Hz, in its place', (from, to) => {
    const converter = new RateConverter(from, to, 2);
    const sound = tone(1000, from, from / 2, 2);
    const parts = [];
    for (let at = 0; at < sound.length; at += 999 * 2) parts.push(...converter.push(sound.subarray(at, at + 999 * 2)));
    parts.push(...converter.end());
    expect(parts.length).toBe(2 * Math.round(Math.floor(from / 2) * (to / from)));
    const wanted = tone(1000, to, to / 2, 2);
    let error = 0;
    for (let i = to / 10; i < to * 0.8; i++) error = Math.max(error, Math.abs(parts[i] - wanted[i]));
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
    tone(500, 8000, 8000).forEach((value, i) => [0, 2].forEach((side) => raw.writeInt16LE(Math.round(value * 32_767), 4 * i + side)));
    const sound = await openSound('-', { raw: { sampleRate: 8000, channels: 2 }, stdin: Readable.from([raw.subarray(0, 1001), raw.subarray(1001)]) });
    const heard = await all(convert(sound, { sampleRate: 48_000, channels: 1, gain: 0.5 }));
    expect(heard.length).toBe(48_000);
    const wanted = tone(500, 48_000, 48_000).map((value) => value / 2);
    expect(Math.max(...heard.subarray(5000, 40_000).map((value, i) => Math.abs(value - wanted[5000 + i])))).toBeLessThan(0.002);
  });

  it('is mixed to fewer channels, and spread to more', () => {
    expect([...mixTo(Float32Array.of(1, 0, 0.5, 0.5), 2, 1)]).toEqual([0.5, 0.5]);
    expect([...mixTo(Float32Array.of(1, 0.5), 1, 2)]).toEqual([1, 1, 0.5, 0.5]);
    expect([...mixTo(Float32Array.of(1, 1, 1, 0, 0, 0), 6, 2)]).toEqual([0.5, 0.5]);
  });

  it('has to be there', async () => {
    await expect(openSound('/nowhere/a.wav')).rejects.toThrow('There is no file /nowhere/a.wav.');
    await expect(openSound('-', { stdin: Readable.from([]) })).rejects.toThrow('the standard input is empty.');
  });
});

it('a file that is written anew keeps what is in it until there is something to write', () => {
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
