import createModel from '@echogarden/rnnoise-wasm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  MODEL_DELAY_MS,
  NoiseSuppressor,
  openNoiseSuppressor,
} from '../../../../public/client/capture/noise-suppressor.js';
import { LOAD_MS } from '../../../../public/shared/clock.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';
import { readSpeech } from '../../../../testkit/participants/speech.js';
import { fanNoise, withNoise } from '../../../../testkit/sound/noise.js';
import { align, levelDb } from '../../../../testkit/sound/signal.js';

const RATE = 48_000;
const DELAY = (MODEL_DELAY_MS * RATE) / 1000;

/** Silence before the speech, in samples: the model learns the noise in it. */
const BEFORE = 2 * RATE;

/** @param {{ channels?: number, model?: any, failed?: () => void }} [options] */
async function setUp({ channels = 1, model, failed = () => {} } = {}) {
  /** @type {number[]} */
  const out = [];
  const sink = {
    samplesToFrame: 77,
    /** @type {Float32Array[]} */
    pieces: [],
    /** @param {Float32Array} samples @param {number} count @param {number} [rate] */
    capture(samples, count, rate = 0) {
      this.pieces.push(samples);
      this.rate = rate;
      for (let i = 0; i < count * channels; i++) out.push(samples[i]);
    },
    rate: 0,
  };
  const opened = model ?? (await createModel());
  const suppressor = new NoiseSuppressor(opened, sink, channels, failed);
  /** @param {Float32Array} sound @param {number} piece samples of each channel */
  const run = (sound, piece) => {
    for (let at = 0; at < sound.length; at += piece * channels) {
      const samples = sound.subarray(at, at + piece * channels);
      suppressor.capture(samples, samples.length / channels, RATE);
    }
    return Float32Array.from(out);
  };
  return { suppressor, sink, run, out };
}

describe('NoiseSuppressor', () => {
  /** @type {Float32Array} */
  let speech;
  /** @type {Float32Array} */
  let noisy;
  beforeAll(async () => {
    const said = await readSpeech(RATE);
    speech = new Float32Array(BEFORE + said.length);
    speech.set(said, BEFORE);
    ({ noisy } = withNoise(speech, fanNoise(speech.length, 1), 10));
  });

  it('lowers a fan by more than 10 dB, and keeps the speech and its level', async () => {
    const { run } = await setUp();
    const clear = run(noisy, 480);
    const pause = (/** @type {Float32Array} */ sound) => levelDb(sound.subarray(RATE, BEFORE));
    expect(pause(clear)).toBeLessThan(pause(noisy) - 15);
    const kept = align(speech.subarray(BEFORE, BEFORE + 5 * RATE), clear);
    expect(kept.lag).toBe(BEFORE + DELAY);
    expect(kept.correlation).toBeGreaterThan(0.97);
    const words = (/** @type {Float32Array} */ sound) => levelDb(sound.subarray(BEFORE));
    expect(Math.abs(words(clear) - words(speech))).toBeLessThan(1);
  });

  it('delays speech without noise by 10 ms to the sample, and changes little of it', async () => {
    const { run, suppressor } = await setUp();
    const said = speech.subarray(BEFORE, BEFORE + 4 * RATE);
    const { lag, correlation } = align(said, run(speech, 480));
    expect(suppressor.delayMs).toBe(10);
    expect(lag - BEFORE).toBe(480);
    expect(correlation).toBeGreaterThan(0.99);
  });

  it.each([120, 128, 441, 960, 1024, 2880])(
    'makes of pieces of %i samples what it makes of its own frames',
    async (piece) => {
      const sound = noisy.subarray(BEFORE, BEFORE + RATE);
      const expected = (await setUp()).run(sound, 480);
      const { run } = await setUp();
      const made = run(sound, piece);
      expect(made.length).toBe(Math.floor(sound.length / 480) * 480);
      expect(made).toEqual(expected.subarray(0, made.length));
    },
  );

  it('passes a piece on when it completes a frame, with all of its frames at once', async () => {
    const { suppressor, sink, out } = await setUp();
    const counts = [];
    for (let i = 0; i < 8; i++) {
      suppressor.capture(noisy, 128, RATE);
      counts.push(out.length);
    }
    expect(counts).toEqual([0, 0, 0, 480, 480, 480, 480, 960]);
    expect(suppressor.samplesToFrame).toBe(480 - (1024 - 960));
    suppressor.capture(noisy, 416 + 960, RATE);
    expect(sink.pieces.length).toBe(3);
    expect(sink.rate).toBe(RATE);
    expect(out.length).toBe(960 + 1440);
  });

  it('makes no new array for a frame', async () => {
    const { suppressor, sink } = await setUp();
    for (let i = 0; i < 20; i++) suppressor.capture(noisy, 480, RATE);
    expect(new Set(sink.pieces).size).toBe(1);
  });

  it('keeps left and right apart', async () => {
    const { run } = await setUp({ channels: 2 });
    const left = noisy.subarray(BEFORE, BEFORE + RATE);
    const stereo = new Float32Array(2 * RATE);
    left.forEach((sample, i) => (stereo[2 * i] = sample));
    const made = run(stereo, 480);
    const mono = (await setUp()).run(left, 480);
    expect(made.filter((_, i) => i % 2 === 0)).toEqual(mono);
    expect(levelDb(made.filter((_, i) => i % 2 === 1))).toBeLessThan(-90);
  });

  it('passes sound on unchanged once the model fails, and says so once', async () => {
    const failed = vi.fn();
    const model = await createModel();
    let frames = 0;
    const failing = {
      ...model,
      _rnnoise_process_frame: () => {
        if (++frames === 2) throw new WebAssembly.RuntimeError('unreachable');
        return 0;
      },
    };
    const { suppressor, sink, out } = await setUp({ model: failing, failed });
    suppressor.capture(noisy, 480, RATE);
    suppressor.capture(noisy, 480, RATE);
    const before = out.length;
    suppressor.capture(noisy, 300, RATE);
    expect(out.slice(before)).toEqual([...noisy.subarray(0, 300)]);
    expect(failed).toHaveBeenCalledOnce();
    expect(suppressor.samplesToFrame).toBe(sink.samplesToFrame);
    expect(suppressor.delayMs).toBe(0);
  });

  it('fails at a rate that the model doesn’t have', async () => {
    const failed = vi.fn();
    const { suppressor, sink } = await setUp({ failed });
    suppressor.capture(noisy, 160, 16_000);
    suppressor.capture(noisy, 160, 16_000);
    expect(failed).toHaveBeenCalledOnce();
    expect(sink.rate).toBe(16_000);
    expect(sink.pieces.every((piece) => piece === noisy)).toBe(true);
    expect(sink.pieces.length).toBe(2);
  });

  it('isn’t opened in rooms of other rates, nor without a model, nor with a late one', async () => {
    const clock = new FakeClock();
    const sink = { capture: () => {}, samplesToFrame: 1 };
    const open = (/** @type {() => Promise<any>} */ load, sampleRate = RATE) =>
      openNoiseSuppressor(load, sink, { sampleRate, channels: 1 }, () => {}, clock);
    await expect(open(createModel, 16_000)).rejects.toThrow('16000 Hz');
    await expect(open(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    const late = open(() => new Promise(() => {}));
    clock.advance(LOAD_MS);
    await expect(late).rejects.toThrow('took longer');
    expect((await open(createModel)).delayMs).toBe(10);
  });
});
