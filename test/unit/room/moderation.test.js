import { describe, expect, it, vi } from 'vitest';
import { Access } from '../../../server/access/access.js';
import { grantOf } from '../../../server/access/grants.js';
import { Tokens } from '../../../server/access/tokens.js';
import { Conference, settle } from '../../fakes/conference.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { FakeSession } from '../../fakes/fake-session.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {object} message */
const ask = (person, message) => person.session.handler?.control(message);

/** What others were last told of somebody. @param {Person} witness @param {Person} whom */
function lastTold(witness, whom) {
  const told = witness.session.messages.flatMap(({ type, person, people }) =>
    type === 'welcome' ? people : ['joined', 'changed'].includes(type) ? [person] : [],
  );
  return told.findLast(({ id }) => id === whom.id);
}

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);

/** Why somebody wasn't let in. @param {Person} person */
const refusedAs = (person) => last(person, 'refused')?.code;

/** Three in a room, the first of whom opened it. @param {ConstructorParameters<typeof Conference>[0]} [options] */
async function three(options) {
  const lines = /** @type {string[]} */ ([]);
  const log = { error: () => {}, info: (/** @type {string} */ line) => void lines.push(line) };
  const conference = new Conference({ ...options, log: /** @type {any} */ (log) });
  const [ann, bob, cid] = [await conference.join('Ann'), await conference.join('Bob'), await conference.join('Cid')];
  const audit = () => lines.filter((line) => line.startsWith('moderation ')).map((line) => JSON.parse(line.slice(11)));
  return { conference, ann, bob, cid, audit };
}

/** The samples that a listener heard of frames. @param {Person} listener @param {number} from @param {number} to */
async function heard(listener, from, to) {
  const frames = await listener.heard();
  return Array.from({ length: to - from }, (_, i) => Number((frames.get(from + i)?.[480] ?? 0).toFixed(2)));
}

describe('whoever opens a room', () => {
  it('is its moderator, and the others are speakers', async () => {
    const { ann, bob, cid } = await three();
    expect([ann, bob, cid].map((one) => lastTold(cid, one).role)).toEqual(['moderator', 'speaker', 'speaker']);
    expect(last(ann, 'welcome').knocks).toEqual([]);
    expect(last(bob, 'welcome')).not.toHaveProperty('knocks');
    expect(last(bob, 'welcome').rules).toEqual({ locked: false, lobby: false, password: false, chat: 'everybody', record: 'speakers' });
  });

  it('keeps that over a reconnect, and nobody else gets it meanwhile', async () => {
    const { conference, ann, bob } = await three({ idleTimeoutMs: 60_000 });
    const { resume } = last(ann, 'welcome');
    ann.session.close(19, 'lost');
    conference.clock.advance(20_000);
    expect(lastTold(bob, bob).role).toBe('speaker');
    const again = await conference.join('Ann', { resume });
    expect([again.id, lastTold(again, again).role]).toEqual([ann.id, 'moderator']);
  });

  it('may hand it on, but not leave the room without one', async () => {
    const { ann, bob, audit } = await three();
    ask(ann, { type: 'role', person: ann.id, role: 'speaker' });
    expect(last(ann, 'refused')).toMatchObject({ of: 'role', code: 'last-moderator' });
    ask(ann, { type: 'role', person: bob.id, role: 'moderator' });
    ask(ann, { type: 'role', person: ann.id, role: 'speaker' });
    expect([lastTold(bob, ann).role, lastTold(bob, bob).role]).toEqual(['speaker', 'moderator']);
    expect([last(bob, 'moderated').what, last(ann, 'moderated').what]).toEqual(['moderator', 'speaker']);
    expect(last(bob, 'knocks')).toEqual({ type: 'knocks', knocks: [] });
    ask(ann, { type: 'lock', on: true });
    expect(last(ann, 'refused')).toMatchObject({ of: 'lock', code: 'not-allowed' });
    expect(audit()[0]).toEqual({ room: 'lab', by: 'person 1', what: 'moderator', person: '2' });
  });

  it('is followed by the speaker who came first, when gone for good', async () => {
    const { ann, bob, cid } = await three();
    ask(ann, { type: 'role', person: bob.id, role: 'listener' });
    ask(ann, { type: 'leave' });
    expect([lastTold(cid, bob).role, lastTold(cid, cid).role]).toEqual(['listener', 'moderator']);
    expect(last(cid, 'moderated')).toMatchObject({ what: 'moderator' });
    ask(cid, { type: 'leave' });
    expect(lastTold(bob, bob).role).toBe('moderator');
  });

  it('is followed once the place is no longer kept', async () => {
    const { conference, ann, bob } = await three({ idleTimeoutMs: 60_000 });
    ann.session.close(19, 'lost');
    conference.clock.advance(29_000);
    expect(lastTold(bob, bob).role).toBe('speaker');
    conference.clock.advance(1000);
    expect(lastTold(bob, bob).role).toBe('moderator');
  });
});

describe('one who is muted by a moderator', () => {
  it('is heard by nobody, whatever they send, until they are allowed and unmute themselves', async () => {
    const { conference, ann, bob, cid } = await three();
    const say = async (/** @type {number} */ from, /** @type {number} */ to) => {
      for (let frame = from; frame < to; frame++) {
        conference.pass(1);
        await bob.speak(frame, 0.25, { level: 12, voice: true });
      }
    };
    ask(ann, { type: 'role', person: cid.id, role: 'listener' });
    await say(0, 20);
    ask(ann, { type: 'muteOther', person: bob.id, muted: true });
    await say(20, 40);
    expect(lastTold(cid, bob)).toMatchObject({ muted: true, silenced: true });
    expect(last(bob, 'moderated').what).toBe('muted');
    ask(bob, { type: 'mute', muted: false });
    expect(last(bob, 'refused')).toMatchObject({ of: 'mute', code: 'silenced' });
    expect(lastTold(cid, bob).muted).toBe(true);
    ask(ann, { type: 'muteOther', person: bob.id, muted: false });
    expect(lastTold(cid, bob)).toMatchObject({ muted: true, silenced: false });
    expect(last(bob, 'moderated').what).toBe('allowed');
    ask(bob, { type: 'mute', muted: false });
    expect(lastTold(cid, bob).muted).toBe(false);
    await say(40, 60);
    conference.pass(10);
    expect((await heard(cid, 10, 20)).every((sample) => sample > 0.1)).toBe(true);
    expect((await heard(cid, 25, 39)).every((sample) => sample === 0)).toBe(true);
    expect((await heard(cid, 50, 55)).every((sample) => sample > 0.1)).toBe(true);
    // Nor is there a level of them in the lists of speakers.
    const listed = [...cid.listed()].filter(([frame]) => frame >= 25 && frame < 39).flatMap(([, list]) => list);
    expect(listed).toEqual([]);
  });

  it('stays it over a reconnect', async () => {
    const { conference, ann, bob, cid } = await three();
    ask(ann, { type: 'muteOther', person: bob.id, muted: true });
    bob.session.close(19, 'lost');
    const again = await conference.join('Bob', { resume: last(bob, 'welcome').resume });
    expect(lastTold(cid, again)).toMatchObject({ muted: true, silenced: true });
    ask(again, { type: 'mute', muted: false });
    expect(last(again, 'refused').code).toBe('silenced');
  });

  it('may still be a moderator', async () => {
    const { ann, bob } = await three();
    ask(ann, { type: 'muteOther', person: ann.id, muted: true });
    ask(ann, { type: 'muteOther', person: bob.id, muted: true });
    expect(lastTold(bob, bob).silenced).toBe(true);
  });
});

describe('a listener', () => {
  it('isn\'t heard and can\'t unmute, may write and raise a hand, and speaks once they are a speaker', async () => {
    const { ann, bob, cid } = await three();
    ask(ann, { type: 'role', person: bob.id, role: 'listener' });
    expect(lastTold(cid, bob)).toMatchObject({ role: 'listener', muted: true });
    for (const message of [{ type: 'mute', muted: false }, { type: 'record', on: true }]) {
      ask(bob, message);
      expect(last(bob, 'refused')).toMatchObject({ of: message.type, code: 'not-allowed' });
    }
    ask(bob, { type: 'hand', raised: true });
    ask(bob, { type: 'chat', text: 'May I?' });
    expect([lastTold(cid, bob).hand > 0, last(cid, 'chat').message.text]).toEqual([true, 'May I?']);
    ask(ann, { type: 'lowerHand', person: bob.id });
    expect([lastTold(cid, bob).hand, last(bob, 'moderated').what]).toEqual([0, 'hand-lowered']);
    ask(ann, { type: 'role', person: bob.id, role: 'speaker' });
    ask(bob, { type: 'mute', muted: false });
    expect(lastTold(cid, bob).muted).toBe(false);
  });
});

describe('one who is removed', () => {
  it('is told so, has no place to come back to, and may join anew', async () => {
    const { conference, ann, bob, cid, audit } = await three();
    const { resume } = last(bob, 'welcome');
    ask(ann, { type: 'remove', person: bob.id });
    expect(last(bob, 'closing').code).toBe('removed');
    expect(bob.session.closed?.code).toBe(52);
    expect(last(cid, 'left')).toEqual({ type: 'left', id: bob.id });
    const again = await conference.join('Bob', { resume });
    expect([again.id, lastTold(again, again).role]).toEqual(['4', 'speaker']);
    expect(audit()).toEqual([{ room: 'lab', by: 'person 1', what: 'remove', person: '2' }]);
  });

  it('may be away: the place is gone then', async () => {
    const { conference, ann, bob, cid } = await three();
    bob.session.close(19, 'lost');
    ask(ann, { type: 'remove', person: bob.id });
    expect(last(cid, 'left')).toEqual({ type: 'left', id: bob.id });
    expect((await conference.join('Bob', { resume: last(bob, 'welcome').resume })).id).toBe('4');
    expect(conference.rooms.get('lab')?.size).toBe(3);
  });

  it('with a ban comes back from that address after its end only', async () => {
    let wallMs = 0;
    const { conference, ann, bob } = await three({ wallNow: () => wallMs });
    ask(ann, { type: 'remove', person: bob.id, ban: { by: 'address', seconds: 60 } });
    expect(last(bob, 'closing').code).toBe('banned');
    expect(refusedAs(await conference.join('Bob'))).toBe('banned');
    expect((await conference.join('Dot', { room: 'other' })).id).toBe('1');
    wallMs = 60_000;
    expect((await conference.join('Bob')).id).toBe('4');
  });

  it('can\'t be banned by an identity that they don\'t have', async () => {
    const { ann, bob } = await three();
    ask(ann, { type: 'remove', person: bob.id, ban: { by: 'identity', seconds: 60 } });
    expect(last(ann, 'refused')).toMatchObject({ of: 'remove', code: 'no-identity' });
    expect(bob.session.closed).toBe(null);
  });

  it('takes the ban with the room, where there are no tokens', async () => {
    const { conference, ann, bob, cid } = await three();
    ask(ann, { type: 'remove', person: bob.id, ban: { by: 'address', seconds: 60 } });
    for (const one of [ann, cid]) ask(one, { type: 'leave' });
    expect((await conference.join('Bob')).id).toBe('1');
  });

  it('isn\'t somebody else', async () => {
    const { ann } = await three();
    for (const type of ['remove', 'lowerHand']) {
      ask(ann, { type, person: '99' });
      expect(last(ann, 'refused')).toMatchObject({ of: type, code: 'no-such-person' });
    }
  });
});

describe('a locked room', () => {
  it('lets in only those who have a place', async () => {
    const { conference, ann, bob } = await three();
    ask(ann, { type: 'lock', on: true });
    expect(last(bob, 'rules').rules.locked).toBe(true);
    expect(refusedAs(await conference.join('Dot'))).toBe('room-locked');
    bob.session.close(19, 'lost');
    expect((await conference.join('Bob', { resume: last(bob, 'welcome').resume })).id).toBe(bob.id);
    ask(ann, { type: 'lock', on: false });
    expect((await conference.join('Dot')).id).toBe('4');
  });
});

describe('a lobby', () => {
  /** @param {Awaited<ReturnType<typeof three>>} room */
  async function withLobby({ conference, ann }) {
    ask(ann, { type: 'lobby', on: true });
    const dot = await conference.join('Dot');
    conference.clock.advance(300);
    return dot;
  }

  it('has those who come wait until a moderator lets them in', async () => {
    const room = await three();
    const { ann, bob, conference } = room;
    const dot = await withLobby(room);
    expect(dot.session.messages).toEqual([{ type: 'knocking' }]);
    expect(last(ann, 'knocks').knocks).toEqual([{ id: '1', name: 'Dot' }]);
    expect(bob.session.told('knocks')).toEqual([]);
    ask(dot, { type: 'chat', text: 'Hello?' });
    dot.session.handler?.packet(new Uint8Array(20), 0);
    ask(bob, { type: 'admit', knock: '1' });
    expect(last(bob, 'refused').code).toBe('not-allowed');
    expect(conference.rooms.get('lab')?.size).toBe(3);
    ask(ann, { type: 'admit', knock: '1' });
    expect(last(dot, 'welcome')).toMatchObject({ you: '4', chat: [] });
    conference.clock.advance(300);
    expect(last(ann, 'knocks').knocks).toEqual([]);
    ask(ann, { type: 'admit', knock: '1' });
    expect(last(ann, 'refused')).toMatchObject({ of: 'admit', code: 'no-such-person' });
  });

  it('turns away those whom the moderator doesn\'t let in', async () => {
    const room = await three();
    const dot = await withLobby(room);
    ask(room.ann, { type: 'turnAway', knock: '1' });
    expect([refusedAs(dot), dot.session.closed?.code]).toEqual(['turned-away', 50]);
  });

  it('forgets who hangs up, and sends away who isn\'t answered', async () => {
    const room = await three();
    const dot = await withLobby(room);
    const eve = await room.conference.join('Eve');
    dot.session.close(0, '');
    for (let s = 0; s < 601; s += 5) {
      room.conference.clock.advance(5000);
      for (const one of [room.ann, room.bob, room.cid]) await one.speak(Math.floor(room.conference.sampleClock.now() / 960), null);
    }
    expect([refusedAs(dot), refusedAs(eve)]).toEqual([undefined, 'knock-timeout']);
    expect(last(room.ann, 'knocks').knocks).toEqual([]);
  });

  it('is told to whoever becomes a moderator', async () => {
    const room = await three();
    await withLobby(room);
    ask(room.ann, { type: 'role', person: room.bob.id, role: 'moderator' });
    expect(last(room.bob, 'knocks').knocks).toEqual([{ id: '1', name: 'Dot' }]);
  });

  it('lets all in when it is switched off', async () => {
    const room = await three();
    const dot = await withLobby(room);
    ask(room.ann, { type: 'lobby', on: false });
    expect(last(dot, 'welcome').you).toBe('4');
  });

  it('holds fifty people, ten of one place, and tells moderators of many at once', async () => {
    const room = await three();
    await withLobby(room);
    const before = room.ann.session.told('knocks').length;
    for (let i = 0; i < 9; i++) expect((await room.conference.join(`N${i}`)).session.told('knocking').length).toBe(1);
    expect(refusedAs(await room.conference.join('Mallory'))).toBe('lobby-full');
    room.conference.clock.advance(300);
    expect(room.ann.session.told('knocks').length).toBe(before + 1);
    expect(last(room.ann, 'knocks').knocks.length).toBe(10);
  });

  it('ends with its room', async () => {
    const room = await three();
    const dot = await withLobby(room);
    for (const one of [room.ann, room.bob, room.cid]) ask(one, { type: 'leave' });
    expect(refusedAs(dot)).toBe('room-ended');
  });
});

describe('who may write and record', () => {
  it('is what the moderator allows', async () => {
    const { ann, bob } = await three();
    ask(ann, { type: 'allow', what: 'chat', who: 'moderators' });
    ask(ann, { type: 'allow', what: 'record', who: 'moderators' });
    expect(last(bob, 'rules').rules).toMatchObject({ chat: 'moderators', record: 'moderators' });
    for (const message of [{ type: 'chat', text: 'x' }, { type: 'record', on: true }, { type: 'record', on: false }]) {
      ask(bob, message);
      expect(last(bob, 'refused')).toMatchObject({ of: message.type, code: 'not-allowed' });
    }
    ask(ann, { type: 'chat', text: 'Quiet, please.' });
    expect(last(bob, 'chat').message.text).toBe('Quiet, please.');
  });
});

describe('a room with a password', () => {
  it('lets in who knows it, and those who have a place', async () => {
    const { conference, ann, bob, audit } = await three();
    ask(ann, { type: 'password', password: 'open sesame' });
    await vi.waitFor(() => expect(last(bob, 'rules')?.rules.password).toBe(true));
    const told = async (/** @type {object} */ wishes) => {
      const one = await conference.join('Dot', wishes);
      await vi.waitFor(() => expect(one.session.messages.length).toBeGreaterThan(0));
      return refusedAs(one) ?? last(one, 'welcome').you;
    };
    expect(await told({})).toBe('password-needed');
    expect(await told({ password: 'close sesame' })).toBe('password-wrong');
    expect(await told({ password: 'open sesame' })).toBe('4');
    bob.session.close(19, 'lost');
    expect(await told({ resume: last(bob, 'welcome').resume })).toBe(bob.id);
    ask(ann, { type: 'password', password: null });
    expect(await told({})).toBe('5');
    expect(JSON.stringify(audit())).not.toContain('sesame');
  });

  it('is asked for only by a moderator, and not again and again', async () => {
    const { ann, bob } = await three();
    ask(bob, { type: 'password', password: 'mine' });
    expect(last(bob, 'refused')).toMatchObject({ of: 'password', code: 'not-allowed' });
    for (let i = 0; i < 4; i++) ask(ann, { type: 'password', password: `${i}` });
    await vi.waitFor(() => expect(last(ann, 'refused')).toMatchObject({ of: 'password', code: 'password-attempts' }));
  });
});

describe('a room that is ended for all', () => {
  it('ends for everybody with a code, and can be opened anew', async () => {
    const { conference, ann, bob, cid } = await three();
    ask(bob, { type: 'endForAll' });
    expect(last(bob, 'refused').code).toBe('not-allowed');
    ask(ann, { type: 'endForAll' });
    expect([ann, bob, cid].map(({ session }) => session.closed?.code)).toEqual([54, 54, 54]);
    expect(last(cid, 'closing').code).toBe('room-ended');
    expect(conference.rooms.get('lab')).toBeUndefined();
    const dot = await conference.join('Dot');
    expect(lastTold(dot, dot).role).toBe('moderator');
  });
});

describe('every moderator\'s command', () => {
  it('is refused to those who aren\'t one, and counted where it is malformed', async () => {
    const { conference, ann, bob } = await three();
    const commands = [
      { type: 'muteOther', person: '1', muted: true }, { type: 'lowerHand', person: '1' }, { type: 'remove', person: '1' },
      { type: 'role', person: '2', role: 'moderator' }, { type: 'lock', on: true }, { type: 'lobby', on: true },
      { type: 'admit', knock: '1' }, { type: 'turnAway', knock: '1' }, { type: 'allow', what: 'chat', who: 'moderators' },
      { type: 'password', password: 'x' }, { type: 'endForAll' },
    ];
    for (const command of commands) {
      ask(bob, command);
      expect(last(bob, 'refused')).toMatchObject({ of: command.type, code: 'not-allowed' });
    }
    conference.clock.advance(1000);
    const wrong = [
      { type: 'muteOther', person: 1, muted: true }, { type: 'remove', person: '2', ban: { by: 'address', seconds: 1e9 } },
      { type: 'remove', person: '2', ban: { by: 'address', seconds: 0 } }, { type: 'remove', person: '2', ban: { by: 'name', seconds: 5 } },
      { type: 'role', person: '2', role: 'king' }, { type: 'lock' }, { type: 'allow', what: 'speak', who: 'everybody' },
      { type: 'password', password: '' }, { type: 'password', password: 'x'.repeat(129) }, { type: 'password' },
    ];
    for (const message of wrong) ask(ann, message);
    expect(ann.stats()?.dropped.control).toBe(wrong.length);
    expect(bob.session.closed).toBe(null);
  });
});

describe('a room of a server with keys', () => {
  const SECRET = 'a-secret-of-more-than-32-characters';

  async function keyed() {
    const clock = new FakeClock();
    const access = new Access({ keys: [`key:${SECRET}`], clock });
    const conference = new Conference({ access }, clock);
    const tokens = new Tokens([`key:${SECRET}`], Date.now);
    /** @param {string} name @param {import('../../../server/access/grants.js').Role} role @param {object} [more] */
    const join = async (name, role = 'speaker', more = {}) => {
      const token = await tokens.make({ room: 'lab', name, subject: name.toLowerCase(), role, seconds: 60 });
      const person = await conference.join('Somebody', { token, ...more });
      await vi.waitFor(() => expect(person.session.messages.length).toBeGreaterThan(0));
      person.id = last(person, 'welcome')?.you;
      return person;
    };
    return { conference, clock, join };
  }

  it('takes name and role from the token, and makes nobody a moderator by itself', async () => {
    const { join } = await keyed();
    const [bob, ann, cid] = [await join('Bob'), await join('Ann', 'moderator'), await join('Cid', 'listener')];
    expect([bob, ann, cid].map((one) => [lastTold(cid, one).name, lastTold(cid, one).role])).toEqual([
      ['Bob', 'speaker'], ['Ann', 'moderator'], ['Cid', 'listener'],
    ]);
    expect(lastTold(bob, cid).muted).toBe(true);
    ask(ann, { type: 'leave' });
    expect(lastTold(bob, bob).role).toBe('speaker');
  });

  it('refuses who has no token, and nothing of them passes', async () => {
    const { conference, join } = await keyed();
    const ann = await join('Ann');
    const eve = await conference.join('Eve');
    await settle();
    await eve.speak(0, 0.5);
    expect(eve.session.messages).toMatchObject([{ type: 'refused', code: 'token-needed' }]);
    expect([eve.session.closed?.code, eve.session.packets.length]).toEqual([40, 0]);
    expect(ann.session.told('joined')).toEqual([]);
  });

  it('asks no token of who comes back, and keeps what the token gave', async () => {
    const { conference, join } = await keyed();
    const [ann, bob] = [await join('Ann', 'moderator'), await join('Bob')];
    ann.session.close(19, 'lost');
    const again = await conference.join('Ann', { resume: last(ann, 'welcome').resume });
    expect(lastTold(again, again)).toMatchObject({ id: ann.id, role: 'moderator' });
    ask(again, { type: 'remove', person: bob.id, ban: { by: 'identity', seconds: 3600 } });
    expect(refusedAs(await join('Bob'))).toBe('banned');
    expect(refusedAs(await join('bob', 'moderator'))).toBe('banned');
    expect((await join('Dot')).id).toBe('3');
  });

  it('keeps a ban by identity when the room has ended', async () => {
    const { join } = await keyed();
    const [ann, bob] = [await join('Ann', 'moderator'), await join('Bob')];
    ask(ann, { type: 'remove', person: bob.id, ban: { by: 'identity', seconds: 3600 } });
    ask(ann, { type: 'leave' });
    expect(refusedAs(await join('Bob'))).toBe('banned');
  });

  it('opens its lock, lobby and password to a moderator\'s token', async () => {
    const { join } = await keyed();
    const [ann, bob] = [await join('Ann', 'moderator'), await join('Bob')];
    ask(ann, { type: 'lock', on: true });
    ask(ann, { type: 'lobby', on: true });
    ask(ann, { type: 'password', password: 'x' });
    await vi.waitFor(() => expect(last(bob, 'rules')?.rules.password).toBe(true));
    expect((await join('Dot', 'moderator')).id).toBe('3');
    expect(refusedAs(await join('Eve'))).toBe('room-locked');
    ask(ann, { type: 'lock', on: false });
    expect(refusedAs(await join('Eve'))).toBe('password-needed');
    expect((await join('Eve', 'speaker', { password: 'x' })).session.told('knocking').length).toBe(1);
  });

  it('sends no mix to one whose token withholds it, and hears them', async () => {
    const { conference, join } = await keyed();
    const ann = await join('Ann');
    const session = new FakeSession(conference.transport);
    const entrant = { ...conference.rooms.access.stranger(session.peer), grant: grantOf('speaker', new Set(/** @type {const} */ (['listen']))) };
    conference.rooms.join('lab', 'Mic', session, {}, entrant);
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      const packet = await ann.packet(frame, 0.3, { level: 10, voice: true });
      session.handler?.packet(packet, conference.clock.now());
    }
    conference.pass(5);
    expect(session.packets).toEqual([]);
    expect((await heard(ann, 5, 15)).every((sample) => sample > 0.2)).toBe(true);
    session.handler?.control({ type: 'volume', person: '1', gain: 0 });
    expect(session.told('refused')).toMatchObject([{ of: 'volume', code: 'not-allowed' }]);
  });
});
