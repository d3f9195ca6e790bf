import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../../programs/sound/byte-reader.js';
import { readOggSound } from '../../../programs/sound/ogg-sound.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { titleOfTags } from '../../../server/ingest/icecast.js';
import { ChainedFile } from '../../../server/listen/chained-file.js';
import { IcyWriter, METADATA_INTERVAL } from '../../../server/listen/icy.js';
import { RoomTitle } from '../../../server/listen/listening.js';
import { OggOpus } from '../../../server/recording/ogg-opus.js';

/** Separates a file and its blocks of metadata, as a player does. @param {Buffer} bytes */
function readIcy(bytes) {
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {string[]} */
  const titles = [];
  for (let at = 0; at < bytes.length;) {
    parts.push(bytes.subarray(at, at + METADATA_INTERVAL));
    at += METADATA_INTERVAL;
    if (at >= bytes.length) break;
    const length = 16 * bytes[at];
    titles.push(bytes.toString('utf8', at + 1, at + 1 + length).replace(/\0+$/, ''));
    at += 1 + length;
  }
  return { file: Buffer.concat(parts), titles };
}

describe('titles between the bytes', () => {
  it('come after each interval, once for each change, and leave the file as it is', () => {
    /** @type {Uint8Array[]} */
    const written = [];
    const icy = new IcyWriter((part) => void written.push(part));
    icy.title = 'Tea';
    const file = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
    for (let at = 0, size = 1; at < file.length; at += size, size = (size * 7) % 9973) {
      icy.write(file.subarray(at, at + size));
      if (at < 40_000 && at + size >= 40_000) icy.title = "Ann's ';song’ – Größe";
    }
    const read = readIcy(Buffer.concat(written));
    expect(read.file.equals(file)).toBe(true);
    expect(read.titles).toEqual([
      "StreamTitle='Tea';",
      '',
      "StreamTitle='Ann's ’;song’ – Größe';",
      '',
      '',
      '',
    ]);
  });

  it('are cut at the length that a block can have', () => {
    /** @type {Uint8Array[]} */
    const written = [];
    const icy = new IcyWriter((part) => void written.push(part));
    icy.title = 'x'.repeat(10_000);
    icy.write(new Uint8Array(METADATA_INTERVAL));
    expect(written[1].length).toBe(1 + 255 * 16);
    expect(written[1][0]).toBe(255);
  });
});

describe('a chained file', () => {
  it('has a link for each title, without a gap or a repetition', async () => {
    const format = createAudioFormat();
    const codec = await loadCodec();
    const encoder = new PayloadEncoder(
      codec.createEncoder({ ...format, frameSamples: format.opusFrameSamples, bitrate: 96_000 }),
      format,
    );
    const payload = new Uint8Array(2000);
    /** @type {Uint8Array[]} */
    const parts = [];
    const file = new ChainedFile(
      (link, title) =>
        new OggOpus({
          serial: 5 + link,
          preSkip: 3840,
          sampleRate: 48_000,
          tags: { TITLE: title },
          pageSamples: 9600,
          write: (part) => void parts.push(part),
        }),
      { title: 'first', preSkip: 3840 },
    );
    file.title = 'too early to have its pre-skip';
    const pcm = new Float32Array(960);
    for (let k = 0; k < 150; k++) {
      if (k === 1) file.title = 'second';
      if (k === 100) file.title = 'third';
      for (let i = 0; i < 960; i++)
        pcm[i] = 0.5 * Math.sin((2 * Math.PI * 440 * (960 * k + i)) / 48_000);
      file.put(payload, 0, encoder.encode(pcm, payload, 0), 960);
    }
    file.end();
    encoder.close();
    expect(file.samples).toBe(150 * 960);
    /** @type {string[]} */
    const titles = [];
    const whole = Buffer.concat(parts);
    const sound = await readOggSound(
      new ByteReader(
        (async function* () {
          yield whole;
        })(),
      ),
      { onTags: (tags) => void titles.push(titleOfTags(tags)) },
    );
    /** @type {number[]} */
    const heard = [];
    for await (const piece of sound.pieces) heard.push(...piece);
    expect(titles).toEqual(['first', 'second', 'third']);
    expect(heard.length).toBe(150 * 960 - 3840);
    // A sine without a jump: x[n-1] + x[n+1] is x[n] times a constant.
    const turn = 2 * Math.cos((2 * Math.PI * 440) / 48_000);
    const jumps = heard
      .slice(9600, -1)
      .filter((x, i) => Math.abs(turn * x - heard[9599 + i] - heard[9601 + i]) > 0.02);
    expect(jumps.length).toBe(0);
  });
});

describe('a room’s title', () => {
  it('is the last one told by somebody who is there', () => {
    const title = new RoomTitle();
    const person = (/** @type {string} */ id, /** @type {string} */ text) =>
      /** @type {any} */ ({ id, ...(text && { title: text }) });
    const take = (/** @type {any} */ message) => [title.take(message), title.text];
    expect(take({ type: 'welcome', people: [person('1', ''), person('2', 'A')] })).toEqual([
      true,
      'A',
    ]);
    expect(take({ type: 'changed', person: person('2', 'A') })).toEqual([false, 'A']);
    expect(take({ type: 'joined', people: [person('3', 'B')] })).toEqual([true, 'B']);
    expect(take({ type: 'changed', person: person('3', '') })).toEqual([true, 'A']);
    expect(take({ type: 'left', ids: ['2'] })).toEqual([true, '']);
    expect(take({ type: 'chat', message: {} })).toEqual([false, '']);
  });
});
