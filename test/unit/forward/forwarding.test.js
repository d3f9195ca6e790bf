import { describe, expect, it } from 'vitest';
import { VoiceList } from '../../../public/shared/wire/bundle.js';
import {
  MAX_SENT_BYTES,
  Packet,
  PacketType,
  readPacket,
} from '../../../public/shared/wire/packet.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/**
 * The bundles that somebody got, by frame: the voices of each, as numbers and the lengths of their
 * payloads.
 * @param {Person} person
 */
function bundlesOf(person) {
  const bundles = new Map();
  for (const bytes of person.session.packets) {
    const packet = new Packet();
    expect(readPacket(bytes, packet)).toBe(null);
    if (packet.type !== PacketType.bundle) continue;
    const frames = [];
    for (let r = 0; r <= packet.redundancy; r++) {
      const list = new VoiceList();
      list.read(bytes, packet.payloadStart[r], packet.payloadBytes[r]);
      frames.push(Array.from({ length: list.count }, (_, i) => [list.numbers[i], list.lengths[i]]));
    }
    bundles.set(packet.frame, {
      voices: frames[0],
      repeated: frames.slice(1),
      sequence: packet.sequence,
      bytes,
    });
  }
  return bundles;
}

/** @param {Person} person */
const voicesOf = (person) =>
  new Map(
    [...bundlesOf(person)].map(([frame, { voices }]) => [
      frame,
      voices.map((/** @type {number[]} */ [number]) => number),
    ]),
  );

/** Voices that were forwarded packet by packet. @param {Person} person */
function directOf(person) {
  /** @type {Map<number, number[]>} */
  const voices = new Map();
  for (const bytes of person.session.packets) {
    const packet = new Packet();
    if (readPacket(bytes, packet) !== null || packet.type !== PacketType.voice) continue;
    if (packet.payloadBytes[0] > 0) voices.set(packet.frame, [packet.number]);
  }
  return voices;
}

const LOUD = { level: 20, voice: true };
/** The bytes of a payload of the fakes' codec. */
const BYTES = 241;

describe('a room that forwards', () => {
  it('sends each frame once, in one bundle identical for all, and decodes nothing', async () => {
    const conference = new Conference({ mode: 'forward' });
    const [ann, bob, eve] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Eve'),
    ];
    for (let k = 0; k < 10; k++) {
      await ann.speak(k, 0.5, LOUD);
      if (k >= 5) await bob.speak(k, 0.25, { level: 10, voice: true });
      conference.pass(1);
    }
    conference.pass(5);
    const heard = voicesOf(eve);
    expect(heard.get(2)).toEqual([1]);
    // The loudest comes first.
    expect(heard.get(7)).toEqual([2, 1]);
    expect(bundlesOf(ann).get(7)?.bytes).toEqual(bundlesOf(eve).get(7)?.bytes);
    expect(conference.codec.open).toBe(0);
  });

  it('marks missing sound of a speaker who goes on, and omits one who has stopped', async () => {
    const conference = new Conference({ mode: 'forward' });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 12; k++) {
      if (k === 5) await ann.lose(k, 0.5);
      else await ann.speak(k, k < 8 ? 0.5 : null, LOUD);
      conference.pass(1);
    }
    conference.pass(5);
    const heard = bundlesOf(bob);
    expect(heard.get(4)?.voices).toEqual([[1, BYTES]]);
    expect(heard.get(5)?.voices).toEqual([[1, 0]]);
    expect(heard.get(6)?.voices).toEqual([[1, BYTES]]);
    expect(heard.get(8)?.voices).toEqual([]);
  });

  it('stops telling of one who is gone without a word', async () => {
    const conference = new Conference({ mode: 'forward' });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 4; k++) {
      await ann.speak(k, 0.5, LOUD);
      conference.pass(1);
    }
    conference.pass(20);
    const heard = bundlesOf(bob);
    expect(heard.get(7)?.voices).toEqual([[1, 0]]);
    expect(heard.get(8)?.voices).toEqual([]);
  });

  it('leaves out the softest payloads when full, and repeats what there is room for', async () => {
    const conference = new Conference({ mode: 'forward', redundancy: 2 });
    const people = [];
    for (let i = 0; i < 6; i++) people.push(await conference.join(`P${i}`));
    for (let k = 0; k < 8; k++) {
      const speaking = k < 4 ? people.slice(0, 1) : people;
      await Promise.all(
        speaking.map((person, i) => person.speak(k, 0.1, { level: 20 + i, voice: true })),
      );
      conference.pass(1);
    }
    conference.pass(5);
    const heard = bundlesOf(people[5]);
    expect(heard.get(2)?.repeated).toEqual([[[1, BYTES]], [[1, BYTES]]]);
    expect(heard.get(6)?.voices).toEqual([
      [1, BYTES],
      [2, BYTES],
      [3, BYTES],
      [4, BYTES],
      [5, 0],
      [6, 0],
    ]);
    for (const { bytes } of heard.values())
      expect(bytes.length).toBeLessThanOrEqual(MAX_SENT_BYTES);
  });

  it('lets nobody crowd others out by payloads that are larger than their share', async () => {
    const conference = new Conference({ mode: 'forward' });
    const [ann, bob, eve] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Eve'),
    ];
    for (let k = 0; k < 6; k++) {
      await ann.speak(k, 0.1, { level: 40, voice: true });
      await bob.speak(k, 0.1, { level: 50, voice: true });
      const bytes = await eve.packet(k, 0.1, { level: 0, voice: true });
      const large = new Uint8Array(1190);
      large.set(bytes);
      eve.session.handler?.packet(large, conference.clock.now());
      conference.pass(1);
    }
    conference.pass(5);
    expect(bundlesOf(ann).get(4)?.voices).toEqual([
      [3, 0],
      [1, BYTES],
      [2, BYTES],
    ]);
  });

  it('sends two packets of silence and then one now and then', async () => {
    const conference = new Conference({ mode: 'forward', silenceSuppression: true });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let k = 0; k < 44; k++) {
      if (k < 6) await ann.speak(k, k < 4 ? 0.5 : null, LOUD);
      conference.pass(1);
    }
    const sent = [...bundlesOf(bob).keys()].filter((frame) => frame >= 4);
    expect(sent.slice(0, 4)).toEqual([4, 5, 15, 25]);
    // Numbered without a gap, so that nothing is taken for lost.
    const numbers = [...bundlesOf(bob).values()].map(({ sequence }) => sequence);
    expect(numbers.at(-1) - numbers[0]).toBe(numbers.length - 1);
  });

  it.each(/** @type {const} */ (['bundle', 'packets']))(
    'sends nothing in the room of what was said in a group, as %s',
    async (forwardWay) => {
      const options = /** @type {const} */ ({ mode: 'forward', serverDelayMs: 1000, forwardWay });
      const conference = new Conference({ ...options, idleTimeoutMs: 1_000_000 });
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      const groups = conference.rooms.get('lab')?.rules.groups;
      groups?.open(2, { evenly: false, choose: true });
      bob.session.handler?.control({ type: 'group', group: 1 });
      /** @type {Person | null} */
      let eve = null;
      for (let k = 0; k < 200; k++) {
        if (k === 100) groups?.callBack(0);
        if (k === 110) eve = await conference.join('Eve');
        await bob.speak(k, 0.5, LOUD);
        conference.pass(1);
      }
      conference.pass(60);
      for (const person of [ann, /** @type {any} */ (eve)]) {
        const heard = forwardWay === 'bundle' ? voicesOf(person) : directOf(person);
        const frames = [...heard].flatMap(([frame, voices]) => (voices.length > 0 ? frame : []));
        expect(frames[0]).toBeGreaterThanOrEqual(100);
        expect(frames.at(-1)).toBeGreaterThanOrEqual(199);
      }
    },
  );

  it('lets nobody in who can only be answered', async () => {
    const conference = new Conference({ mode: 'forward' });
    const web = await conference.join('Web', { replyOnly: true });
    expect(web.session.closed?.code).toBe(100);
    const asks = await conference.join('Asks', { delivery: 'reply' });
    expect(asks.session.closed?.code).toBe(100);
  });

  it('frees everything when it ends', async () => {
    const conference = new Conference({ mode: 'forward' });
    const ann = await conference.join('Ann');
    await ann.speak(0, 0.5, LOUD);
    conference.pass(2);
    conference.rooms.close();
    expect(conference.codec.open).toBe(0);
    expect(conference.clock.waiting).toBe(0);
  });
});
