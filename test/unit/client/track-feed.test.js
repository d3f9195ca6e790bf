import { describe, expect, it } from 'vitest';
import { handsOutSound, soundOf } from '../../../public/client/capture/microphone.js';
import { TrackFeed } from '../../../public/client/capture/track-feed.js';

/** What a browser hands out: a piece of a track's sound, one plane for each channel. */
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

const piece = (/** @type {number} */ value, length = 480) => Array.from({ length }, (_, i) => value + i / 1024);
const settle = () => new Promise((resolve) => void setImmediate(resolve));

/** @param {{ channels?: number, samplesToFrame?: number }} [options] */
function setUp({ channels = 1, samplesToFrame = 480 } = {}) {
  /** @type {ReadableStreamDefaultController} */
  let controller;
  const readable = new ReadableStream({
    start: (given) => void (controller = given),
    cancel: () => void (state.cancelled = true),
  }, { highWaterMark: 0 });
  /** @type {number[][]} */
  const captured = [];
  const sink = {
    samplesToFrame,
    capture: (/** @type {Float32Array} */ samples, /** @type {number} */ count) =>
      void captured.push([...samples.subarray(0, count * channels)]),
  };
  const feed = new TrackFeed(/** @type {any} */ (readable), sink, { sampleRate: 48_000, channels });
  const state = { cancelled: false, rate: 48_000 };
  const give = async (/** @type {number[][]} */ ...planes) => {
    const data = new FakeAudioData(state.rate, ...planes);
    controller.enqueue(data);
    await settle();
    return data;
  };
  return { feed, give, captured, state, end: () => controller.close(), fail: () => controller.error(new Error('gone')) };
}

/**
 * @param {number[]} sound at 48 kHz
 * @param {number} hz
 * @returns {number} how loud what isn't that tone is, over the tone, in dB
 */
function residueDb(sound, hz) {
  let [re, im, power] = [0, 0, 0];
  const whole = sound.length - (sound.length % (48_000 / hz));
  for (let i = 0; i < whole; i++) {
    const phase = (2 * Math.PI * hz * i) / 48_000;
    re += sound[i] * Math.cos(phase);
    im += sound[i] * Math.sin(phase);
    power += sound[i] ** 2;
  }
  const tone = (2 * (re * re + im * im)) / whole;
  return 10 * Math.log10(Math.abs(power - tone) / tone + 1e-20);
}

describe('TrackFeed', () => {
  it('gives each piece at once, whatever its length, and keeps none of the browser\'s', async () => {
    const { give, captured } = setUp({ samplesToFrame: 1 });
    expect((await give(piece(1))).closed).toBe(true);
    expect((await give(piece(2, 441))).closed).toBe(true);
    expect(captured).toEqual([piece(1), piece(2, 441)]);
  });

  it('wakes nobody before a frame is complete', async () => {
    const { give, captured } = setUp({ samplesToFrame: 960 });
    await give(piece(1));
    expect(captured).toEqual([]);
    await give(piece(2));
    expect(captured).toEqual([[...piece(1), ...piece(2)]]);
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

  it('brings another rate to the room\'s, without a seam, and follows it when it changes', async () => {
    const { give, captured, state } = setUp({ channels: 2, samplesToFrame: 1 });
    const [hz, heard] = [1000, 0.4];
    /** @param {number} rate @param {number} pieces */
    const play = async (rate, pieces) => {
      state.rate = rate;
      captured.length = 0;
      const length = rate / 100;
      for (let k = 0; k < pieces; k++) {
        const sine = Array.from({ length }, (_, i) => heard * Math.sin((2 * Math.PI * hz * (k * length + i)) / rate));
        await give(sine, sine.map((sample) => -sample));
      }
      return captured.flat();
    };
    for (const rate of [44_100, 16_000]) {
      const sound = await play(rate, 50);
      expect(sound.length / 2).toBeGreaterThan(24_000 - 64);
      expect(sound.length / 2).toBeLessThanOrEqual(24_000);
      expect(residueDb(sound.filter((_, i) => i % 2 === 0).slice(480), hz)).toBeLessThan(-80);
      expect(sound.every((sample, i) => i % 2 === 0 || sample === -sound[i - 1])).toBe(true);
    }
    expect((await play(48_000, 2)).length).toBe(2 * 960);
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
    }
  });
});

describe('soundOf', () => {
  class MediaStreamTrackProcessor {
    /** @param {{ track: object, maxBufferSize: number }} init */
    constructor(init) {
      this.readable = init;
    }
  }
  const streamOf = (/** @type {number | undefined} */ sampleRate) => {
    const track = { getSettings: () => ({ sampleRate }) };
    return { track, stream: /** @type {any} */ ({ getAudioTracks: () => [track] }) };
  };

  it('is the track\'s own where the browser hands it out, at the room\'s rate or a lower one', () => {
    for (const rate of [48_000, 44_100, 16_000]) {
      const { track, stream } = streamOf(rate);
      expect(handsOutSound(stream, 48_000, { MediaStreamTrackProcessor })).toBe(true);
      expect(soundOf(stream, { MediaStreamTrackProcessor })).toMatchObject({ track });
    }
  });

  it('is none in other browsers, at higher rates, and where the rate isn\'t told', () => {
    expect(handsOutSound(streamOf(48_000).stream, 48_000, {})).toBe(false);
    expect(handsOutSound(streamOf(96_000).stream, 48_000, { MediaStreamTrackProcessor })).toBe(false);
    expect(handsOutSound(streamOf(undefined).stream, 48_000, { MediaStreamTrackProcessor })).toBe(false);
    expect(handsOutSound(/** @type {any} */ ({ getAudioTracks: () => [] }), 48_000, { MediaStreamTrackProcessor })).toBe(false);
  });
});
