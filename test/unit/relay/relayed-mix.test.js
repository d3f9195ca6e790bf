import { describe, expect, it } from 'vitest';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { RateCounts } from '../../../server/broadcast/layers.js';
import { LightListener } from '../../../server/mix/light-listener.js';
import { MixMessage, MixWriter, readMix, ROOM_RATE } from '../../../server/relay/messages.js';
import { RelayedMix } from '../../../server/relay/relayed-mix.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession } from '../../fakes/fake-session.js';

/** @param {number} frame @returns {Uint8Array} the owner's message with a packet of this frame */
function messageOf(frame) {
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const packet = Object.assign(new Packet(), { level: 20, voice: true, frame });
  const writer = new MixWriter(1);
  writer.add(ROOM_RATE, bytes.subarray(0, writeAudioHeader(bytes, packet) + 9));
  return writer.take();
}

describe('a relayed mix', () => {
  it('goes on when the number of a frame passes 2^32', () => {
    const clock = new FakeClock();
    const mix = new RelayedMix({ counts: new RateCounts(), clock, want: () => {} });
    const session = new FakeSession();
    mix.add(new LightListener({ id: '7', session, stride: 1, redundancy: 0, clock }), null);
    const [message, packet] = [new MixMessage(), new Packet()];
    for (let frame = 2 ** 32 - 3; frame < 2 ** 32 + 3; frame++) {
      const bytes = messageOf(frame);
      expect(readMix(bytes, message)).toBe(true);
      expect(mix.take(bytes, message)).toBe(true);
    }
    const frames = session.packets.map((bytes) => {
      expect(readPacket(bytes, packet)).toBe(null);
      return packet.frame;
    });
    expect(frames).toEqual([-3, -2, -1, 0, 1, 2].map((low) => low >>> 0));
    mix.close();
  });
});
