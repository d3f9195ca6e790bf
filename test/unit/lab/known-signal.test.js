import { describe, expect, it } from 'vitest';
import { SoundLag, createKnownSignal, lowerRate } from '../../../public/lab/runs/known-signal.js';
import { AnswerDecoder } from '../../../public/lab/runs/listener.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { levelDb } from '../../../public/shared/sound/signal.js';
import { random } from '../../fakes/random.js';

const FORMATS = [
  {},
  { frameMs: 2.5 },
  { frameMs: 120, opusFrames: 2 },
  { sampleRate: 8000, frameMs: 80, opusFrames: 8 },
  { sampleRate: 12000, frameMs: 10 },
];

/** Compares in no time; `toEqual` takes seconds for as much. @param {Float32Array} pcm */
const bytesOf = (pcm) => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);

describe('the known signal', () => {
  it.each(FORMATS)('is whole frames of sound, the same each time: %j', (options) => {
    const format = createAudioFormat(options);
    const signal = createKnownSignal(format);
    expect(signal.length % format.frameSamples).toBe(0);
    expect(bytesOf(signal).equals(bytesOf(createKnownSignal(format)))).toBe(true);
    expect(levelDb(signal)).toBeCloseTo(-20, 0);
    const part = format.sampleRate / 10;
    for (let at = 0; at + part <= signal.length; at += part) {
      expect(levelDb(signal.subarray(at, at + part))).toBeGreaterThan(-40);
    }
  });
});

/**
 * The signal as a listener hears it after some samples.
 * @param {any} format
 * @param {number} frame
 * @param {number} lag
 */
function heard(format, frame, lag, milliseconds = 400) {
  const signal = createKnownSignal(format);
  const out = new Float32Array(Math.round((milliseconds * format.sampleRate) / 1000));
  const start = frame * format.frameSamples - lag;
  for (let i = 0; i < out.length; i++) {
    out[i] = signal[(((start + i) % signal.length) + signal.length) % signal.length];
  }
  return out;
}

describe('sound latency', () => {
  it.each(FORMATS)('is found within a compared sample, in noise, at any time: %j', (options) => {
    const format = createAudioFormat(options);
    const found = new SoundLag(format);
    const next = random(7);
    for (const [frame, lagMs] of [
      [3, 0],
      [1000, 66.5],
      [123_456, 213],
      [7, 359],
    ]) {
      const sound = heard(format, frame, Math.round((lagMs * format.sampleRate) / 1000));
      const noisy = sound.map((sample) => 0.5 * sample + 0.02 * (next() - 0.5));
      const result = found.find({ frame, sound: lowerRate(noisy, format.sampleRate) }, 60);
      expect(Math.abs((result?.lagMs ?? NaN) - lagMs)).toBeLessThan(0.2);
      expect(result?.correlation).toBeGreaterThan(0.9);
    }
  });

  it('is not told where the signal is not in what was heard', () => {
    const format = createAudioFormat();
    const found = new SoundLag(format);
    const next = random(3);
    const noise = Float32Array.from({ length: 3200 }, () => next() - 0.5);
    expect(found.find({ frame: 50, sound: noise }, 60)).toBeNull();
    expect(found.find({ frame: 50, sound: new Float32Array(3200) }, 60)).toBeNull();
  });

  it('goes from a sample in to the arrival of its packet', () => {
    const format = createAudioFormat();
    const sound = lowerRate(heard(format, 100, 60 * 48), 48000);
    const arrivalsMs = new Float64Array(20).map((_, i) => 5000 + 20 * i + 35);
    arrivalsMs[4] = NaN;
    const result = new SoundLag(format).latencies(
      { frame: 100, sound, arrivalsMs, startMs: 5000 },
      60,
    );
    expect(result?.latenciesMs.length).toBe(19);
    for (const { latencyMs } of result?.latenciesMs ?? []) expect(latencyMs).toBeCloseTo(95, 0);
    expect(result?.latenciesMs[3].atMs).toBe(5095);
    expect(result?.latenciesMs[4].atMs).toBe(5135);
  });
});

describe('the heard signal', () => {
  const format = createAudioFormat();

  /** A listener whose decoder writes the payload's byte. */
  function listen() {
    /** @type {any[]} */
    const windows = [];
    /** @type {any} */
    const decoder = {
      closed: false,
      /**
       * @param {Uint8Array} bytes
       * @param {number} start
       * @param {number} _length
       * @param {Float32Array} out
       * @param {number} at
       */
      decode: (bytes, start, _length, out, at) => out.fill(bytes[start] / 1000, at, at + 960),
      close: () => void (decoder.closed = true),
    };
    const listener = new AnswerDecoder({
      format,
      decoder,
      onWindow: (window) => windows.push(window),
    });
    const hear = (/** @type {number} */ frame, length = 1) =>
      listener.receive(frame, frame * 20 + 1, Uint8Array.of(frame % 256), 0, length);
    return { listener, windows, hear, decoder };
  }

  it('is delivered in pieces of 400 ms, with gaps for lost, silent or overtaken packets', () => {
    const { windows, hear } = listen();
    for (let frame = 40; frame < 61; frame++) {
      if (frame === 45) continue;
      if (frame === 50) [51, 50].forEach((overtaken) => hear(overtaken));
      else if (frame !== 51) hear(frame, frame === 55 ? 0 : 1);
    }
    expect(windows.length).toBe(1);
    const [{ frame, sound, arrivalsMs }] = windows;
    expect(frame).toBe(40);
    expect(sound.length).toBe(3200);
    const values = Array.from({ length: 20 }, (_, i) => Math.round(1000 * sound[i * 160 + 80]));
    expect(values).toEqual([
      40, 41, 42, 43, 44, 0, 46, 47, 48, 49, 0, 51, 52, 53, 54, 0, 56, 57, 58, 59,
    ]);
    expect(arrivalsMs[5]).toBeNaN();
    expect(arrivalsMs[10]).toBe(1001);
  });

  it('begins afresh after a pause, and after a gap longer than a piece', () => {
    const { listener, windows, hear, decoder } = listen();
    for (let frame = 0; frame < 15; frame++) hear(frame);
    listener.reset();
    for (let frame = 100; frame < 121; frame++) hear(frame);
    hear(500);
    for (let frame = 501; frame < 521; frame++) hear(frame);
    expect(windows.map(({ frame }) => frame)).toEqual([100, 120, 500]);
    listener.close();
    expect(decoder.closed).toBe(true);
  });
});
