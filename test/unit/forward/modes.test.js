import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VoiceList } from '../../../public/shared/wire/bundle.js';
import { Packet, PacketType, readPacket } from '../../../public/shared/wire/packet.js';
import { BundleStream } from '../../../server/forward/bundle-stream.js';
import { AUTO_HOLD_MS, AUTO_PEOPLE } from '../../../server/room/sound/mode.js';
import { OPERATOR } from '../../../server/state/grant.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

const LOUD = { level: 20, voice: true };

/** The packets that somebody got since the last time. @param {Person} person */
function take(person) {
  return person.session.packets.splice(0).map((bytes) => {
    const packet = new Packet();
    expect(readPacket(bytes, packet)).toBe(null);
    return packet;
  });
}

/** @param {Packet[]} packets */
const kinds = (packets) => [...new Set(packets.map(({ type }) => type))];

/** @param {Conference} conference @param {'mix' | 'forward' | 'auto'} mode */
const set = (conference, mode) =>
  conference.rooms.get('lab')?.rules.moderation.setMode(mode, OPERATOR);

describe('a packet', () => {
  it('waits for the tick when the room mixes, not when it forwards packets at once', async () => {
    const conference = new Conference({ forwardWay: 'packets' });
    const ann = await conference.join('Ann');
    await conference.join('Bob');
    for (const mode of /** @type {const} */ (['mix', 'forward', 'mix'])) {
      set(conference, mode);
      conference.pass(5);
      await ann.speak(Math.floor(conference.clock.now() / 20), 0.5, LOUD);
      expect(ann.session.audioWaits).toBe(mode === 'mix');
    }
  });
});

describe('a change of mode', () => {
  it('gives each frame once, by one way or the other', async () => {
    const conference = new Conference();
    const [ann, bob, eve] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Eve'),
    ];
    const modes = /** @type {const} */ (['forward', 'mix', 'forward', 'mix']);
    for (let k = 0; k < 100; k++) {
      if (k % 20 === 10) expect(set(conference, modes[Math.floor(k / 20) % 4])).toBe(null);
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    conference.pass(5);
    for (const listener of [ann, bob, eve]) {
      const frames = take(listener).map(({ frame }) => frame);
      expect(frames).toEqual(Array.from({ length: frames.length }, (_, i) => frames[0] + i));
      expect(frames.length).toBeGreaterThan(95);
    }
  });

  it('begins with packets that repeat earlier frames, for the decoders taking over', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 60; k++) {
      if (k === 20) set(conference, 'forward');
      if (k === 40) set(conference, 'mix');
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    const packets = take(bob);
    const firstBundle = packets.findIndex(({ type }) => type === PacketType.bundle);
    const firstMix = packets.findIndex(
      ({ type }, i) => i > firstBundle && type === PacketType.audio,
    );
    expect(packets.slice(firstBundle, firstBundle + 3).map(({ redundancy }) => redundancy)).toEqual(
      [2, 2, 0],
    );
    expect(packets.slice(firstMix, firstMix + 3).map(({ redundancy }) => redundancy)).toEqual([
      2, 2, 0,
    ]);
    const sound = await bob.heard();
    expect(sound.size).toBe(0);
  });

  it('is announced, unless it changes nothing', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    expect(ann.session.told('welcome')[0].rules.mode).toBe('mix');
    set(conference, 'forward');
    set(conference, 'forward');
    expect(ann.session.told('room').map(({ mode }) => mode)).toEqual(['forward']);
    ann.session.handler?.control({ type: 'moderate', action: 'mode', mode: 'auto' });
    expect(ann.session.told('room').map(({ mode }) => mode)).toEqual(['forward', 'auto']);
  });

  it('to forwarding is refused while there is one who can only be answered', async () => {
    const conference = new Conference();
    await conference.join('Web', { replyOnly: true });
    expect(set(conference, 'forward')).toBe('forward-reply');
    expect(set(conference, 'auto')).toBe(null);
  });

  it('to forwarding is refused while there is an audience, for which auto mixes', async () => {
    const conference = new Conference({ mode: 'auto' });
    const ann = await conference.join('Ann');
    const lea = await conference.join('Lea', { listen: true });
    expect(set(conference, 'forward')).toBe('forward-reply');
    conference.pass(100);
    for (const person of [ann, lea]) take(person);
    for (let k = 100; k < 110; k++) {
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    expect(kinds(take(lea))).toEqual([PacketType.audio]);
  });

  it('from forwarding reaches listeners, who had been sent bundles like everybody', async () => {
    const conference = new Conference({ mode: 'forward' });
    const ann = await conference.join('Ann');
    const lea = await conference.join('Lea', { listen: true });
    expect(lea.session.told('welcome')[0]).toMatchObject({
      role: 'listener',
      stride: 1,
      listeners: 0,
    });
    for (let k = 0; k < 40; k++) {
      if (k === 20) expect(set(conference, 'mix')).toBe(null);
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    expect(kinds(take(lea)).toSorted()).toEqual([PacketType.audio, PacketType.bundle]);
  });

  it('keeps what has come of people who leave, and closes everything at the end', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 30; k++) {
      if (k === 10) set(conference, 'forward');
      if (k === 11) ann.session.close(0, 'left');
      if (k < 11) await ann.speak(k, 0.5, LOUD);
      if (k === 20) set(conference, 'mix');
      if (k === 21) set(conference, 'forward');
      conference.pass(1);
    }
    bob.session.close(0, 'left');
    conference.pass(100);
    expect(conference.rooms.size).toBe(0);
    expect([conference.codec.open, conference.clock.waiting]).toEqual([0, 0]);
  });
});

/** @param {Packet} packet @param {Uint8Array} bytes */
function isSound({ type, payloadStart, payloadBytes }, bytes) {
  if (type !== PacketType.bundle) return payloadBytes[0] > 0;
  const list = new VoiceList();
  list.read(bytes, payloadStart[0], payloadBytes[0]);
  return list.count > 0 && list.lengths[0] > 0;
}

describe('the last words of somebody who has left', () => {
  /**
   * The frames with sound that are heard where the mode changes once or twice after somebody has
   * left.
   * @param {object} options
   * @param {...('mix' | 'forward')} modes
   */
  async function heardAfter(options, ...modes) {
    const conference = new Conference({ serverDelayMs: 400, ...options });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 80; k++) {
      if (k < 30) await ann.speak(k, 0.5, LOUD);
      if (k === 30) ann.session.close(0, 'left');
      if (k >= 31 && k - 31 < modes.length) set(conference, modes[k - 31]);
      conference.pass(1);
    }
    const frames = new Set();
    for (const bytes of bob.session.packets.splice(0)) {
      const packet = new Packet();
      if (readPacket(bytes, packet) === null && isSound(packet, bytes)) frames.add(packet.frame);
    }
    bob.session.close(0, 'left');
    conference.pass(100);
    expect([conference.codec.open, conference.clock.waiting]).toEqual([0, 0]);
    return frames;
  }

  it.each([
    ['to forwarding', {}, ['forward']],
    ['to forwarding at once', { forwardWay: 'packets' }, ['forward']],
    ['to a mix', { mode: 'forward' }, ['mix']],
    ['to another and back', {}, ['forward', 'mix']],
  ])('are heard to their end where the mode changes %s', async (_name, options, modes) => {
    const frames = await heardAfter(options, .../** @type {any} */ (modes));
    for (let k = 5; k < 29; k++) expect(frames, `frame ${k}`).toContain(k);
  });
});

describe('a room that forwards each packet as it comes', () => {
  it('sends it at once to everybody but its speaker, with the speaker’s number', async () => {
    const conference = new Conference({ mode: 'forward', forwardWay: 'packets' });
    const [ann, bob, eve] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Eve'),
    ];
    for (let k = 0; k < 5; k++) {
      await ann.speak(k, 0.5, LOUD);
      const [forBob, forEve, forAnn] = [take(bob), take(eve), take(ann)].map((packets) =>
        packets.filter(({ type }) => type === PacketType.voice),
      );
      expect([forBob.length, forEve.length, forAnn.length]).toEqual([1, 1, 0]);
      expect(forBob[0]).toMatchObject({ number: 1, frame: k, level: 20, voice: true, sequence: k });
      conference.pass(1);
    }
    expect(conference.codec.open).toBe(0);
  });

  it('sends no more voices than there are places, and none muted by a moderator', async () => {
    const conference = new Conference({ mode: 'forward', forwardWay: 'packets', maxSpeakers: 2 });
    const people = [];
    for (const name of ['A', 'B', 'C', 'D']) people.push(await conference.join(name));
    conference.rooms.get('lab')?.rules.moderation.mute('1', true, OPERATOR);
    const numbers = new Set();
    for (let k = 0; k < 20; k++) {
      for (const person of people) await person.speak(k, 0.3, LOUD);
      conference.pass(1);
      for (const { type, number, payloadBytes } of take(people[3]))
        if (type === PacketType.voice && payloadBytes[0] > 0) numbers.add(number);
    }
    expect([...numbers]).toEqual([2, 3]);
  });

  it('catches up, after a change, on what has come and wasn’t heard', async () => {
    const conference = new Conference({ forwardWay: 'packets' });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 40; k++) {
      if (k === 20) set(conference, 'forward');
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    const packets = take(bob);
    const mixed = packets.filter(({ type }) => type === PacketType.audio).map(({ frame }) => frame);
    const voiced = packets.filter(({ type }) => type === PacketType.voice);
    expect(voiced[0].frame).toBe(mixed[mixed.length - 1] + 1);
    expect(voiced.map(({ frame }) => frame)).toEqual(
      Array.from({ length: voiced.length }, (_, i) => voiced[0].frame + i),
    );
    for (let i = 1; i < voiced.length; i++)
      expect((voiced[i].sequence - voiced[i - 1].sequence) & 0xffff).toBe(1);
  });
});

describe('auto', () => {
  /** @param {Conference} conference @param {Person[]} people @param {number} frames */
  async function talk(conference, people, frames) {
    for (let i = 0; i < frames; i++) {
      for (const person of people)
        await person.speak(Math.floor(conference.clock.now() / 20), 0.1, LOUD);
      conference.pass(1);
    }
  }

  it('forwards in small rooms, and mixes in larger ones', async () => {
    const conference = new Conference({ mode: 'auto', maxParticipants: 30, idleTimeoutMs: 60_000 });
    const ann = await conference.join('Ann');
    await talk(conference, [ann], 20);
    expect(kinds(take(ann))).toEqual([PacketType.bundle]);
    const others = [];
    for (let i = 0; i < AUTO_PEOPLE; i++) others.push(await conference.join(`P${i}`));
    await talk(conference, [ann], 10);
    take(others[0]);
    await talk(conference, [ann], 10);
    expect(kinds(take(others[0]))).toEqual([PacketType.audio]);
    others[1].session.close(0, 'left');
    await talk(conference, [ann], 50);
    take(others[0]);
    await talk(conference, [ann], 10);
    // Not at once: people come and go.
    expect(kinds(take(others[0]))).toEqual([PacketType.audio]);
    await talk(conference, [ann], AUTO_HOLD_MS / 20 + 60);
    take(others[0]);
    await talk(conference, [ann], 10);
    expect(kinds(take(others[0]))).toEqual([PacketType.bundle]);
  });

  it.for([
    ['a weak computer', { lostPercent: 0, isWeak: true }],
    ['a narrow way', { lostPercent: 20 }],
  ])('mixes for one with %s', async ([, report]) => {
    const conference = new Conference({ mode: 'auto' });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    await talk(conference, [ann], 20);
    bob.session.handler?.control({ type: 'report', .../** @type {object} */ (report) });
    await talk(conference, [ann], 60);
    take(bob);
    await talk(conference, [ann], 10);
    expect(kinds(take(bob))).toEqual([PacketType.audio]);
  });

  it('mixes while somebody can only be answered', async () => {
    const conference = new Conference({ mode: 'auto' });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const web = await conference.join('Web', { replyOnly: true });
    await talk(conference, [ann, web], 20);
    take(bob);
    await talk(conference, [ann, web], 10);
    expect(kinds(take(bob))).toEqual([PacketType.audio]);
    expect(take(web).length).toBeGreaterThan(0);
  });
});

describe('a room that is encrypted end to end', () => {
  it('starts on request, forwards, admits only those claiming the key, never records', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { e2e: true });
    expect(ann.session.told('welcome')[0]).toMatchObject({
      e2e: true,
      canRecord: false,
      rules: { mode: 'forward' },
    });
    expect((await conference.join('Eve')).session.closed?.code).toBe(103);
    expect(
      (await conference.join('Web', { e2e: true, replyOnly: true })).session.closed?.code,
    ).toBe(100);
    const bob = await conference.join('Bob', { e2e: true });
    expect(bob.session.closed).toBe(null);
    for (const mode of /** @type {const} */ (['mix', 'auto']))
      expect(set(conference, mode)).toBe('e2e-room');
    ann.session.handler?.control({ type: 'record', on: true });
    expect(ann.session.told('refused').map(({ code }) => code)).toEqual(['e2e-room']);
  });

  it('is no other room: one with a key isn’t let into it', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    expect((await conference.join('Bob', { e2e: true })).session.closed?.code).toBe(104);
  });
});

describe('voices apart', () => {
  /**
   * @param {Conference} conference
   * @param {Person[]} speakers
   * @param {number} from
   * @param {number} to
   */
  async function speak(conference, speakers, from, to) {
    for (let k = from; k < to; k++) {
      for (const one of speakers) await one.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
  }

  /** Speakers of the bundles among packets. @param {Person} person */
  function speakersIn(person) {
    const list = new VoiceList();
    const numbers = new Set();
    for (const bytes of person.session.packets) {
      const packet = new Packet();
      readPacket(bytes, packet);
      if (packet.type !== PacketType.bundle) continue;
      list.read(bytes, packet.payloadStart[0], packet.payloadBytes[0]);
      for (let i = 0; i < list.count; i++) numbers.add(String(list.numbers[i]));
    }
    return [...numbers].toSorted();
  }

  it('come as bundles to the one who wants them, while others get the mix', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    await speak(conference, [ann, bob], 0, 10);
    const scribe = await conference.join('Scribe', { voices: true });
    await speak(conference, [ann, bob], 10, 40);
    expect(speakersIn(scribe)).toEqual([ann.id, bob.id]);
    const packets = take(scribe);
    expect(kinds(packets)).toEqual([PacketType.bundle]);
    const frames = packets.map(({ frame }) => frame);
    expect(frames).toEqual(Array.from({ length: frames.length }, (_, i) => frames[0] + i));
    expect(frames.length).toBeGreaterThan(25);
    expect(kinds(take(ann))).toEqual([PacketType.audio]);
  });

  it('go on when the mode changes to forwarding and back', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const scribe = await conference.join('Scribe', { voices: true });
    await speak(conference, [ann], 0, 20);
    for (const [i, mode] of /** @type {const} */ (['forward', 'mix', 'forward', 'mix']).entries()) {
      set(conference, mode);
      await speak(conference, [ann], 20 + 20 * i, 40 + 20 * i);
    }
    conference.pass(5);
    const packets = take(scribe);
    expect(kinds(packets)).toEqual([PacketType.bundle]);
    const frames = packets.map(({ frame }) => frame);
    expect(frames).toEqual(Array.from({ length: frames.length }, (_, i) => frames[0] + i));
    expect(frames.length).toBeGreaterThan(95);
  });

  it('are made once for all who want them, in a room that forwards to everybody, too', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    for (const name of ['Scribe', 'Other']) await conference.join(name, { voices: true });
    await speak(conference, [ann], 0, 20);
    set(conference, 'forward');
    await speak(conference, [ann], 20, 40);
    const begun = vi.spyOn(BundleStream.prototype, 'begin');
    onTestFinished(() => begun.mockRestore());
    await speak(conference, [ann], 40, 60);
    const frames = begun.mock.calls.map(([frame]) => frame);
    expect(frames.length).toBeGreaterThan(15);
    expect(frames).toEqual([...new Set(frames)]);
  });

  it('leave nothing behind when the one who wanted them goes', async () => {
    const conference = new Conference();
    const { open } = conference.codec;
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    const scribe = await conference.join('Scribe', { voices: true });
    await speak(conference, [ann, bob], 0, 20);
    // Bob's last words are still to be sent when the program leaves.
    bob.session.handler?.closed(0, 'left');
    scribe.session.handler?.closed(0, 'left');
    await speak(conference, [ann], 20, 200);
    expect(speakersIn(scribe)).toEqual([ann.id, bob.id]);
    ann.session.handler?.closed(0, 'left');
    conference.pass(200);
    conference.rooms.close();
    expect(conference.codec.open).toBe(open);
  });

  it('are not for the audience, nor over HTTP/1, which get the mix', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const eve = await conference.join('Eve', { voices: true, listen: true });
    const old = await conference.join('Old', { voices: true, replyOnly: true });
    await speak(conference, [ann, old], 0, 20);
    for (const one of [eve, old]) expect(kinds(take(one))).toEqual([PacketType.audio]);
  });

  it('are without people who go to a group, until they are back', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    const scribe = await conference.join('Scribe', { voices: true });
    const groups = conference.rooms.get('lab')?.rules.groups;
    await speak(conference, [ann, bob], 0, 20);
    groups?.open(1, { evenly: false, choose: true });
    bob.session.handler?.control({ type: 'group', group: 1 });
    take(scribe);
    await speak(conference, [ann, bob], 20, 40);
    expect(speakersIn(scribe)).toEqual([ann.id]);
    scribe.session.handler?.control({ type: 'group', group: 1 });
    take(scribe);
    await speak(conference, [ann, bob], 40, 70);
    expect(speakersIn(scribe)).toEqual([bob.id]);
  });
});
