import { describe, expect, it } from 'vitest';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  Packet,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { CONCEALED } from '../../fakes/pcm-codec.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

const valueOf = (/** @type {number} */ frame) => 0.01 + frame / 1000;

/**
 * A frame's packet with the payloads of the frames before it, each frame of a value of its own.
 * @param {Person} person
 * @param {number} frame
 * @param {number} redundancy number of frames
 */
async function packetOf(person, frame, redundancy) {
  const payloads = [];
  for (let r = redundancy; r >= 0; r--)
    payloads.push(
      (await person.packet(frame - r, valueOf(frame - r))).subarray(AUDIO_HEADER_BYTES),
    );
  const packet = Object.assign(new Packet(), {
    frame,
    redundancy,
    sequence: frame,
    voice: true,
    level: 20,
  });
  payloads.forEach(({ length }, i) => (packet.payloadBytes[redundancy - i] = length));
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  let end = writeAudioHeader(bytes, packet);
  for (const payload of payloads) {
    bytes.set(payload, end);
    end += payload.length;
  }
  return bytes.slice(0, end);
}

/** @param {Person} person @param {Uint8Array} bytes */
const send = (person, bytes) =>
  person.session.handler?.packet(bytes, person.conference.clock.now());

/** The value as which each frame was heard. @param {Person} person @param {number[]} frames */
async function heard(person, frames) {
  const all = await person.heard();
  return frames.map((frame) => Math.round((all.get(frame)?.[0] ?? 0) * 1000) / 1000);
}

describe('packets that repeat frames before theirs', () => {
  it('mend losses, each frame with its own payload', async () => {
    // 8 kHz, so that three payloads of this codec fit one packet.
    const conference = new Conference({ sampleRate: 8000, serverDelayMs: 100 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let frame = 0; frame < 12; frame++) {
      conference.pass(1);
      // Two lost in a row, then one, then three: the first of them is more than is repeated.
      if (![3, 4, 6, 8, 9, 10].includes(frame))
        send(ann, await packetOf(ann, frame, frame < 2 ? 0 : 2));
    }
    conference.pass(8);
    const frames = Array.from({ length: 12 }, (_, frame) => frame);
    expect(await heard(bob, frames)).toEqual(
      frames.map((frame) => (frame === 8 ? CONCEALED : Math.round(valueOf(frame) * 1000) / 1000)),
    );
    expect(ann.stats()).toMatchObject({
      received: 6,
      lost: 6,
      recovered: 5,
      duplicate: 0,
      late: 0,
    });
  });

  it('are no doubles of what comes after them, out of order', async () => {
    const conference = new Conference({ sampleRate: 8000, serverDelayMs: 100 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let frame = 0; frame < 10; frame += 2) {
      conference.pass(2);
      const packets = [
        await packetOf(ann, frame, 0),
        await packetOf(ann, frame + 1, frame > 0 ? 1 : 0),
      ];
      for (const bytes of frame > 0 ? packets.reverse() : packets) send(ann, bytes);
    }
    conference.pass(8);
    const frames = Array.from({ length: 10 }, (_, frame) => frame);
    expect(await heard(bob, frames)).toEqual(
      frames.map((frame) => Math.round(valueOf(frame) * 1000) / 1000),
    );
    expect(ann.stats()).toMatchObject({ received: 10, lost: 0, recovered: 0, duplicate: 0 });
  });
});

describe('a packet of another time', () => {
  it.each([
    ['500 ms ahead', 25, { received: 2, early: 0 }],
    ['further ahead', 26, { received: 1, early: 1 }],
    ['as far behind as is kept', -150, { received: 1, late: 1, dropped: { past: 0 } }],
    ['further behind', -151, { received: 1, late: 0, dropped: { past: 1 } }],
  ])('is taken or not: %s', async (_name, ahead, stats) => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    conference.pass(200);
    await ann.speak(200, 0.1);
    await ann.speak(200 + ahead, 0.1);
    expect(ann.stats()).toMatchObject(stats);
  });
});
