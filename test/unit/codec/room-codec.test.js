import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { RoomCodec } from '../../../server/codec/room-codec.js';
import { random } from '../../fakes/random.js';
import { logTo } from '../../../testkit/log-lines.js';

const codec = await loadCodec('libopus-wasm');
const format = createAudioFormat();
/** @type {import('../../../server/codec/room-codec.js').RoomCodecSettings} */
const settings = { format, bitrate: 48000, complexity: 8, application: 'low-delay' };
/** @type {string[]} */
const logged = [];
const room = new RoomCodec(codec, settings, logTo(logged));

describe('codecs that are opened when they are needed', () => {
  it('begin a word after a long silence as they would have without it', () => {
    const chance = random(5);
    const [encoder, decoder] = [room.newEncoder('Ann'), room.newDecoder('Ann')];
    const payload = new Uint8Array(1275);
    const pcm = new Float32Array(format.frameSamples);
    let heard = new Float32Array(format.frameSamples);
    const pass = (/** @type {(i: number) => number} */ sample) => {
      for (let i = 0; i < pcm.length; i++) pcm[i] = sample(i);
      const length = encoder.encode(pcm, payload, 0);
      heard = new Float32Array(format.frameSamples);
      expect(decoder.decode(payload, 0, length, heard, 0)).toBe(true);
    };
    const level = (/** @type {Float32Array} */ of) =>
      10 * Math.log10(of.reduce((sum, v) => sum + v * v, 0) / of.length + 1e-12);
    for (let k = 0; k < 12; k++)
      pass((i) => (chance() - 0.5) * 0.003 * (k === 11 ? 1 - i / pcm.length : 1));
    for (let k = 0; k < 5; k++) {
      pass((i) => 0.02 * Math.sin((2 * Math.PI * 300 * (i + k * pcm.length)) / 48_000));
      expect(Math.abs(level(heard) - level(pcm))).toBeLessThan(6);
    }
    for (const each of [encoder, decoder]) each.close();
  });

  it('take a new complexity with any frame', () => {
    let complexity = 8;
    const [following, constant] = [room.newEncoder('Ann'), room.newEncoder('Bob')];
    const chance = random(7);
    const pcm = new Float32Array(format.frameSamples);
    const payloads = [new Uint8Array(1275), new Uint8Array(1275)];
    const areSame = () => {
      for (let i = 0; i < pcm.length; i++) pcm[i] = (chance() - 0.5) * 0.2 + 0.3 * Math.sin(i / 9);
      const lengths = [following, constant].map((encoder, i) =>
        encoder.encode(pcm, payloads[i].fill(0), 0, i ? 8 : complexity),
      );
      return lengths[0] === lengths[1] && payloads[0].every((byte, i) => byte === payloads[1][i]);
    };
    expect(Array.from({ length: 10 }, areSame)).not.toContain(false);
    complexity = 0;
    expect(Array.from({ length: 10 }, areSame)).toContain(false);
    for (const each of [following, constant]) each.close();
  });

  it('do nothing once they are closed', () => {
    const [encoder, decoder] = [room.newEncoder('Ann'), room.newDecoder('Ann')];
    for (const each of [encoder, decoder, encoder]) each.close();
    const pcm = new Float32Array(format.frameSamples).fill(0.1);
    expect(encoder.encode(pcm, new Uint8Array(1275), 0)).toBe(0);
    expect(decoder.decode(new Uint8Array(10), 0, 10, pcm, 0)).toBe(false);
    expect(pcm.every((sample) => sample === 0)).toBe(true);
  });
});

describe('codecs that fail', () => {
  /** A codec whose instances throw on request. */
  function failing() {
    const state = { fails: false, opened: 0, closed: 0 };
    const call = () => {
      if (state.fails) throw new Error('out of bounds');
    };
    /** @type {any} */
    const broken = {
      name: 'broken',
      maxInstances: Infinity,
      createDecoder: () => {
        state.opened += 1;
        return {
          decode: (
            /** @type {any} */ _b,
            /** @type {any} */ _s,
            /** @type {any} */ _l,
            /** @type {Float32Array} */ out,
            /** @type {number} */ at,
          ) => {
            call();
            out.fill(0.5, at, at + format.frameValues);
            return true;
          },
          conceal: call,
          close: () => void (state.closed += 1),
        };
      },
      createEncoder: () => {
        state.opened += 1;
        return {
          encode: () => (call(), 10),
          setComplexity: () => {},
          setMono: () => {},
          setPrediction: () => {},
          close: () => void (state.closed += 1),
        };
      },
    };
    /** @type {string[]} */
    const lines = [];
    return { state, lines, room: new RoomCodec(broken, settings, logTo(lines)) };
  }
  const pcm = new Float32Array(format.frameValues);
  const bytes = new Uint8Array(100);

  it('are silent for that frame, reported as the codec’s failure, and replaced', () => {
    const { state, lines, room: own } = failing();
    const decoder = own.newDecoder('person 7');
    expect(decoder.decode(bytes, 0, 10, pcm, 0)).toBe(true);
    state.fails = true;
    expect(decoder.decode(bytes, 0, 10, pcm.fill(1), 0)).toBe(false);
    expect(pcm.every((sample) => sample === 0)).toBe(true);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /"codec":"broken","part":"decoder","stream":"person 7","error":"Error: out of bounds/,
    );
    state.fails = false;
    expect(decoder.decode(bytes, 0, 10, pcm, 0)).toBe(true);
    expect(state).toMatchObject({ opened: 2, closed: 1 });
    expect(own.faults).toBe(1);
  });

  it('are left alone for a second when they fail again at once', () => {
    const { state, lines, room: own } = failing();
    const encoder = own.newEncoder('the shared stream');
    state.fails = true;
    for (let frame = 0; frame < 500; frame++) expect(encoder.encode(pcm, bytes, 0, 8)).toBe(0);
    expect(state.opened).toBeLessThan(14);
    expect(lines.length).toBe(own.faults);
    state.fails = false;
    const good = Array.from({ length: 60 }, () => encoder.encode(pcm, bytes, 0, 8));
    expect(good.at(-1)).toBe(10);
  });

  it('are logged twenty times in a room’s life, and counted always', () => {
    const { state, lines, room: own } = failing();
    state.fails = true;
    for (let i = 0; i < 50; i++) own.newDecoder(`person ${i}`).conceal(pcm, 0);
    expect(own.faults).toBe(50);
    expect(lines).toHaveLength(20);
  });
});
