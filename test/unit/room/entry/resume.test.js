import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../../public/shared/errors.js';
import { Conference, settle } from '../../../fakes/conference.js';
import { FakeSession } from '../../../fakes/fake-session.js';

/** @typedef {Awaited<ReturnType<Conference['join']>>} Person */

const LOST = errors['idle-timeout'].close;
const AWAY_MS = 30_000;

const tokenOf = (/** @type {Person} */ person) => person.session.told('welcome')[0].resume;
const lose = (/** @type {Person} */ person, code = LOST) => person.session.close(code, 'lost');
const welcomeOf = (/** @type {Person} */ person) => person.session.told('welcome')[0];

/**
 * Rooms that open every codec at once, so that what is left open is seen.
 * @param {ConstructorParameters<typeof Conference>[0]} [options]
 */
function eager(options) {
  const conference = new Conference({ idleTimeoutMs: 600_000, ...options });
  conference.codec.maxInstances = 500;
  return conference;
}

/**
 * A room of two; the second was lost.
 * @param {ConstructorParameters<typeof Conference>[0]} [options]
 */
async function lost(options) {
  const conference = eager(options);
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  lose(bob);
  return { conference, ann, bob, token: tokenOf(bob) };
}

describe('a session that was lost', () => {
  it('keeps its place for 30 s, away, and then it is free', async () => {
    const { conference, ann, bob } = await lost();
    expect(ann.session.told('changed')).toMatchObject([
      { person: { id: bob.id, name: 'Bob', away: true } },
    ]);
    expect(conference.rooms.get('lab')?.size).toBe(2);
    conference.clock.advance(AWAY_MS - 1);
    expect(ann.session.told('left')).toEqual([]);
    conference.clock.advance(1);
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    expect(conference.rooms.get('lab')?.size).toBe(1);
  });

  it.each([
    ['left', 0],
    ['leave message', null],
  ])('keeps no place when it has %s', async (_how, code) => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    if (code === null) bob.session.handler?.control({ type: 'leave' });
    else lose(bob, code);
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    const back = await conference.join('Bob', { resume: tokenOf(bob) });
    expect(back.id).not.toBe(bob.id);
  });

  it('costs no codec and makes no sound', async () => {
    const conference = eager({ serverDelayMs: 0 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const open = conference.codec.open;
    lose(bob);
    expect(conference.codec.open).toBe(open - 2);
    ann.session.packets.length = 0;
    conference.pass(5);
    expect([...(await ann.heard()).values()].every((pcm) => pcm === null)).toBe(true);
    expect(bob.session.told('stats')).toEqual([]);
  });

  it('is one of the room for who comes in the meantime', async () => {
    const { conference, bob } = await lost();
    const cid = await conference.join('Cid');
    expect(welcomeOf(cid).people.map((/** @type {any} */ { name, away }) => [name, away])).toEqual([
      ['Ann', false],
      ['Bob', true],
      ['Cid', false],
    ]);
    expect(welcomeOf(cid).resume).not.toBe(tokenOf(bob));
  });

  it('counts towards the limit of people in the room', async () => {
    const { conference, token, bob } = await lost({ maxParticipants: 2 });
    expect((await conference.join('Cid')).session.told('refused')).toMatchObject([
      { code: 'room-full' },
    ]);
    expect((await conference.join('Bob', { resume: token })).id).toBe(bob.id);
    expect(conference.rooms.get('lab')?.size).toBe(2);
  });

  it('keeps nobody off the server: neither it nor its room counts for the limits', async () => {
    const conference = eager({ maxPeople: 1, maxRooms: 1 });
    const ann = await conference.join('Ann', { room: 'one' });
    expect((await conference.join('Bob', { room: 'two' })).session.told('refused')).toMatchObject([
      { code: 'server-full' },
    ]);
    lose(ann);
    const bob = await conference.join('Bob', { room: 'two' });
    expect(bob.id).toBe('1');
    const back = await conference.join('Ann', { room: 'one', resume: tokenOf(ann) });
    expect(back.id).toBe(ann.id);
    // As many wait as may be there, and no more.
    lose(back);
    lose(bob);
    expect(conference.rooms.get('two')).toBeUndefined();
    expect(conference.rooms.get('one')?.size).toBe(1);
  });

  it('keeps its place only if packets had come for some seconds', async () => {
    const conference = eager({ placeAfterMs: 5000 });
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    const speak = async (/** @type {Person} */ person) =>
      person.speak(Math.floor(conference.sampleClock.now() / conference.format.frameSamples), null);
    conference.clock.advance(4990);
    await speak(bob);
    conference.clock.advance(10);
    await speak(cid);
    conference.clock.advance(3000);
    for (const person of [bob, cid]) lose(person);
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    expect(conference.rooms.get('lab')?.people).toMatchObject({ here: 1, away: 1 });
    // A right that was given once survives a return.
    const back = await conference.join('Cid', { resume: tokenOf(cid) });
    lose(back);
    expect(conference.rooms.get('lab')?.people).toMatchObject({ here: 1, away: 1 });
  });

  it('can be taken up again ten times in a row, and then each five seconds', async () => {
    const { conference, ann, token } = await lost();
    ann.session.messages.length = 0;
    const joins = [];
    for (let i = 0; i < 14; i++) joins.push(await conference.join('Bob', { resume: token }));
    expect(joins.map(({ session }) => session.told('refused')[0]?.code)).toEqual([
      ...Array(10).fill(undefined),
      ...Array(4).fill('join-flood'),
    ]);
    expect(ann.session.told('changed').length).toBe(10);
    expect(joins[9].session.closed).toBe(null);
    conference.clock.advance(5000);
    expect((await conference.join('Bob', { resume: token })).id).toBe(joins[0].id);
  });

  it('keeps the room, and the room rests and leaves nothing behind', async () => {
    const conference = eager();
    const ann = await conference.join('Ann');
    lose(ann);
    expect(conference.rooms.size).toBe(1);
    expect(conference.rooms.get('lab')?.sound.mixClock.running).toBe(false);
    conference.clock.advance(AWAY_MS);
    expect(conference.rooms.size).toBe(0);
    expect(conference.clock.waiting).toBe(0);
    expect(conference.codec.open).toBe(0);
  });

  it('is forgotten when the server closes', async () => {
    const { conference } = await lost();
    conference.rooms.close();
    expect(conference.clock.waiting).toBe(0);
    expect(conference.codec.open).toBe(0);
  });
});

describe('a session that is taken up again', () => {
  it('has the same id, name and mute, under the same token, again and again', async () => {
    const conference = new Conference({ serverDelayMs: 0, idleTimeoutMs: 600_000 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    bob.session.handler?.control({ type: 'mute', muted: true });
    const token = tokenOf(bob);
    let last = bob;
    for (let round = 0; round < 3; round++) {
      lose(last);
      conference.clock.advance(AWAY_MS - 1000);
      ann.session.messages.length = 0;
      last = await conference.join('Somebody', { resume: token });
      expect(welcomeOf(last)).toMatchObject({ you: bob.id, resume: token });
      expect(welcomeOf(last).people[1]).toMatchObject({
        id: bob.id,
        name: 'Bob',
        muted: true,
        away: false,
      });
      expect(ann.session.told('joined')).toEqual([]);
      expect(ann.session.told('changed')).toMatchObject([{ person: { id: bob.id, away: false } }]);
      const room = /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (
        conference.rooms.get('lab')
      );
      for (const person of room.describe().people) expect(person.away).toBe(false);
      conference.clock.advance(900);
    }
    // No timer of an earlier absence is left.
    expect(ann.session.told('left')).toEqual([]);
  });

  it('has the volumes that it had set, and is as loud to others as they had set it', async () => {
    const conference = new Conference({
      serverDelayMs: 0,
      idleTimeoutMs: 600_000,
      silenceSuppression: false,
    });
    let [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const cid = await conference.join('Cid');
    bob.session.handler?.control({ type: 'volume', person: ann.id, gain: 0.5 });
    ann.session.handler?.control({ type: 'volume', person: bob.id, gain: 2 });
    lose(bob);
    lose(ann);
    bob = await conference.join('Bob', { resume: tokenOf(bob) });
    ann = await conference.join('Ann', { resume: tokenOf(ann) });
    conference.pass(10);
    for (let frame = 10; frame < 20; frame++) {
      await bob.speak(frame, 0.1);
      await ann.speak(frame, 0.2);
      conference.pass(1);
    }
    const [toBob, toAnn, toCid] = await Promise.all(
      [bob, ann, cid].map((person) => person.heard()),
    );
    expect(toBob.get(18)?.[0]).toBeCloseTo(0.1, 2);
    expect(toAnn.get(18)?.[0]).toBeCloseTo(0.2, 2);
    expect(toCid.get(18)?.[0]).toBeCloseTo(0.3, 2);
  });

  it('is heard again', async () => {
    const { conference, ann, token } = await lost({ serverDelayMs: 0 });
    const back = await conference.join('Bob', { resume: token });
    conference.pass(10);
    ann.session.packets.length = 0;
    await back.speak(10, 0.25);
    conference.pass(2);
    expect((await ann.heard()).get(10)?.[100]).toBeCloseTo(0.25, 2);
  });

  it('ends the session before, if that still lives', async () => {
    const conference = eager();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const back = await conference.join('Bob', { resume: tokenOf(bob) });
    expect(bob.session.told('closing')).toMatchObject([{ code: 'resumed-elsewhere' }]);
    expect(bob.session.closed?.code).toBe(errors['resumed-elsewhere'].close);
    expect(back.session.closed).toBeNull();
    expect(back.id).toBe(bob.id);
    expect(ann.session.told('left')).toEqual([]);
    expect(conference.rooms.get('lab')?.describe().people).toHaveLength(2);
    // Packets of the old session are nobody's.
    bob.session.handler?.control({ type: 'leave' });
    bob.session.handler?.control({ type: 'mute', muted: true });
    expect(ann.session.told('left')).toEqual([]);
    expect(conference.codec.open).toBe(2 * 2 + 1);
  });

  it('is lost again when it is gone before it was welcomed', async () => {
    const { conference, token, bob, ann } = await lost();
    const session = new FakeSession(conference.transport);
    conference.arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: 'lab', name: 'Bob', resume: token });
    session.close(LOST, '');
    await settle();
    expect(ann.session.told('left')).toEqual([]);
    expect((await conference.join('Bob', { resume: token })).id).toBe(bob.id);
  });
});

describe('a token', () => {
  it('is signed, a different one for each, told to nobody else', async () => {
    const conference = new Conference();
    const people = [];
    for (let i = 0; i < 5; i++) people.push(await conference.join(`P${i}`));
    const tokens = people.map(tokenOf);
    expect(new Set(tokens).size).toBe(5);
    for (const token of tokens)
      expect(Buffer.from(token.split('.')[2], 'base64url')).toHaveLength(32);
    for (const [i, person] of people.entries()) {
      const told = JSON.stringify(person.session.messages);
      for (const [j, token] of tokens.entries()) expect(told.includes(token)).toBe(i === j);
    }
    const shown = JSON.stringify(conference.rooms.get('lab')?.describe());
    for (const token of tokens) expect(shown).not.toContain(token);
    expect(conference.logged).toEqual([]);
  });

  it('is of one room only', async () => {
    const { conference, token, bob } = await lost();
    const other = await conference.join('Bob', { room: 'other', resume: token });
    expect(welcomeOf(other).people).toHaveLength(1);
    expect(tokenOf(other)).not.toBe(token);
    expect((await conference.join('Bob', { resume: token })).id).toBe(bob.id);
  });

  it('lets nobody past a full room when it is wrong', async () => {
    const conference = new Conference({ maxParticipants: 1 });
    await conference.join('Ann');
    const second = await conference.join('Bob', { resume: 'AAAAAAAAAAAAAAAAAAAAAA' });
    expect(second.session.told('refused')).toMatchObject([{ code: 'room-full' }]);
  });

  it('that is guessed takes nobody’s place, and is no error', async () => {
    const { conference, ann, bob, token } = await lost({ maxParticipants: 1000 });
    const near = [
      token.slice(1),
      `${token}A`,
      token.toLowerCase(),
      ` ${token}`,
      '',
      '__proto__',
      token.slice(0, -2),
    ];
    const guesses = fc.sample(fc.oneof(fc.string(), fc.base64String()), { seed: 7, numRuns: 50 });
    for (const resume of [...near, ...guesses]) {
      const guesser = await conference.join('Eve', { resume });
      expect(guesser.id).toBeDefined();
      expect([ann.id, bob.id]).not.toContain(guesser.id);
      guesser.session.close(0, '');
    }
    expect(ann.session.closed).toBeNull();
    expect((await conference.join('Bob', { resume: token })).id).toBe(bob.id);
  });

  it('that many present at once is the last one’s, and nothing is left of the others', async () => {
    const { conference, ann, bob, token } = await lost({ maxParticipants: 2 });
    const sessions = Array.from({ length: 200 }, () => new FakeSession(conference.transport));
    for (const session of sessions) {
      conference.arrivals.accept(session);
      session.handler?.control({
        type: 'join',
        version: 1,
        room: 'lab',
        name: 'Bob',
        resume: token,
      });
    }
    await settle();
    const living = sessions.filter(({ closed }) => closed === null);
    expect(living).toHaveLength(1);
    expect(living[0].told('welcome')[0].you).toBe(bob.id);
    expect(conference.codec.open).toBe(2 * 2 + 1);
    expect(conference.rooms.get('lab')?.size).toBe(2);
    living[0].handler?.control({ type: 'leave' });
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    ann.session.close(0, '');
    expect(conference.codec.open).toBe(0);
    expect(conference.clock.waiting).toBe(0);
  });
});
