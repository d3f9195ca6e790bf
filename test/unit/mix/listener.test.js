import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { Packet, readPacket, Stream } from '../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { Redundancy } from '../../../public/shared/stream/redundancy.js';
import { Listener } from '../../../server/mix/listener.js';
import { MixStream, SpeakerList } from '../../../server/mix/mix-stream.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession } from '../../fakes/fake-session.js';
import { PcmCodec } from '../../fakes/pcm-codec.js';

const format = createAudioFormat();
const nobody = new SpeakerList();

/** @param {'tick' | 'reply'} [delivery] */
function create(delivery = 'tick') {
  const codec = new PcmCodec();
  const session = new FakeSession();
  const encoder = new PayloadEncoder(
    codec.createEncoder({ frameSamples: format.opusFrameSamples }),
    format,
  );
  const stream = new MixStream(Stream.mixMinus, encoder, format);
  const redundancy = new Redundancy('auto', new FakeClock());
  const listener = new Listener({ id: '3', session, delivery, format, stream, redundancy });
  const mix = () => new Float32Array(format.frameValues).fill(0.25);
  return { codec, session, listener, mix };
}

/** @param {Uint8Array} bytes */
function read(bytes) {
  const packet = new Packet();
  expect(readPacket(bytes, packet)).toBeNull();
  return packet;
}

describe('a listener', () => {
  it('is sent its own stream, with as many repeats as its reported loss requires', () => {
    const { session, listener, mix } = create();
    for (let frame = 0; frame < 3; frame++) listener.send(frame, mix(), true, nobody);
    listener.reportLoss(10, null);
    listener.send(3, mix(), true, nobody);
    const packets = session.packets.map(read);
    expect(packets.map(({ frame }) => frame)).toEqual([0, 1, 2, 3]);
    expect(packets.map(({ redundancy }) => redundancy)).toEqual([0, 0, 0, 2]);
    expect(packets.every(({ stream }) => stream === Stream.mixMinus)).toBe(true);
  });

  it('stays in its own stream for as many frames as packets repeat, then uses repeats', () => {
    const { listener } = create();
    expect([listener.shares, listener.lingers(4), listener.repeats(4)]).toEqual([true, false, 0]);
    expect([listener.hearOwn(5), listener.hearOwn(6)]).toEqual([true, false]);
    expect([listener.shares, listener.heardOwn(6), listener.heardOwn(7)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([7, 8, 9].map((frame) => listener.lingers(frame))).toEqual([true, true, false]);
    listener.hearShared(9);
    expect([listener.shares, ...[9, 10, 11].map((frame) => listener.repeats(frame))]).toEqual([
      true,
      2,
      2,
      0,
    ]);
  });

  it('in reply knows where it reads, and what share of the others it has received', () => {
    const { listener } = create('reply');
    expect([listener.ownDelaySamples, listener.readDelay, listener.answeredFrame]).toEqual([
      null,
      -1,
      -1,
    ]);
    listener.readAt(100);
    listener.answered(12, 4800);
    expect([listener.ownDelaySamples, listener.readDelay, listener.answeredFrame]).toEqual([
      4800, 4800, 12,
    ]);
    listener.received.add(2 * listener.received.ask(0, 960), 960);
    expect(listener.stats()).toMatchObject({ heardPercent: 50, sentSamples: 1920 });
    expect(create().listener.stats()).toBeNull();
  });

  it('is sent nothing once it is closed', () => {
    const { codec, session, listener, mix } = create();
    listener.close();
    listener.close();
    listener.send(0, mix(), true, nobody);
    expect(codec.open).toBe(0);
    expect(session.packets.map((bytes) => read(bytes).payloadBytes[0])).toEqual([]);
  });
});
