import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { MAX_GROUPS } from '../../../public/shared/limits.js';
import { Packet, readPacket } from '../../../public/shared/wire/packet.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person @param {object} message */
const act = (person, message) => person.session.handler?.control({ type: 'moderate', ...message });
/** @param {Person} person @param {object} message */
const send = (person, message) => person.session.handler?.control(message);
/** @param {Conference} conference */
const groupsOf = (conference) =>
  Object.fromEntries(
    (conference.rooms.get('lab')?.describe().people ?? []).map(({ name, group = 0 }) => [
      name,
      group,
    ]),
  );

/**
 * Ann, who moderates, and others, in a room with groups.
 * @param {string[]} names
 * @param {object | null} [how]  of the message `groups`; null: none are open
 * @param {ConstructorParameters<typeof Conference>[0]} [options]
 */
async function begin(names, how = { count: 2 }, options = {}) {
  const conference = new Conference({ idleTimeoutMs: 1_000_000, ...options });
  const ann = await conference.join('Ann');
  const others = [];
  for (const name of names) others.push(await conference.join(name));
  if (how) act(ann, { action: 'groups', ...how });
  return { conference, ann, others };
}

/**
 * Has each person speak with a value of their own for a while. Returns what each hears near its
 * end: the sum of the values in the mix.
 * @param {Conference} conference
 * @param {Map<Person, number>} values
 * @param {Person[]} [silent]  people who only listen
 */
async function heardBy(conference, values, silent = []) {
  const first = Math.floor(conference.clock.now() / conference.format.frameMs);
  const frames = 20;
  for (let frame = first; frame < first + frames; frame++) {
    for (const [person, value] of values)
      await person.speak(frame, value, { level: 20, voice: true });
    conference.pass(1);
  }
  conference.pass(6);
  const heard = [];
  for (const person of [...values.keys(), ...silent]) {
    const late = [...(await person.heard())].filter(
      ([frame]) => frame > first + frames - 8 && frame < first + frames,
    );
    heard.push(Number((late.at(-1)?.[1]?.at(-1) ?? 0).toFixed(3)));
  }
  return heard;
}

describe.each(['mix', 'forward'])('the groups of a room in mode %s', (mode) => {
  it('tell everybody their number, and spread people but moderators evenly', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan'], null, {
      mode: /** @type {'mix'} */ (mode),
    });
    expect(last(ann, 'welcome').rules).not.toHaveProperty('groups');
    act(ann, { action: 'groups', count: 2, evenly: true });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 1, Cid: 2, Dan: 1 });
    expect(last(others[0], 'room').groups).toEqual({
      count: 2,
      choose: false,
      secondsLeft: null,
      speaker: null,
    });
    expect(last(ann, 'changed').person).toMatchObject({ name: 'Dan', group: 1 });
    // A late participant has a place in the room itself, and hears of the groups.
    const eve = await conference.join('Eve');
    expect(groupsOf(conference)).toMatchObject({ Eve: 0 });
    expect(last(eve, 'welcome').rules.groups).toMatchObject({ count: 2 });
  });
});

describe('the sound of groups', () => {
  const back = { action: 'groups-back' };
  const toAll = { action: 'groups-speak', on: true };
  const into = (/** @type {string} */ person) => ({ action: 'group', person, group: 1 });

  it('is heard by their own people alone, and by all again once they are back', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan', 'Eve']);
    const [bob, cid, dan, eve] = others;
    const values = new Map([
      [ann, 0.01],
      [bob, 0.02],
      [cid, 0.04],
      [dan, 0.08],
      [eve, 0.16],
    ]);
    expect(await heardBy(conference, values)).toEqual([0.3, 0.29, 0.27, 0.23, 0.15]);
    for (const [person, group] of /** @type {const} */ ([
      [bob, 1],
      [cid, 1],
      [dan, 2],
    ]))
      act(ann, { action: 'group', person: person.id, group });
    expect(await heardBy(conference, values)).toEqual([0.16, 0.04, 0.02, 0, 0.01]);
    // The moderator goes to a group and comes back.
    act(ann, { action: 'group', person: ann.id, group: 2 });
    expect(await heardBy(conference, values)).toEqual([0.08, 0.04, 0.02, 0.01, 0]);
    act(ann, { action: 'groups-back' });
    expect(last(bob, 'room')).not.toHaveProperty('groups');
    expect(await heardBy(conference, values)).toEqual([0.3, 0.29, 0.27, 0.23, 0.15]);
  });

  it('comes in one packet a frame, from the group alone, while all speak', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan']);
    const people = [ann, ...others];
    for (let frame = 0; frame < 60; frame++) {
      if (frame === 20) act(ann, { action: 'groups', count: 2, evenly: true });
      if (frame === 40) act(ann, { action: 'groups-back' });
      for (const [i, person] of people.entries())
        await person.speak(frame, 0.01 * 2 ** i, { level: 20, voice: true });
      conference.pass(1);
    }
    const [, bob] = people;
    const frames = bob.session.packets.map((bytes) => {
      const packet = new Packet();
      readPacket(bytes, packet);
      return packet.frame;
    });
    expect(new Set(frames).size).toBe(frames.length);
    const heard = [...(await bob.heard())].map(([, pcm]) => Number(pcm?.at(-1)?.toFixed(2) ?? 0));
    // Nothing from before a move is heard after it, so there is a gap as long as the delay.
    expect([...new Set(heard)]).toEqual([0.13, 0, 0.08, 0.01]);
  });

  it('has a moderator in it who speaks to all, wherever they are, until they stop', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan'], {
      count: 3,
      evenly: true,
    });
    const [bob, cid, dan] = others;
    act(ann, { action: 'groups-speak', on: true });
    expect(last(bob, 'room').groups.speaker).toBe(ann.id);
    const values = new Map([
      [ann, 0.01],
      [bob, 0.02],
    ]);
    const silent = [cid, dan];
    expect(await heardBy(conference, values, silent)).toEqual([0, 0.01, 0.01, 0.01]);
    act(ann, { action: 'group', person: ann.id, group: 1 });
    expect(await heardBy(conference, values, silent)).toEqual([0.02, 0.01, 0.01, 0.01]);
    act(ann, { action: 'groups-speak', on: false });
    expect(last(bob, 'room').groups.speaker).toBe(null);
    expect(await heardBy(conference, values, silent)).toEqual([0.02, 0.01, 0, 0]);
    // Nobody is the speaker any more once they have gone.
    act(ann, { action: 'groups-speak', on: true });
    const again = await conference.join('Ann', { resume: last(ann, 'welcome').resume });
    expect(again.session.messages[0].type).toBe('welcome');
    expect(last(bob, 'room').groups.speaker).toBe(null);
    act(again, { action: 'groups-speak', on: true });
    again.session.close(19, 'lost');
    expect(last(bob, 'room').groups.speaker).toBe(null);
  });

  it('has no moderator in it any more whom another node’s moderators have demoted', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid'], { count: 2, evenly: true });
    act(ann, { action: 'groups-speak', on: true });
    const room = /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (
      conference.rooms.get('lab')
    );
    const [{ key }] = [...room.people.places.all].filter(({ holder }) => holder.id === ann.id);
    const note = { key, epoch: 1, at: 1, out: false, role: /** @type {const} */ ('speaker') };
    const unchanged = { silenced: null, group: null, language: null };
    room.rules.meet({ ...room.rules.state(), places: [{ ...note, ...unchanged }] });
    expect(last(others[0], 'room').groups.speaker).toBe(null);
    expect(await heardBy(conference, new Map([[ann, 0.01]]), others)).toEqual([0, 0, 0]);
  });

  it('has a moderator who speaks to all in it also for a reader far behind', async () => {
    const { conference, ann, others } = await begin(['Bob']);
    act(ann, into(others[0].id));
    const cid = await conference.join('Cid', { delivery: 'reply', serverDelayMs: 1500 });
    act(ann, toAll);
    for (let frame = 0; frame < 150; frame++) {
      await ann.speak(frame, 0.1, { level: 20, voice: true });
      await cid.speak(frame, null);
      conference.pass(1);
    }
    const heard = [...(await cid.heard()).values()].map((pcm) => pcm?.at(-1) ?? 0);
    expect(heard.at(-1)).toBeCloseTo(0.1, 2);
  });

  it('goes to those who come over HTTP/1, too', async () => {
    const { conference, ann } = await begin([]);
    const hal = await conference.join('Hal', { replyOnly: true });
    const ivy = await conference.join('Ivy', { replyOnly: true });
    for (const { id } of [ann, hal]) act(ann, { action: 'group', person: id, group: 1 });
    const values = new Map([
      [ann, 0.01],
      [hal, 0.02],
      [ivy, 0.04],
    ]);
    await heardBy(conference, values);
    const [fromHal, fromIvy] = await Promise.all([hal.heard(), ivy.heard()]);
    const loudest = (/** @type {Map<number, Float32Array | null>} */ frames) =>
      Math.max(0, ...[...frames.values()].map((pcm) => pcm?.at(-1) ?? 0));
    expect(loudest(fromHal)).toBeCloseTo(0.01, 3);
    expect(loudest(fromIvy)).toBe(0);
  });

  it.each([
    { what: 'back from a group', before: into('2'), then: back },
    { what: 'back from it, by a reader far behind', before: into('2'), then: back, isFar: true },
    { what: 'into a group', before: into('3'), then: into('2') },
    { what: 'to all, from a group', before: into('2'), then: toAll },
    { what: 'to all, from the room', before: into('3'), then: toAll },
  ])('isn’t heard by others from before a move $what', async ({ before, then, isFar = false }) => {
    const serverDelayMs = isFar ? 60 : 1000;
    const { conference, ann, others } = await begin(['Bob'], undefined, { serverDelayMs });
    const [bob] = others;
    act(ann, { action: 'role', person: bob.id, role: 'moderator' });
    const far = isFar ? { delivery: 'reply', serverDelayMs: 1500 } : {};
    const cid = await conference.join('Cid', far);
    act(bob, before);
    const speak = async (/** @type {number} */ first, /** @type {number} */ value) => {
      for (let frame = first; frame < first + 100; frame++) {
        await bob.speak(frame, value, { level: 20, voice: true });
        await cid.speak(frame, null);
        conference.pass(1);
      }
    };
    await speak(0, 0.1);
    act(bob, then);
    await speak(100, 0.2);
    conference.pass(20);
    const heard = [...(await cid.heard()).values()].map((pcm) => pcm?.at(-1) ?? 0);
    expect(Math.max(...heard)).toBeCloseTo(0.2, 2);
    const first = heard.findIndex((value) => value > 0);
    expect(heard[first]).toBeCloseTo(0.2, 2);
  });

  it('costs no mix while there are none, and one for each group that somebody is in', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan'], null);
    const [bob, cid, dan] = others;
    conference.codec.maxInstances = 1;
    const before = conference.codec.open;
    act(ann, { action: 'groups', count: 20 });
    expect(conference.codec.open).toBe(before);
    act(ann, { action: 'group', person: bob.id, group: 7 });
    expect(conference.codec.open).toBe(before + 1);
    act(ann, { action: 'group', person: cid.id, group: 7 });
    expect(conference.codec.open).toBe(before + 1);
    act(ann, { action: 'group', person: dan.id, group: 20 });
    expect(conference.codec.open).toBe(before + 2);
    act(ann, { action: 'groups-back' });
    expect(conference.codec.open).toBe(before);
    for (const { session } of [ann, ...others]) session.close(0, 'left');
    expect(conference.codec.open).toBe(0);
  });

  it('takes a person’s shared sound with them', async () => {
    const { conference, ann, others } = await begin(['Bob']);
    const [bob] = others;
    const shared = await conference.join('Bob’s screen', { owner: last(bob, 'welcome').resume });
    act(ann, { action: 'group', person: bob.id, group: 1 });
    expect(groupsOf(conference)).toMatchObject({ 'Bob’s screen': 1 });
    expect(last(ann, 'changed').person).toMatchObject({ name: 'Bob’s screen', group: 1 });
    for (const role of ['listener', 'speaker']) act(ann, { action: 'role', person: bob.id, role });
    expect(groupsOf(conference)).toMatchObject({ Bob: 0, 'Bob’s screen': 0 });
    act(ann, { action: 'group', person: bob.id, group: 1 });
    const cid = await conference.join('Cid');
    const values = new Map([[shared, 0.02]]);
    expect(await heardBy(conference, values, [ann, bob, cid])).toEqual([0, 0, 0.02, 0]);
    act(ann, { action: 'group', person: shared.id, group: 2 });
    expect(last(ann, 'refused')).toMatchObject({ code: 'not-allowed', action: 'group' });
  });

  it('takes it with them while they are away', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid']);
    const [bob, cid] = others;
    const shared = await conference.join('Screen', { owner: last(bob, 'welcome').resume });
    for (const { id } of [bob, cid]) act(ann, { action: 'group', person: id, group: 1 });
    bob.session.close(19, 'lost');
    act(ann, { action: 'group', person: bob.id, group: 2 });
    expect(groupsOf(conference)).toMatchObject({ Screen: 2 });
    // Nobody is there yet, and the first group hears it no more.
    expect(await heardBy(conference, new Map([[shared, 0.02]]), [ann, cid])).toEqual([0, 0, 0]);
    const { resume } = last(bob, 'welcome');
    const again = await conference.join('Bob', { resume });
    expect(await heardBy(conference, new Map([[shared, 0.02]]), [again, cid])).toEqual([
      0, 0.02, 0,
    ]);
  });
});

describe('people in groups', () => {
  it('choose one where they may, and go back to the room whenever they like', async () => {
    const { conference, ann, others } = await begin(['Bob'], { count: 2, choose: true });
    const [bob] = others;
    send(bob, { type: 'group', group: 2 });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 2 });
    act(ann, { action: 'groups', count: 2 });
    send(bob, { type: 'group', group: 1 });
    expect(last(bob, 'refused')).toMatchObject({ of: 'group', code: 'not-allowed' });
    send(bob, { type: 'group', group: 0 });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 0 });
    // A moderator may always.
    send(ann, { type: 'group', group: 2 });
    expect(groupsOf(conference)).toEqual({ Ann: 2, Bob: 0 });
  });

  it('write to their group alone, and to everybody from the room', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid', 'Dan']);
    const [bob, cid, dan] = others;
    for (const { id } of [bob, cid]) act(ann, { action: 'group', person: id, group: 1 });
    act(ann, { action: 'group', person: dan.id, group: 2 });
    send(bob, { type: 'chat', text: 'just us' });
    send(ann, { type: 'chat', text: 'five more minutes' });
    const texts = (/** @type {Person} */ person) =>
      person.session.told('chat').map(({ message: { text, group } }) => [text, group]);
    expect([ann, bob, cid, dan].map(texts)).toEqual([
      [['five more minutes', undefined]],
      [
        ['just us', 1],
        ['five more minutes', undefined],
      ],
      [
        ['just us', 1],
        ['five more minutes', undefined],
      ],
      [['five more minutes', undefined]],
    ]);
    const eve = await conference.join('Eve');
    expect(last(eve, 'welcome').chat).toMatchObject([{ text: 'five more minutes' }]);
  });

  it('come back after the countdown, and when their group is gone', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid'], { count: 2, evenly: true });
    act(ann, { action: 'groups', count: 1 });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 1, Cid: 0 });
    act(ann, { action: 'groups-back', seconds: 30 });
    expect(last(others[0], 'room').groups).toMatchObject({ secondsLeft: 30 });
    conference.clock.advance(29_000);
    expect(groupsOf(conference)).toMatchObject({ Bob: 1 });
    const eve = await conference.join('Eve');
    expect(last(eve, 'welcome').rules.groups).toMatchObject({ secondsLeft: 1 });
    conference.clock.advance(1000);
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 0, Cid: 0, Eve: 0 });
    expect(last(others[0], 'room')).not.toHaveProperty('groups');
  });

  it('come back to their group when they reconnect, or to the room when it is gone', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid']);
    const [bob, cid] = others;
    act(ann, { action: 'group', person: bob.id, group: 2 });
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    const again = await conference.join('Bob', { resume });
    expect(groupsOf(conference)).toMatchObject({ Bob: 2 });
    const values = new Map([[cid, 0.02]]);
    expect(await heardBy(conference, values, [again])).toEqual([0, 0]);
    again.session.close(19, 'lost');
    act(ann, { action: 'groups-back' });
    const back = await conference.join('Bob', { resume });
    expect(groupsOf(conference)).toMatchObject({ Bob: 0 });
    expect(await heardBy(conference, values, [back])).toEqual([0, 0.02]);
  });

  it('stay listeners in the room, as those do whom a moderator makes one', async () => {
    const { conference, ann, others } = await begin(['Bob', 'Cid']);
    const [bob, cid] = others;
    act(ann, { action: 'group', person: bob.id, group: 1 });
    act(ann, { action: 'role', person: bob.id, role: 'listener' });
    expect(await heardBy(conference, new Map([[cid, 0.02]]), [bob])).toEqual([0, 0.02]);
    act(ann, { action: 'group', person: bob.id, group: 1 });
    expect(last(ann, 'refused')).toMatchObject({ code: 'not-allowed' });
  });

  it('are in their groups after the room’s thread has ended', async () => {
    const { conference, ann, others } = await begin(['Bob'], { count: 3, choose: true });
    act(ann, { action: 'group', person: others[0].id, group: 3 });
    act(ann, { action: 'groups-back', seconds: 60 });
    conference.clock.advance(20_000);
    const state = conference.rooms.get('lab')?.state();
    expect(state?.told.groups).toEqual({ count: 3, choose: true, leftMs: 40_000 });
    const next = new Conference({ awayTimeoutMs: 100_000 });
    next.rooms.restore(/** @type {NonNullable<typeof state>} */ (state));
    const room = next.rooms.get('lab');
    expect(room?.find(others[0].id)?.group).toBe(3);
    next.clock.advance(40_000);
    expect([room?.find(others[0].id)?.group, room?.rules.groups.told]).toEqual([0, null]);
  });
});

describe('groups that can’t be', () => {
  it.each(
    /** @type {[object, import('../../../public/shared/errors.js').ErrorCode][]} */ ([
      [{ action: 'groups', count: MAX_GROUPS + 1 }, 'groups-limit'],
      [{ action: 'groups', count: 1e9 }, 'groups-limit'],
      [{ action: 'group', person: '2', group: 3 }, 'group-unknown'],
      [{ action: 'group', person: '99', group: 1 }, 'person-unknown'],
      [{ action: 'broadcast', on: true }, 'groups-broadcast'],
    ]),
  )('refuse %j with %s, and go on', async (message, code) => {
    const { conference, ann } = await begin(['Bob']);
    act(ann, message);
    expect(last(ann, 'refused')).toMatchObject({ of: 'moderate', code });
    expect(last(ann, 'refused').message).toBe(errors[code].message);
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 0 });
  });

  it.each([
    { action: 'groups', count: 0 },
    { action: 'groups', count: 1.5 },
    { action: 'groups', count: '2' },
    { action: 'groups' },
    { action: 'group', person: '2', group: -1 },
    { action: 'groups-back', seconds: -1 },
    { action: 'groups-back', seconds: 1e9 },
    { action: 'groups-speak', on: 'yes' },
  ])('count %j as no message, and go on', async (message) => {
    const { conference, ann } = await begin(['Bob']);
    act(ann, message);
    const dropped = /** @type {any} */ (ann.stats()).dropped;
    expect(dropped).toMatchObject({ control: 1 });
    expect(conference.rooms.get('lab')?.rules.groups.told).toMatchObject({ count: 2 });
  });

  it('refuse everybody who is no moderator, and members without groups', async () => {
    const { ann, conference, others } = await begin(['Bob'], null);
    const [bob] = others;
    for (const message of [
      { action: 'groups', count: 2 },
      { action: 'groups-back' },
      { action: 'groups-speak', on: true },
      { action: 'group', person: bob.id, group: 0 },
    ]) {
      act(bob, message);
      expect(last(bob, 'refused')).toMatchObject({ code: 'not-allowed' });
    }
    send(bob, { type: 'group', group: 1 });
    expect(last(bob, 'refused')).toMatchObject({ of: 'group', code: 'group-unknown' });
    act(ann, { action: 'groups-back' });
    expect(last(ann, 'refused')).toMatchObject({ code: 'group-unknown' });
    act(ann, { action: 'groups-speak', on: true });
    expect(last(ann, 'refused')).toMatchObject({ code: 'group-unknown' });
    expect(conference.rooms.get('lab')?.rules.told).not.toHaveProperty('groups');
  });

  it('refuse a group that the codec has no place for, and keep people where they are', async () => {
    const { conference, ann, others } = await begin(['Bob']);
    const full = Object.assign(new Error('full'), { code: 'codec-instances' });
    const { createEncoder } = conference.codec;
    conference.codec.maxInstances = 1;
    conference.codec.createEncoder = () => {
      throw full;
    };
    act(ann, { action: 'group', person: others[0].id, group: 1 });
    expect(last(ann, 'refused')).toMatchObject({ code: 'server-full' });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 0 });
    conference.codec.createEncoder = createEncoder;
    act(ann, { action: 'group', person: others[0].id, group: 1 });
    expect(groupsOf(conference)).toEqual({ Ann: 0, Bob: 1 });
  });

  it('refuse a broadcast groups', async () => {
    const { ann } = await begin(['Bob'], null);
    act(ann, { action: 'broadcast', on: true });
    act(ann, { action: 'groups', count: 2 });
    expect(last(ann, 'refused')).toMatchObject({ code: 'groups-broadcast' });
  });
});
