import { describe, expect, it } from 'vitest';
import { CaptureFeed, TrackFeed } from '../../../../public/client/capture/capture-feeds.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';

/** A piece of a track's sound as a browser hands it out: one plane for each channel. */
class FakeAudioData {
  closed = false;
  #planes;

  /** @param {number} sampleRate @param {number[][]} planes */
  constructor(sampleRate, ...planes) {
    this.#planes = planes;
    this.sampleRate = sampleRate;
    this.numberOfChannels = planes.length;
    this.numberOfFrames = planes[0].length;
  }

  /** @param {Float32Array} out @param {{ planeIndex: number, format: string }} options */
  copyTo(out, { planeIndex, format }) {
    if (this.closed || format !== 'f32-planar') throw new TypeError('not to be had');
    out.set(this.#planes[planeIndex]);
  }

  close() {
    this.closed = true;
  }
}

const piece = (/** @type {number} */ value, length = 480) =>
  Array.from({ length }, (_, i) => value + i / 1024);
const settle = () => new Promise((resolve) => void setImmediate(resolve));

/** @param {{ channels?: number, capture?: () => void }} [options] */
function setUp({ channels = 1, capture = () => {} } = {}) {
  /** @type {ReadableStreamDefaultController} */
  let controller;
  const readable = new ReadableStream(
    {
      start: (given) => void (controller = given),
      cancel: () => void (state.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  /** @type {number[][]} */
  const captured = [];
  /** @type {unknown[]} */
  const faults = [];
  const sink = {
    capture: (
      /** @type {Float32Array} */ samples,
      /** @type {number} */ count,
      /** @type {number} */ rate = 0,
    ) => {
      capture();
      expect(rate).toBe(state.rate);
      captured.push([...samples.subarray(0, count * channels)]);
    },
  };
  const feed = new TrackFeed(/** @type {any} */ (readable), sink, channels, (error) =>
    faults.push(error),
  );
  const state = { cancelled: false, rate: 48_000 };
  const give = async (/** @type {number[][]} */ ...planes) => {
    const data = new FakeAudioData(state.rate, ...planes);
    controller.enqueue(data);
    await settle();
    return data;
  };
  return {
    feed,
    give,
    captured,
    faults,
    state,
    end: () => controller.close(),
    fail: () => controller.error(new Error('gone')),
  };
}

describe('TrackFeed', () => {
  it("gives each piece at once, whatever its length, and keeps none of the browser's", async () => {
    const { give, captured } = setUp();
    expect((await give(piece(1))).closed).toBe(true);
    expect((await give(piece(2, 441))).closed).toBe(true);
    expect(captured).toEqual([piece(1), piece(2, 441)]);
  });

  it('makes one channel of two, and two of one, as the room is', async () => {
    const mono = setUp();
    await mono.give(piece(1), piece(3));
    expect(mono.captured).toEqual([piece(2)]);
    const stereo = setUp({ channels: 2 });
    await stereo.give(piece(1));
    await stereo.give(piece(1), piece(-2));
    expect(stereo.captured[0]).toEqual(piece(1).flatMap((sample) => [sample, sample]));
    expect(stereo.captured[1]).toEqual(piece(1).flatMap((sample, i) => [sample, piece(-2)[i]]));
  });

  it('tells the rate of each piece', async () => {
    const { give, captured, state } = setUp();
    for (const rate of [44_100, 16_000]) {
      state.rate = rate;
      await give(piece(1, rate / 100));
    }
    expect(captured.map(({ length }) => length)).toEqual([441, 160]);
  });

  it('tells a fault of the call that takes the sound, and reads no more', async () => {
    const fault = new Error('no such encoder');
    const { give, captured, faults, state } = setUp({
      capture: () => {
        throw fault;
      },
    });
    expect((await give(piece(1))).closed).toBe(true);
    expect(faults).toEqual([fault]);
    expect(state.cancelled).toBe(true);
    expect(captured).toEqual([]);
  });

  it('lets the track go when it is closed, and bears one that ends or fails', async () => {
    const closed = setUp();
    closed.feed.close();
    closed.feed.close();
    await settle();
    expect(closed.state.cancelled).toBe(true);
    for (const how of /** @type {const} */ (['end', 'fail'])) {
      const over = setUp();
      await over.give(piece(1));
      over[how]();
      await settle();
      over.feed.close();
      await settle();
      expect(over.captured).toHaveLength(1);
      expect(over.faults).toEqual([]);
    }
  });
});

describe('CaptureFeed', () => {
  it('takes all there is, and asks to be woken when the frame is complete', () => {
    const ring = SampleRing.create(16_384);
    /** @type {number[]} */
    const counts = [];
    const sink = {
      samplesToFrame: 960,
      capture: (/** @type {Float32Array} */ _, /** @type {number} */ count) => counts.push(count),
    };
    const feed = new CaptureFeed(ring, sink);
    ring.write(new Float32Array(5000));
    sink.samplesToFrame = 760;
    feed.wake();
    expect(counts).toEqual([4096, 904]);
    ring.write(new Float32Array(700));
    expect(ring.reached()).toBe(false);
    ring.write(new Float32Array(60));
    expect(ring.reached()).toBe(true);
    feed.wake();
    expect(counts.at(-1)).toBe(760);
  });
});
