import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { Track } from '../../../../server/recording/track.js';
import { SoundQueue } from '../../../../server/source/sound-queue.js';

const format = createAudioFormat({ frameMs: 20, opusFrames: 2 });

/** Two Opus frames of 10 ms, the first behind its length. */
const PAYLOAD = [3, 0xf0, 1, 2, 0xf0, 3];

/** Place beyond 16 bits: a packet buffer of large payloads takes more than 64 KiB. */
const START = 100_000;

const bytes = new Uint8Array(START + PAYLOAD.length);
bytes.set(PAYLOAD, START);

const EXPECTED = [
  [START + 1, 3],
  [START + 4, 2],
];

describe('several Opus frames in a payload far into a buffer', () => {
  it('are decoded from their places', () => {
    /** @type {number[][]} */
    const places = [];
    const decoder = new PayloadDecoder(
      {
        decode: (_, start, length) => places.push([start, length]) > 0,
        conceal: () => {},
        close: () => {},
      },
      format,
    );
    const out = new Float32Array(format.frameValues);
    expect(decoder.decode(bytes, START, PAYLOAD.length, out, 0)).toBe(true);
    expect(places).toEqual(EXPECTED);
  });

  it('are recorded from their places', () => {
    /** @type {number[][]} */
    const places = [];
    const ogg = {
      samples: 0,
      put: (
        /** @type {Uint8Array} */ _,
        /** @type {number} */ start,
        /** @type {number} */ length,
      ) => {
        places.push([start, length]);
      },
      end: () => {},
    };
    expect(new Track(ogg, format).put(bytes, START, PAYLOAD.length)).toBe(true);
    expect(places).toEqual(EXPECTED);
  });
});

describe('memory of one person', () => {
  /** @type {[string, () => object][]} */
  const cases = [
    ['an encoder of payloads', () => new PayloadEncoder(null, format)],
    ['a queue of late sound', () => new SoundQueue(format)],
  ];
  it.each(cases)('%s has no buffer before it is used', (_, make) => {
    const before = process.memoryUsage().arrayBuffers;
    const made = Array.from({ length: 1000 }, make);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(made.length * 100);
  });
});
