import { expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { readRtp, RtpPacket } from '../../../server/webrtc/rtp.js';
import { WhepSession } from '../../../server/webrtc/whep-session.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const TYPE = 111;

/** A packet of the room with one payload. @param {number} frame @param {number} byte */
function packetOf(frame, byte) {
  const bytes = new Uint8Array(100);
  const end = writeAudioHeader(bytes, Object.assign(new Packet(), { frame, sequence: frame }));
  bytes.fill(byte, end, end + 5);
  return bytes.slice(0, end + 5);
}

it('sends what a worker’s room has for this listener alone, as what it has for many', () => {
  /** @type {Buffer[]} */
  const sent = [];
  const session = new WhepSession({
    transport: /** @type {any} */ ({ name: 'whep' }),
    peer: '192.0.2.1:5',
    room: 'tea',
    log: /** @type {any} */ ({ error: () => {} }),
    clock: new FakeClock(),
    onEnd: () => {},
  });
  session.sendControl({ type: 'welcome', format: createAudioFormat() });
  session.sendTo(
    /** @type {any} */ ({
      send: (/** @type {Buffer} */ bytes) => sent.push(Buffer.from(bytes)),
      close() {},
    }),
    TYPE,
  );
  for (let frame = 7; frame < 10; frame++) session.send(packetOf(frame, frame));
  const packet = new RtpPacket();
  const read = sent.map((bytes) => {
    expect(readRtp(bytes, packet)).toBe(true);
    return { timestamp: packet.timestamp, payload: [...bytes.subarray(packet.start, packet.end)] };
  });
  expect(read).toEqual(
    [7, 8, 9].map((frame) => ({ timestamp: frame * 960, payload: Array(5).fill(frame) })),
  );
  // Answers to its signs of life are no sound.
  session.send(Uint8Array.of(0x13, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0));
  expect(sent.length).toBe(3);
});

it('ends with a fault of its peer, which is nobody else’s', () => {
  /** @type {unknown[]} */
  const lines = [];
  const session = new WhepSession({
    transport: /** @type {any} */ ({ name: 'whep' }),
    peer: '192.0.2.1:5',
    room: 'tea',
    log: /** @type {any} */ ({ error: (/** @type {unknown} */ line) => lines.push(line) }),
    clock: new FakeClock(),
    onEnd: () => {},
  });
  session.sendControl({ type: 'welcome', format: createAudioFormat() });
  const send = () => {
    throw new Error('the library fails');
  };
  session.sendTo(/** @type {any} */ ({ send, close() {} }), TYPE);
  session.send(packetOf(7, 7));
  expect(session.ended).toBe(true);
  expect(lines).toMatchObject([{ event: 'session-failed' }]);
});
