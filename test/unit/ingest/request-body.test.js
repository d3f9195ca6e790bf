import { describe, expect, it } from 'vitest';
import { BodyError, bodyOf } from '../../../server/ingest/request-body.js';
import { titleOfTags } from '../../../server/ingest/icecast.js';

/** @param {string} text @param {number} size of a piece */
async function* inPieces(text, size) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

/** @param {AsyncIterable<Uint8Array>} body */
async function read(body) {
  const parts = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

describe('the body of a stream', () => {
  for (const size of [1, 3, 1000]) {
    it(`is read until the end, a length or the last chunk, ${size} bytes at a time`, async () => {
      const chunked = '4\r\nOggS\r\n00000b;x=y\r\nhello world\r\n0\r\n\r\n';
      expect(await read(bodyOf(inPieces('OggS and so on', size), {}))).toBe('OggS and so on');
      expect(await read(bodyOf(inPieces('OggSmore', size), { 'content-length': '4' }))).toBe(
        'OggS',
      );
      expect(await read(bodyOf(inPieces(chunked, size), { 'transfer-encoding': 'chunked' }))).toBe(
        'OggShello world',
      );
    });
  }

  it('ends where chunks break off, and refuses what are none', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    expect(await read(bodyOf(inPieces('ff\r\nOgg', 2), chunked))).toBe('Ogg');
    for (const wrong of ['OggS and no chunks at all, as it seems', '1\r\nabc\r\n0\r\n\r\n'])
      await expect(read(bodyOf(inPieces(wrong, 5), chunked))).rejects.toThrow(BodyError);
  });
});

describe('the title in a packet of comments', () => {
  /** @param {string[]} comments @param {number} [count] */
  const packetOf = (comments, count = comments.length) => {
    const parts = [Buffer.from('OpusTags')];
    for (const [i, text] of ['aloud', ...comments].entries()) {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(text));
      parts.push(length, Buffer.from(text));
      if (i > 0) continue;
      const number = Buffer.alloc(4);
      number.writeUInt32LE(count);
      parts.push(number);
    }
    return Buffer.concat(parts);
  };

  it('is artist and title, in any case', () => {
    expect(titleOfTags(packetOf(['TITLE=Größe', 'artist=Ann']))).toBe('Ann - Größe');
    expect(titleOfTags(packetOf(['Title=a=b', 'title=second']))).toBe('a=b');
  });

  it('is empty without both, and for packets that lie about their lengths', () => {
    const whole = packetOf(['TITLE=Tea']);
    expect(titleOfTags(packetOf(['DATE=2026', 'no sign']))).toBe('');
    expect(titleOfTags(Buffer.from('something else'))).toBe('');
    for (let length = 0; length < whole.length - 1; length++)
      expect(() => titleOfTags(whole.subarray(0, length))).not.toThrow();
    expect(titleOfTags(packetOf([], 0xffffffff))).toBe('');
    const long = Buffer.from(whole);
    long.writeUInt32LE(0xfffffff0, 8);
    expect(titleOfTags(long)).toBe('');
  });
});
