import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../../server/state/grant.js';
import { Packet, readPacket, writeClockRequest } from '../../../public/shared/wire/packet.js';
import { Conference, Person, settle } from '../../fakes/conference.js';
import { FakeSession } from '../../fakes/fake-session.js';

const create = (/** @type {object} */ options = {}) =>
  new Conference({
    maxParticipants: 2000,
    maxPeople: 2000,
    idleTimeoutMs: 60_000,
    silenceSuppression: true,
    ...options,
  });

/** @param {Conference} conference @param {string} [name] */
const listen = (conference, name = 'Lea') =>
  conference.join(name, /** @type {any} */ ({ listen: true }));

/**
 * Joins from this machine: of one network no crowd comes in.
 * @param {Conference} conference
 * @param {string} name
 * @param {object} [wishes]
 */
async function enter(conference, name, wishes = {}) {
  const session = new FakeSession(conference.transport);
  session.peer = '127.0.0.1:9';
  conference.arrivals.accept(session);
  session.handler?.control({ type: 'join', version: 1, room: 'lab', name, ...wishes });
  await settle();
  return new Person(conference, session);
}

const send = (/** @type {Person} */ person, /** @type {object} */ message) =>
  person.session.handler?.control(message);
const last = (/** @type {Person} */ person, /** @type {string} */ type) =>
  person.session.told(type).at(-1);
const roomOf = (/** @type {Conference} */ conference) =>
  /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (conference.rooms.get('lab'));

/**
 * The frames whose sound a session's packets hold, and how many packets there were.
 * @param {Person} person
 */
function framesOf(person) {
  /** @type {number[]} */
  const frames = [];
  const packet = new Packet();
  let packets = 0;
  for (const bytes of person.session.packets) {
    if (readPacket(bytes, packet) !== null || packet.type !== 1) continue;
    packets += 1;
    for (let r = packet.redundancy; r >= 0; r--)
      if (packet.payloadBytes[r] > 0) frames.push(packet.frame - r);
  }
  return { frames, packets };
}

describe('a listener', () => {
  it('is sent all encoded frames if the server then skips some, in a broadcast too', async () => {
    for (const broadcast of [false, true]) {
      for (let count = 30; count < 33; count++) {
        const conference = create({ broadcast });
        const ann = await conference.join('Ann');
        const [lea, near] = [await listen(conference), await listen(conference)];
        send(near, { type: 'nearness', nearness: 'near' });
        await conference.talk(ann, 0, count);
        conference.clock.stall(400);
        await conference.talk(ann, count + 20, count + 40);
        expect(roomOf(conference).describe().skippedFrames).toBeGreaterThan(5);
        // With a delay of 60 ms it is this one.
        const lastBefore = count - 4;
        for (const listener of [lea, near]) {
          const { frames } = framesOf(listener);
          expect(frames).toEqual(
            expect.arrayContaining(Array.from({ length: lastBefore + 1 }, (_, frame) => frame)),
          );
          expect(frames).not.toContain(lastBefore + 1);
        }
        expect(framesOf(lea).frames.filter((frame) => frame > 5)).toEqual(
          [...new Set(framesOf(lea).frames)].filter((frame) => frame > 5),
        );
      }
    }
  });

  it("is in nobody's list but their own, and counted, at most every two seconds", async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    expect(last(lea, 'welcome')).toMatchObject({
      role: 'listener',
      may: ['listen', 'chat'],
      listeners: 1,
      stride: 3,
    });
    expect(last(lea, 'welcome').people.map((/** @type {any} */ { name }) => name)).toEqual([
      'Ann',
      'Lea',
    ]);
    conference.pass(150);
    await listen(conference, 'Max');
    await listen(conference, 'Mia');
    conference.pass(200);
    expect(ann.session.told('joined')).toEqual([]);
    expect(ann.session.told('listeners').map(({ count }) => count)).toEqual([1, 3]);
    expect(lea.session.told('listeners').at(-1)).toEqual({ type: 'listeners', count: 3 });
    expect(lea.session.told('stats')).toEqual([]);
    const bob = await conference.join('Bob');
    expect(last(bob, 'welcome').people.map((/** @type {any} */ { name }) => name)).toEqual([
      'Ann',
      'Bob',
    ]);
    expect(roomOf(conference).describe()).toMatchObject({
      present: 5,
      listeners: 3,
      people: [{ name: 'Ann' }, { name: 'Bob' }],
    });
    lea.session.close(0, 'left');
    conference.pass(150);
    expect([ann.session.told('left'), last(ann, 'listeners').count]).toEqual([[], 2]);
  });

  it("holds up nobody else's being told of, by being counted", async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    await listen(conference);
    // Includes the second in which the count is sent.
    for (let i = 1; i < 10; i++) {
      conference.pass(20);
      await conference.join('Bob');
      expect(ann.session.told('joined').length).toBe(i);
    }
    expect(last(ann, 'listeners').count).toBe(1);
  });

  it('costs the codec nothing', async () => {
    const conference = create();
    await conference.join('Ann');
    const before = conference.codec.open;
    await listen(conference);
    expect(conference.codec.open).toBe(before);
  });

  for (const stride of [1, 2, 3]) {
    it(`gets all frames of a word once at stride ${stride}, and few silent packets`, async () => {
      const conference = create({ listenerStride: stride });
      const ann = await conference.join('Ann');
      const lea = await listen(conference);
      for (const [from, to] of [
        [0, 31],
        [60, 92],
        [120, 150],
      ]) {
        await conference.talk(ann, from, to);
        for (let frame = to; frame < to + 2; frame++) await ann.speak(frame, null);
        conference.pass((from === 0 ? 60 : from === 60 ? 120 : 180) - to);
      }
      conference.pass(100);
      const { frames, packets } = framesOf(lea);
      const all = [
        ...Array(31).keys(),
        ...Array.from({ length: 32 }, (_, i) => 60 + i),
        ...Array.from({ length: 30 }, (_, i) => 120 + i),
      ];
      expect([...new Set(frames)]).toEqual(all);
      expect(packets).toBeLessThan(93 / stride + 45);
      const packet = new Packet();
      readPacket(
        /** @type {Uint8Array} */ (
          lea.session.packets.find(
            (bytes) => readPacket(bytes, packet) === null && packet.payloadBytes[0] > 0,
          )
        ),
        packet,
      );
      expect([packet.speakers, packet.speakerIds[0]]).toEqual([1, Number(ann.id)]);
    });
  }

  it('is answered a clock request, and what else comes is counted', async () => {
    const conference = create();
    const lea = await listen(conference);
    const request = new Uint8Array(4);
    writeClockRequest(request, 7);
    lea.session.handler?.packet(request, conference.clock.now());
    expect(lea.session.packets.map((bytes) => bytes[0])).toEqual([0x13]);
    await lea.speak(1, 0.5);
    send(lea, { type: 'volume', person: '1', gain: 0 });
    send(lea, { type: 'nonsense' });
    expect(conference.rooms.figures()).toMatchObject({
      people: 1,
      listeners: 1,
      traffic: { dropped: { type: 1, control: 2 } },
    });
  });

  it('is lost when nothing is heard of them, and may come back to their place', async () => {
    const conference = create({ idleTimeoutMs: 5000 });
    const lea = await listen(conference);
    const { resume } = last(lea, 'welcome');
    conference.pass(400);
    expect(lea.session.closed).not.toBe(null);
    expect(roomOf(conference).people).toMatchObject({ here: 0, away: 1 });
    const again = await conference.join('Lea', { resume });
    expect(last(again, 'welcome')).toMatchObject({
      you: lea.id,
      role: 'listener',
      stride: 3,
      listeners: 1,
    });
    expect(conference.rooms.people).toBe(1);
  });

  it('who loses packets receives each frame, with repeats, and a notice', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    send(lea, { type: 'report', lostPercent: 0 });
    expect(lea.session.told('stride')).toEqual([]);
    send(lea, { type: 'report', lostPercent: 5 });
    expect(lea.session.told('stride')).toEqual([{ type: 'stride', stride: 1 }]);
    await conference.talk(ann, 0, 20);
    conference.pass(20);
    const { frames } = framesOf(lea);
    expect(frames.filter((frame) => frame === 10)).toHaveLength(3);
  });

  it("over HTTP/1, which can't be pushed to, is heard of as before", async () => {
    const conference = create();
    const lea = await conference.join(
      'Lea',
      /** @type {any} */ ({ listen: true, replyOnly: true }),
    );
    expect(last(lea, 'welcome')).toMatchObject({
      role: 'listener',
      delivery: 'reply',
      stride: 1,
      listeners: 0,
    });
  });

  it('hears what those say who are answered', async () => {
    const conference = create();
    const ann = await conference.join('Ann', { delivery: 'reply' });
    const lea = await listen(conference);
    await conference.talk(ann, 0, 12);
    conference.pass(20);
    expect(framesOf(lea).frames.slice(0, 12)).toEqual([...Array(12).keys()]);
  });
});

describe('a moderator and the audience', () => {
  it('sees raised hands, the first first, and nobody else does', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    const [lea, max] = [await listen(conference), await listen(conference, 'Max')];
    send(max, { type: 'hand', raised: true });
    send(lea, { type: 'hand', raised: true });
    expect(last(lea, 'changed').person).toMatchObject({ id: lea.id, hand: 2 });
    conference.pass(30);
    expect(ann.session.told('hands')).toEqual([
      {
        type: 'hands',
        count: 2,
        people: [
          { id: max.id, label: 'Max', hand: 1 },
          { id: lea.id, label: 'Lea', hand: 2 },
        ],
      },
    ]);
    expect([bob.session.told('hands'), bob.session.told('changed')]).toEqual([[], []]);
    send(ann, { type: 'moderate', action: 'lower-hand', person: max.id });
    lea.session.close(0, 'left');
    conference.pass(30);
    expect(last(ann, 'hands')).toEqual({ type: 'hands', count: 0, people: [] });
  });

  it('lets one speak, who misses no frame, and makes a listener of them again', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    const lea = await listen(conference);
    await conference.talk(ann, 0, 22);
    send(ann, { type: 'moderate', action: 'role', person: lea.id, role: 'speaker' });
    expect(last(lea, 'moderated')).toMatchObject({
      action: 'role',
      role: 'speaker',
      stride: 1,
      muted: true,
    });
    expect(last(bob, 'joined').person).toMatchObject({ id: lea.id, role: 'speaker' });
    await conference.talk(ann, 22, 40);
    send(lea, { type: 'mute', muted: false });
    await lea.speak(40, 0.5, { level: 5, voice: true });
    await conference.talk(ann, 40, 60);
    expect((await bob.heard()).get(40)?.[100]).toBeCloseTo(0.75, 2);
    send(ann, { type: 'moderate', action: 'role', person: lea.id, role: 'listener' });
    expect(last(bob, 'left')).toEqual({ type: 'left', id: lea.id });
    expect(last(lea, 'moderated')).toMatchObject({ role: 'listener', stride: 3 });
    await conference.talk(ann, 60, 90);
    await ann.speak(90, null);
    conference.pass(20);
    const { frames } = framesOf(lea);
    expect([...new Set(frames)].sort((a, b) => a - b)).toEqual([...Array(90).keys()]);
    expect(roomOf(conference).describe()).toMatchObject({ present: 3, listeners: 1 });
  });

  it('finds listeners by their name, page by page, and removes one', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    for (let i = 0; i < 120; i++)
      await enter(conference, i % 2 ? `Max ${i}` : `Lea ${i}`, { listen: true });
    send(ann, { type: 'moderate', action: 'listeners' });
    expect(last(ann, 'audience')).toMatchObject({ count: 120, find: '', next: '51' });
    send(ann, { type: 'moderate', action: 'listeners', find: 'max', after: '51' });
    const { people, next } = last(ann, 'audience');
    expect([people.length, people[0].name, next]).toEqual([35, 'Max 51', undefined]);
    send(ann, { type: 'moderate', action: 'remove', person: people[0].id });
    expect(roomOf(conference).people.listeners({ most: 1000 })).toMatchObject({ count: 119 });
    expect(roomOf(conference).rules.moderation.setRole(people[1].id, 'speaker', OPERATOR)).toBe(
      null,
    );
    expect(roomOf(conference).describe()).toMatchObject({
      listeners: 118,
      people: [{ name: 'Ann' }, { name: people[1].name }],
    });
  });
});

describe('a crowd', () => {
  it('is announced in parts: 100 people in the welcome, and the rest on request', async () => {
    const conference = create();
    for (let i = 0; i < 250; i++) await enter(conference, `P${i}`);
    conference.pass(500);
    const zoe = await conference.join('Zoe');
    const { people, next } = last(zoe, 'welcome');
    expect([people.length, people.at(-1).name, next]).toEqual([101, 'Zoe', '100']);
    send(zoe, { type: 'people', after: next });
    send(zoe, { type: 'people', after: last(zoe, 'people').next });
    expect(
      zoe.session.told('people').map((/** @type {any} */ page) => [page.people.length, page.next]),
    ).toEqual([
      [100, '200'],
      [51, undefined],
    ]);
  });

  it('of listeners gets messages in order and in parts, and latecomers none twice', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const all = /** @type {Person[]} */ ([]);
    for (let i = 0; i < 100; i++) all.push(await enter(conference, `L${i}`, { listen: true }));
    conference.pass(200);
    send(ann, { type: 'chat', text: 'one' });
    send(ann, { type: 'chat', text: 'two' });
    const told = () => all.filter(({ session }) => session.told('chat').length === 2).length;
    conference.clock.advance(10);
    expect(told()).toBe(32);
    const late = await enter(conference, 'late', { listen: true });
    conference.clock.advance(40);
    expect(told()).toBe(100);
    for (const { session } of all)
      expect(session.told('chat').map(({ message }) => message.text)).toEqual(['one', 'two']);
    conference.pass(100);
    expect([last(late, 'welcome').chat.length, late.session.told('chat')]).toEqual([2, []]);
  });

  it('leaves nothing behind when the room ends', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const all = [];
    for (let i = 0; i < 50; i++) all.push(await listen(conference, `L${i}`));
    send(all[0], { type: 'hand', raised: true });
    send(ann, { type: 'chat', text: 'bye' });
    send(ann, { type: 'moderate', action: 'end' });
    expect(all.every(({ session }) => session.closed !== null)).toBe(true);
    conference.rooms.close();
    expect([conference.rooms.people, conference.codec.open, conference.clock.waiting]).toEqual([
      0, 0, 0,
    ]);
  });

  it('chooses its nearness, keeps it on return, and has its buffer filled at once', async () => {
    const conference = create({ listenerStride: 1 });
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    const max = await enter(conference, 'Max', { listen: true, nearness: 'steady' });
    expect([last(lea, 'welcome').stride, last(max, 'welcome').stride]).toEqual([1, 3]);
    await conference.talk(ann, 0, 60);
    send(lea, { type: 'nearness', nearness: 'near' });
    expect(last(lea, 'stride')).toEqual({ type: 'stride', stride: 3 });
    await conference.talk(ann, 60, 120);
    const { frames, packets } = framesOf(lea);
    // Before, each frame's packet; from then on packets of three frames, three times.
    expect(frames.filter((frame) => frame === 90)).toHaveLength(3);
    expect(frames.filter((frame) => frame === 30)).toHaveLength(1);
    expect(packets).toBeLessThan(130);
    const before = max.session.packets.length;
    send(max, { type: 'nearness', nearness: 'steady', fill: true });
    send(max, { type: 'nearness', nearness: 'steady', fill: true });
    // A second and a half, and as this session can't be sure each packet three times while it is
    // new.
    expect(max.session.packets.length - before).toBe(26);
    for (const wrong of [{ nearness: 'far' }, {}, { nearness: 'near', fill: 1 }])
      send(max, { type: 'nearness', ...wrong });
    send(ann, { type: 'nearness', nearness: 'near' });
    max.session.close(19, 'lost');
    const back = await enter(conference, 'Max', {
      listen: true,
      resume: last(max, 'welcome').resume,
    });
    expect(last(back, 'welcome')).toMatchObject({ you: max.id, stride: 3 });
    expect(conference.logged).toEqual([]);
  });
});
