import { describe, expect, it } from 'vitest';
import { counted } from '../../../../server/counts.js';
import { Conference, settle } from '../../../fakes/conference.js';
import { FakeSession } from '../../../fakes/fake-session.js';
import { logTo } from '../../../../testkit/log-lines.js';

/**
 * Joins from an address.
 * @param {Conference} conference
 * @param {string} peer
 * @param {object} [wishes]
 */
async function joinFrom(conference, peer, wishes = {}) {
  const session = new FakeSession(conference.transport);
  session.peer = peer;
  conference.arrivals.accept(session);
  session.handler?.control({ type: 'join', version: 1, room: 'lab', name: 'Eve', ...wishes });
  await settle();
  return session;
}

const codeOf = (/** @type {FakeSession} */ session) => session.told('refused')[0]?.code ?? 'in';

describe('many joins from one network', () => {
  it.each([
    ['an IPv4 address', (/** @type {number} */ i) => `203.0.113.9:${i + 1}`],
    ['one /64', (/** @type {number} */ i) => `[2001:db8:1:2::${i.toString(16)}]:5`],
  ])('are refused beyond a class at once, from %s, and others come in', async (_what, peerOf) => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const codes = [];
    for (let i = 0; i < 150; i++) {
      const session = await joinFrom(conference, peerOf(i), { room: `r${i % 7}` });
      codes.push(codeOf(session));
      session.close(0, 'left');
    }
    expect(codes.filter((code) => code === 'in').length).toBe(100);
    expect(codes.slice(100).every((code) => code === 'join-flood')).toBe(true);
    expect(codeOf(await joinFrom(conference, '[2001:db8:1:3::1]:5'))).toBe('in');
    conference.clock.advance(200);
    expect(codeOf(await joinFrom(conference, peerOf(0)))).toBe('in');
  });

  it('are admitted from this machine, as many people may be behind a proxy', async () => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    for (let i = 0; i < 150; i++) {
      const session = await joinFrom(conference, i % 2 ? '127.0.0.1:9' : '[::1]:9');
      expect(codeOf(session)).toBe('in');
      session.close(0, 'left');
    }
  });
});

describe('many who come and go', () => {
  /** @param {Conference} conference @param {number} visits */
  const visit = async (conference, visits) => {
    for (let i = 0; i < visits; i++)
      (await joinFrom(conference, `198.51.100.${i % 250}:1`)).close(0, 'left');
  };

  it('are announced to the others up to a number, and beyond it only if they stay', async () => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const ann = await conference.join('Ann');
    await visit(conference, 200);
    expect([ann.session.told('joined').length, ann.session.told('left').length]).toEqual([49, 49]);
    const [stays, leaves] = [
      await joinFrom(conference, '192.0.2.7:1'),
      await joinFrom(conference, '192.0.2.8:1'),
    ];
    expect(ann.session.told('joined').length).toBe(49);
    stays.handler?.control({ type: 'hand', raised: true });
    expect(ann.session.told('changed')).toEqual([]);
    leaves.close(0, 'left');
    conference.clock.advance(2000);
    const [told] = ann.session.told('joined').slice(49);
    expect(told.people).toMatchObject([{ id: stays.told('welcome')[0].you, hand: 1 }]);
    expect(ann.session.told('joined').length).toBe(50);
    conference.clock.advance(1000);
    stays.close(0, 'left');
    expect(ann.session.told('left').length).toBe(50);
  });

  it("leave nobody in anybody's list who has gone, and nobody out who is there", async () => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const ann = await conference.join('Ann');
    await visit(conference, 60);
    const early = await joinFrom(conference, '192.0.2.7:1');
    const late = await joinFrom(conference, '192.0.2.8:1');
    const idOf = (/** @type {FakeSession} */ session) => session.told('welcome')[0].you;
    const listOf = (/** @type {FakeSession} */ session) => {
      const ids = new Set(session.told('welcome')[0].people.map((/** @type {any} */ { id }) => id));
      for (const message of session.messages) {
        if (message.type === 'joined')
          for (const { id } of message.people ?? [message.person]) ids.add(id);
        if (message.type === 'left') for (const id of message.ids ?? [message.id]) ids.delete(id);
      }
      return [...ids].sort();
    };
    expect(listOf(late)).toEqual([ann.id, idOf(late)].sort());
    early.close(0, 'left');
    expect(listOf(late)).toEqual([ann.id, idOf(late)].sort());
    const last = await joinFrom(conference, '192.0.2.9:1');
    conference.clock.advance(3000);
    const all = [ann.id, idOf(late), idOf(last)].sort();
    for (const session of [ann.session, late, last]) expect(listOf(session)).toEqual(all);
  });

  it('are announced in batches, so that no mix waits while a crowd learns of a crowd', async () => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const ann = await conference.join('Ann');
    for (let i = 0; i < 140; i++) await joinFrom(conference, `198.51.100.${i}:1`);
    const joined = () =>
      ann.session
        .told('joined')
        .slice(49)
        .map(({ people }) => people.length);
    expect(ann.session.told('joined').length).toBe(49);
    conference.clock.advance(5000);
    expect(joined()).toEqual([50, 41]);
  });

  it('are announced in batches too', async () => {
    const conference = new Conference({
      maxParticipants: 1000,
      maxPeople: 1000,
      idleTimeoutMs: 60_000,
    });
    const ann = await conference.join('Ann');
    const sessions = [];
    for (let i = 0; i < 400; i++)
      sessions.push(await joinFrom(conference, `198.51.${i >> 7}.${i & 127}:1`));
    conference.clock.advance(20_000);
    for (const session of sessions) session.close(0, 'left');
    conference.clock.advance(5000);
    const left = ann.session.told('left');
    expect(left.flatMap(({ id, ids }) => ids ?? [id]).length).toBe(400);
    expect(left.length).toBe(201);
  });

  it('are logged one by one up to a number, and then as a number', async () => {
    /** @type {string[]} */
    const lines = [];
    const log = {
      error: () => {},
      info: logTo(lines).info,
    };
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000, log });
    const ann = await conference.join('Ann');
    await visit(conference, 220);
    expect(lines.filter((line) => line.startsWith('session ended')).length).toBe(20);
    conference.clock.advance(3000);
    ann.session.close(0, 'left');
    expect(lines.slice(20)).toEqual([
      expect.stringMatching(/^more sessions ended shortly after joining .*"count":200,/),
      expect.stringMatching(/^session ended .*"participant":"1"/),
    ]);
  });
});

describe('newcomers while mixes are late', () => {
  /** @param {number} share  of a processor that mixing takes */
  const busy = async (share) => {
    const conference = new Conference({ effort: { complexity: 5, share } });
    const ann = await conference.join('Ann');
    const bob = await conference.join('Bob');
    // Each tick finds the clock far behind.
    for (let i = 0; i < 60; i++) {
      conference.clock.stall(70);
      conference.clock.advance(1);
    }
    return { conference, ann, bob };
  };

  it('are refused, and who has a place comes back to it', async () => {
    const { conference, bob } = await busy(0.95);
    expect((await conference.join('Cid')).session.told('refused')).toMatchObject([
      { code: 'server-busy' },
    ]);
    bob.session.close(19, 'lost');
    expect(
      (await conference.join('Bob', { resume: bob.session.told('welcome')[0].resume })).id,
    ).toBe(bob.id);
    conference.pass(200);
    expect((await conference.join('Cid')).session.told('refused')).toEqual([]);
  });

  it('are let in where it is the machine that stands still', async () => {
    const { conference } = await busy(0.2);
    expect((await conference.join('Cid')).session.told('refused')).toEqual([]);
  });
});

describe('departures that come all at once', () => {
  it('are announced in turns, in a quarter of the time, to people still there', async () => {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const ann = await conference.join('Ann');
    const sessions = /** @type {FakeSession[]} */ ([]);
    for (let i = 0; i < 10; i++)
      sessions.push(await joinFrom(conference, `192.0.2.${i}:1`, { name: `P${i}` }));
    const send = ann.session.sendControl.bind(ann.session);
    // Telling Ann takes two milliseconds.
    ann.session.sendControl = (message) => {
      conference.clock.stall(2);
      send(message);
    };
    for (const session of sessions) session.close(0, 'left');
    const told = () => ann.session.told('left').length;
    expect([told(), conference.rooms.get('lab')?.size]).toEqual([3, 1]);
    conference.clock.advance(15);
    expect(told()).toBe(6);
    conference.clock.advance(60);
    expect(ann.session.told('left').map(({ id }) => id)).toEqual(
      sessions.map((session) => session.told('welcome')[0].you),
    );
    expect(sessions.at(-1)?.told('left')).toHaveLength(3);
  });

  it('end their room once its last has been told of', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    ann.session.close(0, 'left');
    bob.session.close(0, 'left');
    expect(conference.rooms.get('lab')).toBeUndefined();
  });
});

describe('joins that come all at once', () => {
  /** A conference in which each join takes two milliseconds. */
  async function slow() {
    const conference = new Conference({ maxParticipants: 1000, maxPeople: 1000 });
    const { rooms } = conference;
    const join = rooms.join.bind(rooms);
    rooms.join = (...all) => {
      conference.clock.stall(2);
      return join(...all);
    };
    return conference;
  }

  it('take no more than a quarter of the time, and each has its turn', async () => {
    const conference = await slow();
    const sessions = /** @type {FakeSession[]} */ ([]);
    for (let i = 0; i < 10; i++)
      sessions.push(await joinFrom(conference, `192.0.2.${i}:1`, { name: `P${i}` }));
    const inside = () => sessions.filter((session) => session.told('welcome').length > 0).length;
    expect([inside(), conference.arrivals.waiting]).toEqual([3, 7]);
    sessions[4].close(0, 'gone');
    conference.clock.advance(15);
    expect(inside()).toBe(6);
    conference.clock.advance(60);
    expect(inside()).toBe(9);
    expect(sessions[4].told('welcome')).toEqual([]);
    expect(conference.arrivals.waiting).toBe(0);
    const names = sessions
      .at(-1)
      ?.told('welcome')[0]
      .people.map((/** @type {any} */ { name }) => name);
    expect(names).toEqual(['P0', 'P1', 'P2', 'P3', 'P5', 'P6', 'P7', 'P8', 'P9']);
  });

  it('are counted, and refusals by their code', async () => {
    const conference = new Conference({ maxPeople: 1 });
    const before = counted();
    await conference.join('Ann');
    await conference.join('Bob');
    await conference.join('');
    const after = counted();
    const of = (
      /** @type {ReturnType<typeof counted>} */ { refusals },
      /** @type {string} */ code,
    ) => refusals.find((refusal) => refusal.of === 'join' && refusal.code === code)?.count ?? 0;
    expect(after.joins - before.joins).toBe(1);
    for (const code of ['server-full', 'user-name'])
      expect([code, of(after, code) - of(before, code)]).toEqual([code, 1]);
    expect(conference.rooms.stats()).toMatchObject({
      rooms: 1,
      people: 1,
      away: 0,
      load: { busy: false, skippedFrames: 0 },
    });
  });
});

describe('a refused join', () => {
  it('is one line of the log, with its code, room and address', async () => {
    /** @type {any[]} */
    const lines = [];
    const log = { error() {}, info: (/** @type {any[]} */ ...line) => void lines.push(line) };
    const conference = new Conference({ log, maxParticipants: 1 });
    await conference.join('Ann');
    await conference.join('Bob');
    expect(lines).toEqual([
      [
        {
          event: 'join-refused',
          code: 'room-full',
          room: 'lab',
          peer: expect.stringMatching(/^192\.0\.2\.1:/),
        },
        'join refused',
        { network: '192.0.2.1' },
      ],
    ]);
    const session = new FakeSession(conference.transport, conference.services.log);
    conference.arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: '..', name: 'Cid' });
    expect(lines.at(-1)[0]).toMatchObject({
      event: 'join-refused',
      code: codeOf(session),
      room: undefined,
    });
  });

  it('is one line too if the lobby turns it away or admits it to a room now full', async () => {
    /** @type {any[]} */
    const refused = [];
    const info = (/** @type {any} */ fields) =>
      void (fields.event === 'join-refused' && refused.push([fields.code, fields.room]));
    const conference = new Conference({ log: { error: () => {}, info }, maxParticipants: 2 });
    const ann = await conference.join('Ann');
    const moderate = (/** @type {object} */ message) =>
      ann.session.handler?.control({ type: 'moderate', ...message });
    moderate({ action: 'lobby', on: true });
    for (const name of ['Bob', 'Cid', 'Dan']) await conference.join(name);
    moderate({ action: 'admit', knock: '1' });
    moderate({ action: 'admit', knock: '2' });
    moderate({ action: 'turn-away', knock: '3' });
    expect(refused).toEqual([
      ['room-full', 'lab'],
      ['turned-away', 'lab'],
    ]);
  });
});
