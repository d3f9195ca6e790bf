import { describe, expect, it } from 'vitest';
import { OPEN_GRANT, OPERATOR } from '../../../../server/state/grant.js';
import { LOBBY_MS } from '../../../../server/room/rules/requests.js';
import { Conference, Person as FarEnd } from '../../../fakes/conference.js';
import { FakeSession } from '../../../fakes/fake-session.js';
import { logTo } from '../../../../testkit/log-lines.js';

/** @typedef {import('../../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {object} message */
const send = (person, message) => person.session.handler?.control({ type: 'moderate', ...message });
/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** Code of somebody's last refusal. @param {Person} person */
const refused = (person) => person.session.told('refused').map(({ code }) => code);
/** @param {Person} viewer @param {Person} person */
const seen = (viewer, person) =>
  viewer.session.told('changed').findLast((message) => message.person.id === person.id)?.person;

/** A room whose moderator is Ann. @param {ConstructorParameters<typeof Conference>[0]} [options] */
async function room(options) {
  /** @type {string[]} */
  const lines = [];
  /** @type {any[]} */
  const events = [];
  const info = (/** @type {any} */ fields) => void events.push(fields);
  const conference = new Conference({
    ...options,
    log: { error: logTo(lines).error, info },
  });
  const ann = await conference.join('Ann');
  const bob = await conference.join('Bob');
  const audit = () => events.filter(({ event }) => event === 'moderation');
  return {
    conference,
    ann,
    bob,
    audit,
    lines,
    moderation: () => conference.rooms.get('lab')?.rules.moderation,
  };
}

describe('roles', () => {
  it('make the one who opens a room its moderator, and others speakers', async () => {
    const { ann, bob } = await room();
    expect(last(ann, 'welcome')).toMatchObject({
      role: 'moderator',
      may: ['speak', 'listen', 'chat', 'record', 'moderate'],
    });
    expect(last(bob, 'welcome')).toMatchObject({
      role: 'speaker',
      may: ['speak', 'listen', 'chat', 'record'],
    });
    expect(last(bob, 'welcome').people.map((/** @type {any} */ { role }) => role)).toEqual([
      'moderator',
      'speaker',
    ]);
    expect(last(bob, 'welcome').rules).toEqual({
      locked: false,
      lobby: false,
      password: false,
      chat: 'everybody',
      record: 'everybody',
      mode: 'mix',
      broadcast: false,
      liveSeconds: null,
    });
  });

  it('let nobody else moderate', async () => {
    const { conference, ann, bob } = await room();
    send(bob, { action: 'lock', on: true });
    send(bob, { action: 'remove', person: ann.id });
    expect(refused(bob)).toEqual(['not-allowed', 'not-allowed']);
    expect(conference.rooms.get('lab')?.rules.told.locked).toBe(false);
    expect(ann.session.closed).toBe(null);
  });

  it('are handed on, and kept over a reconnect', async () => {
    const { conference, ann, bob, audit } = await room();
    send(ann, { action: 'role', person: ann.id, role: 'speaker' });
    expect(refused(ann)).toEqual(['not-allowed']);
    send(ann, { action: 'role', person: bob.id, role: 'moderator' });
    send(ann, { action: 'role', person: ann.id, role: 'listener' });
    expect(last(bob, 'moderated')).toMatchObject({ action: 'role', role: 'moderator', by: 'Ann' });
    expect(last(ann, 'moderated')).toMatchObject({
      action: 'role',
      role: 'listener',
      muted: true,
      may: ['listen', 'chat'],
    });
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    const back = await conference.join('Bob', { resume });
    expect(last(back, 'welcome')).toMatchObject({ you: bob.id, role: 'moderator' });
    expect(audit().map(({ action, participant, role }) => [action, participant, role])).toEqual([
      ['role', bob.id, 'moderator'],
      ['role', ann.id, 'listener'],
    ]);
  });

  it('are not inherited by a person muted by a moderator', async () => {
    const { conference, ann, bob } = await room();
    const cid = await conference.join('Cid');
    send(ann, { action: 'mute', person: bob.id, muted: true });
    ann.session.handler?.control({ type: 'leave' });
    expect(last(cid, 'moderated')).toMatchObject({ action: 'role', role: 'moderator' });
    send(cid, { action: 'mute', person: cid.id, muted: true });
    expect(bob.session.told('moderated').map(({ action }) => action)).toEqual(['muted']);
  });

  it('give the room to the longest-present speaker once no moderator can return', async () => {
    const { conference, ann, bob } = await room({ awayTimeoutMs: 5000 });
    const cid = await conference.join('Cid');
    send(ann, { action: 'role', person: bob.id, role: 'listener' });
    ann.session.close(19, 'lost');
    conference.clock.advance(4900);
    expect(cid.session.told('moderated')).toEqual([]);
    conference.clock.advance(200);
    expect(last(cid, 'moderated')).toMatchObject({ action: 'role', role: 'moderator', by: null });
    expect(seen(bob, cid)).toMatchObject({ role: 'moderator' });
    expect(bob.session.told('moderated').map(({ role }) => role)).toEqual(['listener']);
  });

  it('drop what a listener says', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'role', person: bob.id, role: 'listener' });
    for (let frame = 0; frame < 20; frame++) {
      await bob.speak(frame, 0.5, { level: 10, voice: true });
      conference.pass(1);
    }
    conference.pass(10);
    expect(
      [...(await ann.heard()).values()].filter((pcm) => pcm?.some((value) => value !== 0)),
    ).toEqual([]);
    expect(conference.rooms.figures().traffic.dropped).toMatchObject({ type: 20, unheard: 0 });
    send(ann, { action: 'role', person: bob.id, role: 'speaker' });
    // Nobody is unmuted by somebody else.
    expect(seen(ann, bob)).toMatchObject({ role: 'speaker', muted: true });
    bob.session.handler?.control({ type: 'mute', muted: false });
    expect(seen(ann, bob)).toMatchObject({ muted: false });
  });
});

describe('a person who leaves and returns', () => {
  /** @param {Person} person */
  const leave = (person) => person.session.handler?.control({ type: 'leave' });
  /** @param {Conference} conference @param {string | null} identity */
  function enter(conference, identity, peer = '192.0.2.1:1') {
    const session = new FakeSession(conference.transport);
    session.peer = peer;
    conference.rooms.join(
      'lab',
      'Guest',
      session,
      {},
      { grant: { ...OPEN_GRANT, identity }, password: null },
    );
    return new FarEnd(conference, session);
  }
  /** @param {Person} person */
  const own = (person) =>
    last(person, 'welcome').people.find((/** @type {any} */ { id }) => id === person.id);

  it('is muted still, is told so, and may speak once a moderator lets them', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'mute', person: bob.id, muted: true });
    leave(bob);
    const again = await conference.join('Bob');
    expect(own(again)).toMatchObject({ silenced: true, muted: true });
    expect(last(again, 'moderated')).toMatchObject({ action: 'muted', by: null, muted: true });
    again.session.handler?.control({ type: 'mute', muted: false });
    expect(refused(again)).toEqual(['muted-by-moderator']);
    expect(own(await conference.join('Cid'))).toMatchObject({ silenced: false });
    send(ann, { action: 'mute', person: again.id, muted: false });
    leave(again);
    expect(own(await conference.join('Bob'))).toMatchObject({ silenced: false });
  });

  it('is muted still, though a shared sound and one who listens came before them', async () => {
    const { conference, ann, bob } = await room();
    const cid = await conference.join('Cid');
    send(ann, { action: 'mute', person: bob.id, muted: true });
    leave(bob);
    const shared = await conference.join('Sound', { owner: last(cid, 'welcome').resume });
    expect(own(shared)).toMatchObject({ silenced: false });
    await conference.join('Lea', { listen: true });
    expect(own(await conference.join('Bob'))).toMatchObject({ silenced: true });
  });

  it('leaves no mute to others with a shared sound that was muted, only to the next', async () => {
    const { conference, ann, bob } = await room();
    const share = () => conference.join('Sound', { owner: last(bob, 'welcome').resume });
    const shared = await share();
    send(ann, { action: 'mute', person: shared.id, muted: true });
    shared.session.close(0, 'left');
    expect(own(await conference.join('Cid'))).toMatchObject({ silenced: false });
    expect(own(await share())).toMatchObject({ silenced: true });
  });

  it('is a listener still', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'role', person: bob.id, role: 'listener' });
    leave(bob);
    expect(last(await conference.join('Bob'), 'welcome')).toMatchObject({
      role: 'listener',
      may: ['listen', 'chat'],
    });
  });

  it('is known by the token, from any network and beside another of their sessions', async () => {
    const { conference, ann } = await room();
    const eve = enter(conference, 'eve');
    send(ann, { action: 'mute', person: eve.id, muted: true });
    expect(own(enter(conference, 'eve', '198.51.100.7:1'))).toMatchObject({ silenced: true });
    leave(eve);
    for (let i = 0; i < 2; i++)
      expect(own(enter(conference, 'eve', '198.51.100.7:1'))).toMatchObject({ silenced: true });
    expect(own(enter(conference, 'bob'))).toMatchObject({ silenced: false });
    expect(own(await conference.join('Cid'))).toMatchObject({ silenced: false });
  });

  it('is out with all sessions of their token when banned, and nobody else is', async () => {
    const { conference, ann } = await room();
    const sessions = ['192.0.2.1:1', '198.51.100.7:1', '198.51.100.8:1', '198.51.100.9:1'];
    const [first, second, third, away] = sessions.map((peer) => enter(conference, 'eve', peer));
    const others = [enter(conference, 'bob'), enter(conference, null)];
    away.session.close(19, 'lost');
    // Without a ban it is that session alone.
    send(ann, { action: 'remove', person: first.id });
    expect([last(first, 'closing').code, second.session.closed]).toEqual(['removed', null]);
    send(ann, { action: 'remove', person: second.id, banSeconds: 600 });
    expect([second, third].map((person) => last(person, 'closing').code)).toEqual([
      'banned',
      'banned',
    ]);
    expect(conference.rooms.get('lab')?.find(away.id)).toBe(null);
    expect(others.map(({ session }) => session.closed)).toEqual([null, null]);
  });

  it('isn’t mistaken for one on another network, and leaves no trace if unrestricted', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'mute', person: bob.id, muted: true });
    leave(bob);
    expect(own(enter(conference, null, '198.51.100.7:1'))).toMatchObject({ silenced: false });
    expect(own(enter(conference, null, '127.0.0.1:1'))).toMatchObject({ silenced: false });
    expect(own(enter(conference, null))).toMatchObject({ silenced: true });
  });
});

describe('a token', () => {
  /** @param {Conference} conference @param {Partial<typeof OPEN_GRANT>} grant */
  function enter(conference, grant) {
    const session = new FakeSession(conference.transport);
    const entry = { grant: { ...OPEN_GRANT, identity: 'guest', ...grant }, password: null };
    const joined = conference.rooms.join('lab', 'Guest', session, {}, entry);
    return { joined, guest: new FarEnd(conference, session) };
  }

  it('may let somebody speak who hears nothing', async () => {
    const { conference, ann } = await room();
    const { guest } = enter(conference, { withheld: new Set(/** @type {const} */ (['listen'])) });
    expect(last(guest, 'welcome')).toMatchObject({
      role: 'speaker',
      may: ['speak', 'chat', 'record'],
    });
    for (let frame = 0; frame < 20; frame++) {
      await ann.speak(frame, 0.25, { level: 10, voice: true });
      await guest.speak(frame, 0.5, { level: 10, voice: true });
      conference.pass(1);
    }
    conference.pass(10);
    expect(guest.session.packets).toEqual([]);
    expect(
      [...(await ann.heard()).values()].some((pcm) =>
        pcm?.some((value) => Math.abs(value - 0.5) < 0.01),
      ),
    ).toBe(true);
    guest.session.close(0, 'left');
    conference.clock.advance(5000);
    ann.session.close(0, 'left');
  });

  it('may let somebody moderate who may not speak, and whom the others see', async () => {
    const { conference, ann } = await room();
    const withheld = new Set(/** @type {const} */ (['speak']));
    const { guest } = enter(conference, { role: 'moderator', withheld });
    expect(last(guest, 'welcome')).toMatchObject({
      role: 'moderator',
      may: ['listen', 'chat', 'record', 'moderate'],
    });
    expect(last(ann, 'joined').person).toMatchObject({ id: guest.id, role: 'moderator' });
    for (let frame = 0; frame < 20; frame++) {
      await guest.speak(frame, 0.5, { level: 10, voice: true });
      conference.pass(1);
    }
    conference.pass(10);
    expect(
      [...(await ann.heard()).values()].filter((pcm) => pcm?.some((value) => value !== 0)),
    ).toEqual([]);
    send(guest, { action: 'lobby', on: true });
    await conference.join('Dan');
    expect(last(guest, 'knocks').people).toMatchObject([{ name: 'Dan' }]);
  });

  it('of a moderator opens locked rooms, and makes nobody moderator when they leave', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'lock', on: true });
    expect(enter(conference, {}).joined).toBe('room-locked');
    expect(
      last(enter(conference, { role: 'moderator', identity: 'boss' }).guest, 'welcome').role,
    ).toBe('moderator');
    ann.session.handler?.control({ type: 'leave' });
    expect(bob.session.told('moderated')).toEqual([]);
  });

  it('makes nobody a moderator who only has the right to speak, even alone', () => {
    const conference = new Conference();
    expect(last(enter(conference, {}).guest, 'welcome')).toMatchObject({ role: 'speaker' });
  });
});

describe('a moderator', () => {
  it('mutes somebody, who can unmute only when allowed, which doesn’t unmute them', async () => {
    const { conference, ann, bob, audit } = await room();
    send(ann, { action: 'mute', person: bob.id, muted: true });
    expect(last(bob, 'moderated')).toEqual({
      type: 'moderated',
      action: 'muted',
      by: 'Ann',
      muted: true,
    });
    expect(seen(ann, bob)).toMatchObject({ muted: true, silenced: true });
    bob.session.handler?.control({ type: 'mute', muted: false });
    expect(refused(bob)).toEqual(['muted-by-moderator']);
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    const back = await conference.join('Bob', { resume });
    back.session.handler?.control({ type: 'mute', muted: false });
    expect(refused(back)).toEqual(['muted-by-moderator']);
    for (let frame = 0; frame < 5; frame++) {
      await back.speak(frame, 0.5, { level: 10, voice: true });
      conference.pass(1);
    }
    expect(back.stats()?.dropped.unheard).toBe(5);
    send(ann, { action: 'mute', person: bob.id, muted: false });
    expect(last(back, 'moderated')).toMatchObject({ action: 'may-unmute', muted: true });
    expect(seen(ann, bob)).toMatchObject({ muted: true, silenced: false });
    back.session.handler?.control({ type: 'mute', muted: false });
    expect(seen(ann, bob)).toMatchObject({ muted: false });
    expect(audit().map(({ action }) => action)).toEqual(['mute', 'allow-unmute']);
  });

  it('lowers a hand', async () => {
    const { ann, bob } = await room();
    bob.session.handler?.control({ type: 'hand', raised: true });
    send(ann, { action: 'lower-hand', person: bob.id });
    expect(seen(ann, bob).hand).toBe(0);
    expect(last(bob, 'moderated')).toMatchObject({ action: 'hand-lowered', by: 'Ann' });
  });

  it('removes somebody, who may come again, unless banned', async () => {
    const { conference, ann, bob, audit, moderation } = await room({ awayTimeoutMs: 60_000 });
    const { resume } = last(bob, 'welcome');
    send(ann, { action: 'remove', person: bob.id });
    expect(last(bob, 'closing').code).toBe('removed');
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    const again = await conference.join('Bob', { resume });
    expect(last(again, 'welcome').you).not.toBe(bob.id);
    send(ann, { action: 'remove', person: again.id, banSeconds: 60 });
    expect(last(again, 'closing').code).toBe('banned');
    expect(refused(await conference.join('Bob'))).toEqual(['banned']);
    expect(last(await conference.join('Bob', { room: 'other' }), 'welcome')).toBeDefined();
    send(ann, { action: 'bans' });
    expect(last(ann, 'bans').bans).toMatchObject([
      { id: '1', name: 'Bob', by: 'network', seconds: 60 },
    ]);
    conference.clock.advance(30_000);
    send(ann, { action: 'unban', ban: '1' });
    expect(last(await conference.join('Bob'), 'welcome')).toBeDefined();
    expect(moderation()?.bans()).toEqual([]);
    expect(audit().map(({ action, byName, name }) => [action, byName, name])).toEqual([
      ['remove', 'Ann', 'Bob'],
      ['ban', 'Ann', 'Bob'],
      ['unban', 'Ann', undefined],
    ]);
  });

  it('of a mirror, where everybody moderates, knows nothing of a room with that name', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { room: 'mirror' });
    const bob = await conference.join('Bob', { room: 'mirror' });
    const cid = await conference.join('Cid', { room: '', mirror: true });
    expect(last(cid, 'welcome').role).toBe('moderator');
    send(ann, { action: 'remove', person: bob.id, banSeconds: 60 });
    send(cid, { action: 'bans' });
    send(cid, { action: 'unban', ban: '1' });
    expect([last(cid, 'bans').bans, refused(cid)]).toEqual([[], ['person-unknown']]);
    expect(refused(await conference.join('Bob', { room: 'mirror' }))).toEqual(['banned']);
    // Nor does a ban in a mirror keep anybody out of that room.
    send(ann, { action: 'unban', ban: '1' });
    send(cid, { action: 'remove', person: cid.id, banSeconds: 60 });
    expect(last(await conference.join('Bob', { room: 'mirror' }), 'welcome')).toBeDefined();
  });

  it('removes one who is away, whose place is then nobody’s', async () => {
    const { conference, ann, bob } = await room({ awayTimeoutMs: 60_000 });
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    send(ann, { action: 'remove', person: bob.id });
    expect(last(ann, 'left')).toEqual({ type: 'left', id: bob.id });
    expect(last(await conference.join('Bob', { resume }), 'welcome').you).not.toBe(bob.id);
    send(ann, { action: 'remove', person: bob.id });
    expect(refused(ann)).toEqual(['person-unknown']);
  });

  it('locks the room, and unlocks it', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'lock', on: true });
    expect(last(bob, 'room')).toMatchObject({ locked: true });
    expect(refused(await conference.join('Cid'))).toEqual(['room-locked']);
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    expect(last(await conference.join('Bob', { resume }), 'welcome').you).toBe(bob.id);
    send(ann, { action: 'lock', on: false });
    expect(last(await conference.join('Cid'), 'welcome')).toBeDefined();
  });

  it('says who may write and record', async () => {
    const { ann, bob } = await room();
    send(ann, { action: 'allow', what: 'chat', who: 'moderators' });
    send(ann, { action: 'allow', what: 'record', who: 'moderators' });
    bob.session.handler?.control({ type: 'chat', text: 'hello' });
    bob.session.handler?.control({ type: 'record', on: true });
    expect(bob.session.told('refused').map(({ of, code }) => [of, code])).toEqual([
      ['chat', 'not-allowed'],
      ['record', 'not-allowed'],
    ]);
    ann.session.handler?.control({ type: 'chat', text: 'hello' });
    expect(last(bob, 'chat').message.text).toBe('hello');
    expect(last(bob, 'room')).toMatchObject({ chat: 'moderators', record: 'moderators' });
  });

  it('ends the room for all', async () => {
    const { conference, ann, bob } = await room();
    send(ann, { action: 'end' });
    expect([last(ann, 'closing').code, last(bob, 'closing').code]).toEqual([
      'room-ended',
      'room-ended',
    ]);
    expect([conference.rooms.size, conference.codec.open]).toEqual([0, 0]);
  });

  it('can do so much at once, and what can’t be read does nothing', async () => {
    const { ann, bob, audit, conference } = await room();
    for (const message of [
      {},
      { action: 'fly' },
      { action: 'lock', on: 'yes' },
      { action: 'role', person: bob.id, role: 'king' },
      { action: 'remove', person: bob.id, banSeconds: -1 },
    ])
      send(ann, message);
    expect(audit()).toEqual([]);
    for (let i = 0; i < 60; i++) {
      if (i % 10 === 0) conference.clock.advance(1000);
      send(ann, { action: 'lock', on: i % 2 === 0 });
    }
    expect(refused(ann).length).toBeGreaterThan(5);
    expect(audit().length).toBeLessThan(55);
  });
});

describe('the lobby', () => {
  it('lets nobody into a server that has become full, until somebody leaves it', async () => {
    const { conference, ann } = await room({ maxPeople: 3 });
    send(ann, { action: 'lobby', on: true });
    const [cid, dan] = [await conference.join('Cid'), await conference.join('Dan')];
    send(ann, { action: 'admit', knock: '1' });
    send(ann, { action: 'admit', knock: '2' });
    expect([last(cid, 'welcome') !== undefined, refused(dan)]).toEqual([true, ['server-full']]);
    expect(conference.rooms.people).toBe(3);
  });

  it('has newcomers wait until a moderator lets them in, or turns them away', async () => {
    const { conference, ann, bob, audit } = await room();
    send(ann, { action: 'lobby', on: true });
    const cid = await conference.join('Cid');
    const eve = await conference.join('Eve');
    expect(cid.session.messages).toEqual([{ type: 'lobby', waitMs: LOBBY_MS }]);
    expect(last(ann, 'knocks').people).toEqual([
      { id: '1', name: 'Cid' },
      { id: '2', name: 'Eve' },
    ]);
    expect(bob.session.told('knocks')).toEqual([]);
    send(ann, { action: 'admit', knock: '1' });
    send(ann, { action: 'turn-away', knock: '2' });
    expect(last(cid, 'welcome').people.map((/** @type {any} */ { name }) => name)).toEqual([
      'Ann',
      'Bob',
      'Cid',
    ]);
    expect(refused(eve)).toEqual(['turned-away']);
    expect(eve.session.closed).not.toBe(null);
    expect(last(ann, 'knocks').people).toEqual([]);
    send(ann, { action: 'admit', knock: '1' });
    expect(refused(ann)).toEqual(['person-unknown']);
    expect(audit().map(({ action }) => action)).toEqual(['lobby-on', 'admit', 'turn-away']);
  });

  it('ends after too long a wait, on leaving, when switched off, or with the room', async () => {
    const { conference, ann } = await room({ idleTimeoutMs: 10 * LOBBY_MS });
    send(ann, { action: 'lobby', on: true });
    const late = await conference.join('Late');
    conference.clock.advance(LOBBY_MS);
    expect(refused(late)).toEqual(['turned-away']);
    const gone = await conference.join('Gone');
    gone.session.handler?.control({ type: 'leave' });
    expect(last(ann, 'knocks').people).toEqual([]);
    const cid = await conference.join('Cid');
    send(ann, { action: 'lobby', on: false });
    expect(last(cid, 'welcome')).toBeDefined();
    send(ann, { action: 'lobby', on: true });
    const eve = await conference.join('Eve');
    send(ann, { action: 'end' });
    expect(refused(eve)).toEqual(['turned-away']);
    expect(conference.clock.waiting).toBe(0);
  });

  it('holds ten people of one network, and tells a new moderator who is waiting', async () => {
    const { conference, ann, bob } = await room({ maxParticipants: 100 });
    send(ann, { action: 'lobby', on: true });
    for (let i = 0; i < 10; i++) await conference.join(`Cid ${i}`);
    expect(refused(await conference.join('Cid'))).toEqual(['lobby-full']);
    send(ann, { action: 'role', person: bob.id, role: 'moderator' });
    expect(last(bob, 'knocks').people.length).toBe(10);
  });
});

describe('a password', () => {
  it('is asked of newcomers, and of nobody who has a place', async () => {
    const { conference, ann, bob, audit } = await room();
    send(ann, { action: 'password', password: 'tea-time' });
    expect(last(bob, 'room')).toMatchObject({ password: true });
    expect(JSON.stringify([bob.session.messages, audit()])).not.toContain('tea-time');
    expect(refused(await conference.join('Cid'))).toEqual(['password-missing']);
    const tried = async (/** @type {string} */ password) => {
      const person = await conference.join('Cid', /** @type {any} */ ({ password }));
      while (person.session.messages.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      return person.session.messages[0];
    };
    expect(await tried('coffee')).toMatchObject({ type: 'refused', code: 'password-wrong' });
    expect(await tried('tea-time')).toMatchObject({ type: 'welcome' });
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    expect(last(await conference.join('Bob', { resume }), 'welcome').you).toBe(bob.id);
    send(ann, { action: 'password', password: null });
    expect(last(await conference.join('Eve'), 'welcome')).toBeDefined();
  });

  it('lets nobody in who has left while it was checked', async () => {
    const { conference, ann } = await room();
    send(ann, { action: 'password', password: 'tea-time' });
    const cid = await conference.join('Cid', /** @type {any} */ ({ password: 'tea-time' }));
    cid.session.close(0, 'left');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(conference.rooms.people).toBe(2);
  });

  it('lets nobody in with the one before', async () => {
    const { conference, ann } = await room();
    send(ann, { action: 'password', password: 'tea-time' });
    const cid = await conference.join('Cid', /** @type {any} */ ({ password: 'tea-time' }));
    send(ann, { action: 'password', password: 'coffee' });
    while (cid.session.messages.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refused(cid)).toEqual(['password-missing']);
  });
});

describe('the operator', () => {
  it('does the same by the same class', async () => {
    const { ann, bob, moderation, audit } = await room();
    expect(moderation()?.setRole(ann.id, 'listener', OPERATOR)).toBe(null);
    expect(moderation()?.mute(bob.id, true, OPERATOR)).toBe(null);
    expect(moderation()?.remove('99', {}, OPERATOR)).toBe('person-unknown');
    expect(last(bob, 'moderated')).toMatchObject({
      action: 'muted',
      by: 'operator',
      operator: true,
    });
    expect(moderation()?.remove(bob.id, { banMs: 1000 }, OPERATOR)).toBe(null);
    expect(moderation()?.endForAll(OPERATOR)).toBe(null);
    expect(audit().map(({ action, byName }) => `${byName} ${action}`)).toEqual([
      'operator role',
      'operator mute',
      'operator ban',
      'operator end',
    ]);
  });
});
