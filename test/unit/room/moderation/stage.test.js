import { describe, expect, it } from 'vitest';
import { OPEN_GRANT } from '../../../../server/state/grant.js';
import { OPERATOR } from '../../../../server/state/grant.js';
import { Conference, Person as FarEnd } from '../../../fakes/conference.js';
import { FakeSession } from '../../../fakes/fake-session.js';

/** @typedef {import('../../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person */
const role = (person) => last(person, 'welcome').role;
/** @param {Person} person @param {object} message */
const send = (person, message) => person.session.handler?.control({ type: 'moderate', ...message });
const live = (/** @type {Person} */ person, on = true) => send(person, { action: 'broadcast', on });
/** @param {Conference} conference */
const roomOf = (conference) =>
  /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (conference.rooms.get('lab'));

/** @param {ConstructorParameters<typeof Conference>[0]} [options] */
function begin(options = {}) {
  const conference = new Conference({
    idleTimeoutMs: 1_000_000,
    wallNow: () => 1_800_000_000_000 + conference.clock.now(),
    ...options,
  });
  return conference;
}

describe('a room that goes live', () => {
  it.each([
    ['a moderator', (/** @type {Person} */ ann) => send(ann, { action: 'end' })],
    [
      'its last person',
      (/** @type {Person} */ ann) => ann.session.handler?.control({ type: 'leave' }),
    ],
    ['the server', (/** @type {Person} */ ann) => ann.conference.rooms.close()],
  ])('is told to have finished when %s ends it', async (_, end) => {
    /** @type {string[]} */
    const events = [];
    const conference = begin({ happened: ({ event }) => void events.push(event) });
    const ann = await conference.join('Ann');
    live(ann);
    end(ann);
    conference.clock.advance(1000);
    expect(events.filter((event) => !event.startsWith('participant'))).toEqual([
      ...['room_started', 'broadcast_started', 'broadcast_finished', 'room_finished'],
    ]);
  });

  it('keeps present people on stage, and makes newcomers listeners', async () => {
    const conference = begin();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    live(ann);
    expect(last(bob, 'room')).toMatchObject({ broadcast: true, liveSeconds: 0 });
    conference.clock.advance(90_000);
    const lea = await conference.join('Lea');
    expect(last(lea, 'welcome')).toMatchObject({
      role: 'listener',
      listeners: 1,
      stride: 3,
      rules: { broadcast: true, liveSeconds: 90 },
    });
    expect(roomOf(conference).publicView).toEqual({
      room: 'lab',
      present: 3,
      listeners: 1,
      liveSeconds: 90,
    });
    expect(
      roomOf(conference)
        .describe()
        .people.map(({ name, role: as }) => [name, as]),
    ).toEqual([
      ['Ann', 'moderator'],
      ['Bob', 'speaker'],
    ]);
    send(bob, { action: 'broadcast', on: false });
    expect(last(bob, 'refused')).toMatchObject({ code: 'not-allowed' });
  });

  it('tells those on stage a key by which they come back to it, and nobody else', async () => {
    const conference = begin();
    const ann = await conference.join('Ann');
    expect(ann.session.told('stage')).toEqual([]);
    live(ann);
    const { key } = last(ann, 'stage');
    expect(key).toMatch(/^[\w-]{22}$/);
    const lea = await conference.join('Lea', { stage: `${key.slice(0, -1)}~` });
    const max = await conference.join('Max', { stage: 'x'.repeat(500) });
    const cid = await conference.join('Cid', { stage: key });
    expect([role(lea), role(max), role(cid)]).toEqual(['listener', 'listener', 'speaker']);
    expect(lea.session.told('stage')).toEqual([]);
    expect(last(cid, 'stage')).toEqual({ type: 'stage', key });
    send(ann, { action: 'role', person: lea.id, role: 'speaker' });
    expect(last(lea, 'stage')).toEqual({ type: 'stage', key });
    // An invited person may still choose to listen.
    expect(role(await conference.join('Dan', { stage: key, listen: true }))).toBe('listener');
    live(ann, false);
    live(ann);
    expect(last(ann, 'stage').key).not.toBe(key);
  });

  it('takes moderators and speakers with a token onto the stage, and listeners not', async () => {
    const conference = begin();
    live(await conference.join('Ann'));
    const roles = /** @type {const} */ (['moderator', 'speaker', 'listener']).map((as) => {
      const session = new FakeSession(conference.transport);
      conference.rooms.join(
        'lab',
        as,
        session,
        {},
        { grant: { ...OPEN_GRANT, role: as, identity: as }, password: null },
      );
      return role(new FarEnd(conference, session));
    });
    expect(roles).toEqual(['moderator', 'speaker', 'listener']);
  });

  it('leaves listeners what they are when it ends, and lets newcomers speak', async () => {
    const conference = begin();
    const ann = await conference.join('Ann');
    live(ann);
    const lea = await conference.join('Lea');
    live(ann, false);
    expect(last(lea, 'room')).toMatchObject({ broadcast: false, liveSeconds: null });
    expect(roomOf(conference).publicView).toMatchObject({ listeners: 1, liveSeconds: null });
    expect(role(await conference.join('Bob'))).toBe('speaker');
    lea.session.close(19, 'lost');
    const back = await conference.join('Lea', { resume: last(lea, 'welcome').resume });
    expect(role(back)).toBe('listener');
    expect(role(await conference.join('Lea'))).toBe('speaker');
  });

  it('is mixed, and refused where it is forwarded or encrypted end to end', async () => {
    const forwarded = begin({ mode: 'forward' });
    const ann = await forwarded.join('Ann');
    live(ann);
    expect(last(ann, 'refused')).toMatchObject({ of: 'moderate', code: 'broadcast-mix' });
    const sealed = begin();
    const eve = await sealed.join('Eve', { e2e: true });
    live(eve);
    expect(last(eve, 'refused')).toMatchObject({ code: 'broadcast-mix' });
    const auto = begin({ mode: 'auto' });
    const bob = await auto.join('Bob');
    auto.pass(60);
    expect(roomOf(auto).describe().sound).toBe('bundle');
    live(bob);
    auto.pass(60);
    expect(roomOf(auto).describe().sound).toBe('mix');
    send(bob, { action: 'mode', mode: 'forward' });
    expect(last(bob, 'refused')).toMatchObject({ code: 'broadcast-mix' });
    live(bob, false);
    auto.pass(2000);
    expect(roomOf(auto).describe().sound).toBe('bundle');
  });
});

describe('rooms that all are broadcasts', () => {
  it('begin with the first who would speak, however many listen before', async () => {
    const conference = begin({ broadcast: true });
    const lea = await conference.join('Lea', { listen: true });
    expect(last(lea, 'welcome')).toMatchObject({
      role: 'listener',
      rules: { broadcast: true, liveSeconds: null },
    });
    expect(roomOf(conference).publicView.liveSeconds).toBe(null);
    conference.clock.advance(5000);
    const ann = await conference.join('Ann');
    expect(last(ann, 'welcome')).toMatchObject({
      role: 'moderator',
      rules: { broadcast: true, liveSeconds: 0 },
    });
    expect(last(lea, 'room')).toMatchObject({ broadcast: true, liveSeconds: 0 });
    expect(role(await conference.join('Bob'))).toBe('listener');
  });

  it("don't begin with a person for whom there is no codec", async () => {
    const conference = begin({ broadcast: true });
    const lea = await conference.join('Lea', { listen: true });
    const { codec } = conference;
    const { createEncoder } = codec;
    codec.maxInstances = 10;
    codec.createEncoder = () => {
      throw Object.assign(new Error('no more'), { code: 'codec-instances' });
    };
    expect(
      conference.rooms.join(
        'lab',
        'Ann',
        new FakeSession(conference.transport),
        {},
        { grant: OPEN_GRANT, password: null },
      ),
    ).toBe('server-full');
    codec.createEncoder = createEncoder;
    expect([lea.session.told('room'), roomOf(conference).publicView.liveSeconds]).toEqual([
      [],
      null,
    ]);
    expect(role(await conference.join('Bob'))).toBe('moderator');
  });

  it('are none that are forwarded or encrypted, nor a mirror', async () => {
    const conference = begin({ broadcast: true });
    for (const wish of [{ e2e: true }, { mode: 'forward' }]) {
      expect(last(await conference.join('Ann', wish), 'refused')).toMatchObject({
        code: 'broadcast-mix',
      });
    }
    expect(last(await conference.join('Ann', { mirror: true }), 'welcome').rules.broadcast).toBe(
      false,
    );
  });
});

describe('a broadcast that is opened again', () => {
  it('on another thread goes on with its stage and its time', async () => {
    const before = begin();
    const ann = await before.join('Ann');
    live(ann);
    before.clock.advance(60_000);
    const after = begin({ wallNow: () => 1_800_000_000_000 + before.clock.now() });
    after.rooms.restore(structuredClone(roomOf(before).state()));
    const lea = await after.join('Lea');
    expect(last(lea, 'welcome')).toMatchObject({
      role: 'listener',
      rules: { broadcast: true, liveSeconds: 60 },
    });
    expect(role(await after.join('Bob', { stage: last(ann, 'stage').key }))).toBe('speaker');
  });

  it('on another node goes on with them as well', async () => {
    /** @type {any} */
    let told = null;
    const cluster = {
      ended: () => {},
      epochOf: () => 1,
      nodes: () => [],
      rulesOf: () => null,
      placesOf: () => [],
      ruled: (/** @type {string} */ _room, /** @type {any} */ rules) => (told = rules),
    };
    const before = begin({ cluster });
    const ann = await before.join('Ann');
    live(ann);
    await Promise.resolve();
    expect(told).toMatchObject({
      locked: false,
      broadcast: { key: last(ann, 'stage').key, since: 1_800_000_000_000 },
    });
    const after = begin({ cluster: { ...cluster, rulesOf: () => told } });
    expect(role(await after.join('Lea'))).toBe('listener');
    roomOf(after).rules.moderation.setBroadcast(false, OPERATOR);
    await Promise.resolve();
    expect(told).toMatchObject({ broadcast: null });
  });
});
