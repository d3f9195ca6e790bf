import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/audio-format.js';
import { MAX_PACKET_BYTES, Packet, readPacket, writeAudioHeader } from '../../../public/shared/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../public/shared/payload.js';
import { SampleClock } from '../../../server/clock/sample-clock.js';
import { Lateness } from '../../../server/source/lateness.js';
import { FrameState } from '../../../server/source/pcm-ring.js';
import { Source } from '../../../server/source/source.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { CONCEALED, PcmCodec } from '../../fakes/pcm-codec.js';

const format = createAudioFormat();

/** A source on a clock of the test's, and one who sends to it. No room, session or listener is needed. */
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
  /** @param {number} frame @param {number | null} value  null for silence @param {number} [mixedThrough] */
  const send = (frame, value, mixedThrough = -1) => {
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    Object.assign(packet, { type: 1, level: 20, voice: true, redundancy: 0, speakers: 0, frame, sequence: sequence++ });
    const start = writeAudioHeader(bytes, packet);
    const end = value === null ? start : start + encoder.encode(new Float32Array(format.frameValues).fill(value), bytes, start);
    expect(readPacket(bytes.subarray(0, end), packet)).toBeNull();
    return source.receive(packet, bytes, clock.now(), 0, mixedThrough);
  };
  /** @param {number} frame */
  const sampleOf = (frame) => source.ring.samples[source.ring.offset(frame)];
  return { clock, codec, source, send, sampleOf };
}

describe('a source', () => {
  it('keeps packets as they come, and decodes in order when it is pulled', () => {
    const { clock, source, send, sampleOf } = create();
    clock.advance(60);
    expect([send(1, 0.2), send(0, 0.1), send(2, 0.3)]).toEqual([1, 0, 2]);
    expect(source.ring.state(1)).toBe(FrameState.absent);
    expect(source.pull(2, true)).toBe(FrameState.received);
    for (const [frame, value] of [[1, 0.2], [2, 0.3]]) expect(sampleOf(frame)).toBeCloseTo(value, 3);
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

  it('that drains is over when its sound has faded, or where its successor begins', () => {
    const { clock, source, send } = create();
    clock.advance(60);
    for (const frame of [0, 1, 2]) send(frame, 0.1);
    expect([source.isOver(500), source.endsWith]).toEqual([false, 8]);
    source.drain();
    expect([source.isOver(8), source.isOver(9)]).toEqual([false, true]);
    source.endBefore(5);
    expect([source.isOver(4), source.isOver(5)]).toEqual([false, true]);
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
  /** The samples of the frames that were heard, each as one number: 0 for silence. @param {ReturnType<typeof create>} made */
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
    expect([source.offsetMs, source.firstFrame, source.soundThrough, source.keptFrom]).toEqual([40, 2, 7, 7]);
    expect([source.has(7), source.has(8), source.hasSound(7), source.hasSentAt(0)]).toEqual([true, false, true, false]);
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

  it('loses silence alone when its offset falls', () => {
    const made = create();
    const { clock, source, send } = made;
    clock.advance(400);
    source.offsetMs = 60;
    for (const [frame, value] of [[0, 0.1], [1, 0.2], [2, null], [3, null], [4, 0.5], [5, 0.6]]) {
      send(Number(frame), value);
    }
    expect(hear(made, 3, 4)).toEqual([0.1, 0.2]);
    source.offsetMs = 0;
    // One more frame of silence, and then what was said after it.
    expect(hear(made, 5, 8)).toEqual([0, 0.5, 0.6, conceals]);
    expect(source.offsetMs).toBe(40);
  });
});
