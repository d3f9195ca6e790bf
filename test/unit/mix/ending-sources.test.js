import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {Awaited<ReturnType<Conference['join']>>} Person */

const LOST = errors['session-lost'].close;

/** Frames that are spoken before the session ends, and how many of them still wait in D then. */
const SPOKEN = 10;
const WAITING = 3;

/** The values of concealed frames: 3 of CONCEALED, and 3 that fade. */
const MADE_UP = 6;

/**
 * @param {Conference} conference
 * @param {Person} person
 * @param {number} value
 * @param {number} [from]
 */
async function speak(conference, person, value, from = 0) {
  for (let frame = from; frame < from + SPOKEN; frame++) {
    await person.speak(frame, value);
    conference.pass(1);
  }
}

/**
 * The value in the middle of each frame, 0 for silence.
 * @param {Person} person
 * @param {number} frames
 */
async function valuesOf(person, frames) {
  const heard = await person.heard();
  return Array.from({ length: frames }, (_, frame) =>
    Number((heard.get(frame)?.[480] ?? 0).toFixed(2)),
  );
}

/**
 * A room in which Bob has just spoken, which his listeners haven't heard to its end.
 * @param {object} [options]
 */
async function inMidWord(options = {}) {
  const conference = new Conference({ serverDelayMs: 60, ...options });
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  await speak(conference, bob, 0.5);
  expect((await ann.heard()).size).toBe(SPOKEN - WAITING);
  return { conference, ann, bob, token: bob.session.told('welcome')[0].resume };
}

describe('somebody who is gone in the middle of a word', () => {
  it.each([
    ['whose session was lost', LOST],
    ['who left', 0],
  ])('%s is heard to the end of what had come, and then fades', async (_who, code) => {
    const { conference, ann, bob } = await inMidWord();
    bob.session.close(code, '');
    conference.pass(20);
    const values = await valuesOf(ann, SPOKEN + 12);
    expect(values.slice(0, SPOKEN)).toEqual(new Array(SPOKEN).fill(0.5));
    const madeUp = values.slice(SPOKEN, SPOKEN + MADE_UP);
    expect(madeUp[0]).toBeGreaterThan(0.1);
    for (let i = 1; i < MADE_UP; i++) expect(madeUp[i]).toBeLessThanOrEqual(madeUp[i - 1]);
    expect(madeUp[MADE_UP - 1]).toBeLessThan(0.03);
    expect(values.slice(SPOKEN + MADE_UP)).toEqual(new Array(6).fill(0));
  });

  it('is heard to the end by those who are answered too', async () => {
    const conference = new Conference({ serverDelayMs: 60 });
    const [ann, bob] = [
      await conference.join('Ann', { replyOnly: true }),
      await conference.join('Bob'),
    ];
    for (let frame = 0; frame < SPOKEN + 12; frame++) {
      if (frame < SPOKEN) await bob.speak(frame, 0.5);
      if (frame === SPOKEN) bob.session.close(LOST, '');
      conference.pass(1);
      await ann.speak(frame, null);
    }
    // An answer holds what was spoken three frames before.
    const values = (await valuesOf(ann, SPOKEN + 12)).slice(WAITING);
    expect(values.slice(0, SPOKEN)).toEqual(new Array(SPOKEN).fill(0.5));
    expect(values[SPOKEN]).toBeGreaterThan(0.1);
    expect(values.at(-1)).toBe(0);
  });

  it('costs a decoder no longer than that, and none where nothing waited', async () => {
    const { conference, bob } = await inMidWord();
    const { open } = conference.codec;
    bob.session.close(LOST, '');
    conference.pass(30);
    const after = conference.codec.open;
    expect(after).toBeLessThan(open);
    conference.rooms.close();
    expect(conference.codec.open).toBe(0);
  });

  it('is not heard by who had turned them off', async () => {
    const { conference, ann, bob } = await inMidWord();
    ann.session.handler?.control({ type: 'volume', person: bob.id, gain: 0 });
    conference.pass(1);
    const before = ann.session.packets.length;
    bob.session.close(0, '');
    conference.pass(20);
    ann.session.packets.splice(0, before);
    const values = [...(await ann.heard()).values()];
    expect(values.every((pcm) => pcm === null || pcm.every((value) => value === 0))).toBe(true);
  });

  it('is not heard twice, nor by its speaker, when the speaker comes back at once', async () => {
    const { conference, ann, bob, token } = await inMidWord();
    const back = await conference.join('Bob', { resume: token });
    expect(back.id).toBe(bob.id);
    // The new session sends the last frame again, and goes on.
    await speak(conference, back, 0.25, SPOKEN - 1);
    conference.pass(20);
    const values = await valuesOf(ann, 2 * SPOKEN - 1);
    expect(values.slice(0, SPOKEN - 1)).toEqual(new Array(SPOKEN - 1).fill(0.5));
    expect(values.slice(SPOKEN - 1)).toEqual(new Array(SPOKEN).fill(0.25));
    expect([...(await back.heard()).values()].every((pcm) => pcm === null)).toBe(true);
    expect((await back.heard()).size).toBeGreaterThan(0);
  });

  it('ends without a click', async () => {
    const codec = await loadCodec('libopus-wasm');
    const conference = new Conference({
      codec,
      serverDelayMs: 60,
      bitrate: 64000,
      application: 'low-delay',
    });
    const { format, clock } = conference;
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const shape = { sampleRate: format.sampleRate, frameSamples: format.frameSamples };
    const encoder = codec.createEncoder({ ...shape, bitrate: 64000, application: 'low-delay' });
    const decoder = codec.createDecoder(shape);
    const packet = new Packet();
    /** @type {number[]} */
    const heard = [];
    ann.session.send = (bytes) => {
      expect(readPacket(bytes, packet)).toBe(null);
      const pcm = new Float32Array(format.frameSamples);
      if (packet.payloadBytes[0] > 0)
        decoder.decode(bytes, packet.payloadStart[0], packet.payloadBytes[0], pcm, 0);
      heard.push(...pcm);
      return true;
    };
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    for (let frame = 0; frame < 60; frame++) {
      const pcm = Float32Array.from(
        { length: format.frameSamples },
        (_, i) =>
          0.3 *
          Math.sin((2 * Math.PI * 220 * (frame * format.frameSamples + i)) / format.sampleRate),
      );
      writeAudioHeader(
        bytes,
        Object.assign(new Packet(), { frame, sequence: frame, level: 15, voice: true }),
      );
      const length = encoder.encode(pcm, bytes, AUDIO_HEADER_BYTES);
      if (frame < 40)
        bob.session.handler?.packet(bytes.subarray(0, AUDIO_HEADER_BYTES + length), clock.now());
      if (frame === 39) bob.session.close(LOST, '');
      conference.pass(1);
    }
    const size = format.frameSamples;
    const power = (/** @type {number} */ frame) =>
      heard.slice(frame * size, (frame + 1) * size).reduce((sum, x) => sum + x * x, 0) / size;
    for (let frame = 10; frame < 40; frame++) expect(power(frame)).toBeGreaterThan(0.03);
    expect(power(48)).toBeLessThan(1e-6);
    let largest = 0;
    for (let i = 10 * size; i < heard.length; i++)
      largest = Math.max(largest, Math.abs(heard[i] - heard[i - 1]));
    // The steepest that the tone itself is.
    expect(largest).toBeLessThan((1.2 * 0.3 * 2 * Math.PI * 220) / format.sampleRate);
  });
});
