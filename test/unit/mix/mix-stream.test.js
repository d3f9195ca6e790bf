import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_HEADER_BYTES,
  MAX_SENT_BYTES,
  Packet,
  readPacket,
  Stream,
} from '../../../public/shared/wire/packet.js';
import { MixStream, SpeakerList } from '../../../server/mix/mix-stream.js';
import { Conference } from '../../fakes/conference.js';

const format = createAudioFormat();
const nobody = new SpeakerList();

/** A list of `count` speakers. @param {number} count */
function listOf(count) {
  const list = new SpeakerList();
  for (let i = 0; i < count; i++) list.add(i + 1, 30, true);
  return list;
}

/**
 * A stream whose payloads are as many bytes as asked for, each the frame's number.
 * @param {boolean} [suppresses]
 */
function createStream(suppresses) {
  const next = { bytes: 10, frame: 0 };
  /** @type {any} */
  const encoder = {
    begin: (
      /** @type {Float32Array} */ _pcm,
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
    ) => void out.fill(next.frame & 0xff, at, at + next.bytes),
    end: () => next.bytes,
    close() {},
  };
  const stream = new MixStream(Stream.fullMix, encoder, format, { suppresses });
  const pcm = new Float32Array(format.frameSamples);
  return {
    /**
     * @param {number} frame
     * @param {number} bytes 0: silent
     * @param {number} redundancy
     * @param {SpeakerList} [list]
     */
    send(frame, bytes, redundancy, list = nobody) {
      Object.assign(next, { bytes, frame });
      if (!stream.beginMix(frame, pcm, bytes > 0, list)) return null;
      stream.end();
      const out = stream.write(redundancy);
      const packet = new Packet();
      expect(readPacket(out, packet)).toBe(null);
      const payloads = [];
      for (let r = 0; r <= packet.redundancy; r++) {
        payloads.push([
          ...out.subarray(packet.payloadStart[r], packet.payloadStart[r] + packet.payloadBytes[r]),
        ]);
      }
      return { packet, payloads, length: out.length };
    },
    stream,
  };
}

describe('the repeated payloads of a stream', () => {
  it('are those of the frames before, newest first, as many as are asked for and are there', () => {
    const { send } = createStream();
    expect(send(1, 2, 2)?.payloads).toEqual([[1, 1]]);
    expect(send(2, 2, 2)?.payloads).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(send(3, 0, 2)?.payloads).toEqual([[], [2, 2], [1, 1]]);
    expect(send(4, 2, 1)?.payloads).toEqual([[4, 4], []]);
    expect(send(5, 2, 0)?.payloads).toEqual([[5, 5]]);
    expect(send(6, 2, 2)?.payloads).toEqual([
      [6, 6],
      [5, 5],
      [4, 4],
    ]);
    // Between these two were frames of the other stream.
    expect(send(9, 2, 2)?.payloads).toEqual([[9, 9]]);
  });

  it('are another number in packets of one frame, which is encoded once', () => {
    const { send, stream } = createStream();
    for (let frame = 0; frame < 4; frame++) send(frame, 50, 0);
    expect([0, 1, 2].map((redundancy) => stream.write(redundancy).length)).toEqual([59, 110, 161]);
  });

  it('are left out, the oldest first, where there is no room', () => {
    const { send } = createStream();
    send(0, 380, 2);
    send(1, 380, 2);
    expect(send(2, 377, 2)?.packet.redundancy).toBe(1);
    expect(send(3, 1136, 2)?.packet.redundancy).toBe(0);
  });

  it('never make a packet too long, whatever the payloads and the speakers', () => {
    const one = fc.record({
      bytes: fc.integer({ min: 0, max: MAX_SENT_BYTES - MAX_HEADER_BYTES }),
      redundancy: fc.integer({ min: 0, max: 2 }),
      speakers: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (frames) => {
        const { send } = createStream();
        frames.forEach(({ bytes, redundancy, speakers }, frame) => {
          const sent = send(frame, bytes, redundancy, listOf(speakers));
          expect(sent?.length).toBeLessThanOrEqual(MAX_SENT_BYTES);
          expect(sent?.payloads[0].length).toBe(bytes);
        });
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});

describe('silence', () => {
  it('is two packets, then one every 200 ms, and their numbers have no gap', () => {
    const { send } = createStream(true);
    const sent = [];
    for (let frame = 0; frame < 60; frame++) {
      const packet = send(frame, frame >= 5 && frame < 10 ? 20 : 0, 1)?.packet;
      if (packet) sent.push([packet.frame, packet.sequence]);
    }
    const frames = [0, 1, 5, 6, 7, 8, 9, 10, 11, 21, 31, 41, 51];
    expect(sent).toEqual(frames.map((frame, i) => [frame, i + 1]));
  });

  it('is sent frame by frame where it is not left out', () => {
    const { send } = createStream(false);
    for (let frame = 0; frame < 60; frame++) expect(send(frame, 0, 0)?.length).toBe(9);
  });
});

describe('a room that leaves silence out', () => {
  it('sends almost nothing while nobody speaks, and every word from its first sample', async () => {
    const conference = new Conference({ silenceSuppression: true });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(100);
    expect(bob.session.packets.length).toBeLessThanOrEqual(13);
    for (let frame = 100; frame < 110; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
    }
    await ann.speak(110, null);
    conference.pass(50);
    const heard = await bob.heard();
    for (let frame = 100; frame < 110; frame++) expect(heard.get(frame)?.[0]).toBeCloseTo(0.1, 3);
    const after = [...heard.keys()].filter((frame) => frame >= 110);
    expect(after.slice(0, 3)).toEqual([110, 111, 121]);
    // Ann doesn't hear herself, and her list of speakers comes as rarely.
    const own = [...(await ann.heard())];
    expect(own.every(([, pcm]) => pcm === null)).toBe(true);
    expect(own.length).toBeLessThan(25);
  });

  it.each([0, 3])(
    'never repeats to somebody what it said itself, with %d % lost',
    async (lostPercent) => {
      const conference = new Conference({ silenceSuppression: true });
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      for (const { session } of [ann, bob])
        session.handler?.control({ type: 'report', lostPercent });
      for (let frame = 0; frame < 100; frame++) {
        conference.pass(1);
        // Words of every length up to ten frames, and pauses of as long.
        const [length, at] = [1 + (Math.floor(frame / 20) % 10), frame % 20];
        if (at < length) await ann.speak(frame, 0.1);
        else if (at < length + 2) await ann.speak(frame, null);
      }
      conference.pass(5);
      const packet = new Packet();
      for (const bytes of ann.session.packets) {
        expect(readPacket(bytes, packet)).toBe(null);
        expect(
          [...packet.payloadBytes].slice(0, packet.redundancy + 1).every((length) => length === 0),
        ).toBe(true);
      }
      expect([...(await bob.heard()).values()].some((pcm) => pcm !== null)).toBe(true);
    },
  );

  it('answers every packet where the delivery is reply', async () => {
    const conference = new Conference({ silenceSuppression: true, delivery: 'reply' });
    const ann = await conference.join('Ann');
    for (let frame = 0; frame < 50; frame++) {
      conference.pass(1);
      await ann.speak(frame, null);
    }
    expect(ann.session.packets.length).toBe(50);
  });
});

describe('redundancy towards a listener', () => {
  it('follows the loss that it reports, for it alone', async () => {
    const conference = new Conference();
    const people = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    const [ann, bob, cid] = people;
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      if (frame === 9) bob.session.handler?.control({ type: 'report', lostPercent: 3 });
    }
    conference.pass(5);
    const last = people.map(({ session }) => {
      const packet = new Packet();
      readPacket(session.packets[14], packet);
      return packet.redundancy;
    });
    expect(last).toEqual([0, 2, 0]);
    const [his, hers] = [bob, cid].map(({ session }) => session.packets[14]);
    expect(his.slice(-hers.length + AUDIO_HEADER_BYTES)).toEqual(hers.slice(AUDIO_HEADER_BYTES));
    expect(bob.session.packets.length).toBe(cid.session.packets.length);
  });
});
