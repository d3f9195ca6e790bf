/** People of a room whose node is gone come to another one, with their tokens. */

import { describe, expect, it, vi } from 'vitest';
import { errors } from '../../../../public/shared/errors.js';
import { ResumeTokens } from '../../../../server/access/resume-token.js';
import { Arrivals } from '../../../../server/host/arrivals.js';
import { networkOfPeer } from '../../../../server/network-address.js';
import { OPERATOR } from '../../../../server/state/grant.js';
import { Conference, settle } from '../../../fakes/conference.js';
import { FakeSession } from '../../../fakes/fake-session.js';

/** @typedef {Awaited<ReturnType<Conference['join']>>} Person */

const NOW = 1_800_000_000_000;
const ADDRESS = { id: 'b', url: 'http://b.example', h3Port: 4433, certificateHashes: [] };

const SETTINGS = {
  frameMs: 20,
  channels: 1,
  mode: 'mix',
  e2e: false,
  serverDelayMs: 60,
  nextId: 2,
  nextHand: 1,
};

const welcomeOf = (/** @type {Person} */ person) => person.session.told('welcome')[0];
const tokenOf = (/** @type {Person} */ person) =>
  (person.session.told('resume').at(-1) ?? welcomeOf(person)).resume;

/** The epoch of the room that was opened last. */
let epochs = 0;

/**
 * A node of a cluster.
 * @param {{ atMs?: number, epoch?: number, maxPeople?: number, rules?: any, remembers?: boolean,
 *   happened?: (happening: any) => void }} [options] rules: of a room that another had; remembers:
 *   own rooms' state
 */
function node({ atMs = 0, epoch = ++epochs, rules = null, remembers = false, ...options } = {}) {
  /** @type {string[]} */
  const ended = [];
  /** @type {any[]} */
  const told = [];
  let known = rules;
  const cluster = {
    ended(/** @type {string} */ room) {
      ended.push(room);
      known = null;
    },
    epochOf: () => epoch,
    nodes: () => [ADDRESS],
    ruled(/** @type {string} */ _room, /** @type {any} */ changed) {
      told.push(changed);
      if (remembers) known = changed;
    },
    rulesOf: () => known,
    placesOf: () => known?.places ?? [],
  };
  /** @type {Conference} */
  const conference = new Conference({
    idleTimeoutMs: 600_000,
    cluster,
    ...options,
    tokens: new ResumeTokens({
      key: 'the cluster’s',
      awayMs: 30_000,
      wallNow: () => NOW + atMs + conference.clock.now(),
    }),
  });
  return { conference, ended, told };
}

describe('a place that is taken over', () => {
  it('has the same id, name, mute and role, and newcomers’ ids are above all others', async () => {
    const { conference: one } = node();
    const [ann, bob, cid] = [await one.join('Ann'), await one.join('Bob'), await one.join('Cid')];
    bob.session.handler?.control({ type: 'mute', muted: true });
    ann.session.handler?.control({ type: 'moderate', action: 'mute', person: cid.id, muted: true });
    one.clock.advance(12_000);
    const { conference: other } = node({ atMs: 13_000 });
    const [bob2, new2, cid2, ann2] = [
      await other.join('Bob', { resume: tokenOf(bob) }),
      await other.join('Dan'),
      await other.join('x', { resume: tokenOf(cid) }),
      await other.join('Ann', { resume: tokenOf(ann) }),
    ];
    expect([bob2, cid2, ann2].map(({ id }) => id)).toEqual([bob, cid, ann].map(({ id }) => id));
    expect(Number(new2.id)).toBeGreaterThan(3);
    const people = welcomeOf(ann2).people.map(
      (/** @type {any} */ { name, muted, silenced, role }) => ({ name, muted, silenced, role }),
    );
    expect(people).toContainEqual({ name: 'Bob', muted: true, silenced: false, role: 'speaker' });
    expect(people).toContainEqual({ name: 'Cid', muted: true, silenced: true, role: 'speaker' });
    expect(people).toContainEqual({
      name: 'Ann',
      muted: false,
      silenced: false,
      role: 'moderator',
    });
    expect(people.filter((/** @type {any} */ { role }) => role === 'moderator')).toHaveLength(1);
    // And is theirs there, for the same token.
    ann2.session.close(19, 'lost');
    expect((await other.join('Ann', { resume: tokenOf(ann2) })).id).toBe(ann.id);
  });

  it('has another id where a newcomer has that one', async () => {
    const { conference: one } = node();
    const ann = await one.join('Ann');
    const { conference: other } = node();
    const early = await other.join('Early');
    const ann2 = await other.join('Ann', { resume: tokenOf(ann) });
    expect(early.id).toBe(ann.id);
    expect(ann2.id).not.toBe(early.id);
  });

  it('has a moderator again though none comes back', async () => {
    const { conference: one } = node();
    const [, bob] = [await one.join('Ann'), await one.join('Bob')];
    const { conference: other } = node();
    const bob2 = await other.join('Bob', { resume: tokenOf(bob) });
    expect(welcomeOf(bob2).role).toBe('speaker');
    other.clock.advance(10_000);
    expect(bob2.session.told('moderated')).toMatchObject([{ action: 'role', role: 'moderator' }]);
  });

  it('is nobody’s when the token is old, and its holder a newcomer', async () => {
    const { conference: one } = node();
    await one.join('Zoe');
    const ann = await one.join('Ann');
    const { conference: other } = node({ atMs: 120_000 });
    expect((await other.join('Ann', { resume: tokenOf(ann) })).id).toBe('1');
  });

  it('is not had again by one who was removed from the room', async () => {
    const { conference } = node();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const does = (/** @type {object} */ act) =>
      ann.session.handler?.control({ type: 'moderate', ...act });
    does({ action: 'lock', on: true });
    does({ action: 'remove', person: bob.id });
    expect(
      (await conference.join('Bob', { resume: tokenOf(bob) })).session.told('refused'),
    ).toMatchObject([{ code: 'room-locked' }]);
  });

  it('needs no password and no join of a network’s limit, but room for one more', async () => {
    const { conference: one } = node();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    const { conference: other } = node({ maxPeople: 2 });
    await other.join('Early');
    other.rooms
      .get('lab')
      ?.rules.moderation.lock(true, /** @type {any} */ ({ id: 'operator', label: '' }));
    expect(
      (await other.join('Ann', { resume: tokenOf(ann) })).session.told('welcome'),
    ).toHaveLength(1);
    const late = await other.join('Bob', { resume: tokenOf(bob) });
    expect(late.session.told('refused')).toMatchObject([{ code: 'server-full' }]);
  });

  it('gets a newer token from time to time, with the nodes', async () => {
    const { conference } = node();
    const ann = await conference.join('Ann');
    expect(welcomeOf(ann).nodes).toEqual([ADDRESS]);
    conference.clock.advance(25_000);
    expect(ann.session.told('resume')).toHaveLength(2);
    expect(ann.session.told('resume')[0]).toMatchObject({ nodes: [ADDRESS] });
    const { conference: other } = node({ atMs: 50_000 });
    expect((await other.join('x', { resume: tokenOf(ann) })).id).toBe(ann.id);
    // Without a cluster nothing of it is said.
    const alone = new Conference({ idleTimeoutMs: 600_000 });
    const bob = await alone.join('Bob');
    alone.clock.advance(25_000);
    expect([bob.session.told('resume'), welcomeOf(bob).nodes]).toEqual([[], undefined]);
  });
});

describe('the rules of a room', () => {
  it('hold on the next node that opens it: lock, password, lobby, rights and bans', async () => {
    const { conference: one, told } = node();
    const ann = await one.join('Ann');
    const does = (/** @type {object} */ act) =>
      ann.session.handler?.control({ type: 'moderate', ...act });
    const eve = await one.join('Eve');
    does({ action: 'allow', what: 'chat', who: 'moderators' });
    does({ action: 'remove', person: eve.id, banSeconds: 600 });
    does({ action: 'password', password: 'open sesame' });
    await vi.waitFor(
      () =>
        expect(told.at(-1)).toMatchObject({
          chat: 'moderators',
          password: { salt: expect.any(String) },
          bans: [{ name: 'Eve' }],
        }),
      { timeout: 30_000 },
    );
    const rules = JSON.parse(JSON.stringify(told.at(-1)));
    expect(JSON.stringify(rules)).not.toContain('sesame');

    const { conference: other } = node({ rules });
    expect((await other.join('Bob')).session.told('refused')).toMatchObject([{ code: 'banned' }]);
    // From the same network as Eve, but in the room after her ban.
    expect((await other.join('Ann', { resume: tokenOf(ann) })).id).toBe(ann.id);
    const bansOf = (/** @type {typeof one} */ { rooms }) =>
      rooms
        .get('lab')
        ?.rules.moderation.bans()
        .map(({ id, name }) => `${id} ${name}`);
    expect(bansOf(other)).toEqual(bansOf(one));
    expect(bansOf(one)?.[0]).toMatch(/^\d{5,} Eve$/);
    expect(
      (await other.join('Eve', { resume: tokenOf(eve) })).session.told('refused'),
    ).toHaveLength(1);

    const { conference: third } = node({ rules: { ...rules, bans: [] } });
    expect((await third.join('Bob')).session.told('refused')).toMatchObject([
      { code: 'password-missing' },
    ]);
    const ann3 = await third.join('Ann', { resume: tokenOf(ann) });
    expect(welcomeOf(ann3).rules).toMatchObject({
      password: true,
      chat: 'moderators',
      locked: false,
    });
    const password = third.rooms.get('lab')?.rules.policy.password;
    expect([await password?.is('open sesame'), await password?.is('another')]).toEqual([
      true,
      false,
    ]);
  });

  it('are sent to the other nodes while somebody is in it, and as they change', async () => {
    const { conference, told } = node();
    const ann = await conference.join('Ann');
    await settle();
    const open = {
      version: 2,
      locked: false,
      lobby: false,
      chat: 'everybody',
      record: 'everybody',
      password: null,
      broadcast: null,
      streamKey: null,
      groups: null,
      bans: [],
      restraints: [],
      places: [],
      ...SETTINGS,
    };
    expect(told).toEqual([open]);
    ann.session.handler?.control({ type: 'moderate', action: 'lock', on: true });
    await settle();
    ann.session.handler?.control({ type: 'moderate', action: 'lock', on: false });
    await settle();
    conference.rooms.get('lab')?.setDelay(120);
    await settle();
    expect(told).toEqual([open, { ...open, locked: true }, open, { ...open, serverDelayMs: 120 }]);
  });
});

describe('a mute that is kept for the next newcomer of a network', () => {
  it('is used up by nobody who comes from another node, moderator or not', async () => {
    const { conference: one, told } = node();
    const ann = await one.join('Ann');
    const bob = await one.join('Bob');
    await settle();
    const network = networkOfPeer(bob.session.peer);
    const kept = { identity: null, network, kind: 'person', silenced: true, lowered: false };
    const { conference: other } = node({ rules: { ...told.at(-1), restraints: [kept] } });
    const silenced = (/** @type {Person} */ person) =>
      welcomeOf(person).people.find((/** @type {{ id: string }} */ { id }) => id === person.id)
        .silenced;
    const back = [
      await other.join('Ann', { resume: tokenOf(ann) }),
      await other.join('Bob', { resume: tokenOf(bob) }),
    ];
    expect(back.map(({ id }) => id)).toEqual([ann.id, bob.id]);
    expect(back.map(silenced)).toEqual([false, false]);
    expect(silenced(await other.join('Cid'))).toBe(true);
    expect(silenced(await other.join('Dan'))).toBe(false);
  });
});

describe('a room whose people come encrypted to one that was opened unencrypted', () => {
  it('has none of its rules', async () => {
    const { conference: one } = node();
    const ann = await one.join('Ann', { e2e: true, mode: 'forward' });
    const { conference: other } = node({ atMs: 13_000, remembers: true });
    const early = await other.join('Early', { frameMs: 10 });
    early.session.handler?.control({ type: 'moderate', action: 'lock', on: true });
    await settle();
    const back = await other.join('Ann', { e2e: true, mode: 'forward', resume: tokenOf(ann) });
    expect(welcomeOf(back)).toMatchObject({
      e2e: true,
      format: { frameMs: 20 },
      rules: { locked: false },
    });
  });

  it('has none of its members’ bans, and all of the operator’s', async () => {
    const { conference: one } = node();
    const ann = await one.join('Ann', { e2e: true, mode: 'forward' });
    const { conference: other } = node({ atMs: 13_000 });
    const [early, eve, mal] = [
      await other.join('Early'),
      await other.join('Eve'),
      await other.join('Mal'),
    ];
    other.rooms.get('lab')?.rules.moderation.remove(mal.id, { banMs: 60_000 }, OPERATOR);
    const ban = { type: 'moderate', action: 'remove', person: eve.id, banSeconds: 60 };
    early.session.handler?.control(ban);
    const banned = () => other.rooms.bans.list('lab').map(({ name }) => name);
    expect(banned()).toEqual(['Mal', 'Eve']);
    await other.join('Ann', { e2e: true, mode: 'forward', resume: tokenOf(ann) });
    expect(banned()).toEqual(['Mal']);
  });

  it('ends that one, whose end and the other’s beginning are told', async () => {
    const { conference: one } = node();
    const ann = await one.join('Ann', { e2e: true, mode: 'forward' });
    /** @type {string[]} */
    const events = [];
    const happened = (/** @type {{ event: string }} */ { event }) => void events.push(event);
    const { conference: other } = node({ atMs: 13_000, happened });
    const early = await other.join('Early');
    await other.join('Ann', { e2e: true, mode: 'forward', resume: tokenOf(ann) });
    expect(early.session.closed?.code).toBe(errors['room-reopened'].close);
    expect(events).toEqual([
      ...['room_started', 'participant_joined', 'room_finished'],
      'room_started',
    ]);
  });
});

describe('a room that is another node’s now', () => {
  it('tells its people, is heard until they have gone, and then ends without a word', async () => {
    const { conference, ended } = node();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.rooms.move('lab', ADDRESS);
    expect(ann.session.told('moved')).toEqual([{ type: 'moved', node: ADDRESS, nodes: [ADDRESS] }]);
    expect(conference.rooms.get('lab')).toBe(undefined);
    conference.pass(50);
    expect(ann.session.packets.length).toBeGreaterThan(40);
    bob.session.close(19, 'lost');
    expect([ann.session.told('left'), ann.session.told('changed')]).toEqual([[], []]);
    expect(ann.session.closed).toBe(null);
    conference.clock.advance(5000);
    expect(ann.session.closed?.code).toBe(errors.moved.close);
    expect([conference.rooms.people, ended]).toEqual([0, []]);
    expect(conference.clock.waiting).toBeLessThan(3);
  });

  it('doesn’t stand in the way of one of that name', async () => {
    const { conference, ended } = node();
    await conference.join('Ann');
    conference.rooms.move('lab', null);
    const bob = await conference.join('Bob');
    expect(welcomeOf(bob).people).toHaveLength(1);
    bob.session.close(0, 'left');
    expect(ended).toEqual(['lab']);
  });
});

describe('one who joins at a node that hasn’t got the room', () => {
  /**
   * @param {Conference} conference
   * @param {(room: string, options: any) => Promise<any>} find
   * @param {object} [message]
   * @param {any} [verifier]
   */
  async function joins(conference, find, message = {}, verifier = null) {
    const arrivals = new Arrivals({
      rooms: conference.rooms,
      clock: conference.clock,
      log: conference.services.log,
      roomsByNode: { isHere: () => false, find },
      verifier,
    });
    const session = new FakeSession(conference.transport);
    arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: 'lab', name: 'Ann', ...message });
    await settle();
    return session;
  }

  it.each(['streamKey', 'owner'])('has none opened for them by a mere %s', async (field) => {
    const { conference } = node();
    /** @type {any[]} */
    const asked = [];
    const find = async (/** @type {string} */ room, /** @type {any} */ options) => (
      asked.push([room, options]),
      { node: null }
    );
    const session = await joins(conference, find, { [field]: 'anything' });
    expect(asked).toEqual([['lab', { hold: false }]]);
    expect(session.messages).toMatchObject([{ type: 'refused', code: 'not-found' }]);
  });

  it('is told which one has it', async () => {
    const { conference } = node();
    const session = await joins(conference, async () => ({ node: ADDRESS }));
    expect(session.messages).toEqual([{ type: 'moved', node: ADDRESS }]);
    expect(session.closed?.code).toBe(errors.moved.close);
    expect(conference.rooms.size).toBe(0);
  });

  it('comes in where it is opened here, above the room that it had', async () => {
    const { conference: one } = node({ epoch: 77 });
    const ann = await one.join('Ann');
    const { conference } = node({ epoch: 78 });
    /** @type {any[]} */
    const asked = [];
    const session = await joins(
      conference,
      async (room, options) => (asked.push([room, options]), { node: null }),
      { resume: tokenOf(ann) },
    );
    expect(asked).toEqual([['lab', { hold: true, above: 77 }]]);
    expect(session.told('welcome')[0].you).toBe(ann.id);
  });

  it('is refused with a message if the cluster is down, and a fault stays theirs', async () => {
    const { conference } = node();
    expect((await joins(conference, async () => 'cluster-unreachable')).messages).toMatchObject([
      { type: 'refused', code: 'cluster-unreachable' },
    ]);
    const fails = await joins(conference, async () => {
      throw new Error('a fault');
    });
    expect(fails.messages).toMatchObject([{ code: 'internal' }]);
    expect(conference.logged).toHaveLength(1);
  });

  it('has no room looked for without a token, where one is needed', async () => {
    const { conference } = node();
    const find = async () => {
      throw new Error('nobody is to look for it');
    };
    const session = await joins(conference, find, {}, { verify: async () => 'token-missing' });
    expect([session.messages.map(({ code }) => code), conference.logged]).toEqual([
      ['token-missing'],
      [],
    ]);
  });

  it('is let in nowhere when they have gone meanwhile', async () => {
    const { conference } = node();
    /** @type {(found: any) => void} */
    let tell = () => {};
    const session = await joins(conference, () => new Promise((resolve) => (tell = resolve)));
    session.close(0, 'left');
    tell({ node: null });
    await settle();
    expect([conference.rooms.size, session.messages]).toEqual([0, []]);
  });

  it('is sent on if the room was given away while token or password were checked', async () => {
    const { conference } = node();
    await conference.join('Zoe');
    let isHere = true;
    /** @type {(admission: any) => void} */
    let tell = () => {};
    const arrivals = new Arrivals({
      rooms: conference.rooms,
      clock: conference.clock,
      log: conference.services.log,
      verifier: /** @type {any} */ ({ verify: () => new Promise((resolve) => (tell = resolve)) }),
      roomsByNode: { isHere: () => isHere, find: async () => ({ node: ADDRESS }) },
    });
    const session = new FakeSession(conference.transport);
    arrivals.accept(session);
    session.handler?.control({ type: 'join', version: 1, room: 'lab', name: 'Ann', token: 'x' });
    await settle();
    isHere = false;
    conference.rooms.move('lab', ADDRESS);
    tell({
      grant: { role: 'speaker', withheld: new Set(), identity: 'ann', tokenId: null },
      name: null,
    });
    await settle();
    tell({
      grant: { role: 'speaker', withheld: new Set(), identity: 'ann', tokenId: null },
      name: null,
    });
    await settle();
    expect(session.messages).toEqual([{ type: 'moved', node: ADDRESS }]);
    expect(conference.rooms.size).toBe(0);
  });

  it('is sent there from the lobby too', async () => {
    const { conference } = node();
    await conference.join('Zoe');
    conference.rooms
      .get('lab')
      ?.rules.moderation.lobby(true, /** @type {any} */ ({ id: 'operator', label: '' }));
    const ann = await conference.join('Ann');
    conference.rooms.move('lab', ADDRESS);
    expect(ann.session.messages.map(({ type }) => type)).toEqual(['lobby', 'moved']);
    expect(ann.session.closed?.code).toBe(errors.moved.close);
  });

  it('may look for so many rooms from one network', async () => {
    const { conference } = node();
    let asked = 0;
    const find = async () => (asked++, { node: ADDRESS });
    const arrivals = new Arrivals({
      rooms: conference.rooms,
      clock: conference.clock,
      log: conference.services.log,
      roomsByNode: { isHere: () => false, find },
    });
    for (let i = 0; i < 300; i++) {
      const session = new FakeSession(conference.transport);
      arrivals.accept(session);
      session.handler?.control({ type: 'join', version: 1, room: `room${i}`, name: 'Eve' });
    }
    await settle();
    expect(asked).toBe(200);
  });
});
