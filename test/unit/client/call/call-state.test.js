import { describe, expect, it } from 'vitest';
import { CallState } from '../../../../public/client/call/call-state.js';
import { Gathering } from '../../../../public/client/call/gathering.js';
import { HeardSpeakers } from '../../../../public/client/call/heard-speakers.js';
import { Packet, PacketType, VOICE_BIT } from '../../../../public/shared/wire/packet.js';
import { Store } from '../../../../public/client/call/store.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

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
    // Its end was lost: voices of others tell of it in time.
    for (let nowMs = 420; nowMs < 1000; nowMs += 20) send(nowMs, { number: 2, level: 30 });
    expect(told.at(-1)).toEqual([{ id: 'p2', level: 30, voice: true }]);
    // So was the last one's: a bundle tells of it.
    send(1500, { type: PacketType.bundle, speakers: 0 }, 0);
    expect(told.at(-1)).toEqual([]);
  });
});

/**
 * @param {CallState} room
 * @param {object} message  of the server
 * @returns {boolean} true when the view has changed
 */
function apply(room, message) {
  return Object.keys(room.apply(/** @type {any} */ (message))).length > 0;
}

describe('CallState', () => {
  it('knows from role and delivery if one is in the audience, and the frames per packet', () => {
    const room = new CallState();
    apply(room, {
      type: 'welcome',
      you: '3',
      delivery: 'tick',
      may: ['listen', 'chat'],
      stride: 3,
      people: [],
    });
    expect([room.isLight, room.stride]).toEqual([true, 3]);
    apply(room, { type: 'stride', stride: 1 });
    expect([room.isLight, room.stride]).toEqual([true, 1]);
    apply(room, {
      type: 'moderated',
      action: 'role',
      role: 'speaker',
      may: ['speak', 'listen'],
      stride: 1,
    });
    expect(room.isLight).toBe(false);
    apply(room, {
      type: 'moderated',
      action: 'role',
      role: 'listener',
      may: ['listen'],
      stride: 2,
    });
    expect([room.isLight, room.stride]).toEqual([true, 2]);
    for (const stride of [0, 4, -1, 'x', null, {}]) {
      apply(room, { type: 'stride', stride });
      expect(room.stride).toBe(1);
    }
    apply(room, { type: 'welcome', you: '3', delivery: 'reply', may: ['listen'], people: [] });
    expect([room.isLight, room.stride]).toEqual([false, 1]);
  });
});

describe('people of a CallState', () => {
  it('takes people in parts and in batches, and stays in its own list when it only listens', () => {
    const room = new CallState();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    const ids = () => room.view.people.map(({ id }) => id);
    apply(room, {
      type: 'welcome',
      you: 'z',
      people: [person('a'), person('z')],
      next: 'a',
      listeners: 4,
    });
    expect([room.roster.next, room.view.listeners]).toEqual(['a', 4]);
    apply(room, { type: 'people', people: [person('b'), person('c')], next: 'c' });
    expect(room.roster.next).toBe('c');
    apply(room, { type: 'people', people: [person('d')] });
    expect(room.roster.next).toBe(null);
    apply(room, { type: 'joined', people: [person('e'), null, person('f')] });
    apply(room, { type: 'changed', people: [{ ...person('a'), muted: true }] });
    expect(apply(room, { type: 'left', ids: ['b', 'nobody', 'z'] })).toBe(true);
    expect(ids()).toEqual(['a', 'z', 'c', 'd', 'e', 'f']);
    expect(room.view.people[0].muted).toBe(true);
    expect([
      apply(room, { type: 'listeners', count: 4 }),
      apply(room, { type: 'listeners', count: 5 }),
    ]).toEqual([false, true]);
    for (const type of ['people', 'joined', 'changed', 'left'])
      expect(apply(room, { type, people: 5, ids: 'x' })).toBe(false);
  });

  it('lists who the room waits for, from the welcome and messages, through other changes', () => {
    const room = new CallState();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    const waits = () => room.view.people.map(({ waitMs }) => waitMs);
    apply(room, {
      type: 'welcome',
      you: 'a',
      people: [person('a'), person('b')],
      waited: [{ id: 'b', delayMs: 390 }],
    });
    expect(waits()).toEqual([0, 390]);
    apply(room, { type: 'changed', person: { ...person('b'), muted: true } });
    expect(waits()).toEqual([0, 390]);
    expect(
      apply(room, {
        type: 'waited',
        people: [{ id: 'a', delayMs: 80 }, { id: 'gone', delayMs: 90 }, null],
      }),
    ).toBe(true);
    expect(waits()).toEqual([80, 0]);
    expect(apply(room, { type: 'waited' })).toBe(false);
  });

  it('has who is heard later alone, for whom nobody waits', () => {
    const room = new CallState();
    const person = (/** @type {string} */ id) => ({ id, name: id, transport: 'websocket' });
    apply(room, {
      type: 'welcome',
      you: 'a',
      people: [person('a'), person('b')],
      waited: [{ id: 'b', delayMs: 390, offsetMs: 400 }],
    });
    const told = () => room.view.people.map(({ waitMs, laterMs }) => [waitMs, laterMs]);
    expect(told()).toEqual([
      [0, 0],
      [0, 400],
    ]);
    expect(room.roster.laterMs).toBe(400);
    apply(room, { type: 'waited', people: [{ id: 'b', delayMs: 90, offsetMs: 0 }] });
    expect(told()).toEqual([
      [0, 0],
      [90, 0],
    ]);
  });
});

describe('the room of a CallState', () => {
  const welcome = { type: 'welcome', you: '1', people: [] };

  it('is the current one, however much was written before', () => {
    const room = new CallState();
    apply(room, welcome);
    apply(room, { type: 'recording', recording: { on: true } });
    for (let number = 0; number < 500; number++) apply(room, { type: 'chat', message: { number } });
    apply(room, { type: 'recording', recording: { on: false } });
    const { chat, recording } = room.view;
    expect([chat.length, chat.at(-1)?.number, recording]).toEqual([200, 499, { on: false }]);
  });

  it('is new with each welcome, which has another number', () => {
    const room = new CallState();
    apply(room, { ...welcome, metronome: { bpm: 90, beats: 4, from: 0, by: 'Ann' } });
    const { session, metronome } = room.view;
    expect(metronome).toMatchObject({ beat: { bpm: 90 } });
    apply(room, { type: 'draining', seconds: 3 });
    expect(room.view).toMatchObject({ session, isDraining: true });
    apply(room, welcome);
    expect(room.view).toMatchObject({ isDraining: false, metronome: { beat: null }, chat: [] });
    expect(room.view.session).not.toBe(session);
  });
});

/** List of people in a page, in a call whose room moves to another node. */
function createGathering() {
  const clock = new FakeClock();
  /** @type {string[]} */
  const lists = [];
  /** @type {ConstructorParameters<typeof Gathering>[0]['onChange']} */
  const onChange = ({ people }) =>
    void lists.push(people.map(({ id, away }) => `${id}${away ? ' away' : ''}`).join());
  const gathering = new Gathering({ clock, onChange });
  const told = (/** @type {string} */ ids) =>
    onChange(
      gathering.gathered({
        people: [...ids].map((id) => /** @type {any} */ ({ id, away: false, you: id === 'a' })),
        you: 'a',
        listeners: 0,
      }),
    );
  return { clock, lists, gathering, told };
}

describe('people of a room that goes to another node', () => {
  it('are in the list all the while, however they come', () => {
    const { clock, lists, gathering, told } = createGathering();
    told('abc');
    gathering.welcome(30_000);
    for (const ids of ['a', 'ac', 'acb']) told(ids);
    clock.advance(60_000);
    expect(lists.map((list) => list.split(',').toSorted().join())).toEqual([
      'a,b,c',
      'a,b,c',
      'a,b,c',
      'a,b,c',
    ]);
    expect(clock.waiting).toBe(0);
  });

  it('are away where they don’t come soon, and gone where they don’t come at all', () => {
    const { clock, lists, gathering, told } = createGathering();
    told('abc');
    gathering.welcome(30_000);
    told('ac');
    clock.advance(3000);
    clock.advance(27_000);
    expect(lists).toEqual(['a,b,c', 'a,c,b', 'a,c,b away', 'a,c']);
  });

  it('are gone at once where the room waits for nobody', () => {
    const { clock, lists, gathering, told } = createGathering();
    told('abc');
    for (const gatherMs of [undefined, 0, 'long']) gathering.welcome(gatherMs);
    told('a');
    gathering.welcome(30_000);
    gathering.close();
    expect([lists, clock.waiting]).toEqual([['a,b,c', 'a'], 0]);
  });
});

describe('Store', () => {
  it('tells a subscriber what there is, and what changes of its properties', () => {
    const store = new Store({ name: 'Ann', count: 1 });
    /** @type {unknown[]} */
    const told = [];
    const end = store.subscribe(['name'], (now, before) => told.push([now.name, before.name]));
    store.set({ count: 2 });
    store.set({ name: 'Ben', count: 3 });
    end();
    store.set({ name: 'Cid' });
    expect(told).toEqual([
      ['Ann', 'Ann'],
      ['Ben', 'Ann'],
    ]);
    expect(store.value).toEqual({ name: 'Cid', count: 3 });
  });

  it('tells all subscribers of one change before the next, which a subscriber makes', () => {
    const store = new Store({ count: 0 });
    store.observe(({ count }) => count === 1 && store.set({ count: 2 }));
    /** @type {unknown[]} */
    const told = [];
    store.observe((now, before, changes) => told.push([before.count, now.count, changes]));
    store.set({ count: 1 });
    expect(told).toEqual([
      [0, 1, { count: 1 }],
      [1, 2, { count: 2 }],
    ]);
  });
});
