import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { qualityOf, Quality } from '../../../server/room/record/reports.js';
import { isLeave } from '../../../server/room/commands.js';
import { readJoin } from '../../../server/host/arrivals.js';
import { Conference, settle } from '../../fakes/conference.js';
import { FakeSession } from '../../fakes/fake-session.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} id last message to the others about somebody */
function lastTold(person, id) {
  const told = person.session.messages.flatMap(({ type, person: one, people }) =>
    type === 'welcome' ? people : ['joined', 'changed'].includes(type) ? [one] : [],
  );
  return told.findLast((one) => one.id === id);
}

describe('a raised hand', () => {
  it('is seen by all, in the order in which hands went up', async () => {
    const conference = new Conference();
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    const raise = (/** @type {Person} */ person, raised = true) =>
      person.session.handler?.control({ type: 'hand', raised });
    raise(bob);
    raise(ann);
    raise(bob);
    expect(cid.session.told('changed').length).toBe(2);
    expect(lastTold(cid, ann.id).hand).toBeGreaterThan(lastTold(cid, bob.id).hand);
    raise(bob, false);
    expect(lastTold(cid, bob.id).hand).toBe(0);
    raise(bob);
    expect(lastTold(cid, bob.id).hand).toBeGreaterThan(lastTold(cid, ann.id).hand);
    const dot = await conference.join('Dot');
    expect(lastTold(dot, bob.id).hand).toBe(lastTold(cid, bob.id).hand);
  });
});

describe('people of one name', () => {
  it('can be told apart, for as long as they are there', async () => {
    const conference = new Conference();
    const first = await conference.join('Ada');
    const [second, third] = await Promise.all([conference.join('Ada'), conference.join('Ada')]);
    const labels = () => [first, second, third].map(({ id }) => lastTold(third, id)?.label);
    expect(labels().toSorted()).toEqual(['Ada', 'Ada (2)', 'Ada (3)']);
    first.session.close(0, '');
    const clever = await conference.join('Ada (2)');
    const fourth = await conference.join('Ada');
    expect([clever, fourth].map(({ id }) => lastTold(fourth, id).label)).toEqual([
      'Ada (2) (2)',
      'Ada',
    ]);
    expect(lastTold(fourth, second.id)).toMatchObject({
      name: 'Ada',
      label: lastTold(third, second.id).label,
    });
  });

  it('are of one name however it is written', async () => {
    const conference = new Conference();
    await conference.join('Ren\u00e9');
    const second = await conference.join('  Rene\u0301 ');
    expect(lastTold(second, second.id)).toMatchObject({
      name: 'Ren\u00e9',
      label: 'Ren\u00e9 (2)',
    });
  });

  it('have a name of letters, and no heaps of marks', async () => {
    const conference = new Conference();
    const ann = await conference.join(`A${'\u0315\u0300'.repeat(4000)}nn`);
    expect(
      lastTold(ann, ann.id).name === `\u00c0${'\u0300'.repeat(14)}${'\u0315'.repeat(15)}nn`,
    ).toBe(true);
    expect(ann.session.told('welcome')[0].nameCut).toBeUndefined();
  });

  it('have a name that is cut where it is too long', async () => {
    const conference = new Conference();
    const ann = await conference.join('x'.repeat(10_000));
    expect(lastTold(ann, ann.id).name).toBe('x'.repeat(40));
    expect(ann.session.told('welcome')[0].nameCut).toBe(true);
    const bob = await conference.join(' Bob ');
    expect(bob.session.told('welcome')[0].nameCut).toBeUndefined();
  });
});

describe('the quality of a connection', () => {
  const none = { receivedPercent: 100, lostPercent: null, roundTripMs: null, latenessMs: null };

  it.each([
    [{ ...none, receivedPercent: null }, Quality.unknown],
    [none, Quality.good],
    [{ receivedPercent: 99, lostPercent: 1, roundTripMs: 100, latenessMs: 80 }, Quality.good],
    [{ ...none, receivedPercent: 97 }, Quality.fair],
    [{ ...none, lostPercent: 5 }, Quality.fair],
    [{ ...none, roundTripMs: 400 }, Quality.fair],
    [{ ...none, latenessMs: 200 }, Quality.fair],
    [{ ...none, receivedPercent: 80 }, Quality.bad],
    [{ ...none, lostPercent: 20 }, Quality.bad],
    [{ ...none, roundTripMs: 2000, latenessMs: 10 }, Quality.bad],
  ])('of %j is %i', (figures, quality) => {
    expect(qualityOf(figures)).toBe(quality);
  });

  it('is sent when it changes, no more often than every two seconds', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    let frame = 0;
    const talk = async (/** @type {number} */ seconds, every = 1) => {
      for (const end = frame + seconds * 50; frame < end; frame++) {
        conference.pass(1);
        await bob.speak(frame, null);
        if (frame % every === 0) await ann.speak(frame, null);
        else await ann.packet(frame, null);
      }
    };
    await talk(10);
    const told = () =>
      bob.session
        .told('qualities')
        .flatMap(({ people }) => people)
        .filter(({ id }) => id === ann.id);
    expect(told()).toEqual([{ id: ann.id, quality: Quality.good }]);
    await talk(30, 2);
    expect(told().map(({ quality }) => quality)).toEqual([Quality.good, Quality.fair, Quality.bad]);
    expect(lastTold(await conference.join('Cid'), ann.id).quality).toBe(Quality.bad);
  });

  it('follows the loss that the client reports of the way down', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    ann.session.handler?.control({ type: 'report', lostPercent: 12.5 });
    for (let frame = 0; frame < 200; frame++) {
      conference.pass(1);
      await ann.speak(frame, null);
    }
    expect(ann.session.told('qualities')).toEqual([
      { type: 'qualities', people: [{ id: ann.id, quality: Quality.bad }] },
    ]);
  });
});

describe("the length of a room's frames", () => {
  const formatOf = (/** @type {{ session: any }} */ { session }) =>
    session.told('welcome')[0]?.format;

  it('is what the first asks for, and the others get it too, until the room ends', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { frameMs: 10 });
    const bob = await conference.join('Bob', { frameMs: 20 });
    const short = { sampleRate: 48000, channels: 1, frameMs: 10, opusFrames: 1 };
    expect([formatOf(ann), formatOf(bob)]).toEqual([short, short]);
    for (const person of [ann, bob]) person.session.close(0, 'left');
    conference.clock.advance(60_000);
    expect(formatOf(await conference.join('Cem'))).toMatchObject({ frameMs: 20 });
  });

  it('is 2.5 to 20 ms, and nothing else is joined with', async () => {
    for (const frameMs of [40, 3, 0, -10, '10', null, 1e9]) {
      const conference = new Conference();
      const { session } = await conference.join('Ann', { frameMs: /** @type {any} */ (frameMs) });
      expect(session.messages).toMatchObject([{ type: 'refused', code: 'bad-request' }]);
      expect(conference.rooms.size).toBe(0);
    }
  });
});

describe('a mirror', () => {
  it('lets one hear oneself two seconds later, with nobody else there', async () => {
    const conference = new Conference();
    const [ann, bob] = [
      await conference.join('Ann', { mirror: true }),
      await conference.join('Bob', { mirror: true }),
    ];
    expect(ann.session.told('welcome')[0]).toMatchObject({
      serverDelayMs: 2000,
      echo: true,
      people: [{ name: 'Ann' }],
    });
    expect(bob.session.told('welcome')[0].people.length).toBe(1);
    expect([conference.rooms.size, conference.rooms.people]).toEqual([0, 2]);
    expect(conference.rooms.get('mirror')).toBeUndefined();
    conference.pass(1);
    await ann.speak(0, 0.1);
    conference.pass(99);
    expect((await ann.heard()).has(0)).toBe(false);
    conference.pass(2);
    expect((await ann.heard()).get(0)?.[5]).toBeCloseTo(0.1, 3);
    expect((await bob.heard()).get(0) ?? null).toBe(null);
    for (const person of [ann, bob]) person.session.close(0, '');
    expect([conference.rooms.people, conference.codec.open, conference.clock.waiting]).toEqual([
      0, 0, 0,
    ]);
  });

  it("needs no room's name, and counts among the server's people", async () => {
    const conference = new Conference({ maxPeople: 1 });
    const ann = await conference.join('Ann', { mirror: true, room: '' });
    expect(ann.id).toBeDefined();
    const bob = await conference.join('Bob', { mirror: true });
    expect(bob.session.messages).toMatchObject([{ type: 'refused', code: 'server-full' }]);
    conference.rooms.close();
    expect(ann.session.closed?.code).toBe(12);
    expect(conference.codec.open).toBe(0);
  });
});

describe('control messages of any kind', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom('1', '2', '__proto__', 'constructor'),
    fc.boolean(),
  );
  const types = [
    'join',
    'mute',
    'delay',
    'hand',
    'chat',
    'volume',
    'record',
    'recordConsent',
    'report',
    'toString',
    'x',
  ];
  const fields = [
    'muted',
    'raised',
    'text',
    'person',
    'gain',
    'on',
    'agreed',
    'lostPercent',
    'serverDelayMs',
    'version',
  ];
  const message = fc.oneof(
    value,
    fc
      .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...fields), value))
      .map(([type, rest]) => ({ ...rest, type })),
  );

  it('are read or refused, and nothing is thrown', () => {
    fc.assert(
      fc.property(message, (given) => {
        const join = readJoin(given);
        expect(typeof join === 'string' || join.type === 'join').toBe(true);
        expect(isLeave(given)).toBe(/** @type {any} */ (given)?.type === 'leave');
      }),
    );
  });

  it("do nothing to others but what they may, and end nobody's session", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 40 }), async (messages) => {
        const conference = new Conference();
        const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
        for (const each of messages) bob.session.handler?.control(each);
        await settle();
        expect([ann.session.closed, bob.session.closed, conference.logged]).toEqual([
          null,
          null,
          [],
        ]);
        const { type, label } = { type: 'joined', ...lastTold(ann, ann.id) };
        expect([type, label]).toEqual(['joined', 'Ann']);
        conference.rooms.close();
        expect(conference.clock.waiting).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('are not even parsed beyond twenty a second, unless they end the session', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const say = (/** @type {object} */ told) => ann.session.handler?.control(told);
    for (let i = 0; i < 20; i++) say({});
    say({ type: 'mute', muted: true });
    expect(ann.session.told('changed')).toEqual([]);
    expect(ann.stats()?.dropped.control).toBe(21);
    conference.clock.advance(1000);
    say({ type: 'mute', muted: true });
    expect(ann.session.told('changed').length).toBe(1);
    for (let i = 0; i < 20; i++) say({});
    say({ type: 'leave' });
    expect(ann.session.closed?.code).toBe(0);
  });

  it('may come first, and are refused with a code', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (given) => {
        const conference = new Conference();
        const session = new FakeSession(conference.transport);
        conference.arrivals.accept(session);
        session.handler?.control(given);
        await settle();
        expect(session.told('refused').length + session.told('welcome').length).toBe(1);
        conference.rooms.close();
      }),
      { numRuns: 60 },
    );
  });
});
