/** A room's state travels whole: to a restarted thread, and to other nodes. */

import { describe, expect, it, vi } from 'vitest';
import { ResumeTokens } from '../../../server/access/resume-token.js';
import { OPEN_GRANT, OPERATOR } from '../../../server/state/grant.js';
import { roomState, knownState } from '../../../server/state/portable-state.js';
import { Conference, Person as FarEnd, settle } from '../../fakes/conference.js';
import { FakeSession } from '../../fakes/fake-session.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

const NOW = 1_800_000_000_000;

const welcomeOf = (/** @type {Person} */ person) => person.session.told('welcome')[0];
const tokenOf = (/** @type {Person} */ person) =>
  (person.session.told('resume').at(-1) ?? welcomeOf(person)).resume;
const codeOf = (/** @type {Person} */ person) => person.session.told('refused')[0]?.code;
const does = (/** @type {Person} */ person, /** @type {object} */ act) =>
  person.session.handler?.control({ type: 'moderate', ...act });
const labOf = (/** @type {Conference} */ conference) =>
  /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (conference.rooms.get('lab'));

/** Nodes that hear each other's announcements, one after the other the owner of a room. */
class Nodes {
  #epochs = 0;
  /** Last announcement of the room, as JSON. */
  told = 'null';
  /** @type {any[]} */
  places = [];

  /**
   * @param {object} [options] more of the conference's
   * @param {number} [atMs] after the others
   */
  add(options = {}, atMs = 0) {
    const epoch = ++this.#epochs;
    const cluster = {
      epochOf: () => epoch,
      nodes: () => [],
      ruled: (/** @type {string} */ _room, /** @type {any} */ state) =>
        void (this.told = JSON.stringify(state)),
      rulesOf: () => knownState.nullable().parse(JSON.parse(this.told)),
      placesOf: () => knownState.nullable().parse(JSON.parse(this.told))?.places ?? this.places,
      ended: (/** @type {string} */ _room, /** @type {any} */ places) => {
        this.told = 'null';
        this.places = places;
      },
    };
    /** @type {Conference} */
    const conference = new Conference({
      idleTimeoutMs: 600_000,
      awayTimeoutMs: 30_000,
      cluster,
      ...options,
      tokens: new ResumeTokens({
        key: 'the cluster’s',
        awayMs: 30_000,
        wallNow: () => NOW + atMs + conference.clock.now(),
      }),
      wallNow: () => NOW + atMs + conference.clock.now(),
    });
    return conference;
  }
}

/** A room of which everything is set. @param {Conference} conference */
async function furnish(conference) {
  const ann = await conference.join('Ann', { frameMs: 10, channels: 2, mode: 'auto' });
  const [bob, cid, dan, eve] = [
    await conference.join('Bob'),
    await conference.join('Cid'),
    await conference.join('Dan'),
    await conference.join('Eve'),
  ];
  const lis = await conference.join('Lis', { listen: true });
  ann.session.handler?.control({ type: 'chat', text: 'hello' });
  bob.session.handler?.control({ type: 'hand', raised: true });
  lis.session.handler?.control({ type: 'hand', raised: true });
  does(ann, { action: 'role', person: bob.id, role: 'moderator' });
  does(ann, { action: 'mute', person: cid.id, muted: true });
  does(ann, { action: 'role', person: dan.id, role: 'listener' });
  does(ann, { action: 'remove', person: eve.id, banSeconds: 600 });
  for (const act of [
    { action: 'lock', on: true },
    { action: 'lobby', on: true },
    { action: 'allow', what: 'chat', who: 'moderators' },
    { action: 'allow', what: 'record', who: 'moderators' },
    { action: 'password', password: 'open sesame' },
  ])
    does(ann, act);
  labOf(conference).setDelay(120);
  await vi.waitFor(() => expect(labOf(conference).rules.state().password).not.toBe(null), {
    timeout: 30_000,
  });
  await settle();
  return { ann, bob, cid, dan, eve, lis };
}

const RULES = {
  locked: true,
  lobby: true,
  password: true,
  chat: 'moderators',
  record: 'moderators',
  mode: 'auto',
};

/**
 * @param {Conference} conference
 * @param {Awaited<ReturnType<typeof furnish>>} people as they were before
 */
async function expectWhole(conference, { ann, bob, cid, dan, lis }) {
  const back = [];
  for (const person of [lis, dan, cid, bob, ann])
    back.push(await conference.join('x', { resume: tokenOf(person) }));
  const [lis2, dan2, cid2, bob2, ann2] = back;
  expect(back.map(({ id }) => id)).toEqual([lis, dan, cid, bob, ann].map(({ id }) => id));
  expect(welcomeOf(ann2)).toMatchObject({
    role: 'moderator',
    rules: RULES,
    format: { frameMs: 10, channels: 2 },
    e2e: false,
  });
  expect([bob2, cid2, dan2, lis2].map((person) => welcomeOf(person).role)).toEqual([
    'moderator',
    'speaker',
    'listener',
    'listener',
  ]);
  expect(welcomeOf(ann2).people).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'Bob', hand: 1 }),
      expect.objectContaining({ name: 'Cid', silenced: true, muted: true }),
    ]),
  );
  expect(labOf(conference).rules.state()).toMatchObject({
    serverDelayMs: 120,
    bans: [{ name: 'Eve' }],
  });
  conference.clock.advance(1000);
  expect(ann2.session.told('hands').at(-1)).toMatchObject({ count: 1, people: [{ label: 'Lis' }] });
  const { password } = labOf(conference).rules.policy;
  expect([await password?.is('open sesame'), await password?.is('another')]).toEqual([true, false]);
}

describe('a room of which everything is set', () => {
  it('has a state that its schema knows, in JSON and without a password in clear', async () => {
    const conference = new Nodes().add();
    await furnish(conference);
    const state = labOf(conference).state();
    const text = JSON.stringify(state);
    expect(roomState.parse(JSON.parse(text))).toEqual(state);
    expect(text).not.toContain('sesame');
  });

  it('has no counters from which tokens could not go on', async () => {
    const conference = new Nodes().add();
    await conference.join('Ann');
    const told = labOf(conference).rules.state();
    expect(knownState.safeParse(told).success).toBe(true);
    for (const more of [{ nextId: 1e15 }, { nextHand: 1e10 }])
      expect(knownState.safeParse({ ...told, ...more }).success).toBe(false);
  });

  it('is that in a thread that is started again', async () => {
    const tokens = new ResumeTokens({ key: 'the server’s' });
    const one = new Conference({ tokens });
    const people = await furnish(one);
    const other = new Conference({ tokens });
    other.rooms.restore(structuredClone(labOf(one).state()));
    await expectWhole(other, people);
  });

  it('is that on another node, by what nodes know and by the tokens of its people', async () => {
    const nodes = new Nodes();
    const people = await furnish(nodes.add());
    await expectWhole(nodes.add(), people);
  });

  it('has the stage of its broadcast again', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const ann = await one.join('Ann');
    labOf(one).rules.moderation.setBroadcast(true, OPERATOR);
    await settle();
    const other = nodes.add();
    expect(welcomeOf(await other.join('Lea'))).toMatchObject({
      role: 'listener',
      rules: { broadcast: true },
    });
    expect(
      welcomeOf(await other.join('Eva', { stage: ann.session.told('stage')[0].key })).role,
    ).toBe('speaker');
  });

  it('has the interpreters of its broadcast again, by their tokens', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, ida] = [await one.join('Ann'), await one.join('Ida')];
    does(ann, { action: 'broadcast', on: true });
    does(ann, { action: 'interpret', person: ida.id, language: 'pt-BR' });
    await settle();
    const other = nodes.add();
    await other.join('Ann', { resume: tokenOf(ann) });
    const again = await other.join('Ida', { resume: tokenOf(ida) });
    expect(welcomeOf(again)).toMatchObject({
      rules: { broadcast: true, languages: ['pt-BR'] },
      people: [{ name: 'Ann' }, { name: 'Ida', language: 'pt-BR' }],
    });
  });

  it('has a shared sound that comes before its owner, and none without one', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    await settle();
    const other = nodes.add({}, 1000);
    const share = (/** @type {Person} */ owner) => other.join('Film', { owner: tokenOf(owner) });
    const film = await share(bob);
    const [left, early] = [await share(bob), await share(ann)];
    left.session.close(0, 'left');
    other.clock.advance(1000);
    expect([film, early].map(codeOf)).toEqual([undefined, undefined]);
    const bob2 = await other.join('Bob', { resume: tokenOf(bob) });
    other.clock.advance(200);
    expect(welcomeOf(film)).toMatchObject({ role: 'speaker', may: ['speak'] });
    expect(labOf(other).find(welcomeOf(film).you)?.grant.owner).toBe(bob2.id);
    other.clock.advance(3000);
    expect(codeOf(early)).toBe('not-found');
    expect(left.session.messages).toEqual([]);
    expect(codeOf(await other.join('Film', { owner: `${tokenOf(ann)}x` }))).toBe('not-found');
  });

  it('has the volumes that somebody asks for before the others are there', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    await settle();
    const other = nodes.add({ maxParticipants: 3 }, 1000);
    const bob2 = await other.join('Bob', { resume: tokenOf(bob) });
    const setGain = (/** @type {number} */ gain, person = ann.id) =>
      bob2.session.handler?.control({ type: 'volume', person, gain });
    const heardOf = async (/** @type {Person} */ person) => {
      const first = Math.floor(other.clock.now() / 20) + 1;
      for (let frame = first; frame < first + 20; frame++) {
        await person.speak(frame, 0.4);
        other.pass(1);
      }
      other.pass(5);
      return (await bob2.heard()).get(first + 15)?.[0];
    };
    setGain(0.5);
    const ann2 = await other.join('Ann', { resume: tokenOf(ann) });
    expect(await heardOf(ann2)).toBeCloseTo(0.2, 3);
    ann2.session.close(19, 'lost');
    setGain(0.25);
    const ann3 = await other.join('Ann', { resume: tokenOf(ann) });
    expect(await heardOf(ann3)).toBeCloseTo(0.1, 3);
    // No more than there can be people, and none of anybody else later.
    for (let id = 100; id < 110; id++) setGain(0, String(id));
    const { listener } = /** @type {any} */ (labOf(other).find(bob.id));
    expect(listener.volumes.size).toBe(3);
    other.clock.advance(40_000);
    listener.volumes.forget('100');
    setGain(0, '111');
    expect(listener.volumes.size).toBe(2);
  });

  it('is read by a node of the release before, and reads what that one tells', () => {
    const before = {
      locked: true,
      lobby: false,
      chat: 'everybody',
      record: 'everybody',
      password: null,
      bans: [],
    };
    expect(knownState.parse(before)).toEqual({
      ...before,
      version: 1,
      broadcast: null,
      streamKey: null,
      groups: null,
      restraints: [],
      places: [],
      nextId: 0,
      nextHand: 0,
    });
    const later = {
      ...before,
      version: 9,
      frameMs: 'odd',
      mode: 'another',
      e2e: true,
      more: { of: 'it' },
    };
    expect(knownState.parse(later)).toMatchObject({
      locked: true,
      e2e: true,
      frameMs: undefined,
      mode: undefined,
    });
  });
});

describe('a newcomer who is first on the node that takes a room over', () => {
  it('doesn’t become its moderator while its people may come', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann');
    const other = nodes.add();
    const eve = await other.join('Eve');
    expect(welcomeOf(eve)).toMatchObject({ role: 'speaker', gatherMs: 30_000 });
    expect(Number(eve.id)).toBeGreaterThan(1000);
    other.clock.advance(15_000);
    const ann2 = await other.join('Ann', { resume: tokenOf(ann) });
    expect(welcomeOf(ann2).role).toBe('moderator');
    does(eve, { action: 'remove', person: ann2.id, banSeconds: 60 });
    expect(ann2.session.closed).toBe(null);
  });

  it('becomes it where none of them comes', async () => {
    const nodes = new Nodes();
    await nodes.add().join('Ann');
    const other = nodes.add();
    const eve = await other.join('Eve');
    other.clock.advance(30_000);
    expect(eve.session.told('moderated')).toMatchObject([{ action: 'role', role: 'moderator' }]);
  });

  it('gives the role back where the node knew nothing of the room', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann');
    nodes.told = 'null';
    const other = nodes.add();
    const eve = await other.join('Eve');
    expect(welcomeOf(eve).role).toBe('moderator');
    expect(welcomeOf(await other.join('Ann', { resume: tokenOf(ann) })).role).toBe('moderator');
    expect(eve.session.told('moderated')).toMatchObject([{ role: 'speaker' }]);
  });

  it('doesn’t open a locked room by being refused, or an open one by leaving', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    await one.join('Ann');
    labOf(one).rules.moderation.lock(true, OPERATOR);
    await settle();
    const other = nodes.add();
    expect([codeOf(await other.join('Eve')), codeOf(await other.join('Eve'))]).toEqual([
      'room-locked',
      'room-locked',
    ]);
    expect([other.rooms.size, other.rooms.people]).toEqual([1, 0]);
    labOf(other).rules.moderation.lock(false, OPERATOR);
    (await other.join('Eve')).session.close(0, 'left');
    expect(other.rooms.size).toBe(1);
    other.clock.advance(30_000);
    expect(other.rooms.size).toBe(0);
    expect(other.clock.waiting).toBeLessThan(3);
  });
});

describe('an encrypted room', () => {
  it('stays that where a newcomer without a key comes first', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann', { e2e: true });
    const other = nodes.add();
    expect(codeOf(await other.join('Eve'))).toBe('e2e-only');
    expect(welcomeOf(await other.join('Ann', { e2e: true, resume: tokenOf(ann) }))).toMatchObject({
      you: ann.id,
      e2e: true,
      role: 'moderator',
    });
  });

  it('is that again by a token, where the node knew nothing of it', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann', { e2e: true });
    nodes.told = 'null';
    const other = nodes.add();
    const eve = await other.join('Eve');
    expect(welcomeOf(await other.join('Ann', { e2e: true, resume: tokenOf(ann) }))).toMatchObject({
      you: ann.id,
      e2e: true,
      role: 'moderator',
      people: [{ name: 'Ann' }],
    });
    expect(eve.session.told('closing')).toMatchObject([{ code: 'room-reopened' }]);
    expect(codeOf(await other.join('Eve', { resume: tokenOf(eve) }))).toBe('e2e-only');
  });

  it('ends no plain room by the token of somebody who has no key', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann', { e2e: true });
    nodes.told = 'null';
    const other = nodes.add();
    const eve = await other.join('Eve');
    expect(codeOf(await other.join('Ann', { resume: tokenOf(ann) }))).toBe('e2e-only');
    expect([eve.session.told('closing'), labOf(other).size]).toEqual([[], 1]);
  });
});

describe('an older token', () => {
  /**
   * A room of two whose moderator does something to the other, and the token from before.
   * @param {object} act
   */
  async function after(act) {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    does(ann, { action: 'role', person: bob.id, role: 'moderator' });
    const token = tokenOf(bob);
    one.clock.advance(2000);
    does(ann, { person: bob.id, ...act });
    does(ann, { action: 'lock', on: true });
    await settle();
    return { nodes, one, ann, bob, token };
  }

  it('undoes no removal, on this node or another, however often it is shown', async () => {
    const { nodes, one, ann, token } = await after({ action: 'remove' });
    expect(codeOf(await one.join('Bob', { resume: token }))).toBe('room-locked');
    const other = nodes.add({}, 3000);
    await other.join('Ann', { resume: tokenOf(ann) });
    await settle();
    for (let i = 0; i < 2; i++)
      expect(codeOf(await other.join('Bob', { resume: token }))).toBe('room-locked');
    const third = nodes.add({}, 5000);
    expect(codeOf(await third.join('Bob', { resume: token }))).toBe('room-locked');
  });

  it('undoes no demotion and no mute', async () => {
    const demoted = await after({ action: 'role', role: 'listener' });
    expect(
      welcomeOf(await demoted.nodes.add({}, 3000).join('Bob', { resume: demoted.token })).role,
    ).toBe('listener');
    const muted = await after({ action: 'mute', muted: true });
    const bob = await muted.nodes.add({}, 3000).join('Bob', { resume: muted.token });
    expect(welcomeOf(bob)).toMatchObject({
      role: 'moderator',
      people: [{ silenced: true, muted: true }],
    });
  });

  it('undoes nothing that was done on the node that it was taken over by', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    const [annToken, bobToken] = [tokenOf(ann), tokenOf(bob)];
    const other = nodes.add({}, 1000);
    const [ann2, bob2] = [
      await other.join('Ann', { resume: annToken }),
      await other.join('Bob', { resume: bobToken }),
    ];
    does(ann2, { action: 'lock', on: true });
    does(ann2, { action: 'remove', person: bob2.id });
    for (let i = 0; i < 2; i++)
      expect(codeOf(await other.join('Bob', { resume: bobToken }))).toBe('room-locked');
  });

  it('undoes no move of somebody who is away to a group, or back', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    does(ann, { action: 'groups', count: 2 });
    does(ann, { action: 'group', person: bob.id, group: 1 });
    const token = tokenOf(bob);
    one.clock.advance(1000);
    bob.session.close(19, 'lost');
    does(ann, { action: 'group', person: bob.id, group: 2 });
    await settle();
    const groupAt = async (/** @type {Conference} */ conference) => {
      await conference.join('Ann', { resume: tokenOf(ann) });
      await conference.join('Bob', { resume: token });
      return labOf(conference).find(bob.id)?.group;
    };
    expect(await groupAt(nodes.add({}, 1000))).toBe(2);
    does(ann, { action: 'groups-back' });
    does(ann, { action: 'groups', count: 2 });
    await settle();
    expect(await groupAt(nodes.add({}, 1000))).toBe(0);
  });

  it('undoes no other language of an interpreter who is away', async () => {
    for (const language of ['fr', null]) {
      const nodes = new Nodes();
      const one = nodes.add();
      const [ann, ida] = [await one.join('Ann'), await one.join('Ida')];
      does(ann, { action: 'broadcast', on: true });
      does(ann, { action: 'interpret', person: ida.id, language: 'es' });
      const token = tokenOf(ida);
      one.clock.advance(1000);
      ida.session.close(19, 'lost');
      does(ann, { action: 'interpret', person: ida.id, language });
      await settle();
      const other = nodes.add({}, 1000);
      await other.join('Ann', { resume: tokenOf(ann) });
      await other.join('Ida', { resume: token });
      expect(labOf(other).find(ida.id)?.language).toBe(language);
    }
  });

  it('of a newcomer who gave the role back to the moderator has it no more', async () => {
    const nodes = new Nodes();
    const ann = await nodes.add().join('Ann');
    nodes.told = 'null';
    const other = nodes.add({}, 1000);
    const eve = await other.join('Eve');
    const token = tokenOf(eve);
    const ann2 = await other.join('Ann', { resume: tokenOf(ann) });
    expect([welcomeOf(eve).role, welcomeOf(ann2).role]).toEqual(['moderator', 'moderator']);
    expect(eve.session.told('moderated')).toMatchObject([{ action: 'role', role: 'speaker' }]);
    other.clock.advance(1000);
    await settle();
    const third = nodes.add({}, 3000);
    expect(welcomeOf(await third.join('Eve', { resume: token })).role).toBe('speaker');
  });

  it('of a room that has ended moderates no later one of its name', async () => {
    const nodes = new Nodes();
    const one = nodes.add();
    const eve = await one.join('Eve');
    const token = tokenOf(eve);
    eve.session.close(0, 'left');
    await settle();
    const other = nodes.add({}, 1000);
    const ann = await other.join('Ann');
    expect([
      welcomeOf(ann).role,
      welcomeOf(await other.join('Eve', { resume: token })).role,
    ]).toEqual(['moderator', 'speaker']);
    expect(ann.session.told('moderated')).toEqual([]);
  });

  it('of somebody alone with themselves is none of a room called so', async () => {
    const conference = new Nodes().add();
    const eve = await conference.join('Eve', { room: '', mirror: true });
    const ann = await conference.join('Ann', { room: 'mirror' });
    expect([
      welcomeOf(ann).role,
      welcomeOf(await conference.join('Eve', { room: 'mirror', resume: tokenOf(eve) })).role,
    ]).toEqual(['moderator', 'speaker']);
  });

  it('is followed at once by a newer one where a role or a mute has changed', async () => {
    const conference = new Nodes().add();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const read = (/** @type {Person} */ person) =>
      conference.services.tokens?.read(tokenOf(person), 'lab');
    // The first one is signed when the role is known.
    expect(read(ann)).toMatchObject({ role: 'moderator', muted: false });
    does(ann, { action: 'role', person: bob.id, role: 'moderator' });
    bob.session.handler?.control({ type: 'mute', muted: true });
    expect(read(bob)).toMatchObject({ role: 'moderator', muted: true });
  });
});

describe('people whose thread has ended', () => {
  it('are shown as they come back, and as gone where they don’t', async () => {
    const tokens = new ResumeTokens({ key: 'the server’s' });
    const one = new Conference({ tokens });
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob'), await one.join('Cid')];
    const lis = await one.join('Lis', { listen: true });
    const other = new Conference({ tokens, idleTimeoutMs: 600_000 });
    other.rooms.restore(structuredClone(labOf(one).state()));
    const ann2 = await other.join('Ann', { resume: tokenOf(ann) });
    expect(
      welcomeOf(ann2).people.map((/** @type {any} */ { name, away }) => `${name} ${away}`),
    ).toEqual(['Ann false', 'Bob true', 'Cid true']);
    await other.join('Bob', { resume: tokenOf(bob) });
    await other.join('Lis', { resume: tokenOf(lis) });
    expect([
      ann2.session.told('joined'),
      ann2.session.told('changed').map(({ person }) => `${person.name} ${person.away}`),
    ]).toEqual([[], ['Bob false']]);
    other.clock.advance(30_000);
    expect(ann2.session.told('left').map(({ id, ids }) => ids ?? [id])).toEqual([['3']]);
  });
});

describe('two nodes that had one room while they were apart', () => {
  it('have the stricter of its rules, and what moderators of either did', async () => {
    const [nodes, apart] = [new Nodes(), new Nodes()];
    const one = nodes.add();
    const [ann, bob] = [await one.join('Ann'), await one.join('Bob')];
    apart.add();
    const other = apart.add({}, 1000);
    const bob2 = await other.join('Bob', { resume: tokenOf(bob) });
    does(ann, { action: 'mute', person: bob.id, muted: true });
    does(ann, { action: 'password', password: 'open sesame' });
    does(ann, { action: 'lobby', on: true });
    await vi.waitFor(() => expect(JSON.parse(nodes.told)?.password ?? null).not.toBe(null), {
      timeout: 30_000,
    });
    labOf(other).rules.meet(knownState.parse(JSON.parse(nodes.told)));
    expect(labOf(other).rules.state()).toMatchObject({
      locked: false,
      lobby: true,
      password: { salt: expect.any(String) },
    });
    expect(bob2.session.told('moderated')).toMatchObject([{ action: 'muted', muted: true }]);
    expect(bob2.session.told('room').at(-1)).toMatchObject({ lobby: true, password: true });
  });

  it('have nobody whom moderators of either have banned by a token', async () => {
    const [one, other] = [new Nodes().add(), new Nodes().add()];
    const ann = await one.join('Ann');
    const enter = (/** @type {Conference} */ conference, /** @type {string | null} */ identity) => {
      const session = new FakeSession(conference.transport);
      const entry = { grant: { ...OPEN_GRANT, identity }, password: null };
      conference.rooms.join('lab', 'Guest', session, {}, entry);
      return new FarEnd(conference, session);
    };
    const [eve, guest] = [enter(one, 'eve'), enter(one, null)];
    const there = [enter(other, 'eve'), enter(other, 'bob'), enter(other, null)];
    for (const { id } of [eve, guest]) does(ann, { action: 'remove', person: id, banSeconds: 60 });
    labOf(other).rules.meet(labOf(one).rules.state());
    // A network has others, too.
    expect(there.map(({ session }) => session.told('closing')[0]?.code)).toEqual([
      'banned',
      undefined,
      undefined,
    ]);
    expect(labOf(other).rules.moderation.bans()).toHaveLength(2);
  });

  it('have no groups once either is a broadcast', async () => {
    const [split, live] = [new Nodes().add(), new Nodes().add()];
    const [ann, bob] = [await split.join('Ann'), await split.join('Bob')];
    does(ann, { action: 'groups', count: 2 });
    does(ann, { action: 'group', person: bob.id, group: 1 });
    const eve = await live.join('Eve');
    does(eve, { action: 'broadcast', on: true });
    const told = [split, live].map((conference) => labOf(conference).rules.state());
    labOf(split).rules.meet(told[1]);
    labOf(live).rules.meet(told[0]);
    for (const conference of [split, live]) {
      expect(labOf(conference).rules.told).toMatchObject({ broadcast: true });
      expect(labOf(conference).rules.told).not.toHaveProperty('groups');
    }
    expect(labOf(split).find(bob.id)?.group).toBe(0);
  });
});
