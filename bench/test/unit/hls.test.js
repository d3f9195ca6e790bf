import { describe, expect, it } from 'vitest';
import { FragmentSplitter } from '../../hls/boxes.js';
import { multivariantPlaylist, Rendition, SEGMENT_PARTS } from '../../hls/playlists.js';

/** A box of MP4. @param {string} type @param {Buffer[]} content */
function box(type, ...content) {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** @param {number} time @param {boolean} isLong  in 64 bits */
function tfdt(time, isLong) {
  const body = Buffer.alloc(isLong ? 12 : 8);
  body[0] = isLong ? 1 : 0;
  if (isLong) body.writeBigUInt64BE(BigInt(time), 4);
  else body.writeUInt32BE(time, 4);
  return box('tfdt', body);
}

/** @param {number} time @param {boolean} [isLong] */
const fragment = (time, isLong = true) =>
  Buffer.concat([
    box(
      'moof',
      box('mfhd', Buffer.alloc(8)),
      box('traf', box('tfhd', Buffer.alloc(8)), tfdt(time, isLong)),
    ),
    box('mdat', Buffer.from(`sound ${time}`)),
  ]);

const init = Buffer.concat([
  box('ftyp', Buffer.from('iso5')),
  box('moov', box('mvhd', Buffer.alloc(20))),
]);

/** @param {Buffer} bytes @param {number} step  bytes in a piece */
function split(bytes, step) {
  /** @type {Buffer[]} */
  const inits = [];
  /** @type {{ baseMediaDecodeTime: number, bytes: Buffer }[]} */
  const fragments = [];
  const splitter = new FragmentSplitter({
    onInit: (one) => void inits.push(one),
    onFragment: (one) => void fragments.push(one),
  });
  for (let at = 0; at < bytes.length; at += step) splitter.push(bytes.subarray(at, at + step));
  return { inits, fragments };
}

describe('the splitter of fragmented MP4', () => {
  const parts = [fragment(0), fragment(19_200, false), fragment(2 ** 40)];
  const whole = Buffer.concat([init, ...parts, box('mfra', Buffer.alloc(4))]);

  it.each([1, 7, 100_000])('gives the beginning and each fragment, %i bytes at a time', (step) => {
    const { inits, fragments } = split(whole, step);
    expect(Buffer.concat(inits)).toEqual(init);
    expect(fragments.map(({ baseMediaDecodeTime }) => baseMediaDecodeTime)).toEqual([
      0,
      19_200,
      2 ** 40,
    ]);
    expect(fragments.map(({ bytes }) => bytes.toString('hex'))).toEqual(
      parts.map((part) => part.toString('hex')),
    );
  });

  it('says what is no fragmented MP4', () => {
    expect(() => split(Buffer.from('RIFF....WAVEfmt '), 16)).toThrow('box of');
    expect(() => split(Buffer.concat([init, box('moov')]), 100)).toThrow('"moov" was not expected');
    expect(() => split(fragment(0), 100)).toThrow('"moof" was not expected');
    expect(() => split(Buffer.concat([init, box('moof', box('traf')), box('mdat')]), 100)).toThrow(
      'no time',
    );
    expect(() =>
      split(
        Buffer.concat([init, box('moof', box('traf', box('tfdt', Buffer.alloc(2)))), box('mdat')]),
        100,
      ),
    ).toThrow('no time');
    expect(() => split(Buffer.alloc(8), 8)).toThrow('box of 0 bytes');
  });
});

/** @param {Rendition} rendition @param {number} from @param {number} to */
function add(rendition, from, to) {
  for (let part = from; part < to; part++)
    rendition.add({ startMs: 400 * part, durationMs: 400, bytes: Buffer.from(`${part};`) });
}

describe('the playlists of Low-Latency HLS', () => {
  const create = () => new Rendition({ partMs: 400, dateMs: Date.UTC(2000, 0) });

  it('have parts of new segments, whole older segments, and a hint of the next part', () => {
    const rendition = create();
    add(rendition, 0, 4 * SEGMENT_PARTS + 2);
    const lines = rendition.playlist.split('\n');
    expect(lines.slice(0, 7)).toEqual([
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.20000',
      '#EXT-X-PART-INF:PART-TARGET=0.40000',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-MAP:URI="init.mp4"',
    ]);
    expect(lines.filter((line) => line.endsWith('.m4s'))).toEqual([
      '0.m4s',
      '1.m4s',
      '2.m4s',
      '3.m4s',
    ]);
    expect(lines.filter((line) => line === '#EXTINF:2.00000,')).toHaveLength(4);
    const parts = lines.filter((line) => line.startsWith('#EXT-X-PART:'));
    expect([parts[0], parts.at(-1)]).toEqual([
      '#EXT-X-PART:DURATION=0.40000,URI="1.0.m4s",INDEPENDENT=YES',
      '#EXT-X-PART:DURATION=0.40000,URI="4.1.m4s",INDEPENDENT=YES',
    ]);
    expect(lines.at(-2)).toBe('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="4.2.m4s"');
    expect(lines).toContain('#EXT-X-PROGRAM-DATE-TIME:2000-01-01T00:00:08.000Z');
    expect(lines.at(-1)).toBe('');
  });

  it('forget what is old', () => {
    const rendition = create();
    add(rendition, 0, 40 * SEGMENT_PARTS);
    expect(
      rendition.playlist.split('\n').filter((line) => line.endsWith('.m4s')).length,
    ).toBeLessThan(12);
    expect([
      rendition.bytesOf(0),
      rendition.bytesOf(39)?.toString(),
      rendition.bytesOf(39, 1)?.toString(),
      rendition.bytesOf(40),
    ]).toEqual([null, '195;196;197;198;199;', '196;', null]);
    expect([rendition.has(0), rendition.has(39), rendition.has(40, 0)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('wait for the part that is asked for, and for no more', async () => {
    const rendition = create();
    /** @type {string[]} */
    const came = [];
    const wait = (/** @type {number} */ msn, /** @type {number} */ part) =>
      rendition.reach(msn, part).then(() => came.push(`${msn}.${part}`));
    const all = [wait(0, 1), wait(0, SEGMENT_PARTS), wait(1, 1)];
    add(rendition, 0, 2);
    await all[0];
    expect(came).toEqual(['0.1']);
    expect(rendition.has(0)).toBe(false);
    add(rendition, 2, SEGMENT_PARTS + 1);
    // A part beyond a segment's end is the first of the next one.
    await all[1];
    expect(came).toEqual(['0.1', `0.${SEGMENT_PARTS}`]);
    add(rendition, SEGMENT_PARTS + 1, SEGMENT_PARTS + 2);
    await all[2];
    expect(rendition.has(0)).toBe(true);
  });

  it('name each bit rate with what its container takes', () => {
    expect(multivariantPlaylist([16_000, 64_000], 5000).split('\n').slice(3)).toEqual([
      '#EXT-X-STREAM-INF:BANDWIDTH=22600,AVERAGE-BANDWIDTH=21000,CODECS="opus"',
      '0/index.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=75400,AVERAGE-BANDWIDTH=69000,CODECS="opus"',
      '1/index.m3u8',
      '',
    ]);
  });
});
