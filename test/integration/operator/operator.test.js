import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { start, TOKEN } from '../../support/operator-server.js';

describe('PATCH /api/rooms/<room>', () => {
  it('sets the delay of a running room, and sets it back to auto', async () => {
    const { conference, patch, get, audit } = await start();
    const { status, answer } = await patch({ serverDelayMs: 120 });
    expect(status).toBe(200);
    expect(answer).toMatchObject({ room: 'lab', delay: { mode: 'fixed', wantedMs: 120 } });
    conference.pass(50);
    const { answer: shown } = await get('/rooms/lab', { authorization: `Bearer ${TOKEN}` });
    expect(shown).toMatchObject({
      serverDelayMs: 120,
      delay: { mode: 'fixed', targetPercent: 99.5 },
    });
    expect((await patch({ serverDelayMs: 'auto' })).answer.delay.mode).toBe('auto');
    expect(audit.map(({ change }) => change)).toEqual([
      { serverDelayMs: 120 },
      { serverDelayMs: 'auto' },
    ]);
    expect(audit[0]).toMatchObject({
      event: 'moderation',
      by: 'operator',
      room: 'lab',
      peer: '127.0.0.1',
    });
  });

  it("is off without a token of the operator's, and says how to turn it on", async () => {
    const { conference, patch } = await start(null);
    const { status, answer } = await patch({ serverDelayMs: 120 });
    expect(status).toBe(403);
    expect(answer.code).toBe('operator-off');
    expect(answer.message).toContain('--operator-token');
    expect(conference.rooms.get('lab')?.describe().delay.mode).toBe('auto');
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    `Basic ${TOKEN}`,
    TOKEN,
    'Bearer null',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${'x'.repeat(8000)}`,
  ])('refuses the authorization %j', async (authorization) => {
    const { conference, patch } = await start();
    const { status, headers, answer } = await patch({ serverDelayMs: 120 }, { authorization });
    expect(status).toBe(401);
    expect(answer.code).toBe('operator-token');
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(conference.rooms.get('lab')?.describe().delay.mode).toBe('auto');
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '5',
    '"auto"',
    '{}',
    '{"serverDelayMs":null}',
    '{"serverDelayMs":-1}',
    '{"serverDelayMs":2001}',
    '{"serverDelayMs":1e999}',
    '{"serverDelayMs":"60"}',
    '{"serverDelayMs":"AUTO"}',
    '{"serverDelayMs":[60]}',
    '{"serverDelayMs":60,"echo":true}',
    '{"__proto__":{"serverDelayMs":60}}',
    '\u0000\u00ff',
  ])('answers the body %j with what is allowed', async (body) => {
    const { conference, patch, logged } = await start();
    const { status, answer } = await patch(body);
    expect(status).toBe(400);
    expect(answer.code).toBe('bad-request');
    expect(answer.message).toContain('"auto", or a number from 0 to 2000');
    expect(conference.rooms.get('lab')?.describe().delay.mode).toBe('auto');
    expect(logged).toEqual([]);
  });

  it('answers other wrongs by their codes', async () => {
    const { patch, logged } = await start();
    const good = { serverDelayMs: 60 };
    expect(await patch(good, { room: 'other' })).toMatchObject({
      status: 404,
      answer: { code: 'not-found' },
    });
    expect(await patch(good, { room: '__proto__' })).toMatchObject({ status: 404 });
    expect(await patch(good, { room: '%zz' })).toMatchObject({ status: 400 });
    expect(await patch(good, { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      answer: { code: 'content-type' },
    });
    expect(await patch(`{"serverDelayMs":60${' '.repeat(2000)}}`)).toMatchObject({
      status: 413,
      answer: { code: 'body-too-large' },
    });
    expect(logged).toEqual([]);
  });

  it('survives a body that breaks off', async () => {
    const { port, patch, logged } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `PATCH /api/rooms/lab HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ` +
        `${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"serv`,
    );
    await new Promise((done) => setTimeout(done, 30));
    socket.destroy();
    expect((await patch({ serverDelayMs: 60 })).status).toBe(200);
    expect(logged).toEqual([]);
  });
});

describe('GET /api/rooms/<room>', () => {
  it('tells how many are there, and to the operator alone who', async () => {
    const { get } = await start();
    expect(await get('/rooms/lab')).toEqual({
      status: 200,
      answer: { room: 'lab', present: 1, listeners: 0, liveSeconds: null },
    });
    const { answer } = await get('/rooms/lab', { authorization: `Bearer ${TOKEN}` });
    expect(answer).toMatchObject({
      room: 'lab',
      present: 1,
      people: [{ name: 'Ann', peer: '192.0.2.1:1' }],
    });
  });

  it('refuses a wrong token in place of telling less, and tells the log', async () => {
    const { get, audit } = await start();
    expect(await get('/rooms/lab', { authorization: 'Bearer wrong' })).toMatchObject({
      status: 401,
      answer: { code: 'operator-token' },
    });
    expect(audit).toEqual([
      expect.objectContaining({ event: 'operator-refused', peer: '127.0.0.1' }),
    ]);
    expect(JSON.stringify(audit)).not.toContain('wrong');
  });

  it('answers a room that nobody is in, and one that has no name, by their codes', async () => {
    const { get } = await start();
    for (const room of ['other', '__proto__', 'constructor']) {
      expect(await get(`/rooms/${room}`)).toMatchObject({
        status: 404,
        answer: { code: 'not-found' },
      });
    }
    expect(await get('/rooms/%zz')).toMatchObject({ status: 400, answer: { code: 'bad-request' } });
  });

  it.each(['/rooms', '/status', '/recordings'])('shows %s to the operator alone', async (path) => {
    const { get } = await start();
    expect(await get(path)).toMatchObject({ status: 401, answer: { code: 'operator-token' } });
    const off = await start(null);
    expect(await off.get(path, { authorization: `Bearer ${TOKEN}` })).toMatchObject({
      status: 403,
      answer: { code: 'operator-off' },
    });
  });
});

describe('removing', () => {
  it('ends a session with its reason, keeps no place for it, and is in the audit log', async () => {
    const { conference, remove, audit } = await start();
    const bob = await conference.join('Bob');
    const { resume } = bob.session.told('welcome')[0];
    expect(await remove(`/rooms/lab/people/${bob.id}`, 'wrong')).toBe('operator-token');
    expect(bob.session.closed).toBeNull();
    expect(await remove(`/rooms/lab/people/${bob.id}`)).toBe(204);
    expect(bob.session.messages.at(-1)).toMatchObject({ type: 'closing', code: 'removed' });
    expect(conference.rooms.get('lab')?.size).toBe(1);
    expect(conference.rooms.get('lab')?.people.places.holder(resume)).toBe(null);
    const done = audit.filter(({ event }) => event === 'moderation');
    expect(done).toEqual([
      expect.objectContaining({
        by: 'operator',
        action: 'remove',
        room: 'lab',
        participant: bob.id,
        peer: '127.0.0.1',
      }),
    ]);
  });

  it('frees the place of one who is away', async () => {
    const { conference, remove } = await start();
    const bob = await conference.join('Bob');
    bob.session.close(19, 'lost');
    expect(conference.rooms.get('lab')?.size).toBe(2);
    expect(await remove(`/rooms/lab/people/${bob.id}`)).toBe(204);
    expect(conference.rooms.get('lab')?.size).toBe(1);
  });

  it('of the last person ends the room; of nobody gets an answer', async () => {
    const { conference, remove } = await start();
    for (const id of ['99', '__proto__'])
      expect(await remove(`/rooms/lab/people/${id}`)).toBe('person-unknown');
    for (const path of [
      '/rooms/other/people/1',
      '/rooms/other',
      '/rooms/lab/recording',
      '/recordings/x',
    ]) {
      expect([path, await remove(path)]).toEqual([path, 'not-found']);
    }
    expect(await remove('/rooms/lab/people/1')).toBe(204);
    expect(conference.rooms.get('lab')).toBeUndefined();
  });

  it('of a room ends it for everybody in it', async () => {
    const { conference, remove } = await start();
    const bob = await conference.join('Bob');
    const cid = await conference.join('Cid', { room: 'tea' });
    expect(await remove('/rooms/lab')).toBe(204);
    expect(bob.session.messages.at(-1)).toMatchObject({ type: 'closing', code: 'room-ended' });
    expect(conference.rooms.get('lab')).toBeUndefined();
    expect(cid.session.closed).toBeNull();
  });
});
