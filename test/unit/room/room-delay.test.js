import { beforeAll, describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';
import { random } from '../../fakes/random.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */
/** How late a person's packet for a frame comes, in milliseconds. @typedef {(frame: number) => number} LatenessMs */

/** One frame in sixty comes 390 ms late. @type {LatenessMs} */
const NOW_AND_THEN = (frame) => (frame % 60 === 0 ? 390 : 0);

/**
 * A room in which everybody says each frame its number, and one of them, Eve, late.
 * @param {object} options
 * @param {LatenessMs} [options.eveMs]
 * @param {LatenessMs} [options.othersMs]
 * @param {number} [options.others]
 * @param {Partial<import('../../../server/room/room-config.js').RoomConfig>} [options.config]
 */
async function roomWithEve({ eveMs, othersMs = () => 0, others = 2, config = {} }) {
  const conference = new Conference({ serverDelayMs: 'auto', maxServerDelayMs: 400, maxParticipants: 20, ...config });
  const people = /** @type {Person[]} */ ([]);
  for (let i = 0; i < others; i++) people.push(await conference.join(`P${i}`));
  const eve = await conference.join('Eve');
  const room = () => conference.rooms.get('lab')?.describe();
  /** @param {number} frames @param {() => void} [each]  called after each frame */
  const pass = async (frames, each = () => {}) => {
    for (let i = 0; i < frames; i++) {
      const frame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
      conference.pass(1);
      for (const person of eveMs ? [...people, eve] : people) {
        const isEve = person === eve;
        const bytes = await person.packet(frame, 0.1);
        const send = () => person.session.handler?.packet(bytes, conference.clock.now());
        const ms = isEve ? (eveMs?.(frame) ?? 0) : othersMs(frame);
        if (ms > 0) conference.clock.setTimeout(send, ms);
        else send();
      }
      each();
    }
  };
  return { conference, people, eve, pass, room, delayMs: () => room()?.serverDelayMs ?? NaN };
}

describe('who is waited for, where all are on one clock', () => {
  const config = { stragglerMs: 0 };

  it('is told to everybody, to newcomers, and over HTTP, and told no more once they are muted', async () => {
    const { conference, people: [ann], eve, pass, room, delayMs } = await roomWithEve({ eveMs: NOW_AND_THEN, config });
    await pass(600);
    const [told] = ann.session.told('waited');
    expect(told.people).toEqual([{ id: eve.id, delayMs: expect.any(Number), offsetMs: 0 }]);
    expect(told.people[0].delayMs).toBeGreaterThan(380);
    expect(ann.session.told('waited').length).toBe(1);
    expect(delayMs()).toBeGreaterThan(300);
    expect(room()?.delay.waited).toEqual(told.people);
    const late = await conference.join('Cid');
    expect(late.session.told('welcome')[0].waited).toEqual(told.people);
    late.session.close(0, 'left');
    eve.session.handler?.control({ type: 'mute', muted: true });
    await pass(150);
    expect(ann.session.told('waited').at(-1).people).toEqual([]);
  });

  it('is nobody where the delay is a fixed one', async () => {
    const { people: [ann], pass } = await roomWithEve({ eveMs: NOW_AND_THEN, config: { ...config, serverDelayMs: 60 } });
    await pass(400);
    expect(ann.session.told('waited')).toEqual([]);
  });
});

describe('a straggler', () => {
  it('is heard later alone, is told of, and is received', async () => {
    const { people: [ann], eve, pass, room, delayMs } = await roomWithEve({ eveMs: NOW_AND_THEN });
    await pass(400);
    expect(delayMs()).toBeLessThan(6);
    const told = ann.session.told('waited').at(-1).people;
    expect(told).toEqual([{ id: eve.id, delayMs: 390, offsetMs: 400 }]);
    expect(room()?.delay.waited).toEqual(told);
    const before = eve.stats();
    await pass(600);
    const after = eve.stats();
    expect(/** @type {any} */ (after).late - /** @type {any} */ (before).late).toBe(0);
    expect(delayMs()).toBeLessThan(6);
  });

  it('is heard with the others again once it is in time, also where it never pauses', async () => {
    let isLate = true;
    const { eve, pass, room } = await roomWithEve({ eveMs: (frame) => (isLate ? NOW_AND_THEN(frame) : 0) });
    const offsetMs = () => room()?.people.find(({ id }) => id === eve.id)?.stats.offsetMs;
    await pass(400);
    isLate = false;
    await pass(100);
    expect(offsetMs()).toBe(400);
    await pass(300);
    expect(offsetMs()).toBe(60);
    await pass(800);
    expect(offsetMs()).toBe(0);
  });

  it('is heard where all of its packets are late, from the first second on', async () => {
    const { people: [ann], eve, pass, delayMs } = await roomWithEve({ eveMs: () => 250 });
    // By its round trip its clock must be wrong, or it holds its packets back.
    Object.assign(eve.session, { stats: () => ({ rttMs: 10, lostPackets: 0, droppedOut: 0, droppedIn: 0 }) });
    await pass(100);
    ann.session.packets.length = 0;
    const { late } = /** @type {any} */ (eve.stats());
    await pass(200);
    expect(/** @type {any} */ (eve.stats()).late).toBe(late);
    expect(eve.stats()).toMatchObject({ offsetMs: 260, delayWaits: false });
    expect(ann.session.told('waited').at(-1).people).toEqual([{ id: eve.id, delayMs: 250, offsetMs: 260 }]);
    expect(delayMs()).toBeLessThan(6);
    const heard = [...(await ann.heard()).values()];
    // Both others say 0.1, and are heard at once.
    expect(heard.filter((pcm) => pcm && Math.abs(pcm[0] - 0.2) < 1e-3).length).toBeGreaterThan(0.98 * heard.length);
  });

  it.each([[9, 0], [11, 20]])('of two people is one who needs half a frame more: %i ms have an offset of %i ms', async (ms, offsetMs) => {
    const { eve, pass, delayMs } = await roomWithEve({ eveMs: () => ms, others: 1 });
    await pass(300);
    expect(eve.stats()?.offsetMs).toBe(offsetMs);
    expect(delayMs()).toBeCloseTo(offsetMs > 0 ? 1 : ms, 0);
  });

  it('is heard in answers too, each of which is made of all that was said', async () => {
    const { people: [ann], eve, pass, delayMs } = await roomWithEve({ eveMs: NOW_AND_THEN, config: { delivery: 'reply' } });
    await pass(400);
    expect(delayMs()).toBeLessThan(6);
    const before = ann.stats();
    await pass(300);
    const { sentSamples, heardSamples } = /** @type {any} */ (ann.stats());
    const { sentSamples: sent, heardSamples: heard } = /** @type {any} */ (before);
    expect((heardSamples - heard) / (sentSamples - sent)).toBeGreaterThan(0.99);
    expect(eve.stats()?.offsetMs).toBe(400);
  });

  it('is nobody where the delay is a fixed one, nor one who is alone', async () => {
    const fixed = await roomWithEve({ eveMs: NOW_AND_THEN, config: { serverDelayMs: 60 } });
    await fixed.pass(300);
    expect(fixed.room()?.people.every(({ stats }) => stats.offsetMs === 0)).toBe(true);
    const alone = await roomWithEve({ eveMs: NOW_AND_THEN, others: 0 });
    await alone.pass(450);
    expect(alone.delayMs()).toBeGreaterThan(300);
  });
});

describe('whatever one person\'s lateness is', () => {
  /** @type {Record<string, LatenessMs>} */
  const patterns = {
    'now and then': NOW_AND_THEN,
    'always the same': () => 250,
    'growing and shrinking': (frame) => Math.abs((frame % 800) - 400),
    'just above the others\'': () => 12,
    'in bursts': (frame) => (frame % 100 < 30 ? (30 - (frame % 100)) * 20 : 0),
    'at random': ((next) => () => Math.floor(400 * next() ** 3))(random(7)),
    'as much as the limit, then more': (frame) => (frame < 200 ? 9 : frame < 400 ? 60 : 14),
  };
  const FRAMES = 600;
  const othersMs = (/** @type {number} */ frame) => 3 + (frame % 5);
  /** The nine's own delay, frame by frame. @type {number[]} */
  const delays = [];

  beforeAll(async () => {
    const nine = await roomWithEve({ othersMs, others: 9 });
    await nine.pass(FRAMES, () => delays.push(nine.delayMs()));
  });

  it.each(Object.entries(patterns))('%s: nine others\' delay stays within 5 ms of theirs', async (_what, eveMs) => {
    const ten = await roomWithEve({ eveMs, othersMs, others: 9 });
    const moreMs = /** @type {number[]} */ ([]);
    await ten.pass(FRAMES, () => moreMs.push(ten.delayMs() - delays[moreMs.length]));
    expect(Math.max(...moreMs)).toBeLessThanOrEqual(5);
  });
});
