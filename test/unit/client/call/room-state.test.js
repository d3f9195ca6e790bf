import { describe, expect, it } from 'vitest';
import { HeardSpeakers, RoomState, Roster } from '../../../../public/client/call/room-state.js';
import { Packet, PacketType, VOICE_BIT } from '../../../../public/shared/wire/packet.js';

describe('HeardSpeakers', () => {
  function setUp() {
    /** @type {any[]} */
    const told = [];
    const computer = { isShort: false };
    const speakers = new HeardSpeakers(
      (list) => told.push(list),
      (number) => (number === 9 ? undefined : `p${number}`),
      () => computer.isShort,
    );
    /** @param {number} frame @param {[number, number, boolean][]} [list] id, level, voice */
    const receive = (frame, list = [], bytes = 5) => {
      const packet = new Packet();
      packet.frame = frame;
      packet.payloadBytes[0] = bytes;
      packet.speakers = list.length;
      list.forEach(([id, level, voice], i) => {
        packet.speakerIds[i] = id;
        packet.speakerLevels[i] = level | (voice ? VOICE_BIT : 0);
      });
      speakers.receive(packet, frame * 20);
    };
    return { told, receive, computer };
  }

  it('tells who is to be heard, the loudest first, at most ten times a second', () => {
    const { told, receive } = setUp();
    receive(0, [
      [1, 40, false],
      [2, 20, true],
      [9, 3, true],
    ]);
    receive(1, [[3, 30, true]]);
    expect(told).toEqual([
      [
        { id: 'p2', level: 20, voice: true },
        { id: 'p1', level: 40, voice: false },
      ],
    ]);
    for (let frame = 2; frame < 5; frame++) receive(frame);
    expect(told.length).toBe(1);
    receive(5);
    expect(told[1]).toEqual([{ id: 'p3', level: 30, voice: true }]);
    for (let frame = 6; frame < 106; frame++) receive(frame, [[1, 40, true]]);
    expect(told.length).toBe(2 + 20);
  });

  it('tells once a second where there is too little time', () => {
    const { told, receive, computer } = setUp();
    computer.isShort = true;
    for (let frame = 0; frame <= 100; frame++) receive(frame, [[1, 40, true]]);
    expect(told.length).toBe(3);
    computer.isShort = false;
    for (let frame = 101; frame <= 150; frame++) receive(frame, [[1, 40, true]]);
    expect(told.length).toBe(13);
  });

  it('tells silence once, and takes nothing from a packet that was overtaken', () => {
    const { told, receive } = setUp();
    receive(0, [[1, 40, true]]);
    receive(10, [], 0);
    receive(9, [[1, 40, true]]);
    for (let frame = 11; frame < 100; frame++) receive(frame, [], 0);
    expect(told).toEqual([[{ id: 'p1', level: 40, voice: true }], []]);
  });

  it('reports voices that come one by one, beside any silent bundles, and the end of each', () => {
    /** @type {any[]} */
    const told = [];
    const speakers = new HeardSpeakers(
      (list) => told.push(list),
      (number) => `p${number}`,
    );
    const send = (
      /** @type {number} */ nowMs,
      /** @type {Partial<Packet>} */ fields,
      bytes = 5,
    ) => {
      const packet = Object.assign(
        new Packet(),
        { type: PacketType.voice, frame: nowMs / 20, voice: true },
        fields,
      );
      packet.payloadBytes[0] = bytes;
      speakers.receive(packet, nowMs);
    };
    for (let nowMs = 0; nowMs < 200; nowMs += 20) {
      send(nowMs, { number: 1, level: 40 });
      send(nowMs, { number: 2, level: 30 });
      send(nowMs, { type: PacketType.bundle, speakers: 0 }, 0);
    }
    expect(told.at(-1)).toEqual([
      { id: 'p2', level: 30, voice: true },
      { id: 'p1', level: 40, voice: true },
    ]);
    send(400, { number: 2 }, 0);
    expect(told.at(-1)).toEqual([{ id: 'p1', level: 40, voice: true }]);
    // The last one's end was lost: a bundle tells of it in time.
    send(1000, { type: PacketType.bundle, speakers: 0 }, 0);
    expect(told.at(-1)).toEqual([]);
  });
});

describe('RoomState', () => {
  it('knows from role and delivery if one is in the audience, and the frames per packet', () => {
    const room = new RoomState();
    room.update({
      type: 'welcome',
      you: '3',
      delivery: 'tick',
      may: ['listen', 'chat'],
      stride: 3,
      people: [],
    });
    expect([room.isLight, room.stride]).toEqual([true, 3]);
    room.update({ type: 'stride', stride: 1 });
    expect([room.isLight, room.stride]).toEqual([true, 1]);
    room.update({
      type: 'moderated',
      action: 'role',
      role: 'speaker',
      may: ['speak', 'listen'],
      stride: 1,
    });
    expect(room.isLight).toBe(false);
    room.update({
      type: 'moderated',
      action: 'role',
      role: 'listener',
      may: ['listen'],
      stride: 2,
    });
    expect([room.isLight, room.stride]).toEqual([true, 2]);
    for (const stride of [0, 4, -1, 'x', null, {}]) {
      room.update({ type: 'stride', stride });
      expect(room.stride).toBe(1);
    }
    room.update({ type: 'welcome', you: '3', delivery: 'reply', may: ['listen'], people: [] });
    expect([room.isLight, room.stride]).toEqual([false, 1]);
  });
});

describe('Roster', () => {
  it('takes people in parts and in batches, and stays in its own list when it only listens', () => {
    const roster = new Roster();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    const ids = () => roster.list().people.map(({ id }) => id);
    roster.update({
      type: 'welcome',
      you: 'z',
      people: [person('a'), person('z')],
      next: 'a',
      listeners: 4,
    });
    expect([roster.next, roster.list().listeners]).toEqual(['a', 4]);
    roster.update({ type: 'people', people: [person('b'), person('c')], next: 'c' });
    expect(roster.next).toBe('c');
    roster.update({ type: 'people', people: [person('d')] });
    expect(roster.next).toBe(null);
    roster.update({ type: 'joined', people: [person('e'), null, person('f')] });
    roster.update({ type: 'changed', people: [{ ...person('a'), muted: true }] });
    expect(roster.update({ type: 'left', ids: ['b', 'nobody', 'z'] })).toBe(true);
    expect(ids()).toEqual(['a', 'z', 'c', 'd', 'e', 'f']);
    expect(roster.list().people[0].muted).toBe(true);
    expect([
      roster.update({ type: 'listeners', count: 4 }),
      roster.update({ type: 'listeners', count: 5 }),
    ]).toEqual([false, true]);
    for (const type of ['people', 'joined', 'changed', 'left'])
      expect(roster.update({ type, people: 5, ids: 'x' })).toBe(false);
  });

  it('lists who the room waits for, from the welcome and messages, through other changes', () => {
    const roster = new Roster();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    const waits = () => roster.list().people.map(({ waitMs }) => waitMs);
    roster.update({
      type: 'welcome',
      you: 'a',
      people: [person('a'), person('b')],
      waited: [{ id: 'b', delayMs: 390 }],
    });
    expect(waits()).toEqual([0, 390]);
    roster.update({ type: 'changed', person: { ...person('b'), muted: true } });
    expect(waits()).toEqual([0, 390]);
    expect(
      roster.update({
        type: 'waited',
        people: [{ id: 'a', delayMs: 80 }, { id: 'gone', delayMs: 90 }, null],
      }),
    ).toBe(true);
    expect(waits()).toEqual([80, 0]);
    expect(roster.update({ type: 'waited' })).toBe(false);
  });

  it('has who is heard later alone, for whom nobody waits', () => {
    const roster = new Roster();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    roster.update({
      type: 'welcome',
      you: 'a',
      people: [person('a'), person('b')],
      waited: [{ id: 'b', delayMs: 390, offsetMs: 400 }],
    });
    const told = () => roster.list().people.map(({ waitMs, laterMs }) => [waitMs, laterMs]);
    expect(told()).toEqual([
      [0, 0],
      [0, 400],
    ]);
    roster.update({ type: 'waited', people: [{ id: 'b', delayMs: 90, offsetMs: 0 }] });
    expect(told()).toEqual([
      [0, 0],
      [90, 0],
    ]);
  });
});
