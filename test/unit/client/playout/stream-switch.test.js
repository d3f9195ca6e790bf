import { describe, expect, it } from 'vitest';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder } from '../../../../public/shared/stream/payload.js';
import { Playout } from '../../../../public/client/playout/playout.js';
import { loadCodec } from '../../../../server/codec/codec.js';
import { Conference } from '../../../fakes/conference.js';

const FRAMES = 150;
/** When Bob speaks: frames from, and the first in which he doesn't any more. */
const SPEAKS = [
  [50, 62],
  [75, 76],
  [90, 110],
];

/** @param {number} hz @param {number} amplitude @param {number} frame */
function voice(hz, amplitude, frame) {
  return Float32Array.from({ length: 960 }, (_, i) => {
    const at = (frame * 960 + i) / 48000;
    const sum = [1, 2, 3, 4, 5].reduce(
      (all, n) => all + Math.sin(2 * Math.PI * hz * n * at + n) / n,
      0,
    );
    return amplitude * sum * (1 + 0.3 * Math.sin(2 * Math.PI * 3 * at));
  });
}

/**
 * Bob's voice: as clients send it, it begins and ends within a frame.
 * @param {number} frame
 * @param {number[][]} speaks
 */
function utterance(frame, speaks) {
  const pcm = voice(330, 0.1, frame);
  const begins = speaks.some(([from]) => frame === from);
  const ends = speaks.some(([, to]) => frame === to - 1);
  return pcm.map(
    (value, i) =>
      value * (begins ? Math.min(1, i / 400) : 1) * (ends ? Math.max(0, 1 - i / 800) : 1),
  );
}

/**
 * Has Bob hear Ann, who speaks all the time, by his own playout.
 * @param {number[][]} speaks when Bob does
 * @param {boolean} alone true if nobody else listens, so that the shared stream rests while he
 *   speaks
 * @param {string} [loses] which packet is lost where the stream changes: 'first' of the one, or
 *   'last' of the other
 */
async function heardByBob(speaks, alone, loses = '') {
  const codec = await loadCodec('libopus-wasm');
  const conference = new Conference({
    codec,
    serverDelayMs: 20,
    bitrate: 48000,
    complexity: 8,
    application: 'low-delay',
  });
  const { format, clock } = conference;
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  if (!alone) await conference.join('Cid');
  const shape = { sampleRate: format.sampleRate, frameSamples: format.frameSamples };
  const encoders = [ann, bob].map(() =>
    codec.createEncoder({ ...shape, bitrate: 64000, application: 'low-delay' }),
  );
  const decoders = [0, 1].map(() => new PayloadDecoder(codec.createDecoder(shape), format));
  const playout = new Playout(format, decoders);
  const packet = new Packet();
  let [stream, changes] = [0, 0];
  /** The last packet, which is given when the next one has come, and whether it is lost. */
  let [waiting, isLost] = [new Uint8Array(0), true];
  bob.session.send = (bytes) => {
    expect(readPacket(bytes, packet)).toBe(null);
    const isOther = packet.stream !== stream;
    stream = packet.stream;
    changes += Number(isOther);
    if (!isLost && !(isOther && loses === 'last')) {
      readPacket(waiting, packet);
      playout.receive(packet, waiting, clock.now());
    }
    [waiting, isLost] = [bytes.slice(), isOther && loses === 'first'];
    return true;
  };
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  /**
   * @param {import('../../../fakes/conference.js').Person} person
   * @param {number} frame
   * @param {Float32Array | null} pcm
   */
  const send = (person, frame, pcm) => {
    const header = Object.assign(new Packet(), {
      frame,
      sequence: frame,
      level: pcm ? 20 : 127,
      voice: pcm !== null,
    });
    writeAudioHeader(bytes, header);
    const length = pcm
      ? encoders[person === ann ? 0 : 1].encode(pcm, bytes, AUDIO_HEADER_BYTES)
      : 0;
    person.session.handler?.packet(bytes.subarray(0, AUDIO_HEADER_BYTES + length), clock.now());
  };
  const heard = [];
  const out = new Float32Array(format.frameSamples + 8);
  for (let frame = 0; frame < FRAMES; frame++) {
    conference.pass(1);
    send(ann, frame, voice(170, 0.12, frame));
    const isSpeaking = speaks.some(([from, to]) => frame >= from && frame < to);
    send(bob, frame, isSpeaking ? utterance(frame, speaks) : null);
    // A sound card takes as much as the time that has passed.
    while (heard.length <= frame * format.frameSamples) {
      const count = playout.pull(out, clock.now());
      heard.push(...out.subarray(0, count));
    }
  }
  playout.close();
  return { heard, changes, counters: playout.counters };
}

/**
 * Their correlation.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} from
 * @param {number} count
 */
function likeness(a, b, from, count) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = from; i < from + count; i++) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / Math.sqrt(aa * bb);
}

describe('a listener who starts and stops speaking', () => {
  it.each([
    ['the shared stream going on', false],
    ['nobody else to hear the shared stream', true],
  ])(
    'hears the others go on without a click, though it is another stream: with %s',
    async (_, alone) => {
      const [one, other] = [await heardByBob(SPEAKS, alone), await heardByBob([], alone)];
      expect(one.counters).toMatchObject({ lost: 0, concealed: 0 });
      let largest = 0;
      let usual = 0;
      let worst = 1;
      for (let i = 20 * 960; i < (FRAMES - 1) * 960; i++) {
        largest = Math.max(largest, Math.abs(one.heard[i] - one.heard[i - 1]));
        usual = Math.max(usual, Math.abs(other.heard[i] - other.heard[i - 1]));
        if (i % 120 === 0) worst = Math.min(worst, likeness(one.heard, other.heard, i, 240));
      }
      expect(largest).toBeLessThan(1.05 * usual);
      expect(worst).toBeGreaterThan(0.95);
    },
  );

  it.each([
    ['the first packet of the other stream', 'first', false],
    ['the first packet of the other stream, nobody else listening,', 'first', true],
    ['the last packet of the stream before', 'last', false],
    ['the last packet of the stream before, nobody else listening,', 'last', true],
  ])('hears no click and no hole where %s is lost', async (_, loses, alone) => {
    const [one, other] = [await heardByBob(SPEAKS, alone, loses), await heardByBob([], alone)];
    expect(one.changes).toBe(2 * SPEAKS.length);
    // The next packets have the frame too, and what its decoder must have had before.
    expect(one.counters).toMatchObject({ recovered: one.changes, garbage: 0, concealed: 0 });
    let [largest, usual, least] = [0, 0, Infinity];
    for (let i = 20 * 960; i < (FRAMES - 1) * 960; i++) {
      largest = Math.max(largest, Math.abs(one.heard[i] - one.heard[i - 1]));
      usual = Math.max(usual, Math.abs(other.heard[i] - other.heard[i - 1]));
      if (i % 240 !== 0) continue;
      const [mine, whole] = [one, other].map(({ heard }) =>
        heard.slice(i, i + 960).reduce((sum, x) => sum + x * x, 0),
      );
      least = Math.min(least, mine / whole);
    }
    expect(largest).toBeLessThan(1.3 * usual);
    // One frame alone prepares the decoder where the packet with two is the one that is lost.
    expect(least).toBeGreaterThan(loses === 'first' ? 0.33 : 0.5);
  });
});
