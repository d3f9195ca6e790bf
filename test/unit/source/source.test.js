import { describe, expect, it } from 'vitest';
import { align } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { SampleClock } from '../../../server/clock/sample-clock.js';
import { Lateness } from '../../../server/source/lateness.js';
import { FrameState } from '../../../server/source/pcm-ring.js';
import { Source } from '../../../server/source/source.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { CONCEALED, PcmCodec } from '../../fakes/pcm-codec.js';

const format = createAudioFormat();

/**
 * A source on a clock of the test's, and one who sends to it. No room, session or listener is
 * needed.
 */
function create() {
  const clock = new FakeClock();
  const codec = new PcmCodec();
  const shape = { frameSamples: format.opusFrameSamples, channels: 1 };
  const encoder = new PayloadEncoder(codec.createEncoder(shape), format);
  const lateness = new Lateness({ frameMs: 20, maxMs: 400, targetPercent: 99.5 });
  const sampleClock = new SampleClock(clock, format.sampleRate);
  const decoder = new PayloadDecoder(codec.createDecoder(shape), format);
  const source = new Source({ id: '7', format, sampleClock, maxDelayMs: 400, decoder, lateness });
  const packet = new Packet();
  let sequence = 0;
  /**
   * @param {number} frame
   * @param {number | null} value null for silence
   * @param {number} [mixedThrough]
   */
  const send = (frame, value, mixedThrough = -1) => {
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    Object.assign(packet, {
      type: 1,
      level: 20,
      voice: true,
      redundancy: 0,
      speakers: 0,
      frame,
      sequence: sequence++,
    });
    const start = writeAudioHeader(bytes, packet);
    const end =
      value === null
        ? start
        : start + encoder.encode(new Float32Array(format.frameValues).fill(value), bytes, start);
    expect(readPacket(bytes.subarray(0, end), packet)).toBeNull();
    return source.receive(packet, bytes, clock.now(), 0, mixedThrough);
  };
  /**
   * Sends the last of some frames, with those before it in its packet; a packet before it may be
   * missing.
   * @param {number} frame
   * @param {number[]} values of all, the own frame's last
   * @param {{ lost?: number, mixedThrough?: number }} [options]
   */
  const sendTogether = (frame, values, { lost = 0, mixedThrough = -1 } = {}) => {
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    const payloads = values.map((value) =>
      bytesOf(encoder, new Float32Array(format.frameValues).fill(value)),
    );
    sequence += lost;
    Object.assign(packet, {
      type: 1,
      level: 20,
      voice: true,
      redundancy: values.length - 1,
      speakers: 0,
      frame,
      sequence: sequence++,
    });
    payloads.toReversed().forEach(({ length }, r) => (packet.payloadBytes[r] = length));
    let at = writeAudioHeader(bytes, packet);
    for (const payload of payloads) {
      bytes.set(payload, at);
      at += payload.length;
    }
    expect(readPacket(bytes.subarray(0, at), packet)).toBeNull();
    return source.receive(packet, bytes, clock.now(), 0, mixedThrough);
  };
  /** @param {number} frame */
  const sampleOf = (frame) => source.ring.samples[source.ring.offset(frame)];
  return { clock, codec, source, send, sendTogether, sampleOf };
}

/** @param {PayloadEncoder} encoder @param {Float32Array} pcm */
function bytesOf(encoder, pcm) {
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  return bytes.subarray(0, encoder.encode(pcm, bytes, 0));
}

describe('a source', () => {
  it('keeps packets as they come, and decodes in order when it is pulled', () => {
    const { clock, source, send, sampleOf } = create();
    clock.advance(60);
    expect([send(1, 0.2), send(0, 0.1), send(2, 0.3)]).toEqual([1, 0, 2]);
    expect(source.ring.state(1)).toBe(FrameState.absent);
    expect(source.pull(2, true)).toBe(FrameState.received);
    for (const [frame, value] of [
      [1, 0.2],
      [2, 0.3],
    ])
      expect(sampleOf(frame)).toBeCloseTo(value, 3);
  });

  it('conceals what is missing when it is due, and waits for it before', () => {
    const { clock, source, send, sampleOf } = create();
    clock.advance(60);
    send(0, 0.1);
    expect(source.pull(1, false)).toBe(FrameState.absent);
    expect(source.pull(1, true)).toBe(FrameState.concealed);
    expect(sampleOf(1)).toBe(CONCEALED);
    send(1, 0.2, 1);
    expect(source.pull(1, true)).toBe(FrameState.received);
    expect(source.stats()).toMatchObject({ received: 1, late: 1, concealed: 1 });
  });

  it('drops and counts what is far from its clock, and what it has', () => {
    const { clock, source, send } = create();
    clock.advance(60);
    expect([send(2, 0.1), send(2, 0.1), send(200, 0.1)]).toEqual([2, -1, -1]);
    expect(source.drop('flood')).toBe(-1);
    expect(source.stats()).toMatchObject({ received: 1, duplicate: 1, early: 1 });
    expect(source.stats().dropped).toMatchObject({ flood: 1, early: 1 });
  });

  it('counts frames packed together by the sender as received, and waits for the first one', () => {
    const { clock, source, sendTogether, sampleOf } = create();
    for (let frame = 1; frame < 401; frame += 2) {
      clock.advance(40);
      expect(
        sendTogether(frame, frame === 1 ? [0.2] : [0.1, 0.2], { mixedThrough: frame - 3 }),
      ).toBe(frame);
      source.pull(frame - 1, true);
      source.pull(frame, true);
    }
    expect(
      [sampleOf(399), sampleOf(400 - 1)].every((sample) => Math.abs(sample - 0.2) < 1e-3),
    ).toBe(true);
    expect(source.stats()).toMatchObject({
      received: 399,
      late: 0,
      lost: 0,
      recovered: 0,
      concealed: 0,
    });
    expect(source.lateness.needMs).toBe(20);
  });

  it('takes them for mended where a packet before is missing', () => {
    const { clock, source, sendTogether } = create();
    clock.advance(60);
    sendTogether(0, [0.1]);
    sendTogether(2, [0.2, 0.3], { lost: 1 });
    expect(source.pull(2, true)).toBe(FrameState.received);
    expect(source.stats()).toMatchObject({ received: 2, lost: 1, recovered: 1 });
  });

  it('that drains is over when its sound has faded, or where its successor begins', () => {
    const { clock, source, send } = create();
    clock.advance(60);
    for (const frame of [0, 1, 2]) send(frame, 0.1);
    expect([source.isOver(500), source.endsWith]).toEqual([false, 6]);
    source.finish();
    expect([source.isOver(6), source.isOver(7)]).toEqual([false, true]);
    source.endBefore(5);
    expect([source.isOver(4), source.isOver(5)]).toEqual([false, true]);
  });

  it('forgets what was late while its sender started', () => {
    const { clock, source, send } = create();
    const needs = [];
    for (let frame = 0; frame < 250; frame++) {
      clock.advance(20);
      if (frame >= 150 || frame % 5 !== 0) send(frame, 0.1);
      // One packet in five is five frames late in the first three seconds.
      if (frame < 155 && frame % 5 === 0 && frame > 0) send(frame - 5, 0.1);
      needs.push(source.lateness.needMs);
    }
    expect(needs[190]).toBe(100);
    expect(needs[210]).toBe(0);
  });

  it('gives its buffers back after a long silence, and its decoder when it is closed', () => {
    const { clock, codec, source, send } = create();
    clock.advance(60);
    send(2, 0.1);
    source.pull(2, true);
    expect(source.ring.samples.length).toBeGreaterThan(0);
    clock.advance(6000);
    source.endSecond(clock.now(), null);
    expect(source.ring.samples.length).toBe(0);
    source.close();
    source.close();
    expect(codec.open).toBe(1);
  });
});

describe('a source that is heard later', () => {
  /**
   * The samples of the frames that were heard, each as one number: 0 for silence.
   * @param {ReturnType<typeof create>} made
   */
  const hear = ({ source, sampleOf }, /** @type {number} */ from, /** @type {number} */ to) => {
    const heard = [];
    for (let frame = from; frame <= to; frame++) {
      const state = source.pull(frame, true);
      heard.push(state < FrameState.concealed ? 0 : Number(sampleOf(frame).toFixed(1)));
    }
    return heard;
  };
  const conceals = Number(CONCEALED.toFixed(1));

  it('conceals until its next frame, when its offset rises, and loses none', () => {
    const made = create();
    const { clock, source, send } = made;
    clock.advance(200);
    for (let frame = 0; frame < 6; frame++) send(frame, 0.1 * (frame + 1));
    expect(hear(made, 0, 2)).toEqual([0.1, 0.2, 0.3]);
    source.offsetMs = 35;
    expect(hear(made, 3, 7)).toEqual([conceals, conceals, 0.4, 0.5, 0.6]);
    expect([source.offsetMs, source.firstFrame, source.soundThrough, source.keptFrom]).toEqual([
      40, 2, 7, 7,
    ]);
    expect([source.has(7), source.has(8), source.hasSound(7), source.hasSentAt(0)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('is in time until then', () => {
    const made = create();
    const { clock, source, send } = made;
    clock.advance(200);
    send(0, 0.1);
    source.offsetMs = 60;
    expect(hear(made, 0, 2)).toEqual([0, 0, 0]);
    send(1, 0.2, 3);
    send(2, 0.3, 5);
    expect(hear(made, 3, 4)).toEqual([0.1, 0.2]);
    expect(source.stats()).toMatchObject({ received: 2, late: 1 });
  });

  it('moves for a lower offset only where that is worth it', () => {
    const { clock, source, send } = create();
    clock.advance(200);
    for (const frame of [0, 1, 2, 3, 4]) send(frame, null);
    const offsets = [60, 45, 25, 0].map((ms, i) => {
      source.offsetMs = ms;
      source.pull(i, true);
      return source.offsetMs;
    });
    expect(offsets).toEqual([60, 60, 40, 0]);
  });

  it('loses silence alone when its offset falls', () => {
    const made = create();
    const { clock, source, send } = made;
    clock.advance(400);
    source.offsetMs = 60;
    for (const [frame, value] of [
      [0, 0.1],
      [1, 0.2],
      [2, null],
      [3, null],
      [4, 0.5],
      [5, 0.6],
    ]) {
      send(Number(frame), value);
    }
    expect(hear(made, 3, 4)).toEqual([0.1, 0.2]);
    source.offsetMs = 0;
    // One more frame of silence, and then what was said after it.
    expect(hear(made, 5, 8)).toEqual([0, 0.5, 0.6, conceals]);
    expect(source.offsetMs).toBe(40);
  });
});

const {
  channels: [speech],
} = await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url));
const SECOND = 48_000;

/**
 * Hears, as a mix does, somebody who speaks without a pause, of whose packets some are held up.
 * @param {object} options
 * @param {number} [options.frameMs]
 * @param {number} [options.stallMs] duration, from the sixth second on
 * @param {number} [options.leftOutMs] for which the server stands still, 0.1 s after that
 * @param {boolean} [options.mayFallBehind]
 * @param {(second: number, source: Source) => void} [options.eachSecond]
 */
function hearSpeech({
  frameMs = 20,
  stallMs = 300,
  leftOutMs = 0,
  mayFallBehind = true,
  eachSecond = () => {},
}) {
  const clock = new FakeClock();
  const shape = createAudioFormat({ frameMs });
  const { frameSamples } = shape;
  const frames = 12_000 / frameMs;
  const said = Float32Array.from({ length: 12 * SECOND }, (_, i) => speech[i % speech.length]);
  const decoder = new PayloadDecoder(
    /** @type {any} */ ({
      decode: (
        /** @type {Uint8Array} */ bytes,
        /** @type {number} */ start,
        /** @type {number} */ _,
        /** @type {Float32Array} */ out,
        /** @type {number} */ at,
      ) => {
        const from = ((bytes[start] << 8) | bytes[start + 1]) * frameSamples;
        out.set(said.subarray(from, from + frameSamples), at);
        return true;
      },
      conceal: (/** @type {Float32Array} */ out, /** @type {number} */ at) =>
        void out.fill(0, at, at + frameSamples),
      close() {},
    }),
    shape,
  );
  const lateness = new Lateness({ frameMs, maxMs: 400, targetPercent: 99 });
  const sampleClock = new SampleClock(clock, shape.sampleRate);
  const source = new Source({
    id: '1',
    format: shape,
    sampleClock,
    maxDelayMs: 400,
    decoder,
    lateness,
  });
  source.mayFallBehind = mayFallBehind;
  const heard = new Float32Array(said.length);
  const packet = new Packet();
  const bytes = new Uint8Array(100);
  const send = (/** @type {number} */ frame) => {
    Object.assign(packet, {
      type: 1,
      level: 20,
      voice: true,
      redundancy: 0,
      speakers: 0,
      frame,
      sequence: frame & 0xffff,
    });
    const start = writeAudioHeader(bytes, packet);
    bytes.set([frame >> 8, frame], start);
    readPacket(bytes.subarray(0, start + 2), packet);
    source.receive(packet, bytes, clock.now(), 0, frame - 1);
  };
  /** Each frame comes when it ends, or when the stall does, and is mixed right then. */
  const [from, to] = [6000, 6000 + stallMs];
  const isLeftOut = (/** @type {number} */ ms) => ms >= to + 100 && ms < to + 100 + leftOutMs;
  for (let frame = 0, sent = 0; frame < frames; frame++) {
    clock.advance(frameMs);
    if (isLeftOut(clock.now())) continue;
    if (clock.now() < from || clock.now() >= to) while (sent <= frame) send(sent++);
    if (source.pull(frame, true) >= FrameState.concealed) {
      const at = source.ring.offset(frame);
      heard.set(source.ring.samples.subarray(at, at + frameSamples), frame * frameSamples);
    }
    if (clock.now() % 1000 === 0) eachSecond(clock.now() / 1000, source);
  }
  /** By how much a piece of 0.4 s is heard later, in milliseconds. @param {number} seconds */
  const laterMs = (seconds) => {
    const start = Math.round(seconds * SECOND);
    const { lag, correlation } = align(said.subarray(start, start + 0.2 * SECOND), heard, {
      from: start,
      to: start + SECOND / 2,
    });
    expect(correlation).toBeGreaterThan(0.6);
    return (lag - start) / 48;
  };
  const steepest = (/** @type {Float32Array} */ pcm) =>
    pcm.reduce((most, x, i) => Math.max(most, i > 0 ? Math.abs(x - pcm[i - 1]) : 0), 0);
  const longestPause = (/** @type {Float32Array} */ pcm) => {
    let [longest, length] = [0, 0];
    for (let i = 0; i < pcm.length; i++)
      longest = Math.max(longest, (length = Math.abs(pcm[i]) < 1e-4 ? length + 1 : 0));
    return longest;
  };
  return { source, said, heard, laterMs, steepest, longestPause };
}

describe('a voice after a stall of 300 ms', () => {
  it.each([2.5, 5, 10, 20, 40])(
    'is heard whole, and in time again within three seconds, without a click: frames of %s ms',
    (frameMs) => {
      const offsets = /** @type {number[]} */ ([]);
      const { source, said, heard, laterMs, steepest, longestPause } = hearSpeech({
        frameMs,
        eachSecond: (_, { offsetMs }) => void offsets.push(offsetMs),
      });
      expect(laterMs(5)).toBe(0);
      expect(laterMs(9)).toBeLessThan(10);
      expect(Math.max(...offsets)).toBeGreaterThan(0);
      expect(source.offsetMs).toBe(0);
      // Only what couldn't be there in time is concealed; all of it came in time to be heard.
      expect(source.stats()).toMatchObject({ late: 0 });
      // From where it goes on there is no longer pause, and no steeper step, than in the speech.
      const on = heard.subarray(6.3 * SECOND);
      expect(longestPause(on)).toBeLessThanOrEqual(longestPause(said));
      expect(steepest(on)).toBeLessThan(1.1 * steepest(said));
    },
  );

  it('keeps its time, and loses what came late, where everybody is on one clock', () => {
    const { source, laterMs } = hearSpeech({ mayFallBehind: false });
    expect([laterMs(5), laterMs(6.4), laterMs(9)]).toEqual([0, 0, 0]);
    expect(source.stats().late).toBeGreaterThan(10);
  });

  it('needs no more delay than before', () => {
    const needs = /** @type {number[]} */ ([]);
    hearSpeech({ eachSecond: (_, { lateness }) => void needs.push(lateness.needMs) });
    expect(Math.max(...needs)).toBe(0);
  });

  it('is heard again where the server stands still while it catches up', () => {
    const { source, laterMs } = hearSpeech({ leftOutMs: 3000 });
    expect(laterMs(5)).toBe(0);
    expect(laterMs(10.5)).toBeLessThan(300);
    expect(source.offsetMs).toBeLessThan(300);
  });

  it('is not moved where nothing is late', () => {
    const { said, heard } = hearSpeech({ stallMs: 0 });
    expect(heard.every((x, i) => x === said[i])).toBe(true);
  });
});
