import { describe, expect, it, vi } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PayloadDecoder } from '../../../public/shared/stream/payload.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { SampleClock } from '../../../server/clock/sample-clock.js';
import { Forwarding } from '../../../server/forward/forwarding.js';
import { PacketForwarding } from '../../../server/forward/packet-forwarding.js';
import { MIN_GROUP } from '../../../server/mix/recipient-lists.js';
import { Lateness } from '../../../server/source/lateness.js';
import { Source } from '../../../server/source/source.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';

const HOUR_MS = 3_600_000;

const format = createAudioFormat();
const clock = new FakeClock();

/** @type {any} */
const options = {
  config: { format, maxSpeakers: 8, silenceSuppression: true },
  clock,
  delay: { delayMs: 0 },
  onSourceEnded: () => {},
};

/** @param {string} id @param {FakeSession} session @returns {any} */
const listenerOf = (id, session) => ({
  ...{ id, session, delivery: 'tick', isLight: false, shares: true },
  returns: () => false,
  repeats: () => 0,
});

/** A source that has sent a packet, an hour after its clock's start. */
function speaking() {
  const sampleClock = new SampleClock(clock, format.sampleRate, clock.now() - HOUR_MS);
  const lateness = new Lateness({ frameMs: format.frameMs, maxMs: 400, targetPercent: 99.5 });
  const decoder = new PayloadDecoder(null, format);
  const source = new Source({ id: '7', format, sampleClock, maxDelayMs: 400, decoder, lateness });
  const frame = HOUR_MS / format.frameMs - 1;
  const [bytes, packet] = [new Uint8Array(MAX_PACKET_BYTES), new Packet()];
  const end = writeAudioHeader(bytes, Object.assign(packet, { level: 20, voice: true, frame })) + 9;
  const sent = bytes.subarray(0, end);
  expect(readPacket(sent, packet)).toBeNull();
  expect(source.receive(packet, sent, clock.now(), 0, -1)).toBe(frame);
  return { source, frame, packet, sent };
}

describe('a delivery that forwards', () => {
  it('gives the groups of a transport back when it is closed', () => {
    const group = { set: () => true, send: () => {}, close: vi.fn() };
    const transport = fakeTransport({ createGroup: () => group });
    const forwarding = new Forwarding(options);
    for (let i = 0; i < MIN_GROUP; i++)
      forwarding.enter(null, listenerOf(String(i), new FakeSession(transport)));
    forwarding.send(1, false);
    expect(group.close).not.toHaveBeenCalled();
    forwarding.close();
    expect(group.close).toHaveBeenCalledOnce();
  });

  it('looks for no more packets for a newcomer than a source keeps', () => {
    const { source, frame, packet, sent } = speaking();
    const forwarding = new PacketForwarding(options);
    forwarding.enter(source, null);
    forwarding.received(source, frame, packet, sent);
    const has = vi.spyOn(source, 'has');
    const session = new FakeSession(fakeTransport());
    forwarding.enter(null, listenerOf('8', session));
    expect(session.packets).toHaveLength(1);
    expect(has.mock.calls.length).toBeLessThanOrEqual(source.packets.capacity);
  });
});
