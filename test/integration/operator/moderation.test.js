/** The operator acts in a room over HTTP like its moderators, from outside. */

import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { ROUTES } from '../../../server/operator/routes.js';
import { FakeSession } from '../../fakes/fake-session.js';
import { settle } from '../../fakes/conference.js';
import { start, TOKEN } from '../../support/operator-server.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);

/** The server, and a second person in its room. */
async function withBob() {
  const server = await start();
  const bob = await server.conference.join('Bob');
  /** @param {string} id */
  const seen = async (id) =>
    (await server.ask('GET', '/rooms/lab')).answer.people.find(
      (/** @type {any} */ person) => person.id === id,
    );
  return { ...server, bob, seen, path: `/rooms/lab/people/${bob.id}` };
}

describe('PATCH /api/rooms/<room>/people/<id>', () => {
  it('mutes a person, who cannot unmute until allowed; nobody unmutes them', async () => {
    const { ask, bob, path, seen, moderations } = await withBob();
    expect(await ask('PATCH', path, { muted: true })).toEqual({ status: 204, answer: null });
    expect(last(bob, 'moderated')).toMatchObject({ action: 'muted', by: 'operator', muted: true });
    bob.session.handler?.control({ type: 'mute', muted: false });
    expect(last(bob, 'refused')).toMatchObject({ code: 'muted-by-moderator' });
    expect(await seen(bob.id)).toMatchObject({ muted: true, silenced: true });
    expect((await ask('PATCH', path, { muted: false })).status).toBe(204);
    expect(await seen(bob.id)).toMatchObject({ muted: true, silenced: false });
    expect(moderations()).toEqual([
      {
        message: 'moderated',
        event: 'moderation',
        room: 'lab',
        action: 'mute',
        by: 'operator',
        byName: 'operator',
        peer: '127.0.0.1',
        participant: bob.id,
        name: 'Bob',
      },
      expect.objectContaining({ action: 'allow-unmute', participant: bob.id }),
    ]);
  });

  it('changes a role, that of the last moderator too, and lowers a hand', async () => {
    const { ask, ann, bob, path, seen, moderations } = await withBob();
    bob.session.handler?.control({ type: 'hand', raised: true });
    expect((await ask('PATCH', path, { role: 'moderator', hand: 0 })).status).toBe(204);
    expect(await seen(bob.id)).toMatchObject({ role: 'moderator', hand: 0 });
    expect(bob.session.told('moderated').map(({ action }) => action)).toEqual([
      'role',
      'hand-lowered',
    ]);
    for (const { id } of [ann, bob])
      expect((await ask('PATCH', `/rooms/lab/people/${id}`, { role: 'listener' })).status).toBe(
        204,
      );
    expect(last(ann, 'moderated')).toMatchObject({
      action: 'role',
      role: 'listener',
      by: 'operator',
      muted: true,
    });
    expect(moderations().map(({ action, role = null }) => [action, role])).toEqual([
      ['role', 'moderator'],
      ['lower-hand', null],
      ['role', 'listener'],
      ['role', 'listener'],
    ]);
  });

  it.each([
    {},
    [],
    null,
    'mute',
    { muted: 1 },
    { muted: 'true' },
    { role: 'operator' },
    { role: null },
    { role: '__proto__' },
    { hand: 1 },
    { hand: false },
    { muted: true, name: 'Eve' },
  ])('answers the body %j with what is allowed, and changes nothing', async (body) => {
    const { ask, bob, path, logged } = await withBob();
    const { status, answer } = await ask('PATCH', path, body);
    expect([status, answer.code]).toEqual([400, 'bad-request']);
    expect(answer.message).toContain('"moderator", "speaker" or "listener"');
    expect(bob.session.told('moderated')).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('answers for a room or a person that is not there', async () => {
    const { ask } = await withBob();
    expect(await ask('PATCH', '/rooms/other/people/1', { muted: true })).toMatchObject({
      status: 404,
      answer: { code: 'not-found' },
    });
    for (const id of ['99', '__proto__', 'x'.repeat(500)]) {
      expect(await ask('PATCH', `/rooms/lab/people/${id}`, { muted: true })).toMatchObject({
        status: 404,
        answer: { code: 'person-unknown' },
      });
    }
  });
});

describe('PATCH /api/rooms/<room>', () => {
  it('sets the rules, tells everybody, and keeps the password out of answers and log', async () => {
    const { ask, bob, audit, conference } = await withBob();
    const change = {
      locked: true,
      chat: 'moderators',
      record: 'moderators',
      password: 'tea-for-two',
    };
    const { status, answer } = await ask('PATCH', '/rooms/lab', change);
    expect(status).toBe(200);
    expect(answer.rules).toEqual({
      locked: true,
      lobby: false,
      chat: 'moderators',
      record: 'moderators',
      password: true,
      mode: 'mix',
      broadcast: false,
      liveSeconds: null,
    });
    expect(last(bob, 'room')).toMatchObject({
      locked: true,
      chat: 'moderators',
      record: 'moderators',
      password: true,
    });
    expect(audit.map(({ action }) => action)).toEqual(['password-on', 'lock', 'allow', 'allow']);
    expect(JSON.stringify([answer, audit, bob.session.messages])).not.toContain('tea-for-two');
    expect((await ask('PATCH', '/rooms/lab', { password: null })).answer.rules.password).toBe(
      false,
    );
    expect(last(await conference.join('Cid'), 'refused')).toMatchObject({ code: 'room-locked' });
    expect((await ask('GET', '/rooms')).answer.rooms).toMatchObject([
      { room: 'lab', locked: true, waiting: 0 },
    ]);
    // A request without a change changes nothing, and isn't logged.
    const lines = audit.length;
    expect((await ask('PATCH', '/rooms/lab', { locked: true, chat: 'moderators' })).status).toBe(
      200,
    );
    expect(audit.length).toBe(lines);
  });

  it('has the room’s sound forwarded or mixed, and says why it can’t be', async () => {
    const { ask, bob, audit, conference } = await withBob();
    expect((await ask('PATCH', '/rooms/lab', { mode: 'forward' })).answer.rules.mode).toBe(
      'forward',
    );
    expect(last(bob, 'room')).toMatchObject({ mode: 'forward' });
    expect(audit.at(-1)).toMatchObject({ action: 'mode', mode: 'forward' });
    expect((await ask('PATCH', '/rooms/lab', { mode: 'mix' })).answer.rules.mode).toBe('mix');
    await conference.join('Web', { replyOnly: true });
    expect(await ask('PATCH', '/rooms/lab', { mode: 'forward', locked: true })).toMatchObject({
      status: 409,
      answer: { code: 'forward-reply' },
    });
    expect((await ask('GET', '/rooms/lab')).answer.rules).toMatchObject({
      mode: 'mix',
      locked: false,
    });
    expect((await ask('PATCH', '/rooms/lab', { mode: 'now' })).status).toBe(400);
  });

  it('makes the room a broadcast and ends it, and takes no mode that it can’t have', async () => {
    const { ask, bob, audit, conference } = await withBob();
    expect((await ask('PATCH', '/rooms/lab', { broadcast: true })).answer).toMatchObject({
      liveSeconds: 0,
      rules: { broadcast: true, liveSeconds: 0 },
    });
    expect(last(bob, 'room')).toMatchObject({ broadcast: true });
    expect(audit.at(-1)).toMatchObject({ action: 'broadcast-on' });
    expect(last(await conference.join('Lea'), 'welcome')).toMatchObject({ role: 'listener' });
    expect(await ask('PATCH', '/rooms/lab', { mode: 'forward' })).toMatchObject({
      status: 409,
      answer: { code: 'broadcast-mix' },
    });
    expect((await ask('PATCH', '/rooms/lab', { broadcast: false })).answer.rules).toMatchObject({
      broadcast: false,
      liveSeconds: null,
    });
    expect(audit.at(-1)).toMatchObject({ action: 'broadcast-off' });
    expect((await ask('PATCH', '/rooms/lab', { broadcast: 'yes' })).status).toBe(400);
  });

  it('logs the delay with the rules, each once', async () => {
    const { ask, moderations } = await withBob();
    await ask('PATCH', '/rooms/lab', { serverDelayMs: 100, lobby: true });
    expect(moderations()).toEqual([
      expect.objectContaining({ action: 'lobby-on', room: 'lab' }),
      expect.objectContaining({
        message: 'moderated',
        action: 'room changed',
        room: 'lab',
        change: { serverDelayMs: 100 },
      }),
    ]);
  });

  it.each([
    {},
    { locked: 'yes' },
    { lobby: null },
    { chat: 'nobody' },
    { record: true },
    { password: '' },
    { password: 'x'.repeat(129) },
    { locked: true, extra: 1 },
  ])('answers the body %j with what is allowed, and changes nothing', async (body) => {
    const { ask, bob } = await withBob();
    const { status, answer } = await ask('PATCH', '/rooms/lab', body);
    expect([status, answer.code]).toEqual([400, 'bad-request']);
    expect(answer.message).toContain('"everybody" or "moderators"');
    expect(bob.session.told('room')).toEqual([]);
  });

  it('refuses passwords in a row, as each is hashed, and then changes nothing else', async () => {
    const { ask, bob } = await withBob();
    for (let i = 0; i < 5; i++)
      expect((await ask('PATCH', '/rooms/lab', { password: `tea-${i}` })).status).toBe(200);
    const refused = await ask('PATCH', '/rooms/lab', { password: 'one-more', locked: true });
    expect(refused).toMatchObject({ status: 429, answer: { code: 'too-many-requests' } });
    expect(last(bob, 'room').locked).toBe(false);
  });
});

describe('the lobby', () => {
  it('is opened to one by the operator, and closed to another', async () => {
    const { ask, conference } = await withBob();
    await ask('PATCH', '/rooms/lab', { lobby: true });
    const cid = await conference.join('Cid');
    const dan = await conference.join('Dan');
    const { knocks } = (await ask('GET', '/rooms/lab')).answer;
    expect(knocks).toEqual([
      { id: '1', name: 'Cid' },
      { id: '2', name: 'Dan' },
    ]);
    expect((await ask('POST', '/rooms/lab/knocks/1')).status).toBe(204);
    expect((await ask('DELETE', '/rooms/lab/knocks/2')).status).toBe(204);
    expect(cid.session.told('welcome')).toHaveLength(1);
    expect(last(dan, 'refused')).toMatchObject({ code: 'turned-away' });
    for (const method of ['POST', 'DELETE']) {
      expect(await ask(method, '/rooms/lab/knocks/2')).toMatchObject({
        status: 404,
        answer: { code: 'person-unknown' },
      });
    }
  });
});

describe('bans', () => {
  it('are made, listed and lifted, when nobody is in the room too', async () => {
    const { ask, ann, bob, conference, moderations } = await withBob();
    expect((await ask('POST', '/rooms/lab/bans', { person: bob.id, seconds: 3600 })).status).toBe(
      204,
    );
    expect(last(bob, 'closing')).toMatchObject({ code: 'banned' });
    expect(last(await conference.join('Bob'), 'refused')).toMatchObject({ code: 'banned' });
    const ban = {
      id: '1',
      room: 'lab',
      name: 'Bob',
      by: 'network',
      identity: null,
      network: '192.0.2.1',
      seconds: 3600,
    };
    expect((await ask('GET', '/rooms/lab/bans')).answer).toEqual({ bans: [ban] });
    expect((await ask('GET', '/rooms/tea/bans')).answer).toEqual({ bans: [] });
    ann.session.close(0, 'left');
    expect(conference.rooms.get('lab')).toBeUndefined();
    expect((await ask('GET', '/bans')).answer).toEqual({ bans: [ban] });
    expect(await ask('DELETE', '/rooms/tea/bans/1')).toMatchObject({
      status: 404,
      answer: { code: 'not-found' },
    });
    expect((await ask('DELETE', '/rooms/lab/bans/1')).status).toBe(204);
    expect((await ask('GET', '/bans')).answer).toEqual({ bans: [] });
    expect((await conference.join('Bob')).session.told('welcome')).toHaveLength(1);
    expect(moderations()).toEqual([
      expect.objectContaining({
        action: 'ban',
        participant: bob.id,
        seconds: 3600,
        peer: '127.0.0.1',
      }),
      expect.objectContaining({
        message: 'moderated',
        action: 'ban lifted',
        room: 'lab',
        id: '1',
        peer: '127.0.0.1',
      }),
    ]);
  });

  it('remove one who can not be known again, and say so', async () => {
    const { ask, conference } = await withBob();
    const session = new FakeSession(conference.transport);
    session.peer = '127.0.0.1:5';
    conference.arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: 'lab', name: 'Own' });
    await settle();
    const { you } = session.told('welcome')[0];
    expect(await ask('POST', '/rooms/lab/bans', { person: you, seconds: 60 })).toMatchObject({
      status: 409,
      answer: { code: 'ban-place' },
    });
    expect(session.told('closing')).toMatchObject([{ code: 'removed' }]);
  });

  it.each([
    {},
    { person: '2' },
    { seconds: 5 },
    { person: 2, seconds: 5 },
    { person: '2', seconds: 0 },
    { person: '2', seconds: 2_592_001 },
    { person: '2', seconds: '5' },
    { person: '2', seconds: 5, reason: 'x' },
  ])('answer the body %j with what is allowed', async (body) => {
    const { ask, bob } = await withBob();
    const { status, answer } = await ask('POST', '/rooms/lab/bans', body);
    expect([status, answer.code]).toEqual([400, 'bad-request']);
    expect(answer.message).toContain('{"person": ID, "seconds": S}');
    expect(bob.session.closed).toBeNull();
  });
});

describe('a request without the operator’s token', () => {
  /** A path of a route, with its parameters. @param {string} path @param {string} id */
  const pathOf = (path, id) => path.replace(':room', 'secret-room').replace(':id', id);

  it('nobody sees who is in a room, or changes anything, at any address', async () => {
    const { url, conference, logged } = await start();
    const eve = await conference.join('Eve-Hidden', { room: 'secret-room' });
    const rules = () => conference.rooms.get('secret-room')?.describe().rules;
    const before = rules();
    const told = eve.session.messages.length;
    const others = [
      '/config',
      '/clock?room=secret-room',
      '/openapi.json',
      '/recordings',
      '/rooms/secret-room/people',
      '/sessions',
    ];
    const asked = [
      ...ROUTES.map(({ method, path }) => [method.toUpperCase(), pathOf(path, eve.id)]),
      ...others.map((path) => ['GET', path]),
    ];
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`]) {
      for (const [method, path] of asked) {
        const body = method === 'PATCH' || method === 'POST' ? '{"locked":true}' : undefined;
        const headers = {
          'content-type': 'application/json',
          ...(authorization && { authorization }),
        };
        const response = await fetch(`${url}${path}`, { method, headers, body });
        expect([method, path, /Hidden|192\.0\.2\.1/.test(await response.text())]).toEqual([
          method,
          path,
          false,
        ]);
        const { open = false } = ROUTES.find(
          (route) => route.method.toUpperCase() === method && pathOf(route.path, eve.id) === path,
        ) ?? { open: true };
        if (!open)
          expect([method, path, response.status]).toEqual([
            method,
            path,
            errors['operator-token'].status,
          ]);
      }
    }
    expect(eve.session.messages.length).toBe(told);
    expect(rules()).toEqual(before);
    expect(logged).toEqual([]);
    // Everybody who knows the room's name may read the number of people.
    expect(await (await fetch(`${url}/rooms/secret-room`)).json()).toEqual({
      room: 'secret-room',
      present: 1,
      listeners: 0,
      liveSeconds: null,
    });
  });

  it('nobody in the lobby learns who is inside', async () => {
    const { ask, conference } = await withBob();
    await ask('PATCH', '/rooms/lab', { lobby: true });
    const cid = await conference.join('Cid');
    expect(cid.session.messages).toEqual([{ type: 'lobby', waitMs: expect.any(Number) }]);
    await ask('PATCH', '/rooms/lab', { lobby: false, locked: true });
    const dan = await conference.join('Dan');
    expect(JSON.stringify(dan.session.messages)).not.toMatch(/Ann|Bob/);
  });
});
